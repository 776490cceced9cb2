package auth

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestAllowHost(t *testing.T) {
	rules := Rules{AllowedHosts: []string{"Hub.example", ".base.example"}}
	good := []string{
		"", "127.0.0.1", "127.0.0.1:9222", "127.1", "2130706433", "0x7f000001", "0177.1", "10.0.0.1:80", "127.0.0.1.",
		"[::1]", "[::1]:9222", "[::]:1", "localhost", "LocalHost:1", "localhost.", "localhost.:7", "a.localhost",
		"a.b.localhost:7", "hub.example", "HUB.example.:443", "n.base.example", "a.b.base.example:1",
	}
	bad := []string{
		"evil.com", "evil.com:9222", "127.0.0.1.nip.io", "localhost6", "localhost@evil.com", "a.local", "127.0.0.1, evil.com",
		"127.0.0.1:80:80", "127.0.0.1:port", ".localhost", "xlocalhost", "localhost.evil.com", "[::1", "[evil.com]", "::1",
		"256.0.0.1", "1.2.3.4.5", "4294967296", "127.0.0.1/x", "hub.example.evil.com", "base.example", ".base.example", "x hub.example",
		"[127.0.0.1]", "1..2", "127.0.0.1\x00",
	}
	for _, h := range good {
		if !rules.AllowHost(h) {
			t.Errorf("Host %q is refused, want it served", h)
		}
	}
	for _, h := range bad {
		if rules.AllowHost(h) {
			t.Errorf("Host %q is served, want it refused", h)
		}
	}
	if (Rules{}).AllowHost("hub.example") {
		t.Error("a name that is not listed is served")
	}
}

func TestGuard(t *testing.T) {
	served := 0
	h := Rules{}.Guard(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served++ }))
	for _, tt := range []struct {
		host   string
		status int
	}{{"localhost:1", 200}, {"evil.com", 403}} {
		req := httptest.NewRequest("POST", "/anything", nil)
		req.Host = tt.host
		w := httptest.NewRecorder()
		h.ServeHTTP(w, req)
		if w.Code != tt.status {
			t.Errorf("Host %s: status %d, want %d", tt.host, w.Code, tt.status)
		}
		if tt.status == 403 && w.Body.String() != ForeignHost {
			t.Errorf("Host %s: body %q", tt.host, w.Body)
		}
		for name, want := range map[string]string{
			"Content-Security-Policy":      "frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Cache-Control":                "no-store",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin":  "",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("Host %s: %s is %q, want %q", tt.host, name, got, want)
			}
		}
	}
	if served != 1 {
		t.Errorf("%d requests were served, want 1", served)
	}
}

func TestOrigins(t *testing.T) {
	rules := Rules{
		ClientOrigins: []string{"https://app.example", "http://localhost:3000/"},
		HostOrigins:   []string{"https://host.example"},
	}
	ws := http.Header{"Upgrade": {"websocket"}}
	with := func(h http.Header, more ...string) http.Header {
		h = h.Clone()
		if h == nil {
			h = http.Header{}
		}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = append(h[more[i]], more[i+1])
		}
		return h
	}
	tests := []struct {
		name   string
		rules  Rules
		header http.Header
		client bool // served on the paths for Clients
		host   bool // served on the path for Hosts
	}{
		{"socket of a program", rules, ws, true, true},
		{"socket of Node", rules, with(ws, "Sec-Fetch-Mode", "websocket"), true, true},
		{"socket of a foreign page", rules, with(ws, "Origin", "http://evil.com"), false, false},
		{"socket of a sandboxed frame", rules, with(ws, "Origin", "null"), false, false},
		{"socket with an empty origin", rules, with(ws, "Origin", ""), false, false},
		{"socket of a loopback page", rules, with(ws, "Origin", "http://localhost:9222"), false, true},
		{"socket of a page on an IPv6 loopback", rules, with(ws, "Origin", "https://[::1]:9"), false, true},
		{"socket of a page on 127.0.0.2", rules, with(ws, "Origin", "http://127.0.0.2"), false, true},
		{"socket of a page on the local network", rules, with(ws, "Origin", "http://192.168.0.1"), false, false},
		{"socket of localhost.evil.com", rules, with(ws, "Origin", "http://localhost.evil.com"), false, false},
		{"socket of a file", rules, with(ws, "Origin", "file://"), false, false},
		{"socket of DevTools", rules, with(ws, "Origin", "devtools://devtools"), false, false},
		{"socket of a client's origin", rules, with(ws, "Origin", "https://APP.example"), true, false},
		{"socket of a host's origin", rules, with(ws, "Origin", "https://host.example"), false, true},
		{"listed, but with another port", rules, with(ws, "Origin", "https://app.example:8443"), false, false},
		{"listed with a slash", rules, with(ws, "Origin", "http://localhost:3000"), true, true},
		{"two origins, one allowed", rules, with(ws, "Origin", "https://app.example", "Origin", "http://evil.com"), false, false},
		{"null when listed", Rules{HostOrigins: []string{"null"}}, with(ws, "Origin", "null"), false, true},
		{"null when listed for clients", Rules{ClientOrigins: []string{"null"}}, with(ws, "Origin", "null"), true, false},

		{"request of a program", rules, nil, true, true},
		{"request typed by a person", rules, with(nil, "Sec-Fetch-Site", "none"), true, true},
		{"request of the hub's own page", rules, with(nil, "Sec-Fetch-Site", "same-origin", "Origin", "http://127.0.0.1:9222"), true, true},
		{"request of another site", rules, with(nil, "Sec-Fetch-Site", "cross-site"), false, false},
		{"request of the same site", rules, with(nil, "Sec-Fetch-Site", "same-site"), false, false},
		{"socket that a browser says is of another site", rules, with(ws, "Sec-Fetch-Site", "cross-site"), false, false},
		{"request of a foreign page", rules, with(nil, "Sec-Fetch-Site", "cross-site", "Origin", "http://evil.com"), false, false},
		{"request of an allowed page", rules, with(nil, "Sec-Fetch-Site", "cross-site", "Origin", "https://app.example"), true, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			check := func(side, option string, wrap func(http.Handler) http.Handler, want bool) {
				served := false
				req := httptest.NewRequest("GET", "/", nil)
				req.Host, req.Header = "127.0.0.1:9222", with(tt.header)
				w := httptest.NewRecorder()
				wrap(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { served = true })).ServeHTTP(w, req)
				if served != want {
					t.Errorf("%s: served is %v, want %v (%d %s)", side, served, want, w.Code, w.Body)
				}
				origin := req.Header.Get("Origin")
				if !want && (w.Code != 403 || origin != "" && !strings.Contains(w.Body.String(), "--"+option+"="+origin)) {
					t.Errorf("%s: refused with %d %q, want 403 naming --%s=%s", side, w.Code, w.Body, option, origin)
				}
			}
			check("clients", "client-origin", tt.rules.Clients, tt.client)
			hosts := func(next http.Handler) http.Handler { return refuseUnless(tt.rules.RefuseHost, next) }
			check("hosts", "host-origin", hosts, tt.host)
		})
	}
}

func TestR133AppIsNoHost(t *testing.T) {
	rules := Rules{AppPorts: []string{"9224", "80", "443"}, HostOrigins: []string{"http://localhost:443"}}
	for origin, refused := range map[string]bool{
		"http://127.0.0.1:9224": true, "http://localhost:9224": true, "http://[::1]:9224": true, "https://localhost:9224": true,
		"http://127.0.0.2:9224": true, "http://127.1:9224": true, "http://app.localhost:9224": true, "http://[::ffff:127.0.0.1]:9224": true,
		"http://LOCALHOST.:09224": true, "http://[0:0:0:0:0:0:0:1]:9224": true, "http://0x7f000001:9224": true,
		"http://localhost": true, "http://127.0.0.1": true, "https://[::1]": true, "https://localhost": true, "http://localhost:80": true, "https://127.0.0.1:443": true,
		"http://127.0.0.1:9223": false, "http://localhost:3000": false,
		"http://localhost:443": false, // listed
	} {
		req := httptest.NewRequest("GET", "/icdp/host", nil)
		req.Header.Set("Origin", origin)
		why := rules.RefuseHost(req)
		if (why != "") != refused {
			t.Errorf("%s: %q", origin, why)
		}
		if refused && !strings.Contains(why, "--host-origin="+origin) {
			t.Errorf("%s: %q does not say what to do", origin, why)
		}
	}
}
