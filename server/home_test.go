package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server/internal/front"
)

// browserAccepts is the header Accept of a browser that opens a page.
const browserAccepts = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// open asks for a page as a person's browser does.
func (s started) open(t *testing.T, addr, path string, more ...string) hubtest.Answer {
	t.Helper()
	lines := append([]string{"Host: " + addr, "Accept: " + browserAccepts, "Connection: close"}, more...)
	return hubtest.Raw(t, addr, hubtest.Request("GET "+path+" HTTP/1.1", lines...))
}

// TestHomePage looks at the simple home page on each listener, of the default hub and of
// another one.
func TestHomePage(t *testing.T) {
	s := start(t, func(o *Options) { o.UI = new(false) })
	for _, path := range []string{"/", "/hub/mine/", "/hub/mine"} {
		prefix := strings.TrimSuffix(path, "/")
		for _, addr := range []string{s.ClientAddr(), s.HostAddr()} {
			got := s.open(t, addr, path)
			if got.Status != 200 || got.Header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Fatalf("%s%s: %d %s", addr, path, got.Status, got.Header.Get("Content-Type"))
			}
			for _, want := range []string{
				`connectOverCDP(&#34;http://` + s.ClientAddr() + prefix + `&#34;)`,
				`ws://` + s.ClientAddr() + prefix + `/devtools/browser`,
				`<form action="http://` + s.HostAddr() + prefix + `/shell">`,
				`<script defer src="` + prefix + `/home.js">`,
			} {
				if !strings.Contains(got.Body, want) {
					t.Errorf("%s%s has no %s", addr, path, want)
				}
			}
			policy := got.Header.Get("Content-Security-Policy")
			for _, want := range []string{
				"default-src 'none'", "script-src 'self'", "style-src 'sha256-", "frame-ancestors 'none'", "base-uri 'none'",
				"form-action http://" + s.HostAddr() + prefix + "/shell",
			} {
				if !strings.Contains(policy, want) {
					t.Errorf("%s%s: the policy %q has no %s", addr, path, policy, want)
				}
			}
			if strings.Contains(policy, "unsafe") || strings.Contains(got.Body, "<script>") || strings.Contains(got.Body, "TOKEN") {
				t.Errorf("%s%s: policy %q, or an inline script, or a token where none is needed", addr, path, policy)
			}
		}
	}
	if got := s.open(t, s.ClientAddr(), "/hub/No/"); got.Status != 404 || !strings.Contains(got.Body, "<h1>") {
		t.Errorf("a hub that cannot be: %d %s", got.Status, got.Body)
	}
}

// TestR307ProgramsFindTheServerUp asks for / as health checks do, which Chromium 156 answers with 200
// and nothing. The answer says where clients connect, and needs no token.
func TestR307ProgramsFindTheServerUp(t *testing.T) {
	s := start(t, withTokens)
	for addr, want := range map[string]string{s.ClientAddr(): "ws://" + s.ClientAddr() + "/devtools/browser", s.HostAddr(): "ws://" + s.ClientAddr() + "/devtools/browser"} {
		for _, accepts := range []string{"*/*", "application/json", ""} {
			if status, body := s.get(t, addr, "/", http.Header{"Accept": {accepts}}); status != 200 || !strings.Contains(body, want) {
				t.Errorf("Accept %q: %d %q", accepts, status, body)
			}
		}
		if got, err := http.Head("http://" + addr + "/"); err != nil || got.StatusCode != 200 || got.Body.Close() != nil {
			t.Errorf("HEAD: %v %v", got, err)
		}
		if got := raw(t, addr, asking("POST / HTTP/1.1", "Host: localhost", "Content-Length: 0")); got.status != 401 {
			t.Errorf("POST: %d", got.status)
		}
	}
}

// TestHomeIsForPeople has a WebSocket at / get what it has always got.
func TestHomeIsForPeople(t *testing.T) {
	s := start(t, nil)
	if got := raw(t, s.ClientAddr(), handshake("/", "Accept: "+browserAccepts)); got.status != 101 {
		t.Errorf("a WebSocket at /: %d, want that of the Browser Agent Protocol", got.status)
	}
	for addr, path := range map[string]string{s.ClientAddr(): "/favicon.ico", s.HostAddr(): "/favicon.ico"} {
		if got := s.open(t, addr, path); got.Status != 200 || got.Header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("%s: %d %s", path, got.Status, got.Header.Get("Content-Type"))
		}
	}
	// Another name for this machine, as after DNS rebinding.
	evil := hubtest.Raw(t, s.ClientAddr(), hubtest.Request("GET / HTTP/1.1", "Host: evil.example", "Accept: "+browserAccepts))
	if evil.Status != 403 || strings.Contains(evil.Body, "connectOverCDP") {
		t.Errorf("with the Host evil.example: %d %s", evil.Status, evil.Body)
	}
}

// homeJSON reads what runs.
func (s started) homeJSON(t *testing.T, addr, path, token string) (status int, h homeStatus) {
	t.Helper()
	header := http.Header{}
	if token != "" {
		header = bearer(token)
	}
	status, body := s.get(t, addr, path, header)
	if status == 200 {
		if err := json.Unmarshal([]byte(body), &h); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
	}
	return status, h
}

// TestHomeStatus wants the own hub first, no sandbox, and no other site to read it.
func TestHomeStatus(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = fakeBrowsers(works, front.SandboxPrefix+"*") })
	s.host(t)
	other := dial(t, "ws://"+s.addr(true)+"/hub/mine/icdp/host", nil)
	other.send(strings.Replace(ready, "T1", "T2", 1))
	s.awaitTarget(t, "/hub/mine", "T2")
	if status, _ := hubtest.MustPostJSON(t, "http://"+s.ClientAddr()+"/browser-sandboxes", nil, []byte("{}")); status != 201 {
		t.Fatalf("a sandbox: %d", status)
	}
	for addr, path := range map[string]string{s.ClientAddr(): "/home.json", s.HostAddr(): "/host.json"} {
		_, h := s.homeJSON(t, addr, path, "")
		if len(h.Hubs) != 2 || h.Hubs[0].Hub != "" || h.Hubs[1].Hub != "mine" || h.Hubs[1].Path != "/hub/mine" || h.Hubs[0].Targets != 1 || len(h.Hubs[0].Pages) != 1 || h.Hubs[0].Pages[0].Title != "One" {
			t.Errorf("%s: %+v", path, h)
		}
		if _, h = s.homeJSON(t, addr, "/hub/mine"+path, ""); len(h.Hubs) != 2 || h.Hubs[0].Hub != "mine" {
			t.Errorf("%s of mine: %+v", path, h)
		}
		for _, header := range []http.Header{{"Origin": {"https://evil.example"}}, {"Sec-Fetch-Site": {"cross-site"}}, {"Origin": {"http://localhost:3000"}}} {
			if status, body := s.get(t, addr, path, header); status != 403 {
				t.Errorf("%s for %v: %d %s", path, header, status, body)
			}
		}
	}
}

// TestHomeTokens wants nothing about hubs without a token, and no more than a token
// is for with one.
func TestHomeTokens(t *testing.T) {
	file, _ := hubtest.TokenFile(t, `tokens:
  - {name: one, role: client, hub: mine, token: token-of-one-hub-only}
`)
	s := start(t, func(o *Options) {
		withTokens(o)
		o.Tokens.File = file
	})
	h := dial(t, "ws://"+s.addr(true)+"/hub/mine/icdp/host", bearer(hostToken))
	h.send(ready)
	await(t, "the target is there", func() bool {
		_, got := s.homeJSON(t, s.ClientAddr(), "/hub/mine/home.json", clientToken)
		return len(got.Hubs) > 0 && len(got.Hubs[0].Pages) == 1
	})
	page := s.open(t, s.ClientAddr(), "/hub/mine/")
	if page.Status != 200 || strings.Contains(page.Body, "http://app/1") || !strings.Contains(page.Body, "?token=TOKEN") {
		t.Errorf("the home page without a token: %d %s", page.Status, page.Body)
	}
	for _, c := range []struct {
		addr, path, token string
		status, hubs      int
	}{
		{s.ClientAddr(), "/home.json", "", 401, 0},
		{s.ClientAddr(), "/home.json", hostToken, 401, 0},
		{s.ClientAddr(), "/home.json?token=" + clientToken, "", 401, 0}, // an address is no place for it
		{s.ClientAddr(), "/home.json", "token-of-one-hub-only", 401, 0},
		{s.ClientAddr(), "/hub/mine/home.json", "token-of-one-hub-only", 200, 1},
		{s.ClientAddr(), "/home.json", clientToken, 200, 2},
		{s.HostAddr(), "/host.json", "", 401, 0},
		{s.HostAddr(), "/host.json", clientToken, 401, 0},
		{s.HostAddr(), "/hub/mine/host.json", hostToken, 200, 1},
	} {
		status, got := s.homeJSON(t, c.addr, c.path, c.token)
		if status != c.status || len(got.Hubs) != c.hubs {
			t.Errorf("%s with %q: %d with %d hubs, want %d with %d", c.path, c.token, status, len(got.Hubs), c.status, c.hubs)
		}
		if c.token == hostToken && status == 200 && (got.Hubs[0].Pages != nil || got.Hubs[0].Targets != 1) {
			t.Errorf("a Host sees %+v", got.Hubs[0])
		}
	}
}

// TestErrorPages wants a page for people and the old text for programs.
func TestErrorPages(t *testing.T) {
	s := start(t, withTokens)
	for _, c := range []struct {
		path   string
		status int
		says   string
	}{
		{"/json/list", 401, "This address needs a token"},
		{"/hub/No/x", 401, "This address needs a token"}, // not even whether there can be such a hub
		{"/hub/mine/<script>", 401, "This address needs a token"},
	} {
		got := s.open(t, s.ClientAddr(), c.path)
		if got.Status != c.status || !strings.Contains(got.Body, "<h1>"+c.says) || !strings.HasPrefix(got.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %d %s", c.path, got.Status, got.Body)
		}
		if got.Header.Get("WWW-Authenticate") != "Bearer" && c.status == 401 {
			t.Errorf("%s: no WWW-Authenticate", c.path)
		}
		if _, body := s.get(t, s.ClientAddr(), c.path, nil); strings.Contains(body, "<h1>") {
			t.Errorf("%s for a program: %s", c.path, body)
		}
	}
	if got := s.open(t, s.ClientAddr(), "/nothing", "Authorization: Bearer "+clientToken); got.Status != 404 || !strings.Contains(got.Body, "There is nothing at this address") {
		t.Errorf("/nothing: %d %s", got.Status, got.Body)
	}
	if got := s.open(t, s.HostAddr(), "/shell", "Sec-Fetch-Site: cross-site"); got.Status != 403 || !strings.Contains(got.Body, "Another site has sent you here") {
		t.Errorf("/shell from another site: %d %s", got.Status, got.Body)
	}
}
