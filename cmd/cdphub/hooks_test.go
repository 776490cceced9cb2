package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// rp calls hooks on one page.
type rp struct {
	url, app string
	browser  string // the page's id
	header   http.Header
}

// hookAnswer is what a hook has answered.
type hookAnswer struct {
	status int
	text   string
	OK     bool
	Result map[string]any
	Error  struct {
		Code, Message string
		Details       map[string]any
	}
}

// call calls a hook, whose browserId is that of the page unless params has
// one.
func (r rp) call(t *testing.T, name string, params object) (a hookAnswer) {
	t.Helper()
	all := object{"browserId": r.browser}
	for k, v := range params {
		if text, ok := v.(string); ok {
			v = strings.ReplaceAll(text, "{app}", r.app)
		}
		all[k] = v
	}
	if all["browserId"] == "" {
		delete(all, "browserId")
	}
	body, err := json.Marshal(object{"name": "browser." + name, "params": all})
	if err != nil {
		t.Fatal(err)
	}
	a.status, a.text = post(t, r.url+"/hooks/invoke", r.header, body)
	if err := json.Unmarshal([]byte(a.text), &a); err != nil {
		t.Fatalf("%s: %d %s", name, a.status, a.text)
	}
	return a
}

// post sends a request, which must be answered.
func post(t *testing.T, url string, header http.Header, body []byte) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(within60(t), http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header[k] = v
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	out, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(out)
}

// use calls a hook that must succeed.
func (r rp) use(t *testing.T, name string, params object) map[string]any {
	t.Helper()
	a := r.call(t, name, params)
	if !a.OK || a.status != http.StatusOK {
		t.Fatalf("%s %v: %d %s", name, params, a.status, a.text)
	}
	return a.Result
}

// id is the element of the page's snapshot whose line has these words.
func (r rp) id(t *testing.T, words string) string {
	t.Helper()
	markdown := r.use(t, "snapshot", nil)["markdown"].(string)
	for line := range strings.Lines(markdown) {
		if id, _, ok := strings.Cut(strings.TrimPrefix(line, "["), " "); ok && strings.Contains(line, words) {
			return id
		}
	}
	t.Fatalf("no line with %q in\n%s", words, markdown)
	return ""
}

// openPage opens a page of the app and returns its hooks.
func (s *stage) openPage(t *testing.T, prefix, path string) rp {
	t.Helper()
	connectMCP(t, s, prefix).use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + path})
	r := rp{url: s.base(prefix), app: s.app.URL}
	a := r.call(t, "list", nil)
	for _, b := range a.Result["browsers"].([]any) {
		if b := b.(object); strings.HasPrefix(b["url"].(string), s.app.URL) {
			r.browser = b["id"].(string)
		}
	}
	if r.browser == "" {
		t.Fatalf("no page of the app: %s", a.text)
	}
	return r
}

// hookCase is a call of a hook.
type hookCase struct {
	hook, name string
	id         string // words of the line of the element that elementId is to name
	params     object
	want       string // in the JSON of the answer
	code       string // of the error that must come
	is         string // an expression that must be true afterwards
}

// hookCases are all hooks in their normal cases, with the errors that need a
// page. Those of parameters alone are tested in package hooks.
var hookCases = []hookCase{
	{hook: "list", name: "all", want: `"placeId":"default"`},
	{hook: "getUrl", name: "from the registry", want: `"url":"{app}/form.html"`},
	{hook: "getTitle", name: "from the registry", want: `"title":"`},
	{hook: "snapshot", name: "the page", want: `button] Save all\n`},
	{hook: "snapshot", name: "a part", params: object{"maxElements": 2}, want: `"elementCount":2,"truncated":true`},
	{hook: "snapshot", name: "no password", want: `value=\"[REDACTED]\"`},
	{hook: "axTree", name: "the page", want: `"nodes":[{`},
	{hook: "screenshot", name: "the page", params: object{"quality": 50}, want: `"dataUrl":"data:image/png;base64,`},
	{hook: "waitForLoad", name: "loaded", params: object{"waitUntil": "domcontentloaded"}, want: `"url":"{app}/form.html"`},
	{hook: "waitForElement", name: "is there", params: object{"selector": "#twins li", "visible": true}, want: `"elementId":"a`},
	{hook: "waitForElement", name: "is not there", params: object{"selector": "#nothing", "timeoutMs": 300}, code: "ElementNotFound"},
	{hook: "waitForElement", name: "is not visible", params: object{"selector": ".gone", "visible": true, "timeoutMs": 3000}, code: "ElementNotVisible"},
	{hook: "waitForElement", name: "a broken selector", params: object{"selector": "##"}, code: "InvalidParams"},
	{hook: "click", name: "by id", id: "Show later", want: `{"clicked":true,"coords":{"x":`, is: `seen.includes("click later")`},
	{hook: "click", name: "by point", params: object{"x": 1, "y": 1, "button": "right"}, want: `"coords":{"x":1,"y":1}`},
	{hook: "click", name: "with a snapshot", id: "Show later", params: object{"returnSnapshot": true}, want: `"snapshot":{"markdown":"[a1 `},
	{hook: "click", name: "no such element", params: object{"elementId": "a9999"}, code: "ElementNotFound"},
	{hook: "click", name: "a disabled one", id: "Out of order", code: "ElementDisabled"},
	{hook: "click", name: "a covered one", id: "Under", code: "ElementNotVisible"},
	{hook: "type", name: "by id", id: "work email", params: object{"text": "ab", "clearFirst": true, "returnSnapshot": true}, want: `"snapshot":`, is: `seen.filter((s) => s.startsWith("keydown email ")).join() === "keydown email a,keydown email b"`},
	{hook: "type", name: "into what has the focus", params: object{"text": "c"}, want: `{"ok":true}`, is: `document.querySelector("#email").value === "abc"`},
	{hook: "fill", name: "a field", id: "work email", params: object{"value": "a@b.c", "returnSnapshot": true}, want: `value=\"a@b.c\"`, is: `seen.includes("input email") && seen.includes("change email")`},
	{hook: "fill", name: "no such element", params: object{"elementId": "a9999", "value": "x"}, code: "ElementNotFound"},
	{hook: "pressKey", name: "by id", id: "work email", params: object{"key": "a", "modifiers": []string{"ctrl"}, "returnSnapshot": true}, want: `"snapshot":`, is: `seen.includes("keydown email a")`},
	{hook: "scroll", name: "to the bottom", params: object{"toBottom": true, "returnSnapshot": true}, want: `"snapshot":`, is: `scrollY > 0`},
	{hook: "scroll", name: "by a delta", params: object{"deltaY": -100_000}, want: `{"ok":true}`, is: `scrollY === 0`},
	{hook: "hover", name: "an element", id: "Save all", params: object{"durationMs": 1, "returnSnapshot": true}, want: `"snapshot":`},
	{hook: "focus", name: "an element", id: "work email", params: object{"returnSnapshot": true}, want: `"snapshot":`, is: `document.activeElement.id === "email"`},
	{hook: "eval", name: "a value", params: object{"script": "Promise.resolve({ answer: 42 })"}, want: `{"value":{"answer":42}}`},
	{hook: "eval", name: "what JSON does not know", params: object{"script": "window"}, want: `"value":`},
	{hook: "eval", name: "an exception", params: object{"script": "nowhere"}, code: "EvalError"},
	{hook: "eval", name: "too slow", params: object{"script": "new Promise(() => {})", "timeoutMs": 300}, code: "EvalTimeout"},
	{hook: "navigate", name: "elsewhere", params: object{"url": "{app}/two.html"}, want: `{"title":"Second page","url":"{app}/two.html"}`},
	{hook: "navigate", name: "javascript", params: object{"url": "javascript:1"}, code: "UrlBlocked"},
	{hook: "navigate", name: "metadata address", params: object{"url": "http://169.254.169.254/"}, code: "UrlBlocked"},
	{hook: "goBack", name: "to the page before", want: `"url":"{app}/form.html"`},
	{hook: "goForward", name: "to the page after", want: `"url":"{app}/two.html"`},
	{hook: "goForward", name: "to nothing", want: `"url":"{app}/two.html"`},
	{hook: "reload", name: "the page", want: `"url":"{app}/two.html"`},
	{hook: "getUrl", name: "no such browser", params: object{"browserId": "nobody"}, code: "BrowserNotFound"},
	{hook: "getUrl", name: "no browser", params: object{"browserId": ""}, code: "InvalidParams"},
	{hook: "fly", name: "no such hook", code: "HookNotFound"},
	// The last: it goes on, and while it does Chromium 156 does not answer those
	// who attach anew.
	{hook: "navigate", name: "too slow", params: object{"url": "{app}/never", "timeoutMs": 1000}, code: "NavigateTimeout"},
}

// TestHooksConformance calls each hook on both kinds of targets.
func TestHooksConformance(t *testing.T) {
	s := newStage(t, func(f *hubFlags) { f.EvalAllow = []string{"*"} })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := s.openPage(t, kind.prefix, "/form.html")
			for _, c := range hookCases {
				t.Run(c.hook+"/"+c.name, func(t *testing.T) { c.run(t, r) })
			}
		})
	}
}

func (c hookCase) run(t *testing.T, r rp) {
	t.Helper()
	params := object{}
	for k, v := range c.params {
		params[k] = v
	}
	if c.id != "" {
		params["elementId"] = r.id(t, c.id)
	}
	a := r.call(t, c.hook, params)
	if a.Error.Code != c.code || a.OK != (c.code == "") {
		t.Fatalf("%d %s, want code %q", a.status, a.text, c.code)
	}
	if want := strings.ReplaceAll(c.want, "{app}", r.app); !strings.Contains(a.text, want) {
		t.Errorf("%.2000s\nwant %s", a.text, want)
	}
	if c.is != "" && r.use(t, "eval", object{"script": c.is})["value"] != true {
		t.Errorf("not so: %s; seen: %v", c.is, r.use(t, "eval", object{"script": "seen"}))
	}
}

// TestHooksQuickStart has a page use rp.browser, as its users do, with the
// calls of the specification.
func TestHooksQuickStart(t *testing.T) {
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := s.openPage(t, kind.prefix, "/form.html")
			a := connectMCP(t, s, "/hub/chromium")
			a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/hooks.html?hub=" + kind.prefix})
			said := a.use(t, "browser_evaluate", object{"function": fmt.Sprintf(`async () => {
				const browserId = %q;
				const { browsers } = await rp.browser.list();
				const { markdown } = await rp.browser.snapshot({ browserId });
				const elementId = markdown.match(/\[(a\d+) input email\] placeholder="work email"/)[1];
				await rp.browser.fill({ browserId, elementId, value: "ada@example.org" });
				const { clicked } = await rp.browser.click({ browserId, elementId: markdown.match(/\[(a\d+) button\] Save all/)[1], returnSnapshot: true });
				const { url } = await rp.browser.getUrl({ browserId });
				const failed = await rp.browser.click({ browserId, elementId: "a1", x: 1, y: 1 }).catch((e) => e.code);
				const { snapshot } = await rp.browser.focus({ browserId, elementId, returnSnapshot: true });
				return [browsers.some((b) => b.id === browserId), clicked, url, failed, snapshot.markdown.includes("Saved ada@example.org"), Object.keys(rp.browser).length];
			}`, r.browser)})
			if want := `[true,true,"` + s.app.URL + `/form.html","InvalidParams",true,20]`; !strings.Contains(said, want) {
				t.Errorf("%s, want %s", said, want)
			}
			a.use(t, "browser_tabs", object{"action": "close"})
		})
	}
}

// TestHooksConsent wants scripts to run in those origins alone that are
// allowed, or that somebody agrees to, who is asked once.
func TestHooksConsent(t *testing.T) {
	asked := 0
	var allow bool
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		var q struct{ Caller, Origin string }
		if err := json.NewDecoder(r.Body).Decode(&q); err != nil || !strings.HasPrefix(q.Origin, "http://127.0.0.1:") {
			t.Errorf("asked about %+v, %v", q, err)
		}
		fmt.Fprintf(w, `{"allow":%v}`, allow)
	}))
	defer desk.Close()
	for name, test := range map[string]struct {
		change func(*hubFlags)
		allow  bool
		code   string
		asked  int
	}{
		"nobody to ask": {func(*hubFlags) {}, false, "EvalConsentDenied", 0},
		"refused":       {func(f *hubFlags) { f.EvalAsk = desk.URL }, false, "EvalConsentDenied", 1},
		"agreed to":     {func(f *hubFlags) { f.EvalAsk = desk.URL }, true, "", 1},
		"denied":        {func(f *hubFlags) { f.EvalAsk, f.EvalDeny = desk.URL, []string{"*"} }, true, "EvalConsentDenied", 0},
		"no scope":      {func(f *hubFlags) { f.EvalAllow, f.HookScope = []string{"*"}, []string{"browser:read"} }, true, "CapabilityDenied", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStage(t, test.change)
			asked, allow = 0, test.allow
			r := s.openPage(t, "/hub/chromium", "/two.html")
			for range 2 {
				if a := r.call(t, "eval", object{"script": "1"}); a.Error.Code != test.code {
					t.Errorf("%d %s, want %q", a.status, a.text, test.code)
				}
			}
			if asked != test.asked {
				t.Errorf("asked %d times, want %d", asked, test.asked)
			}
		})
	}
}

// TestHooksSocket sends frames of all kinds to the WebSocket.
func TestHooksSocket(t *testing.T) {
	s := newStage(t, nil)
	r := s.openPage(t, "", "/form.html")
	ws := dial(t, "ws"+strings.TrimPrefix(s.base(""), "http")+"/hooks", nil)
	for _, x := range []struct{ send, want string }{
		{`{"id":"x","name":"browser.getUrl","params":{"browserId":"` + r.browser + `"}}`, `{"id":"x","ok":true,"result":{"url":"` + r.app + `/form.html"}}`},
		{`{"id":{"a":1},"name":"browser.fly"}`, `{"id":{"a":1},"ok":false,"error":{"code":"HookNotFound","message":"unknown hook: browser.fly"}}`},
		{`{"id":7,"params":{}}`, "{\"id\":7,\"ok\":false,\"error\":{\"code\":\"InvalidParams\",\"message\":\"bad request: missing field `name`\"}}"},
	} {
		ws.send(x.send)
		ws.wants(x.want)
	}
	for _, text := range []string{`[{"id":1,"name":"browser.list"}]`, `{"id":`, `1`} {
		ws.send(text)
		if got := ws.next(); !strings.HasPrefix(got, `{"id":null,"ok":false,"error":{"code":"InvalidParams"`) {
			t.Errorf("%s: %s", text, got)
		}
	}
	// Calls on a page keep their order, and only so many may wait.
	wait := fmt.Sprintf(`"params":{"browserId":%q,"selector":"#nothing","timeoutMs":500}}`, r.browser)
	ws.send(`{"id":0,"name":"browser.waitForElement",` + wait)
	for i := range 64 {
		ws.send(fmt.Sprintf(`{"id":%d,"name":"browser.getUrl","params":{"browserId":%q}}`, i+1, r.browser))
	}
	if got := ws.next(); !strings.Contains(got, `{"id":64,"ok":false,"error":{"code":"RateLimited"`) {
		t.Errorf("the 65th: %s", got)
	}
	for i := range 64 {
		if got := ws.next(); !strings.HasPrefix(got, fmt.Sprintf(`{"id":%d,`, i)) {
			t.Fatalf("%s, want the answer to %d", got, i)
		}
	}
	ws.send(`{"id":1,"name":"` + strings.Repeat("x", maxActionMessage) + `"}`)
	if why := ws.reason(); why.Code != 1009 {
		t.Errorf("a message that is too long: %v", why)
	}
}

// TestActionPathsAreGuarded wants what every path wants of who comes: no
// foreign Origin, no foreign Host, a token, and a short request; and a session
// of MCP to be its caller's alone.
func TestActionPathsAreGuarded(t *testing.T) {
	change, rewrite := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, scope: readonly}, {name: b, token: "+adminToken+", role: client}]")
	s := start(t, func(f *hubFlags) { change(f); f.Actions, f.HookScope = true, []string{"browser:read", "browser:write"} })
	base := "http://" + s.addr(false)
	const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
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
	for path, body := range map[string]string{"/mcp": begin, "/hooks/invoke": `{"name":"browser.list"}`} {
		for name, test := range map[string]struct {
			header http.Header
			want   int
		}{
			"no token":       {speak(""), http.StatusUnauthorized},
			"a wrong token":  {speak(wrongToken), http.StatusUnauthorized},
			"a page":         {speak(clientToken, "Origin", "https://evil.example"), http.StatusForbidden},
			"a good request": {speak(clientToken), http.StatusOK},
		} {
			if status, text := post(t, base+path, test.header, []byte(body)); status != test.want && (status != http.StatusNotFound || path == "/mcp") {
				t.Errorf("%s with %s: %d %s, want %d", path, name, status, text, test.want)
			}
		}
		if status, text := post(t, base+path, speak(clientToken), bytes.Repeat([]byte(" "), maxActionMessage+1)); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s with too much: %d %s", path, status, text)
		}
	}

	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/mcp", strings.NewReader(begin))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = speak(adminToken)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	session := resp.Header.Get("Mcp-Session-Id")
	const list = `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`
	if status, text := post(t, base+"/mcp", speak(adminToken, "Mcp-Session-Id", session), []byte(list)); status != http.StatusOK || !strings.Contains(text, "browser_evaluate") {
		t.Errorf("the session's own caller: %d %s", status, text)
	}
	if status, _ := post(t, base+"/mcp", speak(clientToken, "Mcp-Session-Id", session), []byte(list)); status != http.StatusNotFound {
		t.Errorf("another caller: %d", status)
	}
	if status, _ := post(t, base+"/hub/other/mcp", speak(adminToken, "Mcp-Session-Id", session), []byte(list)); status != http.StatusUnauthorized && status != http.StatusNotFound {
		t.Errorf("another hub: %d", status)
	}

	// It ends with the token, also where that comes back.
	rewrite("tokens: [{name: a, token: " + clientToken + ", role: client}]")
	for end := time.Now().Add(pairWithin); ; time.Sleep(20 * time.Millisecond) {
		if status, _ := post(t, base+"/mcp", speak(adminToken, "Mcp-Session-Id", session), []byte(list)); status == http.StatusUnauthorized || status == http.StatusTooManyRequests {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the revoked token is still good")
		}
	}
}

// TestMCPToolsByScope wants a readonly token to be offered what only looks.
func TestMCPToolsByScope(t *testing.T) {
	change, _ := withFile(t, "tokens: [{name: a, token: "+clientToken+", role: client, scope: readonly}]")
	s := start(t, func(f *hubFlags) { change(f); f.Actions = true })
	header := bearer(clientToken)
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	base := "http://" + s.addr(false) + "/mcp"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = header
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	header.Set("Mcp-Session-Id", resp.Header.Get("Mcp-Session-Id"))
	_, text := post(t, base, header, []byte(`{"jsonrpc":"2.0","id":2,"method":"tools/list"}`))
	for tool, want := range map[string]bool{"browser_tabs": true, "browser_take_screenshot": true, "browser_evaluate": false, "browser_click": false, "browser_close": false} {
		if strings.Contains(text, `"`+tool+`"`) != want {
			t.Errorf("%s is offered to a readonly token: %v", tool, !want)
		}
	}
	_, text = post(t, base, header, []byte(`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"browser_evaluate","arguments":{"function":"1"}}}`))
	if !strings.Contains(text, "unknown tool") {
		t.Errorf("browser_evaluate by a readonly token: %s", text)
	}
}
