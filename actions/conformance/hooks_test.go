package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
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
func (r rp) call(t *testing.T, name string, params object) hookAnswer {
	t.Helper()
	a, err := r.try(within60(t), name, params)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// try is call for goroutines.
func (r rp) try(ctx context.Context, name string, params object) (a hookAnswer, err error) {
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
		return a, err
	}
	if a.status, a.text, err = hubtest.PostJSON(ctx, r.url+"/hooks/invoke", r.header, body); err == nil {
		if err = json.Unmarshal([]byte(a.text), &a); err != nil {
			err = fmt.Errorf("%s: %d %s", name, a.status, a.text)
		}
	}
	return a, err
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
	c := hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(prefix), "http")+"/ws", nil)
	c.Send(jsonrpcTalk.request(jsonrpcTalk.open(s.app.URL + path)))
	answer := c.Next()
	found := regexp.MustCompile(jsonrpcTalk.opened).FindStringSubmatch(answer)
	if found == nil {
		t.Fatalf("no page was opened: %s", answer)
	}
	return rp{url: s.base(prefix), app: s.app.URL, browser: found[1]}
}

// TestHooksSeed has a page use rp.browser, as its users do, with the calls of
// the specification, and looks at the lines of a snapshot.
func TestHooksSeed(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(f *server.Options) { f.Actions.EvalAllow = []string{"*"} })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind)+"/the quick start", func(t *testing.T) {
			r := s.openPage(t, kind.prefix, "/form.html")
			a := connectMCP(t, &stage{Server: s.user, app: s.app}, "/hub/chromium") // as a user has the page
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
		t.Run(string(kind.TargetKind)+"/a snapshot over HTTP", func(t *testing.T) {
			r := s.openPage(t, kind.prefix, "/pricing.html")
			_, text := hubtest.MustPostJSON(t, r.url+"/hooks/invoke", nil, []byte(`{ "name": "browser.snapshot", "params": { "browserId": "`+r.browser+`" } }`))
			const lines = `[a1 h1] Pricing\n[a2 button] Start free trial\n[a3 input email] placeholder=\"work email\"\n[a4 link /pricing] See prices\n[a5 iframe] src=/two.html`
			want := `{"ok":true,"result":{"markdown":"` + lines + `","url":"` + s.app.URL + `/pricing.html","title":"Pricing","elementCount":5,"truncated":false}}`
			if text != want {
				t.Errorf("got  %s\nwant %s", text, want)
			}
			if got := r.use(t, "click", object{"elementId": "a2"}); got["clicked"] != true || got["coords"] == nil {
				t.Errorf("click: %v", got)
			}
			if got := r.use(t, "eval", object{"script": `document.querySelector("[data-rp-id=a3]").type`}); got["value"] != "email" {
				t.Errorf("the attribute is not there: %v", got)
			}
		})
	}
}

// TestHooksWithoutScripts has a caller that may read and write, which is the default, use the ids
// of a snapshot in other requests: they are in the page.
func TestHooksWithoutScripts(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) { withScopes(t)(o) })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := &witness{t: t, stage: s, prefix: kind.prefix}
			r.open()
			invoke := func(hook, params, want string) string {
				t.Helper()
				body := fmt.Sprintf(`{"name":"browser.%s","params":{"browserId":%q%s}}`, hook, r.page, params)
				_, text := hubtest.MustPostJSON(t, r.base(r.prefix)+"/hooks/invoke", hubtest.Bearer("the-token-of-standard"), []byte(body))
				found := regexp.MustCompile(want).FindStringSubmatch(text)
				if found == nil {
					t.Fatalf("%s: %s, want %s", hook, text, want)
				}
				return found[len(found)-1]
			}
			id := invoke("snapshot", ``, `\[(a\d+) input text\] placeholder=..plain`)
			invoke("fill", `,"elementId":"`+id+`","value":"Ada"`, `"ok":true`)
			invoke("snapshot", ``, id+` input text\] placeholder=..plain.. value=..Ada`)
			invoke("waitForElement", `,"selector":"#plain"`, `"elementId":"a\d+"`)
		})
	}
}

// TestHooksConsent wants scripts to run in those origins alone that are
// allowed, or that somebody agrees to, who is asked once.
func TestHooksConsent(t *testing.T) {
	t.Parallel()
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
		change func(*server.Options)
		allow  bool
		code   string
		asked  int
	}{
		"without an answer": {func(*server.Options) {}, false, "EvalConsentDenied", 0},
		"refused":           {func(f *server.Options) { f.Actions.EvalAsk = server.AskURL(desk.URL) }, false, "EvalConsentDenied", 1},
		"agreed to":         {func(f *server.Options) { f.Actions.EvalAsk = server.AskURL(desk.URL) }, true, "", 1},
		"denied": {func(f *server.Options) {
			f.Actions.EvalAsk, f.Actions.EvalDeny = server.AskURL(desk.URL), []string{"*"}
		}, true, "EvalConsentDenied", 0},
		"no scope": {func(f *server.Options) {
			f.Actions.EvalAllow, f.Actions.HookScopes = []string{"*"}, []string{"browser:read"}
		}, true, "CapabilityDenied", 0},
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

// TestHooksConsentIsForOneOrigin has a page go elsewhere while somebody thinks
// about its origin.
func TestHooksConsentIsForOneOrigin(t *testing.T) {
	var asked []string
	var r rp
	desk := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var q struct{ Origin string }
		if err := json.NewDecoder(req.Body).Decode(&q); err != nil {
			t.Error(err)
		}
		asked = append(asked, q.Origin)
		if len(asked) == 1 {
			r.use(t, "navigate", object{"url": strings.Replace(r.app, "127.0.0.1", "localhost", 1) + "/two.html"})
		}
		fmt.Fprintf(w, `{"allow":%v}`, len(asked) == 1)
	}))
	defer desk.Close()
	s := newStage(t, func(f *server.Options) { f.Actions.EvalAsk = server.AskURL(desk.URL) })
	r = s.openPage(t, "/hub/chromium", "/two.html")
	if a := r.call(t, "eval", object{"script": "document.title = 'evaluated'"}); a.Error.Code != "EvalConsentDenied" {
		t.Errorf("%d %s", a.status, a.text)
	}
	if want := []string{r.app, strings.Replace(r.app, "127.0.0.1", "localhost", 1)}; !slices.Equal(asked, want) {
		t.Errorf("asked about %q, want %q", asked, want)
	}
	if snapshot := r.use(t, "snapshot", nil); snapshot["title"] != "Second page" {
		t.Errorf("the title is %q", snapshot["title"])
	}
}

// TestHooksSocket sends frames of all kinds to the WebSocket.
func TestHooksSocket(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	r := s.openPage(t, "", "/form.html")
	ws := hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(""), "http")+"/hooks", nil)
	for _, x := range []struct{ send, want string }{
		{`{"id":"x","name":"browser.getUrl","params":{"browserId":"` + r.browser + `"}}`, `{"id":"x","ok":true,"result":{"url":"` + r.app + `/form.html"}}`},
		{`{"id":{"a":1},"name":"browser.fly"}`, `{"id":{"a":1},"ok":false,"error":{"code":"HookNotFound","message":"unknown hook: browser.fly"}}`},
		{`{"id":7,"params":{}}`, "{\"id\":7,\"ok\":false,\"error\":{\"code\":\"InvalidParams\",\"message\":\"bad request: missing field `name`\"}}"},
	} {
		ws.Send(x.send)
		ws.Wants(x.want)
	}
	for _, text := range []string{`[{"id":1,"name":"browser.list"}]`, `{"id":`, `1`} {
		ws.Send(text)
		if got := ws.Next(); !strings.HasPrefix(got, `{"id":null,"ok":false,"error":{"code":"InvalidParams"`) {
			t.Errorf("%s: %s", text, got)
		}
	}
	// Calls on a page keep their order, and only so many may wait.
	wait := fmt.Sprintf(`"params":{"browserId":%q,"selector":"#nothing","timeoutMs":500}}`, r.browser)
	ws.Send(`{"id":0,"name":"browser.waitForElement",` + wait)
	for i := range 64 {
		ws.Send(fmt.Sprintf(`{"id":%d,"name":"browser.getUrl","params":{"browserId":%q}}`, i+1, r.browser))
	}
	if got := ws.Next(); !strings.Contains(got, `{"id":64,"ok":false,"error":{"code":"RateLimited"`) {
		t.Errorf("the 65th: %s", got)
	}
	for i := range 64 {
		if got := ws.Next(); !strings.HasPrefix(got, fmt.Sprintf(`{"id":%d,`, i)) {
			t.Fatalf("%s, want the answer to %d", got, i)
		}
	}
	ws.Send(`{"id":1,"name":"` + strings.Repeat("x", actions.MaxRequest) + `"}`)
	if why := ws.Reason(); why.Code != 1009 {
		t.Errorf("a message that is too long: %v", why)
	}
}
