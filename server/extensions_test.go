package server

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/auth"
)

const (
	extensionPath  = "/icdp/extension"
	extensionHello = `{"kind":"hello","v":1,"install":"a-secret-of-an-installation"}`
)

// TestR414WhoIsAnExtension asks from many origins, with and without a token.
func TestR414WhoIsAnExtension(t *testing.T) {
	const other = "chrome-extension://abcdefghijklmnopabcdefghijklmnop"
	open := start(t, func(o *Options) { o.HostOrigins = []string{other, "https://app.example"} })
	for origin, status := range map[string]int{
		auth.ExtensionOrigin: 101, other: 101, "http://localhost:3000": 403, "http://127.0.0.1:9222": 403, "https://app.example": 403, "null": 403,
		"chrome-extension://bbcdefghijklmnopabcdefghijklmnop": 403, strings.Replace(auth.ExtensionOrigin, "chrome", "moz", 1): 403,
	} {
		if got := raw(t, open.addr(true), handshake(extensionPath, "Origin: "+origin)); got.status != status {
			t.Errorf("%s got %d %s, want %d", origin, got.status, got.body, status)
		}
	}
	if got := raw(t, open.addr(true), handshake(extensionPath)); got.status != 101 {
		t.Errorf("a program on this machine got %d %s", got.status, got.body)
	}
	guarded := start(t, func(o *Options) { o.Tokens = Tokens{Client: clientToken, Host: hostToken} })
	for line, status := range map[string]int{"Origin: " + auth.ExtensionOrigin: 401, "Authorization: Bearer " + hostToken: 101, "Sec-WebSocket-Protocol: bearer." + hostToken: 101, "Authorization: Bearer " + clientToken: 401} {
		if got := raw(t, guarded.addr(true), handshake(extensionPath, line)); got.status != status {
			t.Errorf("with %q: %d %s, want %d", line, got.status, got.body, status)
		}
	}
	withBrowser := withBrowser(t, false, nil)
	if got := raw(t, withBrowser.addr(true), handshake("/hub/one"+extensionPath)); got.status != 403 || !strings.Contains(got.body, "--host-token") {
		t.Errorf("beside a browser: %d %s", got.status, got.body)
	}
}

// TestR411Extension has a tab of an extension beside a Host page, in a hub that tells the extension where its own pages are.
func TestR411Extension(t *testing.T) {
	s := start(t, nil)
	h := dial(t, "ws://"+s.addr(true)+extensionPath, nil)
	h.send(extensionHello)
	if got := h.next(); !strings.Contains(got, `"kind":"welcome"`) || !strings.Contains(got, `"`+s.addr(false)+`"`) {
		t.Errorf("the hub answers %s", got)
	}
	h.send(`{"kind":"tabs","tabs":[{"target":"E1","url":"http://a/","title":"Shared"}]}`)
	s.awaitTarget(t, "", "E1")
	whole := dial(t, "ws://"+s.addr(false)+"/devtools/browser", nil)
	for method, why := range map[string]string{
		"Target.createTarget": "ask the user to share another tab", "Target.createBrowserContext": "not possible in a tab that its user shares", "Browser.grantPermissions": "only tabs that a user shares",
	} {
		whole.send(`{"id":1,"method":"` + method + `","params":{"url":"about:blank","permissions":[]}}`)
		if got := whole.next(); !strings.Contains(got, why) {
			t.Errorf("%s got %s", method, got)
		}
	}
	dial(t, "ws://"+s.addr(true)+"/icdp/host", nil).send(`{"kind":"ready","v":1,"targets":[{"targetId":"P1"}]}`)
	s.awaitTarget(t, "", "P1")
	s.awaitTarget(t, "", "E1")
	c := dial(t, "ws://"+s.addr(false)+"/devtools/page/E1", nil)
	c.send(`{"id":1,"method":"Runtime.evaluate","params":{"expression":"1"}}`)
	attach := h.next()
	if !strings.HasPrefix(attach, `{"kind":"attach","id":1,"target":"E1"`) {
		t.Fatalf("the extension gets %s", attach)
	}
	h.send(`{"kind":"gone","target":"E1","reason":"The user has stopped sharing this tab."}`)
	if got := c.next(); !strings.Contains(got, "The user has stopped sharing this tab.") {
		t.Errorf("the Client gets %s", got)
	}
}

// TestR414ExtensionOfAShare has the tab of an extension be seen by the Clients of its share alone, as the frames of a Host
// page are.
func TestR414ExtensionOfAShare(t *testing.T) {
	s := withShares(t, hostsOfTeam(t))
	if got := raw(t, s.addr(true), handshake(extensionPath, "Authorization: Bearer "+loneHostToken)); got.status != 403 || !strings.Contains(got.body, "share: NAME") {
		t.Errorf("an extension without a share: %d %s", got.status, got.body)
	}
	h := dial(t, "ws://"+s.addr(true)+extensionPath, bearer(teamHostToken))
	h.send(extensionHello)
	h.next()
	h.send(`{"kind":"tabs","tabs":[{"target":"E1","url":"http://a/","title":"Shared"}]}`)
	await(t, "the tab of the team", func() bool {
		_, body := s.get(t, s.addr(false), "/icdp/status", bearer(teamToken))
		return strings.Contains(body, `"E1"`)
	})
	for token, sees := range map[string]bool{annsToken: false, bobsToken: false, teamToken: true, mateToken: true, clientToken: false} {
		if _, body := s.get(t, s.addr(false), "/json/list", bearer(token)); strings.Contains(body, `"E1"`) != sees {
			t.Errorf("%s sees %s", token, body)
		}
	}
}
