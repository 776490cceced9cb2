package server

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server/internal/handover"
)

// operatorsPaths are all paths for operators, by method.
var operatorsPaths = map[string]string{
	"/metrics": "GET", "/livez": "GET", "/readyz": "GET", "/hubs": "GET", "/sessions/x": "DELETE", "/cluster": "GET", handover.DrainPath + "?node=x": "POST",
	"/log-level": "PUT", "/debug/pprof/": "GET", "/debug/pprof/heap": "GET", "/debug/pprof/profile": "GET", "/debug/pprof/trace": "GET", "/nothing": "GET",
}

// TestR257PortOfOperatorsWantsAToken asks for everything at a port of loopback, with no
// token and with those of other roles.
func TestR257PortOfOperatorsWantsAToken(t *testing.T) {
	s, admin := startAdmin(t, withOperators)
	for path, method := range operatorsPaths {
		for _, token := range []string{"", clientToken, hostToken, wrongToken} {
			lines := []string{"Host: localhost", "Content-Length: 0"}
			if token != "" {
				lines = append(lines, "Authorization: Bearer "+token)
			}
			if got := raw(t, admin, asking(method+" "+path+" HTTP/1.1", lines...)); got.status != http.StatusUnauthorized && got.status != http.StatusTooManyRequests {
				t.Errorf("%s %s with %q: %d, want 401 or 429", method, path, token, got.status)
			}
		}
	}
	if status, _ := s.get(t, admin, "/hubs", bearer(adminToken)); status != http.StatusOK {
		t.Errorf("with a token: %d", status)
	}
}

// TestR257OperatorsWithoutAToken wants no port for operators without an admin token,
// whatever other tokens there are, and no socket that others may open.
func TestR257OperatorsWithoutAToken(t *testing.T) {
	given := func(mode os.FileMode) net.Listener {
		path := strings.TrimPrefix(hubtest.AdminSocket(t), "unix:")
		ln, err := net.Listen("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		return ln
	}
	for name, tt := range map[string]struct {
		change func(*Options)
		starts bool
	}{
		"a port of loopback":         {func(o *Options) { o.AdminAddr = "127.0.0.1:0" }, false},
		"all addresses":              {func(o *Options) { o.AdminAddr, o.InsecureBind = ":0", true }, false},
		"with tokens of other roles": {func(o *Options) { withTokens(o); o.AdminAddr, o.Tokens.Admin = "127.0.0.1:0", "" }, false},
		"a socket":                   {func(o *Options) { o.AdminAddr = hubtest.AdminSocket(t) }, true},
		"a socket handed over":       {func(o *Options) { o.Listeners.Admin = given(0o600) }, true},
		"a socket that is open":      {func(o *Options) { o.Listeners.Admin = given(0o666) }, false},
		"one of a group":             {func(o *Options) { o.Listeners.Admin = given(0o660) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			o := testOptions()
			tt.change(&o)
			srv, err := New(o)
			if (err == nil) != tt.starts {
				t.Errorf("it starts: %v, %v", err == nil, err)
			}
			if err != nil && (!strings.Contains(err.Error(), "server.Options.AdminAddr") || !strings.Contains(err.Error(), "unix:") || !strings.Contains(err.Error(), "server.Tokens.Admin")) {
				t.Errorf("what to do is not said: %v", err)
			}
			if srv != nil {
				srv.Close()
			}
		})
	}
}

// TestR258NoCommandLine asks for everything that package net/http/pprof serves.
func TestR258NoCommandLine(t *testing.T) {
	s, admin := startAdmin(t, nil)
	program := filepath.Base(os.Args[0])
	for _, path := range []string{"/debug/pprof/cmdline", "/debug/pprof/cmdline/", "/debug//pprof/cmdline", "/debug/pprof//cmdline", "/debug/pprof/x/../cmdline", "/debug/vars"} {
		if status, body := s.get(t, admin, path, nil); status == http.StatusOK || strings.Contains(body, program) {
			t.Errorf("GET %s: %d %q", path, status, body)
		}
	}
	for i, profile := range []string{"goroutine?debug=1", "goroutine?debug=2", "heap?debug=1", "threadcreate?debug=1", "allocs?debug=1", "mutex?debug=1", "block?debug=1"} {
		if status, body := s.get(t, admin, "/debug/pprof/"+profile, nil); status != http.StatusOK || strings.Contains(body, "-test.") {
			t.Errorf("%s: %d, with arguments: %v", fmt.Sprint(i, profile), status, strings.Contains(body, "-test."))
		}
	}
}
