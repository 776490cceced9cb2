package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server"
)

// TestBAPHandshake comes with tokens of all forms, and without.
func TestBAPHandshake(t *testing.T) {
	s := start(t, func(f *server.Options) {
		f.Tokens.Client, f.Tokens.Host = hubtest.ClientToken, hubtest.HostToken
	})
	for name, tt := range map[string]struct {
		path     string
		lines    []string
		status   int
		protocol string
	}{
		"R-20 no token":                   {"/bap", nil, 401, ""},
		"R-20 no token at the root":       {"/", nil, 401, ""},
		"R-20 a wrong token":              {"/bap?token=token-of-nobody-", nil, 401, ""},
		"R-20 a wrong token in a header":  {"/bap", []string{"X-BAP-Token: token-of-nobody-"}, 401, ""},
		"R-21 the header":                 {"/bap", []string{"X-BAP-Token: " + hubtest.ClientToken}, 101, ""},
		"R-21 the usual header":           {"/", []string{"Authorization: Bearer " + hubtest.ClientToken}, 101, ""},
		"R-21 the subprotocol":            {"/bap", []string{"Sec-WebSocket-Protocol: bearer." + hubtest.ClientToken}, 101, "bearer." + hubtest.ClientToken},
		"R-22 the query":                  {"/bap?token=" + hubtest.ClientToken, nil, 101, ""},
		"R-22 the query at the root":      {"/?token=" + hubtest.ClientToken, nil, 101, ""},
		"R-22 the query of another hub":   {"/hub/x/bap?token=" + hubtest.ClientToken, nil, 101, ""},
		"R-23 the token of a Host":        {"/bap?token=" + hubtest.HostToken, nil, 401, ""},
		"R-04 a foreign origin":           {"/bap?token=" + hubtest.ClientToken, []string{"Origin: https://evil.example"}, 403, ""},
		"the first subprotocol is echoed": {"/bap?token=" + hubtest.ClientToken, []string{"Sec-WebSocket-Protocol: bap, other"}, 101, "bap"},
	} {
		t.Run(name, func(t *testing.T) {
			got := hubtest.Raw(t, s.ClientAddr(), hubtest.Handshake(tt.path, tt.lines...))
			if got.Status != tt.status || got.Header.Get("Sec-WebSocket-Protocol") != tt.protocol {
				t.Errorf("%d, protocol %q, want %d, %q", got.Status, got.Header.Get("Sec-WebSocket-Protocol"), tt.status, tt.protocol)
			}
		})
	}
	if status, body := hubtest.Get(t, s.ClientAddr(), "/health", nil); status != 200 || strings.TrimSpace(body) != `{"status":"ok","version":"0.8.0"}` {
		t.Errorf("/health: %d %s", status, body)
	}
	if status, _ := hubtest.Get(t, s.ClientAddr(), "/", hubtest.Bearer(hubtest.ClientToken)); status != 200 {
		t.Errorf("the root without a WebSocket: %d", status)
	}
}

// TestR43BAPMessageLimit passes the limit of 10 MiB by a byte.
func TestR43BAPMessageLimit(t *testing.T) {
	s := start(t, nil)
	const limit = 10 << 20
	frame := func(size int) string {
		head := `{"id":1,"method":"shutdown","params":{"x":"`
		return head + strings.Repeat("x", size-len(head)-len(`"}}`)) + `"}}`
	}
	p := hubtest.Dial(t, "ws://"+s.ClientAddr()+"/bap", nil)
	p.Send(frame(limit))
	p.Until(`"code":-32001`)
	p.Send(frame(limit + 1))
	if why := p.Reason(); why.Code != wsconn.ReasonTooBig.Code {
		t.Errorf("closed with %v, want 1009", why)
	}
}

// TestR24BAPScopes acts on a real page with a token of each scope.
func TestR24BAPScopes(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	text := "tokens:\n  - {token: token-of-the-page, role: host}\n"
	scopes := []string{"readonly", "standard", "full", "privileged"}
	for _, scope := range scopes {
		text += fmt.Sprintf("  - {token: the-token-of-%s, role: client, hub: '*', scope: %s}\n", scope, scope)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newAgents(t, func(f *server.Options) {
		f.Tokens.File, f.Tokens.Host, f.Actions.BAPAllPages = file, hubtest.HostToken, true
	})
	for _, kind := range kinds {
		as := func(t *testing.T, scope string) *agent {
			a := s.agent(t, kind.prefix+"/bap", http.Header{"X-BAP-Token": {"the-token-of-" + scope}})
			a.must("initialize", initializeParams)
			return a
		}
		owner := as(t, "privileged")
		owner.must("browser/launch", `{}`)
		owner.page(s.app.URL + "/form.html")
		var pages struct{ Pages []struct{ ID, URL string } }
		for _, scope := range scopes {
			t.Run(string(kind.TargetKind)+"/"+scope, func(t *testing.T) {
				a := as(t, scope)
				if err := json.Unmarshal([]byte(a.must("page/list", `{}`)), &pages); err != nil {
					t.Fatal(err)
				}
				page := ""
				for _, p := range pages.Pages {
					if strings.HasSuffix(p.URL, "/form.html") {
						page = p.ID
					}
				}
				on := func(more string) string { return fmt.Sprintf(`{"pageId":%q%s}`, page, more) }
				for _, tt := range []struct{ least, method, more string }{
					{"readonly", "observe/content", `,"format":"text"`},
					{"readonly", "observe/screenshot", ``},
					{"readonly", "observe/accessibility", ``},
					{"readonly", "agent/observe", `,"includeInteractiveElements":true`},
					{"standard", "action/click", `,"selector":{"type":"css","value":"#agree"}`},
					{"standard", "action/fill", `,"selector":{"type":"css","value":"#email"},"value":"a"`},
					{"standard", "agent/act", `,"steps":[{"action":"action/check","params":{"selector":{"type":"css","value":"#agree"}}}]`},
					{"standard", "page/reload", ``},
					{"full", "action/drag", `,"source":{"type":"css","value":"#card"},"target":{"type":"css","value":"#bin"}`},
					{"full", "agent/act", `,"steps":[{"action":"action/drag","params":{"source":{"type":"css","value":"#card"},"target":{"type":"css","value":"#bin"}}}]`},
					{"full", "storage/getCookies", ``},
					{"full", "storage/setCookies", `,"cookies":[]`},
				} {
					_, failed := a.call(tt.method, on(tt.more))
					allowed := indexOf(scopes, scope) >= indexOf(scopes, tt.least)
					switch {
					case allowed && failed != nil:
						t.Errorf("%s: %s", tt.method, failed.raw)
					case !allowed && (failed == nil || failed.Code != -32023 || failed.Data.Details["requiredScopes"] == nil):
						t.Errorf("%s is not refused: %+v", tt.method, failed)
					}
				}
			})
		}
	}
}

func indexOf(list []string, word string) int {
	for i, w := range list {
		if w == word {
			return i
		}
	}
	return -1
}

// TestBAPAllowList refuses hosts that are not on the list of the operator.
func TestBAPAllowList(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(f *server.Options) { f.Network.Allow = []string{"127.0.0.1"} })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := s.launched(t, kind.prefix+"/bap")
			a.page(s.app.URL + "/two.html")
			other := strings.Replace(s.app.URL, "127.0.0.1", "localhost", 1)
			for method, params := range map[string]string{
				"page/navigate":    fmt.Sprintf(`{"url":%q}`, other),
				"page/create":      fmt.Sprintf(`{"url":%q}`, other),
				"storage/setState": fmt.Sprintf(`{"state":{"origins":[{"origin":%q}]}}`, other),
			} {
				if failed := a.fails(method, params, -32041); failed.Message != "Domain not allowed: localhost" {
					t.Errorf("%s: %q", method, failed.Message)
				}
			}
			if kind.TargetKind == actions.BrowserTarget {
				a.fails("page/navigate", fmt.Sprintf(`{"url":%q}`, s.app.URL+"/redirect?to="+other), -32041)
			}
		})
	}
}

// TestBAPEvents hears of what a page does, in both forms of names.
func TestBAPEvents(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := s.launched(t, kind.prefix+"/")
			id := a.page(s.app.URL + "/noisy.html")
			click := func(css string) {
				a.request("action/click", fmt.Sprintf(`{"selector":{"type":"css","value":%q}}`, css))
			}
			has := func(message string, parts ...string) {
				t.Helper()
				for _, part := range parts {
					if !strings.Contains(message, part) {
						t.Errorf("got  %s\nwant %s in it", message, part)
					}
				}
				if strings.Contains(message, "hunter2") {
					t.Errorf("a secret: %s", message)
				}
			}
			click("#log") // nobody hears
			click("#err")
			has(a.Until("notifications/"), `{"jsonrpc":"2.0","method":"notifications/console","params":{`, `"pageId":"`+id+`"`, `"type":"error"`, `"level":"error"`, `"text":"a fault"`)

			a.must("events/subscribe", `{"types":["console","dialog"]}`)
			click("#log")
			has(a.Until("notifications/console"), `"type":"log"`, `"text":"a word 1"`)
			a.must("dialog/handle", `{"action":"accept","promptText":"Ada"}`)
			click("#ask")
			has(a.Until("notifications/dialog"), `"type":"prompt"`, `"message":"Who?"`, `"defaultValue":"nobody"`)
			has(a.must("observe/element", `{"selector":{"type":"css","value":"#answer"},"properties":["text"]}`), `answered Ada`)
			click("#ask") // dismissed, so that nothing hangs
			has(a.Until("notifications/dialog"), `"type":"prompt"`)
			has(a.must("observe/element", `{"selector":{"type":"css","value":"#answer"},"properties":["text"]}`), `answered null`)

			a.must("events/subscribe", `{"events":["page","network"]}`)
			if kind.TargetKind == actions.BrowserTarget {
				click("#post")
				has(a.Until(`"method":"POST"`), `{"jsonrpc":"2.0","method":"events/network","params":{`, `"X-Api-Key":"[REDACTED]"`, `"X-Plain":"seen"`, `"postData":"[REDACTED]"`, `token=[REDACTED]`, `"type":"request"`)
				has(a.Until(`"type":"response"`), `"status":200`, `"X-Api-Key":"[REDACTED]"`)
			}
			a.request("page/navigate", fmt.Sprintf(`{"url":%q}`, s.app.URL+"/two.html"))
			has(a.Until(`"type":"navigated"`), `"method":"events/page"`, `/two.html"`)
			a.request("page/close", fmt.Sprintf(`{"pageId":%q}`, id))
			has(a.Until(`"type":"close"`), `"method":"events/page"`, `"pageId":"`+id+`"`)
		})
	}
}
