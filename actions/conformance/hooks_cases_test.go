package conformance

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/server"
)

// hookCase is a call of a hook.
type hookCase struct {
	hook, name string
	id         string // words of the line of the element that elementId is to name
	at         string // or its selector
	params     object
	want       string // in the JSON of the answer
	code       string // of the error that must come
	is         string // an expression that must be true afterwards
	waits      bool   // for as long as hooks wait for elements: on a page of its own
}

// hookCases are all hooks in their normal cases, with the errors that they can
// have.
func hookCases() []hookCase {
	cases := slices.Clone(hooksOwn)
	for _, hook := range []string{
		"snapshot", "axTree", "screenshot", "getUrl", "getTitle", "waitForLoad", "waitForElement", "navigate", "goBack", "goForward",
		"reload", "click", "type", "fill", "pressKey", "scroll", "hover", "focus", "eval", "handoff", "handoffWait", "handoffCancel",
	} {
		cases = append(
			cases,
			hookCase{hook: hook, name: "no browser", params: object{"browserId": ""}, code: "InvalidParams"},
			hookCase{hook: hook, name: "a browser of another type", params: object{"browserId": 7}, code: "InvalidParams"},
			hookCase{hook: hook, name: "no such browser", params: object{"browserId": "nobody"}, code: "BrowserNotFound"},
		)
	}
	for hook, params := range inputHooks {
		cases = append(
			cases,
			hookCase{hook: hook, name: "an id that is none", params: with(params, "elementId", `a1"]`), code: "ElementNotFound"},
			hookCase{hook: hook, name: "no such element", params: with(params, "elementId", "a9999"), code: "ElementNotFound"},
		)
	}
	return append(
		cases,
		hookCase{hook: "click", name: "a disabled element", at: "#off", code: "ElementDisabled", waits: true},
		hookCase{hook: "click", name: "a covered element", at: "#under", code: "ElementNotVisible", waits: true},
		hookCase{hook: "click", name: "an element without size", at: ".gone", code: "ElementNotVisible", waits: true},
		hookCase{hook: "hover", name: "an element without size", at: ".gone", code: "ElementNotVisible", waits: true},
		hookCase{hook: "fill", name: "a disabled element", at: "#locked", params: object{"value": "x"}, code: "ElementDisabled", waits: true},
		// The last: it goes on, and while it does Chromium 156 does not answer those
		// who attach anew.
		hookCase{hook: "navigate", name: "too slow", params: object{"url": "{app}/never", "timeoutMs": 1000}, code: "NavigateTimeout"},
	)
}

// inputHooks are the hooks that act on an element, with the parameters that
// they need beside it.
var inputHooks = map[string]object{
	"click": {}, "type": {"text": "x"}, "fill": {"value": "x"}, "pressKey": {"key": "a"},
	"scroll": {"deltaY": 1}, "hover": {}, "focus": {},
}

func with(params object, name, value string) object {
	params = maps.Clone(params)
	params[name] = value
	return params
}

// TestHooksConformance calls each hook on both kinds of targets.
func TestHooksConformance(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(f *server.Options) { f.Actions.EvalAllow = []string{"*"} })
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			cases := hookCases()
			waiting := s.waitFor(t, kind.prefix, cases)
			r := s.openPage(t, kind.prefix, "/form.html?own")
			for i, c := range cases {
				t.Run(c.hook+"/"+c.name, func(t *testing.T) {
					if c.waits {
						c.check(t, r, <-waiting[i])
					} else {
						c.check(t, r, r.call(t, c.hook, c.paramsOn(t, r)))
					}
				})
			}
		})
	}
}

// waitFor begins all cases that wait, at once. The answers come by the place of
// their case.
func (s *stage) waitFor(t *testing.T, prefix string, cases []hookCase) map[int]chan hookAnswer {
	t.Helper()
	answers := make(map[int]chan hookAnswer)
	for i, c := range cases {
		if !c.waits {
			continue
		}
		r := s.openPage(t, prefix, "/form.html")
		ctx, params, answer := within60(t), c.paramsOn(t, r), make(chan hookAnswer, 1)
		answers[i] = answer
		go func() {
			a, err := r.try(ctx, c.hook, params)
			if err != nil {
				a.text = err.Error()
			}
			answer <- a
		}()
	}
	return answers
}

// paramsOn are the parameters of a case on a page.
func (c hookCase) paramsOn(t *testing.T, r rp) object {
	t.Helper()
	params := object{}
	maps.Copy(params, c.params)
	switch {
	case c.id != "":
		params["elementId"] = r.id(t, c.id)
	case c.at != "":
		params["elementId"] = r.use(t, "waitForElement", object{"selector": c.at})["elementId"]
	}
	return params
}

// check looks at the answer.
func (c hookCase) check(t *testing.T, r rp, a hookAnswer) {
	t.Helper()
	if a.Error.Code != c.code || a.OK != (c.code == "") {
		t.Fatalf("%d %.2000s, want code %q", a.status, a.text, c.code)
	}
	if want := strings.ReplaceAll(c.want, "{app}", r.app); !strings.Contains(a.text, want) {
		t.Errorf("%.2000s\nwant %s", a.text, want)
	}
	if c.is != "" && r.use(t, "eval", object{"script": c.is})["value"] != true {
		t.Errorf("not so: %s; seen: %v", c.is, r.use(t, "eval", object{"script": "seen"}))
	}
	wantRemark(t, a.text)
	keepsSecrets(t, a.text)
}

// hooksOwn are the cases that are each a hook's own.
var hooksOwn = []hookCase{
	{hook: "list", name: "all", want: `"placeId":"default"`},
	{hook: "getUrl", name: "from the registry", want: `"url":"{app}/form.html?own"`},
	{hook: "getTitle", name: "from the registry", want: `"title":"`},
	{hook: "snapshot", name: "the page", want: `button] Save all\n`},
	{hook: "snapshot", name: "a part", params: object{"maxElements": 2}, want: `"elementCount":2,"truncated":true`},
	{hook: "snapshot", name: "no password", want: `value=\"[REDACTED]\"`},
	{hook: "axTree", name: "the page", want: `"nodes":[{`},
	{hook: "screenshot", name: "the page", params: object{"quality": 50}, want: `"dataUrl":"data:image/png;base64,`},
	{hook: "waitForLoad", name: "loaded", params: object{"waitUntil": "domcontentloaded"}, want: `"url":"{app}/form.html?own"`},
	{hook: "waitForElement", name: "is there", params: object{"selector": "#twins li", "visible": true}, want: `"elementId":"a`},
	{hook: "waitForElement", name: "is not there", params: object{"selector": "#nothing", "timeoutMs": 300}, code: "ElementNotFound"},
	{hook: "waitForElement", name: "is not visible", params: object{"selector": ".gone", "visible": true, "timeoutMs": 3000}, code: "ElementNotVisible", waits: true},
	{hook: "waitForElement", name: "a broken selector", params: object{"selector": "##"}, code: "InvalidParams"},
	{hook: "click", name: "by id", id: "Show later", want: `{"clicked":true,"coords":{"x":`, is: `seen.includes("click later")`},
	{hook: "click", name: "by point", params: object{"x": 1, "y": 1, "button": "right"}, want: `"coords":{"x":1,"y":1}`},
	{hook: "click", name: "with a snapshot", id: "Show later", params: object{"returnSnapshot": true}, want: `"snapshot":{"markdown":"[a1 `},
	{hook: "type", name: "by id", id: "work email", params: object{"text": "ab", "clearFirst": true, "returnSnapshot": true}, want: `"snapshot":`, is: `seen.filter((s) => s.startsWith("keydown email ")).join() === "keydown email a,keydown email b"`},
	{hook: "type", name: "into what has the focus", params: object{"text": "c"}, want: `{"ok":true}`, is: `document.querySelector("#email").value === "abc"`},
	{hook: "fill", name: "a field", id: "work email", params: object{"value": "a@b.c", "returnSnapshot": true}, want: `value=\"a@b.c\"`, is: `seen.includes("input email") && seen.includes("change email")`},
	{hook: "pressKey", name: "by id", id: "work email", params: object{"key": "a", "modifiers": []string{"ctrl"}, "returnSnapshot": true}, want: `"snapshot":`, is: `seen.includes("keydown email a")`},
	{hook: "scroll", name: "to the bottom", params: object{"toBottom": true, "returnSnapshot": true}, want: `"snapshot":`, is: `scrollY > 0`},
	{hook: "scroll", name: "by a delta", params: object{"deltaY": -100_000}, want: `{"ok":true}`, is: `scrollY === 0`},
	{hook: "hover", name: "an element", id: "Save all", params: object{"durationMs": 1, "returnSnapshot": true}, want: `"snapshot":`},
	{hook: "focus", name: "an element", id: "work email", params: object{"returnSnapshot": true}, want: `"snapshot":`, is: `document.activeElement.id === "email"`},
	{hook: "eval", name: "a value", params: object{"script": "Promise.resolve({ answer: 42 })"}, want: `{"value":{"answer":42}}`},
	{hook: "eval", name: "what JSON does not know", params: object{"script": "window"}, want: `"value":`},
	{hook: "eval", name: "an exception", params: object{"script": "nowhere"}, code: "EvalError"},
	{hook: "eval", name: "too slow", params: object{"script": "new Promise(() => {})", "timeoutMs": 300}, code: "EvalTimeout"},
	{hook: "list", name: "another place", params: object{"placeId": "elsewhere"}, want: `{"browsers":[]}`},
	{hook: "list", name: "this place", params: object{"placeId": "default"}, want: `"url":"{app}/form.html?own"`},
	{hook: "list", name: "a place of another type", params: object{"placeId": 1}, code: "InvalidParams"},
	{hook: "snapshot", name: "no elements", params: object{"maxElements": 0}, code: "InvalidParams"},
	{hook: "snapshot", name: "with what is hidden", params: object{"includeHidden": true}, want: `button] Gone hidden\n`},
	{hook: "snapshot", name: "what is in view", params: object{"viewportOnly": true}, want: `"truncated":false`},
	{hook: "screenshot", name: "of all", params: object{"fullPage": true}, want: `"dataUrl":"data:image/png;base64,`},
	{hook: "screenshot", name: "a quality that is none", params: object{"quality": 101}, code: "InvalidParams"},
	{hook: "waitForElement", name: "without a selector", code: "InvalidParams"},
	{hook: "waitForElement", name: "no time", params: object{"selector": "h1", "timeoutMs": 0}, code: "InvalidParams"},
	{hook: "click", name: "by id and point", params: object{"elementId": "a1", "x": 1, "y": 1}, code: "InvalidParams"},
	{hook: "click", name: "neither id nor point", code: "InvalidParams"},
	{hook: "click", name: "half a point", params: object{"x": 1}, code: "InvalidParams"},
	{hook: "click", name: "no such button", params: object{"x": 1, "y": 1, "button": "fourth"}, code: "InvalidParams"},
	{hook: "click", name: "no such modifier", params: object{"x": 1, "y": 1, "modifiers": []string{"hyper"}}, code: "InvalidParams"},
	{hook: "click", name: "no clicks", params: object{"x": 1, "y": 1, "clickCount": 0}, code: "InvalidParams"},
	{hook: "type", name: "without a text", code: "InvalidParams"},
	{hook: "fill", name: "a select", at: "#plan", params: object{"value": "free"}, want: `{"ok":true}`, is: `document.querySelector("#plan").value === "free"`},
	{hook: "fill", name: "without a value", params: object{"elementId": "a1"}, code: "InvalidParams"},
	{hook: "pressKey", name: "in what has the focus", params: object{"key": "Escape"}, want: `{"ok":true}`, is: `seen.at(-1).endsWith(" Escape")`},
	{hook: "pressKey", name: "without a key", code: "InvalidParams"},
	{hook: "pressKey", name: "no such key", params: object{"key": "Anykey"}, code: "InvalidParams"},
	{hook: "pressKey", name: "no such modifier", params: object{"key": "a", "modifiers": []string{"hyper"}}, code: "InvalidParams"},
	{hook: "scroll", name: "an element", at: "#roll", params: object{"deltaY": 50}, want: `{"ok":true}`, is: `document.querySelector("#roll").scrollTop === 50`},
	{hook: "scroll", name: "nowhere", code: "InvalidParams"},
	{hook: "scroll", name: "to both ends", params: object{"toTop": true, "toBottom": true}, code: "InvalidParams"},
	{hook: "scroll", name: "to an end by a delta", params: object{"toTop": true, "deltaY": 1}, code: "InvalidParams"},
	{hook: "hover", name: "without an element", code: "InvalidParams"},
	{hook: "hover", name: "too long", params: object{"elementId": "a1", "durationMs": 10_001}, code: "InvalidParams"},
	{hook: "focus", name: "without an element", code: "InvalidParams"},
	{hook: "handoff", name: "without instructions", code: "InvalidParams"},
	{hook: "handoff", name: "by HTTP", params: object{"instructions": "Log in."}, code: "Unsupported"},
	{hook: "handoffWait", name: "no such handoff", params: object{"handoffId": "F00"}, code: "InvalidParams"},
	{hook: "handoffCancel", name: "no such handoff", params: object{"handoffId": "F00"}, code: "InvalidParams"},
	{hook: "eval", name: "without a script", code: "InvalidParams"},
	{hook: "eval", name: "too large a value", params: object{"script": "'x'.repeat(5 << 20)"}, code: "InvalidParams"},
	{hook: "navigate", name: "elsewhere", params: object{"url": "{app}/two.html"}, want: `{"title":"Second page","url":"{app}/two.html"}`},
	{hook: "navigate", name: "javascript", params: object{"url": "javascript:1"}, code: "UrlBlocked"},
	{hook: "navigate", name: "metadata address", params: object{"url": "http://169.254.169.254/"}, code: "UrlBlocked"},
	{hook: "goBack", name: "to the page before", want: `"url":"{app}/form.html?own"`},
	{hook: "goForward", name: "to the page after", want: `"url":"{app}/two.html"`},
	{hook: "goForward", name: "to nothing", want: `"url":"{app}/two.html"`},
	{hook: "reload", name: "the page", want: `"url":"{app}/two.html"`},
	{hook: "navigate", name: "without a URL", code: "InvalidParams"},
	{hook: "navigate", name: "to no load state", params: object{"url": "{app}/form.html", "waitUntil": "commit"}, code: "InvalidParams"},
	{hook: "goBack", name: "to no load state", params: object{"waitUntil": "idle"}, code: "InvalidParams"},
	{hook: "goForward", name: "to no load state", params: object{"waitUntil": "idle"}, code: "InvalidParams"},
	{hook: "reload", name: "to no load state", params: object{"waitUntil": "idle"}, code: "InvalidParams"},
	{hook: "waitForLoad", name: "to no load state", params: object{"waitUntil": "idle"}, code: "InvalidParams"},
	{hook: "navigate", name: "until it is parsed", params: object{"url": "{app}/half", "waitUntil": "domcontentloaded"}, want: `{"title":"Half","url":"{app}/half"}`},
	{hook: "waitForLoad", name: "too slow", params: object{"timeoutMs": 300}, code: "NavigateTimeout"},
	{hook: "reload", name: "too slow", params: object{"timeoutMs": 600}, code: "NavigateTimeout"},
	{hook: "navigate", name: "to what cannot be reached", params: object{"url": "http://127.0.0.1:1/", "timeoutMs": 15_000}, code: "NavigateFailed"},
}
