package server

import (
	"cmp"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/auth"
)

func TestR01ForeignHostNamesAreRefused(t *testing.T) {
	s := start(t, func(f *Options) { f.Tokens.Client = "token-of-clients" })
	for _, host := range []string{
		"evil.com", "evil.com:" + s.addr(false), "127.0.0.1.nip.io", "localhost6", "localhost@evil.com", "a.local", "127.0.0.1, evil.com",
	} {
		for _, path := range []string{"/json/version", "/nothing", "/devtools/browser", "/hub/No/x"} {
			for _, method := range []string{"GET", "POST"} {
				for _, addr := range []string{s.addr(false), s.addr(true)} {
					got := raw(t, addr, asking(method+" "+path+" HTTP/1.1", "Host: "+host))
					// net/http answers by itself what is no host at all.
					own := got.status == 400 && strings.ContainsAny(host, "@,:")
					if !own && (got.status != 403 || got.body != auth.ForeignHost) {
						t.Errorf("%s %s with Host %q: %d %q", method, path, host, got.status, got.body)
					}
				}
			}
		}
	}
}

func TestR02LocalHostNamesAreServed(t *testing.T) {
	s := start(t, func(f *Options) { f.AllowedHosts = []string{"hub.example"}; f.BaseDomain = "base.example" })
	for _, host := range []string{
		"127.0.0.1", "10.0.0.1:80", "localhost", "LocalHost:7", "localhost.", "x.localhost", "[::1]:9222", "hub.example", "HUB.example:443",
		"base.example", "h1.base.example",
	} {
		if got := raw(t, s.addr(false), asking("GET /json/version HTTP/1.1", "Host: "+host)); got.status != 200 {
			t.Errorf("Host %s: %d %s", host, got.status, got.body)
		}
	}
}

func TestR03MalformedRequestsAreRefused(t *testing.T) {
	s := start(t, nil)
	const get, host = "GET /json/version HTTP/1.1", "Host: localhost"
	many := []string{host}
	for i := range 500 {
		many = append(many, fmt.Sprintf("X-%d: %s", i, strings.Repeat("x", 90)))
	}
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"two Host lines", asking(get, host, host), 400},
		{"space before the colon", asking(get, host, "X : y"), 400},
		{"NUL in a value", asking(get, host, "X: a\x00b"), 400},
		{"500 headers", asking(get, many...), 431},
	} {
		if got := raw(t, s.addr(false), tt.request); got.status != tt.status {
			t.Errorf("%s: %d, want %d", tt.name, got.status, tt.status)
		}
	}
}

func TestR04R05OriginsOfClients(t *testing.T) {
	const friend = "https://friend.example"
	s := start(t, func(f *Options) { f.ClientOrigins = []string{friend} })
	for _, tt := range []struct {
		name    string
		origins []string
		status  int
	}{
		{"R-04 foreign", []string{"https://evil.example"}, 403},
		{"R-04 null", []string{"null"}, 403},
		{"R-04 empty", []string{""}, 403},
		{"R-04 localhost", []string{"http://localhost:3000"}, 403},
		{"R-04 own", []string{"http://" + s.addr(false)}, 403},
		{"R-04 two of which one is allowed", []string{friend, "https://evil.example"}, 403},
		{"R-05 allowed", []string{friend}, 101},
		{"R-05 none", nil, 101},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var lines []string
			for _, o := range tt.origins {
				lines = append(lines, "Origin: "+o)
			}
			got := raw(t, s.addr(false), handshake("/devtools/browser", lines...))
			if got.status != tt.status {
				t.Fatalf("%d %s, want %d", got.status, got.body, tt.status)
			}
			if tt.status == 403 && !strings.Contains(got.body, "--client-origin="+tt.origins[0]+" ") {
				t.Errorf("%q does not name the option for %s", got.body, tt.origins[0])
			}
		})
	}
}

func TestR06OriginsOfHosts(t *testing.T) {
	const token = "token-of-hosts--"
	local := start(t, func(f *Options) { f.HostOrigins = []string{"https://host.example"} })
	null := start(t, func(f *Options) { f.HostOrigins = []string{"null"} })
	open := start(t, func(f *Options) { f.HostAddr, f.InsecureBind = "0.0.0.0:0", true })
	guarded := start(t, func(f *Options) { f.HostAddr, f.Tokens.Host = "0.0.0.0:0", token })
	for _, tt := range []struct {
		name   string
		hub    started
		lines  []string
		status int
	}{
		{"foreign", local, []string{"Origin: https://evil.example"}, 403},
		{"listed", local, []string{"Origin: https://host.example"}, 101},
		{"loopback", local, []string{"Origin: http://localhost:3000"}, 101},
		{"null", local, []string{"Origin: null"}, 403},
		{"null when listed", null, []string{"Origin: null"}, 101},
		{"none on loopback", local, nil, 101},
		{"none beyond loopback", open, nil, 403},
		{"loopback page beyond loopback", open, []string{"Origin: http://localhost:3000"}, 101},
		{"none beyond loopback, no token", guarded, nil, 401},
		{"none beyond loopback, with a token", guarded, []string{"Authorization: Bearer " + token}, 101},
		{"foreign with a token", guarded, []string{"Origin: https://evil.example", "Authorization: Bearer " + token}, 403},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr := Reachable(tt.hub.addr(true))
			if _, port, err := net.SplitHostPort(addr); err == nil {
				addr = "127.0.0.1:" + port
			}
			if got := raw(t, addr, handshake("/icdp/host", tt.lines...)); got.status != tt.status {
				t.Errorf("%d %s, want %d", got.status, got.body, tt.status)
			}
		})
	}
}

func TestR07PagesOfOtherSitesReadNothing(t *testing.T) {
	s := start(t, func(f *Options) { f.ClientOrigins = []string{"https://friend.example"} })
	host := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	host.send(`{"kind":"ready","v":1,"targets":[],"handles":["Target.createTarget"]}`)
	s.await(t, `"hostConnected":true`)
	for _, tt := range []struct {
		name   string
		lines  []string
		status int
	}{
		{"cross-site", []string{"Sec-Fetch-Site: cross-site"}, 403},
		{"same-site", []string{"Sec-Fetch-Site: same-site"}, 403},
		{"foreign origin", []string{"Origin: https://evil.example"}, 403},
		{"allowed origin", []string{"Origin: https://friend.example", "Sec-Fetch-Site: cross-site"}, 200},
	} {
		for _, first := range []string{"GET /json/list HTTP/1.1", "PUT /json/new?http://a/ HTTP/1.1"} {
			if tt.status == 200 && strings.HasPrefix(first, "PUT") {
				continue // would wait for the Host
			}
			if got := raw(t, s.addr(false), asking(first, append(tt.lines, "Host: localhost")...)); got.status != tt.status {
				t.Errorf("%s, %s: %d, want %d", tt.name, first, got.status, tt.status)
			}
		}
	}
	select {
	case m := <-host.Got:
		t.Errorf("the Host was asked %s", m)
	default:
	}
}

func TestR08NodeIsNoBrowser(t *testing.T) {
	s := start(t, nil)
	if got := raw(t, s.addr(false), handshake("/devtools/browser", "Sec-Fetch-Mode: websocket")); got.status != 101 {
		t.Errorf("%d %s, want 101", got.status, got.body)
	}
}

func TestR09UnsafeVerbsChangeNothing(t *testing.T) {
	s := start(t, nil)
	host := s.host(t)
	for path, allowed := range map[string]string{"/json/new": "PUT", "/json/close/T1": "GET", "/json/activate/T1": "GET"} {
		for _, method := range []string{"GET", "PUT", "POST", "DELETE", "OPTIONS", "get"} {
			if method == allowed {
				continue
			}
			name := strings.TrimSuffix(path, "/T1")
			want := "Using unsafe HTTP verb " + method + " to invoke " + name + ". This action supports only " + allowed + " verb."
			if got := raw(t, s.addr(false), asking(method+" "+path+" HTTP/1.1", "Host: localhost")); got.status != 405 || got.body != want {
				t.Errorf("%s %s: %d %q, want 405 %q", method, path, got.status, got.body, want)
			}
		}
	}
	select {
	case m := <-host.Got:
		t.Errorf("the Host was asked %s", m)
	default:
	}
	s.await(t, `"targetId":"T1"`)
}

func TestR10AnswersForbidFraming(t *testing.T) {
	s := start(t, func(f *Options) { f.Tokens.Host = "token-of-hosts--" })
	for _, request := range []string{
		asking("GET /health HTTP/1.1", "Host: localhost"),
		asking("GET /health HTTP/1.1", "Host: evil.com"),
		asking("GET /json/list HTTP/1.1", "Host: localhost"), // 401
		asking("GET /json/list HTTP/1.1", "Host: localhost", "Origin: https://evil.example"),
		asking("GET /nothing HTTP/1.1", "Host: localhost"),
		handshake("/devtools/browser", "Origin: null"),
		handshake("/devtools/browser", "Sec-WebSocket-Key: twice"),
	} {
		got := raw(t, s.addr(false), request)
		for name, want := range map[string]string{
			"Content-Security-Policy":      "frame-ancestors 'none'",
			"X-Content-Type-Options":       "nosniff",
			"Cache-Control":                "no-store",
			"Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin":  "",
		} {
			if v := got.header.Get(name); v != want {
				t.Errorf("%.60q answered with %d: %s is %q, want %q", request, got.status, name, v, want)
			}
		}
	}
}

func TestR12ExposedListenersNeedTokens(t *testing.T) {
	const everywhere = "0.0.0.0:0"
	for _, tt := range []struct {
		name string
		o    Options
		want []string
	}{
		{"no token", Options{ClientAddr: everywhere}, []string{"server.Options.InsecureBind", "server.Tokens.Client"}},
		{"token of 10 characters", Options{ClientAddr: everywhere, Tokens: Tokens{Client: "0123456789"}}, []string{"server.Tokens.Client", "10 characters"}},
		{"token of the other role", Options{ClientAddr: everywhere, Tokens: Tokens{Host: "0123456789abcdef"}}, []string{"server.Tokens.Client"}},
		{"both on one address", Options{ClientAddr: everywhere, HostAddr: everywhere, Tokens: Tokens{Client: "0123456789abcdef"}}, []string{"server.Tokens.Host"}},
		{"bad proxy", Options{Tokens: Tokens{TrustedProxies: []string{"everybody"}}}, []string{"server.Tokens.TrustedProxies"}},
	} {
		o := tt.o
		o.ClientAddr, o.HostAddr = cmp.Or(o.ClientAddr, "127.0.0.1:0"), cmp.Or(o.HostAddr, "127.0.0.1:0")
		_, err := New(o)
		for _, want := range tt.want {
			if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: got %v, want one line with %s", tt.name, err, want)
			}
		}
	}
	s := start(t, func(f *Options) { f.ClientAddr, f.Tokens.Client = "0.0.0.0:0", "0123456789abcdef" })
	if s.addr(false) == "" {
		t.Error("with a token it does not listen")
	}
}

func TestR13BadHandshakesAreRefused(t *testing.T) {
	s := start(t, nil)
	const up, key, v13 = "Connection: Upgrade\r\nUpgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13"
	const get, host = "GET /icdp/host HTTP/1.1", "Host: localhost"
	for _, tt := range []struct {
		name, request string
		status        int
	}{
		{"wrong key length", asking(get, host, up, v13, "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j"), 400},
		{"no key", asking(get, host, up, v13), 400},
		{"version 12", asking(get, host, up, key, "Sec-WebSocket-Version: 12"), 426},
		{"no version", asking(get, host, up, key), 400},
		{"HTTP/1.0", asking("GET /icdp/host HTTP/1.0", host, up, v13, key), 505},
		{"POST", asking("POST /icdp/host HTTP/1.1", host, up, v13, key, "Content-Length: 0"), 405},
	} {
		got := raw(t, s.addr(true), tt.request)
		if got.status != tt.status || tt.status == 426 && got.header.Get("Sec-WebSocket-Version") != "13" {
			t.Errorf("%s: %d %v, want %d", tt.name, got.status, got.header, tt.status)
		}
	}
	if got := raw(t, s.addr(false), asking("GET /devtools/browser HTTP/1.1", host, up, v13, "Sec-WebSocket-Key: nil")); got.status != 101 {
		t.Errorf("key nil on a client path: %d, want 101", got.status)
	}
}

func TestR14EndpointsGoByTheHostHeader(t *testing.T) {
	s := start(t, nil)
	got := raw(t, s.addr(false), asking("GET /json/version HTTP/1.1", "Host: x.localhost:7"))
	if !strings.Contains(got.body, `"webSocketDebuggerUrl":"ws://x.localhost:7/devtools/browser"`) {
		t.Errorf("got %s", got.body)
	}
	if got := raw(t, s.addr(false), asking("GET /json/version HTTP/1.1", "Host: evil.example")); got.status != 403 || strings.Contains(got.body, "evil") {
		t.Errorf("a refused Host: %d %s", got.status, got.body)
	}
}

func TestR15OddPaths(t *testing.T) {
	s := start(t, nil)
	for path, want := range map[string]string{
		"//json/version": "404", "/json/../json/version": "404", "/JSON/VERSION": "404", "/json/version/": "200",
		"/json/version?" + strings.Repeat("q", 64<<10): "431 200",
	} {
		if got := raw(t, s.addr(false), asking("GET "+path+" HTTP/1.1", "Host: localhost")); !strings.Contains(want, fmt.Sprint(got.status)) {
			t.Errorf("%.40s: %d, want %s", path, got.status, want)
		}
	}
	if got := raw(t, s.addr(false), asking("GET /health HTTP/1.1", "Host: localhost")); got.status != 200 {
		t.Errorf("afterwards: %d", got.status)
	}
}
