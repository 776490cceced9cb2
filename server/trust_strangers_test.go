package server

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
	"github.com/cdphub/cdphub/server/internal/front"
)

// everything starts a server that serves all there is: for Clients and Hosts on
// one address, for operators and a proxied app on others.
func everything(t *testing.T, change func(*Options)) (s started, addrs map[string]string) {
	t.Helper()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "the app") }))
	t.Cleanup(upstream.Close)
	l := logtest.Open(t, io.Discard)
	f := Options{ClientAddr: "127.0.0.1:0", HostAddr: "127.0.0.1:0", Drain: 5 * time.Second, BaseDomain: "hubs.example"}
	withTokens(&f)
	if change != nil {
		change(&f)
	}
	f.AdminAddr, f.LogLevel, f.App = "127.0.0.1:0", l.Level, &App{URL: upstream.URL, Addr: "127.0.0.1:0"}
	srv, err := makeServer(f, l.Logger)
	if err != nil {
		t.Fatal(err)
	}
	return startServer(t, srv), map[string]string{"hub": srv.addr(false), "admin": srv.admin.Addr().String(), "app": srv.app.Addr().String()}
}

// allPaths are the paths of the route table and of that for operators, but for those with the hash of a file, and
// some that do not exist.
func (s started) allPaths() []string {
	paths := []string{"//", "/nothing", "/json/", "/json/list", "/json/version", "/json/new?http://a/", "/json/close/T1", "/icdp/host/", "/x/../y", "/%2e"}
	for _, e := range append(s.operators.Rows(), s.table...) {
		_, path, found := strings.Cut(samplePath(e), " ")
		if !found {
			path = samplePath(e)
		}
		if !hashed.MatchString(path) && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// hashed are the paths of files that have the hash of the file.
var hashed = regexp.MustCompile(`\.[0-9a-f]{16}\.`)

// prefixes lead to hubs that there may be, and to some that cannot be.
var prefixes = []string{"", "/hub/one", "/hub/*", "/hub/No", "/hub/a.b", "/hub/%2A", "/hub/" + strings.Repeat("x", 64), "/hub/", "/session/one", "/session/*", "/session/default"}

// TestR130ForeignPagesCountAgainstNobody sends what pages of other origins can
// send, with wrong tokens, to every path of every listener. All of it is
// refused for where it comes from, and nobody is locked out by it. Of the kinds of
// pages, two ask for each path in turn; with CDPHUB_LONG set, all do.
func TestR130ForeignPagesCountAgainstNobody(t *testing.T) {
	s, addrs := everything(t, nil)
	type kind struct {
		who   string
		lines []string
	}
	foreign := []kind{
		{"a page", []string{"Origin: https://evil.example"}},
		{"a page on loopback", []string{"Origin: http://localhost:1"}},
		{"a sandboxed page", []string{"Origin: null"}},
		{"two origins", []string{"Origin: http://" + addrs["hub"], "Origin: https://evil.example"}},
		{"an image of another site", []string{"Sec-Fetch-Site: cross-site"}},
		{"an image of the same site", []string{"Sec-Fetch-Site: same-site"}},
		{"a name that leads here", []string{"Host: evil.example"}},
		{"an origin beside that name", []string{"Host: evil.example", "Origin: http://evil.example"}},
	}
	turn := 0
	for listener, addr := range addrs {
		for _, prefix := range prefixes {
			for _, path := range s.allPaths() {
				if listener == "app" {
					path = "/__hub" + path
				}
				for range hubtest.Amount(2, len(foreign)) {
					turn++
					f := foreign[turn%len(foreign)]
					if f.who == "a page on loopback" && strings.TrimSuffix(path, "/") == "/icdp/host" {
						continue // it may be a Host
					}
					tryForeign(t, listener, addr, prefix+path, f.who, f.lines)
				}
			}
		}
	}
	// A wrong token of a program is then still the first of its kind.
	for _, path := range []string{"/json/list", "/hub/one/json/list", "/hub/two/json/list", "/browser-sandboxes"} {
		if got := raw(t, addrs["hub"], asking("GET "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+wrongToken)); got.status != 401 {
			t.Errorf("%s with a wrong token: %d %s, want 401", path, got.status, got.body)
		}
	}
	for _, addr := range []string{addrs["hub"], addrs["admin"]} {
		if status, _ := s.get(t, addr, "/metrics", bearer(wrongToken)); status != 401 {
			t.Errorf("/metrics with a wrong token: %d, want 401", status)
		}
	}
}

// tryForeign asks for a path in the ways that a page can.
func tryForeign(t *testing.T, listener, addr, path, who string, lines []string) {
	t.Helper()
	if !strings.HasPrefix(lines[0], "Host:") {
		lines = append([]string{"Host: " + addr}, lines...)
	}
	query := path + "?token=" + wrongToken
	if strings.Contains(path, "?") {
		query = strings.Replace(path, "?", "?token="+wrongToken+"&", 1)
	}
	socket := append([]string{
		"Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
	}, lines...)
	for how, request := range map[string]string{
		"GET":         asking("GET "+query+" HTTP/1.1", lines...),
		"POST":        asking("POST "+path+" HTTP/1.1", append(lines, "Content-Length: 0", "Authorization: Bearer "+wrongToken)...),
		"a WebSocket": asking("GET "+path+" HTTP/1.1", append(socket, "Sec-WebSocket-Protocol: bearer."+wrongToken)...),
		"its query":   asking("GET "+query+" HTTP/1.1", append(socket, "X-BAP-Token: "+wrongToken)...),
	} {
		switch got := raw(t, addr, request); {
		case got.status == http.StatusUnauthorized || got.status == http.StatusTooManyRequests:
			t.Errorf("%s, %s of %s by %s: %d %s: a token was looked at", listener, how, path, who, got.status, got.body)
		case got.status == http.StatusForbidden || listener == "app":
		case strings.HasPrefix(lines[0], "Host: evil"):
			t.Errorf("%s, %s of %s by %s: %d, want 403", listener, how, path, who, got.status)
		case listener == "hub" && isOpen(path):
		default:
			t.Errorf("%s, %s of %s by %s: %d %s, want 403", listener, how, path, who, got.status, got.body)
		}
	}
}

// isOpen reports whether pages of every origin may ask for a path: for files, and for what has a key of its own.
func isOpen(path string) bool {
	open := slices.AppendSeq([]string{"/dialog", "/eval/x", "/rp.js"}, maps.Keys(bundles()))
	return slices.ContainsFunc(open, func(open string) bool { return strings.HasSuffix(path, open) })
}

// TestR130EveryEntryIsLookedAt wants entries that nobody has thought of to be
// for programs with a token.
func TestR130EveryEntryIsLookedAt(t *testing.T) {
	s := start(t, withTokens)
	served := false
	for name, header := range map[string]http.Header{
		"a page": {"Origin": {"https://evil.example"}, "Authorization": {"Bearer " + clientToken}}, "another site": {"Sec-Fetch-Site": {"cross-site"}},
	} {
		r := httptest.NewRequest("GET", "/new", nil)
		r.Header = header
		w := httptest.NewRecorder()
		s.enter(w, r, front.Entry{Serve: func(http.ResponseWriter, *http.Request) { served = true }})
		if w.Code != http.StatusForbidden || served {
			t.Errorf("%s: %d, served: %v; want 403", name, w.Code, served)
		}
	}
}

// TestR132GoodTokensAreLetIn locks out an address, and its own tokens work on.
func TestR132GoodTokensAreLetIn(t *testing.T) {
	s, addrs := everything(t, nil)
	for range 15 {
		for _, path := range []string{"/json/list", "/hub/one/json/list", "/hub/*/x", "/browser-sandboxes", "/hub/one/icdp/host"} {
			raw(t, addrs["hub"], asking("GET "+path+" HTTP/1.1", "Host: localhost", "Authorization: Bearer "+wrongToken))
		}
		raw(t, addrs["admin"], asking("GET /metrics HTTP/1.1", "Host: localhost", "Authorization: Bearer "+wrongToken))
	}
	for _, tt := range []struct {
		listener, path, token string
		good, wrong           int
	}{
		{"hub", "/json/list", clientToken, 200, 429},
		{"hub", "/hub/one/json/list", clientToken, 200, 429},
		{"hub", "/hub/two/json/list", clientToken, 200, 401}, // nobody has guessed there
		{"hub", "/hub/No/json/list", clientToken, 404, 401},  // which has no lock
		{"hub", "/browser-sandboxes", clientToken, 200, 429},
		{"hub", "/hub/one/icdp/host", hostToken, 426, 429},
		{"admin", "/metrics", adminToken, 200, 429},
	} {
		for token, want := range map[string]int{tt.token: tt.good, wrongToken: tt.wrong} {
			if status, text := s.get(t, addrs[tt.listener], tt.path, bearer(token)); status != want {
				t.Errorf("%s with %s: %d %.80s, want %d", tt.path, token, status, text, want)
			}
		}
	}
	dial(t, "ws://"+addrs["hub"]+"/devtools/browser", bearer(clientToken))
	dial(t, "ws://"+addrs["hub"]+"/icdp/host", bearer(hostToken))
	c := dial(t, "ws://"+addrs["hub"]+"/ws", nil)
	c.send(`{"jsonrpc":"2.0","id":1,"method":"connect","params":{"token":"` + clientToken + `"}}`)
	if got := c.next(); !strings.Contains(got, `"result"`) {
		t.Errorf("a login: %s", got)
	}
}

// TestR139BaseDomain asks for hubs by name, in all spellings of the domain.
func TestR139BaseDomain(t *testing.T) {
	change, _ := withFile(t, "tokens:\n  - {token: "+clientToken+", role: client, hub: one}\n  - {token: "+adminToken+", role: client, hub: two}\n")
	for _, domain := range []string{"hubs.example", "Hubs.Example."} {
		s := start(t, func(f *Options) { change(f); f.BaseDomain = domain })
		ask := func(host, token string) int {
			return raw(t, s.addr(false), asking("GET /json/list HTTP/1.1", "Host: "+host, "Authorization: Bearer "+token)).status
		}
		for _, host := range []string{"one.hubs.example", "ONE.hubs.example", "one.HUBS.EXAMPLE", "One.Hubs.Example:9222", "one.hubs.example.", "one.hubs.example.:80", "one.hubs.example:"} {
			if status := ask(host, clientToken); status != 200 {
				t.Errorf("%s with the token of one: %d, want 200", host, status)
			}
			if status := ask(host, adminToken); status != 401 {
				t.Errorf("%s with the token of two: %d, want 401", host, status)
			}
		}
		for host, want := range map[string]int{
			"hubs.example": 401, "two.hubs.example": 401, "a.one.hubs.example": 401, "one.one.hubs.example": 401, "o_ne.hubs.example": 401, "1.hubs.example": 401,
			".hubs.example": 403, "onehubs.example": 403, "one.hubs.example.evil.example": 403, "one.hubs.example..": 403, "one..hubs.example": 401,
			"one.hubs.example:80:80": 403, "one.hubs.example@evil": 400, "localhost": 401,
		} {
			if status := ask(host, clientToken); status != want {
				t.Errorf("%s: %d, want %d", host, status, want)
			}
		}
	}
	for _, domain := range []string{"http://hubs.example", "hubs.example:80", ".hubs.example", "*.hubs.example", "hubs example", "[::1]", "hubs.example/x"} {
		if srv, err := makeServer(Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", BaseDomain: domain}, logtest.Open(t, io.Discard).Logger); err == nil {
			srv.Close()
			t.Errorf("--base-domain %q, at which there is never a hub, is taken", domain)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", domain)) {
			t.Errorf("--base-domain %q: %v", domain, err)
		}
	}
}
