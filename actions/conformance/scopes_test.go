package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// withScopes makes a token of each scope, "the-token-of-SCOPE".
func withScopes(t *testing.T) func(*server.Options) {
	t.Helper()
	text := "tokens:\n  - {token: token-of-the-page, role: host}\n"
	for _, scope := range []string{"readonly", "standard", "full", "privileged"} {
		text += fmt.Sprintf("  - {token: the-token-of-%s, role: client, hub: '*', scope: %s}\n", scope, scope)
	}
	file := filepath.Join(t.TempDir(), "tokens.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return func(f *server.Options) { f.Tokens.File, f.Tokens.Host = file, hubtest.HostToken }
}

// bearing is the header of MCP's requests.
type bearing struct{ token string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// TestR24ReadersRead reads a real page by the dialects other than BAP with a
// token of scope readonly, changes it with one of scope standard, and sees that
// the first could not have.
func TestR24ReadersRead(t *testing.T) {
	s := newStage(t, withScopes(t))
	ws := func(prefix string) string { return "ws" + strings.TrimPrefix(s.base(prefix), "http") }
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			owner := hubtest.Dial(t, ws(kind.prefix)+"/ws", hubtest.Bearer("the-token-of-standard"))
			owner.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.open_tab","params":{"url":"` + s.app.URL + `/form.html"}}`)
			var opened struct{ Result struct{ ID string } }
			if text := owner.Next(); json.Unmarshal([]byte(text), &opened) != nil || opened.Result.ID == "" {
				t.Fatalf("scope standard cannot open a page: %s", text)
			}
			id := opened.Result.ID
			fits := func(what, got, want string) {
				t.Helper()
				if !regexp.MustCompile(want).MatchString(got) {
					t.Errorf("%s: %.400s, want %s", what, got, want)
				}
			}
			a := hubtest.Dial(t, ws(kind.prefix)+"/ndjson", hubtest.Bearer("the-token-of-readonly"))
			for _, c := range []struct{ action, params, want string }{
				{"page.snapshot", ``, `"success":true.*heading \\"Sign up\\"`},
				{"page.wait", `,"selector":"#save"`, `"success":true`},
				{"page.content", `,"format":"text"`, `"success":true.*Sign up`},
				{"page.screenshot", ``, `"success":true`},
				{"tab.list", ``, `"success":true.*form\.html`},
				{"page.evaluate", `,"expression":"document.title='x'"`, `"permission denied: page.evaluate needs scope standard"`},
				{"page.fill", `,"selector":"#email","value":"x"`, `"permission denied: page.fill needs`},
				{"page.navigate", `,"url":"about:blank"`, `"permission denied: page.navigate needs`},
			} {
				a.Send(fmt.Sprintf(`{"id":"1","action":%q,"params":{"page_id":%q%s}}`, c.action, id, c.params))
				fits(c.action, a.Next(), c.want)
			}
			b := hubtest.Dial(t, ws(kind.prefix)+"/ws", hubtest.Bearer("the-token-of-readonly"))
			for _, c := range []struct{ method, params, want string }{
				{"browser.snapshot", ``, `"page_title":"Sign up"`},
				{"browser.screenshot", ``, `"data_base64"`},
				{"browser.list_tabs", ``, `"result".*form\.html`},
				{"browser.evaluate", `,"script":"1"`, `-32002.*permission denied: browser.evaluate needs scope standard`},
				{"browser.click", `,"target":{"type":"selector","css":"#save"}`, `-32002`},
			} {
				b.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"tab_id":%q%s}}`, c.method, id, c.params))
				fits(c.method, b.Next(), c.want)
			}
			for _, c := range []struct{ hook, params, want string }{
				{"snapshot", ``, `"ok":true.*Sign up`},
				{"axTree", ``, `"ok":true`},
				{"waitForElement", `,"selector":"#save"`, `"elementId":"r-`},
				{"getTitle", ``, `"title":"Sign up"`},
				{"screenshot", ``, `data:image/png`},
				{"fill", `,"elementId":"r-1","value":"x"`, `CapabilityDenied`},
				{"eval", `,"script":"1"`, `CapabilityDenied`},
			} {
				body := fmt.Sprintf(`{"name":"browser.%s","params":{"browserId":%q%s}}`, c.hook, id, c.params)
				_, text := hubtest.MustPostJSON(t, s.base(kind.prefix)+"/hooks/invoke", hubtest.Bearer("the-token-of-readonly"), []byte(body))
				fits(c.hook, text, c.want)
			}
			m := join(t, s, &sdk.StreamableClientTransport{
				Endpoint: s.base(kind.prefix) + "/mcp", HTTPClient: &http.Client{Transport: bearing{"the-token-of-readonly"}},
			})
			for _, c := range []struct {
				tool      string
				arguments object
				want      string
			}{
				{"browser_snapshot", object{}, "Sign up"},
				{"browser_find", object{"text": "sign up"}, "heading"},
				{"browser_wait_for", object{"text": "Sign up"}, "There is"},
				{"browser_console_messages", object{}, "Total messages"},
				{"browser_network_requests", object{}, ""},
				{"browser_take_screenshot", object{}, "A picture"},
				{"browser_tabs", object{"action": "list"}, "form.html"},
				{"browser_tabs", object{"action": "close"}, "permission denied: browser_tabs with the action close needs scope standard"},
				{"browser_click", object{"target": "#agree"}, "permission denied: browser_click needs scope standard"},
				{"browser_evaluate", object{"function": "1"}, "permission denied"},
			} {
				c.arguments["pageId"] = id
				said, _, _ := m.call(t, c.tool, c.arguments)
				fits(c.tool, said, c.want)
			}
			owner.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"browser.evaluate","params":{"tab_id":%q,"script":"[document.title, document.querySelector('#email').value, seen.length]"}}`, id))
			fits("the page afterwards", owner.Next(), `\["Sign up","",0\]`)
			owner.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":3,"method":"browser.close_tab","params":{"tab_id":%q}}`, id))
			fits("closing by scope standard", owner.Next(), `"closed":true`)
		})
	}
}

// TestR24StandardOpensPages has scope standard use BAP as its own table says:
// pages are opened and closed, contexts are not.
func TestR24StandardOpensPages(t *testing.T) {
	s := newStage(t, withScopes(t))
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := s.agent(t, kind.prefix+"/bap", http.Header{"X-BAP-Token": {"the-token-of-standard"}})
			a.must("initialize", initializeParams)
			a.must("browser/launch", `{}`)
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(a.must("page/create", `{"url":"`+s.app.URL+`/form.html"}`)), &made); err != nil {
				t.Fatal(err)
			}
			a.must("action/fill", `{"pageId":"`+made.ID+`","selector":{"type":"css","value":"#email"},"value":"a"}`)
			a.must("page/close", `{"pageId":"`+made.ID+`"}`)
			a.fails("context/create", `{}`, -32023)
		})
	}
}

// TestAliasesAreTheHubs has a page the same alias in NDJSON and in BAP, whoever
// came first.
func TestAliasesAreTheHubs(t *testing.T) {
	s := newAgents(t, func(f *server.Options) { f.Actions.BAPAllPages = true })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			d := s.launched(t, kind.prefix+"/bap")
			a := hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			byA := func(request string) (at struct {
				PageID string `json:"page_id"`
			},
			) {
				t.Helper()
				a.Send(request)
				var answer struct{ Data json.RawMessage }
				if text := a.Next(); json.Unmarshal([]byte(text), &answer) != nil || json.Unmarshal(answer.Data, &at) != nil {
					t.Fatal(text)
				}
				return at
			}
			first := byA(`{"id":"1","action":"tab.new","params":{"url":"` + s.app.URL + `/form.html?first"}}`).PageID
			var made struct{ ID string }
			if err := json.Unmarshal([]byte(d.must("page/create", `{"url":"`+s.app.URL+`/form.html?second"}`)), &made); err != nil {
				t.Fatal(err)
			}
			var list struct{ Pages []struct{ ID, URL string } }
			if err := json.Unmarshal([]byte(d.must("page/list", `{}`)), &list); err != nil {
				t.Fatal(err)
			}
			a.Send(`{"id":"2","action":"tab.list"}`)
			var tabs struct {
				Data struct {
					Tabs []struct {
						PageID string `json:"page_id"`
						URL    string
					}
				}
			}
			if text := a.Next(); json.Unmarshal([]byte(text), &tabs) != nil {
				t.Fatal(text)
			}
			inA, inD := map[string]string{}, map[string]string{}
			for _, tab := range tabs.Data.Tabs {
				inA[tab.PageID] = tab.URL
			}
			for _, p := range list.Pages {
				inD[p.ID] = p.URL
			}
			if fmt.Sprint(inA) != fmt.Sprint(inD) || !strings.HasSuffix(inD[first], "?first") || !strings.HasSuffix(inA[made.ID], "?second") {
				t.Errorf("NDJSON has %v with %s first, BAP %v with %s second", inA, first, inD, made.ID)
			}
			d.must("page/close", `{"pageId":"`+first+`"}`)
			d.must("page/close", `{"pageId":"`+made.ID+`"}`)
			if again := byA(`{"id":"3","action":"tab.new","params":{"url":"` + s.app.URL + `/form.html"}}`).PageID; again == first || again == made.ID {
				t.Errorf("%s is given again", again)
			}
		})
	}
}
