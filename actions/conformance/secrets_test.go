package conformance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions/bap"
	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// tellsSecret finds the secrets of actions/testdata/pages/secrets.html, in
// whatever way they are written, but in pictures.
var (
	tellsSecret = regexp.MustCompile(`(?i:SECRET-)|SECRET\.|4929[ -]?1234|7392846|q7z|\bqx\b|•|eyJzdWIi`)
	pictures    = regexp.MustCompile(`"(data|data_base64|dataUrl)":"[^"]*"`)
)

// silent fails when an answer tells a secret.
func silent(t *testing.T, what, answer string) {
	t.Helper()
	answer = pictures.ReplaceAllString(answer, "")
	for _, at := range tellsSecret.FindAllStringIndex(answer, 5) {
		t.Errorf("%s tells …%s", what, answer[max(at[0]-60, 0):min(at[1]+40, len(answer))])
	}
}

// reads are the params with which each reading method is called, more than once
// where it reads in several ways. {page} is the page, {s} a selector of BAP's.
var (
	readsNDJSON = map[string][]string{
		"page.snapshot": {``}, "page.content": {`,"format":"html"`, `,"format":"text"`, `,"format":"markdown"`}, "page.screenshot": {``},
		"page.wait": {``, `,"selector":"h1"`, `,"selector":"#none","timeout_ms":200`}, "page.network.list": {``}, "tab.list": {``}, "session.info": {``}, "session.list": {``},
	}
	readsRPC = map[string][]string{
		"connect": {``}, "browser.snapshot": {``}, "browser.list_tabs": {``}, "browser.start": {``}, "browser.stop": {``}, "browser_config.get": {``},
		"browser.screenshot": {``, `,"target":{"type":"ref","ref_id":"textbox[0]"}`, `,"target":{"type":"selector","css":"#none"},"timeout_ms":200`},
	}
	readsHooks = map[string][]string{
		"browser.list": {``}, "browser.snapshot": {``, `,"includeHidden":true`}, "browser.axTree": {``}, "browser.screenshot": {``}, "browser.getUrl": {``}, "browser.getTitle": {``},
		"browser.waitForLoad": {``}, "browser.waitForElement": {`,"selector":"#password"`, `,"selector":"#none","timeoutMs":200`},
	}
	readsMCP = map[string][]object{
		"browser_snapshot": {{}, {"target": "#form", "boxes": true}, {"depth": 2}}, "browser_find": {{"text": "e"}, {"regex": "."}}, "browser_take_screenshot": {{}},
		"browser_console_messages": {{"level": "debug", "all": true}}, "browser_network_requests": {{"static": true}}, "browser_network_request": {{"index": 1}, {"index": 1, "part": "request-headers"}, {"index": 1, "part": "response-headers"}, {"index": 1, "part": "response-body"}}, "browser_tabs": {{"action": "list"}},
		"browser_wait_for": {{"time": 0.1}, {"text": "Secrets"}},
	}
	readsBAP = map[string][]string{
		"agent/observe": {`,"includeInteractiveElements":true,"includeAccessibility":true,"includeWebMCPTools":true,"includeScreenshot":true,"includeBounds":true,"maxElements":200`, `,"responseTier":"minimal","incremental":true`},
		"agent/extract": {
			`,"instruction":"x","schema":{"type":"string"}`, `,"instruction":"x","includeSourceRefs":true,"schema":{"type":"array","items":{"type":"string"}}`,
			`,"instruction":"x","schema":{"type":"object","properties":{"url":{"type":"string"},"password":{"type":"string"},"card":{"type":"string"},"phrase":{"type":"string"}}}`,
		},
		"agent/act":             {`,"steps":[{"action":"action/click","params":{"selector":{"type":"css","value":"#none"}}}],"preObserve":{"includeInteractiveElements":true},"postObserve":{"includeInteractiveElements":true}`},
		"observe/accessibility": {``, `,"options":{"includeHidden":true,"interestingOnly":false}`}, "observe/ariaSnapshot": {``, `,{s}`},
		"observe/dom":     {``, `,"options":{"depth":9}`, `,"options":{"attributes":false}`, `,"options":{"root":{"type":"css","value":"#month"}}`},
		"observe/content": {`,"format":"html"`, `,"format":"text"`, `,"format":"markdown"`},
		"observe/element": {`,{s},"properties":["text","value","attributes","computedStyle","checked","boundingBox"]`}, "observe/screenshot": {``}, "observe/pdf": {``},
		"page/list": {``}, "page/activate": {``}, "frame/list": {``}, "discovery/discover": {``}, "events/subscribe": {`,"types":["page","console","network","dialog","download"]`},
		"stream/cancel": {`,"streamId":"x"`}, "initialize": nil, "shutdown": nil, "notifications/initialized": nil, // the connection's own
	}
)

// all wants params for each method of a table, and hands them on.
func all[P any](t *testing.T, names []string, rows map[string][]P, call func(name string, params P)) {
	t.Helper()
	slices.Sort(names)
	for _, name := range names {
		list, known := rows[name]
		if !known {
			t.Errorf("%s reads, and is not tested", name)
		}
		for _, params := range list {
			call(name, params)
		}
	}
}

// TestR155ReadersOfAllDialects reads a page with secrets of all makes by every
// method of every dialect that a token of scope readonly may use.
func TestR155ReadersOfAllDialects(t *testing.T) {
	t.Parallel()
	s := newAgents(t, withScopes(t))
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := &witness{t: t, stage: s, prefix: kind.prefix}
			r.open()
			r.readAll()
			r.happen()
			r.readAll()
		})
	}
}

// witness reads by all dialects.
type witness struct {
	*stage
	t      *testing.T
	prefix string
	page   string // the Target's id
	alias  string
	owner  *hubtest.Peer
	bap    *agent
	rpc    *hubtest.Peer
	lines  *hubtest.Peer
	mcp    mcpClient
}

const onlookersToken = "the-token-of-readonly"

// open opens the page, as somebody who may, and all connections of one who may
// only read.
func (r *witness) open() {
	t := r.t
	ws := "ws" + strings.TrimPrefix(r.base(r.prefix), "http")
	r.owner = hubtest.Dial(t, ws+"/ws", hubtest.Bearer("the-token-of-standard"))
	r.owner.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.open_tab","params":{"url":"` + r.app.URL + `/secrets.html"}}`)
	var opened struct{ Result struct{ ID string } }
	if text := r.owner.Next(); json.Unmarshal([]byte(text), &opened) != nil || opened.Result.ID == "" {
		t.Fatalf("scope standard cannot open a page: %s", text)
	}
	r.page = opened.Result.ID
	r.lines, r.rpc = hubtest.Dial(t, ws+"/ndjson", hubtest.Bearer(onlookersToken)), hubtest.Dial(t, ws+"/ws", hubtest.Bearer(onlookersToken))
	r.bap = r.agent(t, r.prefix+"/bap", http.Header{"X-BAP-Token": {onlookersToken}})
	r.bap.must("initialize", initializeParams)
	var pages struct{ Pages []struct{ ID, URL string } }
	if err := json.Unmarshal([]byte(r.bap.must("page/list", `{}`)), &pages); err != nil {
		t.Fatal(err)
	}
	for _, p := range pages.Pages {
		if strings.Contains(p.URL, "/secrets.html") {
			r.alias = p.ID
		}
	}
	r.mcp = join(t, r.stage, &sdk.StreamableClientTransport{
		Endpoint: r.base(r.prefix) + "/mcp", HTTPClient: &http.Client{Transport: bearing{onlookersToken}},
	})
}

// readAll calls all there is.
func (r *witness) readAll() {
	t := r.t
	offered, err := r.mcp.ListTools(within60(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	var tools, reading []string
	for _, tool := range offered.Tools {
		tools = append(tools, tool.Name)
	}
	for name, scope := range hooks.Hooks() {
		if scope == "browser:read" {
			reading = append(reading, name)
		}
	}
	all(t, tools, readsMCP, func(tool string, arguments object) {
		arguments["pageId"] = r.page
		said, _, _ := r.mcp.call(t, tool, arguments)
		silent(t, fmt.Sprint(tool, arguments), said)
	})
	all(t, ndjson.Reading(), readsNDJSON, func(action, params string) {
		r.lines.Send(fmt.Sprintf(`{"id":"1","action":%q,"params":{"page_id":%q%s}}`, action, r.page, params))
		silent(t, action+params, r.lines.Next())
	})
	all(t, jsonrpc.Reading(), readsRPC, func(method, params string) {
		r.rpc.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{"tab_id":%q%s}}`, method, r.page, params))
		silent(t, method+params, r.rpc.Next())
	})
	all(t, reading, readsHooks, func(hook, params string) {
		_, text := hubtest.MustPostJSON(t, r.base(r.prefix)+"/hooks/invoke", hubtest.Bearer(onlookersToken), fmt.Appendf(nil, `{"name":%q,"params":{"browserId":%q%s}}`, hook, r.page, params))
		silent(t, hook+params, text)
	})
	all(t, bap.Reading(), readsBAP, func(method, params string) {
		if !strings.Contains(params, "{s}") {
			r.look(method, params)
			return
		}
		for _, id := range strings.Fields("form password card short month phrase once labelled known spin edit leaf after upper split named link srcdoc open closed") {
			r.look(method, strings.ReplaceAll(params, "{s}", `"selector":{"type":"css","value":"#`+id+`"}`))
		}
	})
}

// look calls a method of BAP, and reads the events before its answer.
func (r *witness) look(method, params string) {
	id := r.bap.request(method, fmt.Sprintf(`{"pageId":%q%s}`, r.alias, params))
	for {
		text := r.bap.Next()
		silent(r.t, method+params, text)
		if strings.HasSuffix(text, fmt.Sprintf(`,"id":%d}`, id)) {
			return
		}
	}
}

// happen has the page tell its secrets on the console, in requests, in a dialog
// that the owner answers, in its address and in its title, and reads the events.
func (r *witness) happen() {
	r.look("events/subscribe", `,"types":["page","console","network","dialog","download"]`)
	for heard := false; !heard; time.Sleep(20 * time.Millisecond) { // until the page's console events arrive
		r.evaluate(`console.debug('ready')`)
		r.look("stream/cancel", `,"streamId":"x"`)
		said, _, _ := r.mcp.call(r.t, "browser_console_messages", object{"pageId": r.page, "level": "debug"})
		heard = strings.Contains(said, "ready")
	}
	r.evaluate(`void happen()`)
	for missing := []string{`"notifications/console"`, `"notifications/network"`, `"notifications/dialog"`, `"type":"navigated"`, `"type":"error"`}; len(missing) > 0; {
		text := r.bap.Next()
		silent(r.t, "an event", text)
		missing = slices.DeleteFunc(missing, func(part string) bool { return strings.Contains(text, part) })
	}
}

func (r *witness) evaluate(script string) {
	r.owner.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":2,"method":"browser.evaluate","params":{"tab_id":%q,"script":%q}}`, r.page, script))
	if text := r.owner.Next(); !strings.Contains(text, `"result"`) {
		r.t.Fatalf("%s: %s", script, text)
	}
}

// TestR156SelectorsOfReadersOfAllDialects names an element by the value of a
// secret field wherever a dialect takes a selector: who may only read finds none.
func TestR156SelectorsOfReadersOfAllDialects(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) {
		withScopes(t)(o)
		o.Actions.HookScopes = []string{"browser:read", "browser:write"}
	})
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := &witness{t: t, stage: s, prefix: kind.prefix}
			r.open()
			const css, xpath = `#password[value^='SECRET-d']`, `//*[@id='password'][starts-with(@value,'SECRET-d')]`
			none := func(what, answer string) {
				t.Helper()
				if !regexp.MustCompile(`(?i)not found|"found":false|matched no element`).MatchString(answer) {
					t.Errorf("%s: %.300s", what, answer)
				}
			}
			r.lines.Send(fmt.Sprintf(`{"id":"1","action":"page.wait","params":{"page_id":%q,"selector":%q,"timeout_ms":1500}}`, r.page, css))
			none("page.wait", r.lines.Next())
			r.rpc.Send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"browser.screenshot","params":{"tab_id":%q,"target":{"type":"selector","css":%q},"timeout_ms":1500}}`, r.page, css))
			none("browser.screenshot", r.rpc.Next())
			hook := fmt.Sprintf(`{"name":"browser.waitForElement","params":{"browserId":%q,"selector":%q,"timeoutMs":1500}}`, r.page, css)
			for _, token := range []string{onlookersToken, "the-token-of-standard"} { // neither has browser:eval
				_, posted := hubtest.MustPostJSON(t, r.base(r.prefix)+"/hooks/invoke", hubtest.Bearer(token), []byte(hook))
				socket := hubtest.Dial(t, "ws"+strings.TrimPrefix(r.base(r.prefix), "http")+"/hooks", hubtest.Bearer(token))
				socket.Send(hook)
				for _, text := range []string{posted, socket.Next()} {
					if !strings.Contains(text, "ElementNotFound") {
						t.Errorf("browser.waitForElement with %s: %s", token, text)
					}
				}
			}
			for _, selector := range []string{`{"type":"css","value":"` + css + `"}`, `{"type":"xpath","value":"` + xpath + `"}`, `{"type":"text","value":"SECRET-area"}`, `{"type":"semantic","description":"SECRET-area"}`} {
				at := fmt.Sprintf(`{"pageId":%q,"selector":%s,"properties":["visible"]}`, r.alias, selector)
				result, failed := r.bap.call("observe/element", at)
				if failed != nil {
					t.Fatal(failed.raw)
				}
				none("observe/element "+selector, string(result))
			}
			said, _, _ := r.mcp.call(t, "browser_snapshot", object{"pageId": r.page, "target": ":is(" + css + ",h1)"})
			if !strings.Contains(said, `heading "Secrets"`) { // else two elements match
				t.Errorf("browser_snapshot: %s", said)
			}
		})
	}
}
