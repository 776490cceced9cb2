package server

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// TestR231EndOfOneBrowser ends the browser of ann. Bob's goes on, with what is open there.
func TestR231EndOfOneBrowser(t *testing.T) {
	s := withShares(t)
	clients := map[string]*far{}
	for _, token := range []string{annsToken, bobsToken} {
		clients[token] = dial(t, "ws://"+s.addr(false)+"/devtools/browser", bearer(token))
		clients[token].send(`{"id":1,"method":"Target.getTargets"}`)
		clients[token].until(`"id":1,`)
	}
	s.browsers.End("_" + ownShare(annsToken))
	await(t, "the browser of ann has ended", func() bool { return s.browsers.Numbers().Running == 1 })
	bob := clients[bobsToken]
	bob.send(`{"id":2,"method":"Target.getTargets"}`)
	if got := bob.until(`"id":2,`); !strings.Contains(got, "of-_"+ownShare(bobsToken)) {
		t.Errorf("bob is answered %s", got)
	}
	if n := s.browsers.Numbers(); n.Started != 2 {
		t.Errorf("%+v, want no browser but the first two", n)
	}
}

// TestR231KilledChromium kills the Chromium of ann as a crash does. Bob's page goes on.
func TestR231KilledChromium(t *testing.T) {
	t.Parallel()
	file, _ := hubtest.TokenFile(t, `tokens:
  - {name: ann, token: `+annsToken+`, role: client, hub: chromium, scope: privileged}
  - {name: bob, token: `+bobsToken+`, role: client, hub: chromium, scope: full}
`)
	s := start(t, func(o *Options) {
		o.Tokens.File, o.Browsers = file, testBrowser()
		o.Browsers.Max = 2
	})
	ann := dial(t, "ws://"+s.addr(false)+"/hub/chromium/devtools/browser", bearer(annsToken))
	bob := dial(t, "ws://"+s.addr(false)+"/hub/chromium/devtools/browser", bearer(bobsToken))
	bob.send(`{"id":1,"method":"Target.createTarget","params":{"url":"data:text/html,<title>mine</title>"}}`)
	tail := bob.attachTo(textOf(t, bob.until(`{"id":1,`), "targetId"))
	ann.send(`{"id":3,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	annsTail := ann.attachTo(textOf(t, ann.until(`{"id":3,`), "targetId"))
	ann.send(`{"id":4,"method":"Runtime.evaluate","params":{"expression":"new Promise(() => {})","awaitPromise":true}` + annsTail)
	ann.send(`{"id":1,"method":"SystemInfo.getProcessInfo"}`)
	var info struct {
		Result struct {
			ProcessInfo []struct {
				Type string
				ID   int
			}
		}
	}
	if err := json.Unmarshal([]byte(ann.until(`{"id":1,`)), &info); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(info.Result.ProcessInfo, func(p struct {
		Type string
		ID   int
	},
	) bool {
		return p.Type == "browser"
	})
	if i < 0 {
		t.Fatalf("%+v names no browser", info)
	}
	if err := syscall.Kill(info.Result.ProcessInfo[i].ID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if got := ann.until(`{"id":4,`); !strings.Contains(got, `"error"`) {
		t.Errorf("ann's command is answered %s", got)
	}
	hubtest.Eventually(t, "bob's page answers with its title", func() bool { // it may have been loading
		bob.send(`{"id":2,"method":"Runtime.evaluate","params":{"expression":"document.title"}` + tail)
		return strings.Contains(bob.until(`{"id":2,`), `"value":"mine"`)
	})
}

// TestR230Links asks within a link, which has the token of its own share.
func TestR230Links(t *testing.T) {
	s := withShares(t)
	p := s.mustLink(t, "/link", bearer(annsToken))
	if got := askWithin(t, p, "GET /json/list HTTP/1.1", "Host: localhost"); got.Status != 200 || !strings.Contains(got.Body, "of-_"+ownShare(annsToken)+`"`) {
		t.Errorf("by the link's token: %d %s", got.Status, got.Body)
	}
	if got := askWithin(t, p, "GET /json/list HTTP/1.1", "Host: localhost", "Authorization: Bearer "+bobsToken); got.Status != 200 || !strings.Contains(got.Body, "of-_"+ownShare(bobsToken)+`"`) {
		t.Errorf("by a token of its own: %d %s", got.Status, got.Body)
	}
	if got := askWithin(t, p, "GET /hub/_team/json/list HTTP/1.1", "Host: localhost"); got.Status != 401 {
		t.Errorf("at another share: %d %s", got.Status, got.Body)
	}
}

// TestR230SandboxesAreNotDivided wants one browser for a sandbox, whoever comes with a
// token that is good for it.
func TestR230SandboxesAreNotDivided(t *testing.T) {
	s := withShares(t, func(o *Options) { o.Actions.MaxSandboxes = 2 })
	made, r := s.sandbox(t, "POST "+sandboxes.Path, "Authorization: Bearer "+evesToken)
	if made.status != 201 {
		t.Fatalf("%d %s", made.status, made.body)
	}
	for _, token := range []string{r.AccessToken, evesToken, rootsToken} {
		if status, body := s.get(t, s.addr(false), "/hub/"+r.SandboxID+"/json/list", bearer(token)); status != 200 || !strings.Contains(body, `"of-`+r.SandboxID+`"`) {
			t.Errorf("the sandbox: %d %s", status, body)
		}
	}
	if status, _ := s.get(t, s.addr(false), "/hub/"+r.SandboxID+"_"+ownShare(evesToken)+"/json/list", bearer(evesToken)); status != http.StatusNotFound {
		t.Errorf("a share of the sandbox: %d, want 404", status)
	}
	if got := s.hubsThere(); !slices.Equal(got, []string{r.SandboxID}) {
		t.Errorf("the hubs are %q", got)
	}
}

// TestR230LoginWithinTheProtocol shows the token after the handshake.
func TestR230LoginWithinTheProtocol(t *testing.T) {
	s := withShares(t)
	for _, token := range []string{annsToken, teamToken} {
		c := dial(t, "ws://"+s.addr(false)+"/ws", nil)
		c.send(`{"jsonrpc":"2.0","id":2,"method":"connect","params":{"auth":{"token":"` + token + `"}}}`)
		if got := c.next(); !strings.Contains(got, `"permissions":["full"]`) {
			t.Fatalf("the login: %s", got)
		}
		c.send(listTabs)
		want := map[string]string{annsToken: "/of-_" + ownShare(annsToken), teamToken: "/of-_team"}[token]
		if got := c.next(); !strings.Contains(got, want+`"`) || strings.Count(got, "/of-") != 1 {
			t.Errorf("%s sees %s, want %s", token, got, want)
		}
	}
	if got := s.hubsThere(); slices.Contains(got, "") {
		t.Errorf("the hubs are %q", got)
	}
}

// TestR230NamedSessions comes back to a named session in the hub of the share.
func TestR230NamedSessions(t *testing.T) {
	s := withShares(t)
	for _, token := range []string{teamToken, annsToken} {
		c := dial(t, "ws://"+s.addr(false)+"/devtools/browser?session=work", bearer(token))
		c.send(`{"id":1,"method":"Target.getTargets"}`)
		c.until(`"id":1,`)
	}
	hubs := map[string]bool{}
	for _, i := range s.sessions() {
		hubs[i.Hub] = true
	}
	if len(hubs) != 2 || !hubs["_team"] || !hubs["_"+ownShare(annsToken)] {
		t.Errorf("the named sessions are of the hubs %v", hubs)
	}
	for token, want := range map[string]int{mateToken: http.StatusNotFound, bobsToken: http.StatusNotFound, teamToken: http.StatusNoContent} {
		if got := s.ends(t, "work", token); got != want {
			t.Errorf("%s ends the session: %d, want %d", token, got, want)
		}
	}
}

// TestR230ProfileIsSharedOnRequest refuses a profile that all tokens would share.
func TestR230ProfileIsSharedOnRequest(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(*Options)
		fails  bool
	}{
		"a tokens file":            {func(*Options) {}, true},
		"with --browser-share=hub": {func(o *Options) { o.Browsers.Undivided = true }, false},
		"the operator's own token": {func(o *Options) { o.Tokens = Tokens{Client: clientToken} }, false},
		"no tokens":                {func(o *Options) { o.Tokens = Tokens{} }, false},
	} {
		o := testOptions()
		o.Browsers = fakeBrowsers(works, "/")
		o.Browsers.Chrome.Profile = t.TempDir()
		o.Tokens.File, _ = hubtest.TokenFile(t, shareTokens)
		tt.change(&o)
		s, err := New(o)
		if err == nil {
			s.Close()
		}
		if (err != nil) != tt.fails || err != nil && !strings.Contains(err.Error(), "server.Browsers.Undivided") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
