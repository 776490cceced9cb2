package server

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestActionPathsAreGuarded wants what every path wants of who comes: no
// foreign Origin, no foreign Host, a token, and a short request; and a session
// of MCP to be its caller's alone.
func TestActionPathsAreGuarded(t *testing.T) {
	change, rewrite := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, scope: readonly}, {name: b, token: "+adminToken+", role: client}]")
	s := start(t, func(f *Options) { change(f); f.Actions.HookScopes = []string{"browser:read", "browser:write"} })
	base := "http://" + s.addr(false)
	speak := func(token string, more ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}}
		if token != "" {
			h.Set("Authorization", "Bearer "+token)
		}
		for i := 0; i+1 < len(more); i += 2 {
			h.Set(more[i], more[i+1])
		}
		return h
	}
	for path, body := range map[string]string{"/mcp": initialize, "/hooks/invoke": `{"name":"browser.list"}`} {
		for name, test := range map[string]struct {
			header http.Header
			want   int
		}{
			"no token":       {speak(""), http.StatusUnauthorized},
			"a wrong token":  {speak(wrongToken), http.StatusUnauthorized},
			"a page":         {speak(clientToken, "Origin", "https://evil.example"), http.StatusForbidden},
			"a good request": {speak(clientToken), http.StatusOK},
		} {
			if status, text := hubtest.MustPostJSON(t, base+path, test.header, []byte(body)); status != test.want {
				t.Errorf("%s with %s: %d %s, want %d", path, name, status, text, test.want)
			}
		}
		if status, text := hubtest.MustPostJSON(t, base+path, speak(clientToken), bytes.Repeat([]byte(" "), actions.MaxRequest+1)); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with too much: %d %s", path, status, text)
		}
	}

	own := speak(adminToken)
	beginMCP(t, base+"/mcp", own)
	session := own.Get("Mcp-Session-Id")
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if status, text := hubtest.MustPostJSON(t, base+"/mcp", own, []byte(list)); status != http.StatusOK || !strings.Contains(text, "browser_evaluate") {
		t.Errorf("the session's own caller: %d %s", status, text)
	}
	if status, _ := hubtest.MustPostJSON(t, base+"/mcp", speak(clientToken, "Mcp-Session-Id", session), []byte(list)); status != http.StatusNotFound {
		t.Errorf("another caller: %d", status)
	}
	if status, _ := hubtest.MustPostJSON(t, base+"/hub/other/mcp", speak(adminToken, "Mcp-Session-Id", session), []byte(list)); status != http.StatusUnauthorized && status != http.StatusNotFound {
		t.Errorf("another hub: %d", status)
	}

	// It ends with the token, also where that comes back.
	rewrite("tokens: [{name: a, token: " + clientToken + ", role: client}]")
	for end := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		if status, _ := hubtest.MustPostJSON(t, base+"/mcp", speak(adminToken, "Mcp-Session-Id", session), []byte(list)); status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the revoked token is still good")
		}
	}
}

// TestR24MCPToolsByScope wants a readonly token to be offered what only looks.
func TestR24MCPToolsByScope(t *testing.T) {
	change, _ := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, scope: readonly}]")
	s := start(t, func(f *Options) { change(f) })
	header := bearer(clientToken)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	base := "http://" + s.addr(false) + "/mcp"
	beginMCP(t, base, header)
	_, text := hubtest.MustPostJSON(t, base, header, []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	for tool, want := range map[string]bool{"browser_tabs": true, "browser_take_screenshot": true, "browser_evaluate": false, "browser_click": false, "browser_close": false} {
		if strings.Contains(text, `"`+tool+`"`) != want {
			t.Errorf("%s is offered to a readonly token: %v", tool, !want)
		}
	}
	_, text = hubtest.MustPostJSON(t, base, header, []byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"browser_evaluate","arguments":{"function":"1"}}}`))
	if !strings.Contains(text, "permission denied: browser_evaluate needs scope standard") {
		t.Errorf("browser_evaluate by a readonly token: %s", text)
	}
}

// TestPlainRequestsOfWebSockets sends plain HTTP to what is a WebSocket: the answer
// says so, and no hub is made for it.
func TestPlainRequestsOfWebSockets(t *testing.T) {
	s := start(t, nil)
	guarded := start(t, withTokens)
	for _, e := range s.table {
		if !e.WS || e.Path == "/" { // which is a page for plain requests
			continue
		}
		one, others := addressesOf(e)
		for _, at := range append(one, others[0]) {
			at += "?ticket=x"
			got := raw(t, s.listenerOf(e), asking("GET "+at+" HTTP/1.1", "Host: localhost"))
			if got.status != http.StatusUpgradeRequired || got.header.Get("Upgrade") != "websocket" || got.header.Get("Connection") != "Upgrade" ||
				!strings.Contains(got.body, "with a WebSocket client.") {
				t.Errorf("GET %s: %d %v %s, want 426", at, got.status, got.header, got.body)
			}
			if got := raw(t, s.listenerOf(e), asking("POST "+at+" HTTP/1.1", "Host: localhost", "Content-Length: 0")); got.status != http.StatusMethodNotAllowed {
				t.Errorf("POST %s: %d, want 405", at, got.status)
			}
			want := http.StatusUnauthorized
			if e.Login || strings.Contains(at, "/devtools/page/") { // the token may come later, or a ticket takes its place
				want = http.StatusUpgradeRequired
			}
			if got := raw(t, guarded.listenerOf(e), asking("GET "+at+" HTTP/1.1", "Host: localhost")); got.status != want {
				t.Errorf("GET %s without a token: %d, want %d", at, got.status, want)
			}
		}
	}
	if n := s.hubs.Len() + guarded.hubs.Len(); n != 0 {
		t.Errorf("%d hubs were made", n)
	}
}

// TestProbesStartNoBrowser asks a hub that has a browser for what needs none.
func TestProbesStartNoBrowser(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers = fakeBrowsers(works, "a") })
	for path, status := range map[string]int{
		"/favicon.ico": 200, "/nothing": 404, "/.well-known/oauth-protected-resource": 404, "/mcp": 405, "/devtools/browser": 426, "/health": 200,
	} {
		if got := raw(t, s.addr(false), asking("GET /hub/a"+path+" HTTP/1.1", "Host: localhost")); got.status != status {
			t.Errorf("%s: %d, want %d", path, got.status, status)
		}
	}
	if n := s.browsers.Numbers(); n != (browsers.Numbers{}) {
		t.Errorf("%+v browsers, want none", n)
	}
	if status, _ := s.get(t, s.addr(false), "/hub/a/json/version", nil); status != 200 || s.browsers.Numbers().Started != 1 {
		t.Errorf("/json/version: %d, and %+v browsers, want one", status, s.browsers.Numbers())
	}
}
