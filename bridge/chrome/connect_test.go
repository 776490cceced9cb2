package chrome

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestConnect connects in each way to a browser that somebody else has started.
func TestConnect(t *testing.T) {
	o := shellOptions(t)
	o.Profile = t.TempDir()
	o.Args = []string{"--remote-debugging-port=0"}
	window, err := Show(o, "about:blank")
	if err != nil {
		t.Fatal(err)
	}
	defer window.Close()
	ws := awaitPort(t, o.Profile)
	address, _, _ := strings.Cut(strings.TrimPrefix(ws, "ws://"), "/")
	for _, where := range []string{ws, o.Profile, "http://" + address, "http://" + address + "/", "http://localhost" + address[strings.LastIndexByte(address, ':'):]} {
		t.Run(where, func(t *testing.T) {
			conn, err := openBrowser(t.Context(), Options{URL: where})
			if err != nil {
				t.Fatal(err)
			}
			c := newClient(t, conn)
			if p := c.product(); !strings.Contains(p, "Chrome") {
				t.Errorf("the product is %q", p)
			}
			conn.Close()
			if err := c.end(); !errors.Is(err, errClosed) {
				t.Errorf("Serve returned %v", err)
			}
		})
	}
	conn, err := openBrowser(t.Context(), Options{URL: ws})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, conn)
	if m := c.evaluate(c.page(), "6 * 7"); !strings.Contains(m, `"value":42,`) {
		t.Errorf("6 * 7 is %s", m)
	}
	window.Close()
	if err := c.end(); err == nil || !strings.Contains(err.Error(), "the connection to the browser ended: 1006") {
		t.Errorf("when the browser dies Serve returns %v", err)
	}
	if _, err := openBrowser(t.Context(), Options{URL: o.Profile}); err == nil || !strings.Contains(err.Error(), "check that it runs") {
		t.Errorf("a browser that has gone: %v", err)
	}
}

// awaitPort waits for the file that contains a browser's port.
func awaitPort(t *testing.T, profile string) string {
	t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		u, err := endpointIn(profile)
		if err == nil {
			return u.String()
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

func TestConnectFails(t *testing.T) {
	answer := func(status int, body string) string {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/elsewhere" {
				t.Error("a redirect was followed")
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}))
		t.Cleanup(s.Close)
		return s.URL + "?token=secret"
	}
	folder := func(file string) string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "DevToolsActivePort"), []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		return dir
	}
	dead := httptest.NewServer(nil)
	dead.Close()
	cases := []struct{ name, url, want string }{
		{"nothing of the kind", "9222", "use an address such as http://127.0.0.1:9222"},
		{"no such folder", "/nowhere", "use an address such as http://127.0.0.1:9222"},
		{"another scheme", "ftp://127.0.0.1/", "use an address such as http://127.0.0.1:9222"},
		{"no listener", dead.URL + "?token=secret", "start the browser with --remote-debugging-port"},
		{"no WebSocket", "ws" + dead.URL[4:] + "/devtools/browser/1?token=secret", "check that it runs"},
		{"a folder without a port", t.TempDir(), "start it with --remote-debugging-port=0"},
		{"a port that is none", folder("99999\n/devtools/browser/1"), "does not have a port and a path"},
		{"a port without a path", folder("9222"), "does not have a port and a path"},
		{"a path to elsewhere", folder("9222\nhttp://evil"), "does not have a port and a path"},
		{"not a browser", answer(200, "<html>"), "is not the debugging port of a browser"},
		{"a page only", answer(200, "{}"), "has no webSocketDebuggerUrl"},
		{"a redirect", answer(302, ""), "it answers with status 302"},
		{"by name", answer(500, "Host header is specified and is not an IP address or localhost."), "accepts only an IP address or localhost"},
		{"endless", answer(200, strings.Repeat(" ", maxVersion+10)+"{}"), "is not the debugging port"},
		{"refused", answer(200, `{"webSocketDebuggerUrl":"ws://elsewhere:1/devtools/browser/1"}`), "connect to the browser: dial 127.0.0.1"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err := openBrowser(t.Context(), Options{URL: c.url})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want in it %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("it tells the token: %v", err)
			}
		})
	}
}
