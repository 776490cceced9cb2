package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

// ndjson is how the NDJSON action API speaks.
var ndjsonTalk = talk{
	handle: "page_id",
	request: func(method, params string) string {
		return `{"id":"1","action":"` + method + `","params":` + params + `}`
	},
	open:     func(url string) (string, string) { return "tab.new", `{"url":"` + url + `"}` },
	opened:   `"page_id":"(page-[0-9]+)"`,
	navigate: func(url string) (string, string) { return "page.navigate", `{"url":"` + url + `"}` },
	evaluate: func(e string) (string, string) { return "page.evaluate", `{"expression":` + jsonText(e) + `}` },
	value:    func(v string) string { return `"data":{"value":` + v + `,` },
}

// done matches an answer with the page and what else is given; failed one with
// an error.
func done(more string) string {
	return `\{"id":"1","success":true,"data":\{"page_id":"{page}"` + more + `\}\}`
}

func failed(why string) string {
	return `\{"id":"1","success":false,"error":"` + why + `"\}`
}

// TestNDJSONConformance has every action do its work, and fail in each way
// that it can, on both kinds of targets.
func TestNDJSONConformance(t *testing.T) {
	s := newStage(t, func(f *hubFlags) { f.BlockURL = []string{"localhost"} })
	missing := func(field string) string { return failed("bad request: missing field `" + field + "`") }
	refusesPages(t, "/ndjson", ndjsonTalk, failed("not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ndjson", ndjsonTalk, []cell{
		{method: "page.snapshot", name: "normal", want: `\{"id":"1","success":true,"data":\{"tree_yaml":"- heading \\"Sign up\\" \[level=1\].*","title":"Sign up","element_count":[0-9]+,"page_id":"{page}","url":"{app}/form.html"\}\}`},
		{method: "page.snapshot", name: "no such page", params: `{"page_id":"page-999"}`, noPage: true, want: failed("page not found: page-999")},
		{method: "page.evaluate", name: "normal", params: `{"expression":"document.title"}`, want: `\{"id":"1","success":true,"data":\{"value":"Sign up","page_id":"{page}"\}\}`},
		{method: "page.evaluate", name: "promise", params: `{"expression":"Promise.resolve({a:[1,null]})"}`, want: `\{"id":"1","success":true,"data":\{"value":\{"a":\[1,null\]\},"page_id":"{page}"\}\}`},
		{method: "page.evaluate", name: "undefined", params: `{"expression":"undefined"}`, want: `\{"id":"1","success":true,"data":\{"value":null,"page_id":"{page}"\}\}`},
		{method: "page.evaluate", name: "exception", params: `{"expression":"(() => { throw new Error('no\\nway') })()"}`, want: failed("evaluation failed: Error: no")},
		{method: "page.evaluate", name: "timeout", params: `{"expression":"new Promise(() => {})","timeout_ms":300}`, want: failed("evaluation timed out")},
		{method: "page.evaluate", name: "bad input", params: `{"expression":7}`, want: failed("bad request: invalid type: integer `7`, expected a string for field `expression`")},
		{method: "page.click", name: "selector", params: `{"selector":"#agree"}`, want: done(`,"url":"{app}/form.html"`), then: "agree.checked", is: "true"},
		{method: "page.click", name: "double", params: `{"selector":"h1","click_count":2}`, want: done(`,"url":"{app}/form.html"`), then: `seen.includes("dblclick ")`, is: "true"},
		{method: "page.click", name: "point", params: `{"x":20,"y":30}`, want: done(`,"url":"{app}/form.html"`)},
		{method: "page.click", name: "element not found", params: `{"selector":"#none","timeout_ms":{soon}}`, want: failed("element not found: #none")},
		{method: "page.click", name: "stale ref", params: `{"ref":"e9999","timeout_ms":{soon}}`, want: failed("element not found: e9999.*")},
		{method: "page.click", name: "not visible", params: `{"selector":".gone","timeout_ms":{soon}}`, want: failed("element not visible.*")},
		{method: "page.click", name: "not enabled", params: `{"selector":"#off","timeout_ms":{soon}}`, want: failed("element disabled.*")},
		{method: "page.click", name: "covered", params: `{"selector":"#under","timeout_ms":{soon}}`, want: failed("element covered by .*")},
		{method: "page.click", name: "bad button", params: `{"selector":"h1","button":"fourth"}`, want: failed(`bad request: field .button. is .*`)},
		{method: "page.fill", name: "normal", params: `{"selector":"#email","value":"a@b.c"}`, want: done(""), then: "email.value", is: `"a@b.c"`},
		{method: "page.fill", name: "empty", params: `{"selector":"#email","value":""}`, want: done(""), then: "email.value", is: `""`},
		{method: "page.fill", name: "bad input", params: `{"selector":"#email"}`, want: missing("value")},
		{method: "page.type", name: "normal", params: `{"selector":"#email","text":"ab"}`, want: done(""), then: "email.value", is: `"ab"`},
		{method: "page.type", name: "cleared first", params: `{"selector":"#email","text":"c","clear":true}`, want: done(""), then: "email.value", is: `"c"`},
		{method: "page.type", name: "into the focus", params: `{"text":"d"}`, want: done(""), then: "email.value", is: `"cd"`},
		{method: "page.type", name: "bad input", params: `{"text":"d","clear":true}`, want: missing("ref")},
		{method: "page.press", name: "normal", params: `{"selector":"#email","key":"Backspace"}`, want: done(""), then: "email.value", is: `"c"`},
		{method: "page.press", name: "no such key", params: `{"key":"Hyper"}`, want: failed(`bad request: there is no key \\"Hyper\\"`)},
		{method: "page.hover", name: "normal", params: `{"selector":"h1"}`, want: done("")},
		{method: "page.hover", name: "element not found", params: `{"selector":"#none","timeout_ms":{soon}}`, want: failed("element not found: #none")},
		{method: "page.focus", name: "normal", params: `{"selector":"#notes"}`, want: done(""), then: "document.activeElement.id", is: `"notes"`},
		{method: "page.focus", name: "bad input", want: missing("ref"), params: "{}"},
		{method: "page.select", name: "normal", params: `{"selector":"#plan","values":"free"}`, want: done(""), then: "plan.value", is: `"free"`},
		{method: "page.select", name: "several", params: `{"selector":"#many","values":["Ham","Olives"]}`, want: done(""), then: "many.selectedOptions.length", is: "2"},
		{method: "page.select", name: "no such option", params: `{"selector":"#plan","values":["gold"],"timeout_ms":{soon}}`, want: failed("element not found: no option .*")},
		{method: "page.scroll", name: "direction", params: `{"direction":"down"}`, want: done(""), then: "scrollY", is: "300"},
		{method: "page.scroll", name: "delta", params: `{"delta_y":-100}`, want: done(""), then: "scrollY", is: "200"},
		{method: "page.scroll", name: "end", params: `{"to":"top"}`, want: done(""), then: "scrollY", is: "0"},
		{method: "page.scroll", name: "an element", params: `{"selector":"#roll","delta_y":50}`, want: done(""), then: "roll.scrollTop", is: "50"},
		{method: "page.scroll", name: "bad input", params: `{}`, want: missing("direction")},
		{method: "page.wait", name: "load", params: `{}`, want: done(`,"url":"{app}/form.html"`)},
		{method: "page.wait", name: "element", params: `{"selector":"h1","state":"visible"}`, want: done(`,"url":"{app}/form.html"`)},
		{method: "page.wait", name: "timeout", params: `{"selector":"#none","timeout_ms":{soon}}`, want: failed("element not found: #none")},
		{method: "page.wait", name: "bad state", params: `{"selector":"h1","state":"lost"}`, want: failed(`bad request: \\"lost\\" is no state of an element`)},
		{method: "page.wait", name: "bad load state", params: `{"load_state":"lost"}`, want: failed("bad request: field `load_state` is .*")},
		{method: "page.content", name: "text", params: `{"format":"text"}`, want: `\{"id":"1","success":true,"data":\{"page_id":"{page}","content":"Sign up.*","url":"{app}/form.html","title":"Sign up"\}\}`},
		{method: "page.content", name: "html", params: `{}`, want: `\{"id":"1","success":true,"data":\{"page_id":"{page}","content":"<.*","url":"{app}/form.html","title":"Sign up"\}\}`},
		{method: "page.content", name: "bad input", params: `{"format":"pdf"}`, want: failed(`bad request: field .format. is .*`)},
		{method: "page.screenshot", name: "normal", params: `{}`, want: done(`,"data_base64":"iVBOR[^"]+","format":"png","width":[0-9]+,"height":[0-9]+`)},
		{method: "page.screenshot", name: "jpeg of all", params: `{"format":"jpeg","quality":10,"full_page":true}`, want: done(`,"data_base64":"/9j/[^"]+","format":"jpeg","width":[0-9]+,"height":[0-9]+`)},
		{method: "page.screenshot", name: "webp", params: `{"format":"webp"}`, want: done(`,"data_base64":"UklGR[^"]+","format":"webp","width":[0-9]+,"height":[0-9]+`)},
		{method: "page.screenshot", name: "bad input", params: `{"quality":101}`, want: failed("bad request: field `quality` is 101.*")},
		{method: "page.navigate", name: "normal", params: `{"url":"{app}/two.html"}`, want: done(`,"url":"{app}/two.html"`)},
		{method: "page.back", name: "normal", params: `{}`, want: done(`,"url":"{app}/form.html"`)},
		{method: "page.forward", name: "normal", params: `{}`, want: done(`,"url":"{app}/two.html"`)},
		{method: "page.reload", name: "normal", params: `{}`, want: done(`,"url":"{app}/two.html"`)},
		{method: "page.network.list", name: "normal", params: `{"limit":500}`, want: `\{"id":"1","success":true,"data":\{"requests":\[.*\{"request_id":"[^"]+","url":"{app}/two.html","method":"GET","status":200,"resource_type":"document"\}.*\]\}\}`, back: true},
		{method: "page.navigate", name: "scheme", params: `{"url":"javascript:alert(1)"}`, want: failed("navigation blocked: Blocked protocol: javascript")},
		{method: "page.navigate", name: "metadata", params: `{"url":"http://[::ffff:a9fe:a9fe]/"}`, want: failed("navigation blocked: .*metadata.*")},
		{method: "page.navigate", name: "blocked", params: `{"url":"{host}/two.html"}`, want: failed("navigation blocked: Domain not allowed: localhost")},
		{method: "page.navigate", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":2000}`, want: failed("navigation blocked: Domain not allowed: localhost"), frame: failed("navigation .*"), back: true},
		{method: "page.navigate", name: "failed", params: `{"url":"http://127.0.0.1:1/","timeout_ms":2000}`, want: failed("navigation failed: net::ERR_.*"), frame: failed("navigation .*"), back: true},
		{method: "page.navigate", name: "bad input", params: `{}`, want: missing("url")},
		{method: "tab.list", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"tabs":\[.*\{"page_id":"{page}","url":"{app}/form.html","title":"Sign up","active":true\}.*\]\}\}`},
		{method: "session.list", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"sessions":\["chromium"\]\}\}`, frame: `\{"id":"1","success":true,"data":\{"sessions":\["default"\]\}\}`},
		{method: "session.info", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"session":"chromium","engine":"[^"]+/[^"]+","pages":[0-9]+\}\}`, frame: `\{"id":"1","success":true,"data":\{"session":"default","engine":"Chrome/[^"]+","pages":1\}\}`},
		{method: "tab.new", name: "blocked", params: `{"url":"{host}/two.html"}`, noPage: true, want: failed("navigation blocked: .*")},
		{method: "tab.new", name: "normal", params: `{"url":"{app}/two.html"}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"page_id":"page-[0-9]+","url":"{app}/two.html"\}\}`},
		{method: "tab.activate", name: "normal", params: `{}`, want: done("")},
		{method: "tab.activate", name: "bad input", params: `{}`, noPage: true, want: missing("page_id")},
		{method: "tab.close", name: "no such page", params: `{"page_id":"page-999"}`, noPage: true, want: failed("page not found: page-999")},
		{method: "tab.close", name: "normal", params: `{}`, want: done("")},
	})
}

// TestNDJSONSample sends the published exchange, with a page of the test's.
func TestNDJSONSample(t *testing.T) {
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			c := dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			if kind.TargetKind == actions.BrowserTarget { // in which there are pages already; a frame is made by the first request
				c.send(`{"id":"0","action":"tab.new"}`)
				c.next()
			}
			for _, step := range []struct{ send, want string }{
				{`{ "id": "1", "action": "page.navigate", "params": { "url": "` + s.app.URL + `/two.html" } }`, `\{"id":"1","success":true,"data":\{"page_id":"page-[0-9]+","url":"` + s.app.URL + `/two.html"\}\}`},
				{`{ "id": "2", "action": "page.snapshot" }`, `\{"id":"2","success":true,"data":\{"tree_yaml":"- heading \\"Second page\\".*","title":"Second page","element_count":[0-9]+,"page_id":"page-[0-9]+","url":"[^"]+"\}\}`},
				{`{ "id": "3", "action": "page.evaluate", "params": { "expression": "document.title" } }`, `\{"id":"3","success":true,"data":\{"value":"Second page","page_id":"page-[0-9]+"\}\}`},
			} {
				c.send(step.send)
				if got := c.next(); !regexp.MustCompile("^" + step.want + "$").MatchString(got) {
					t.Errorf("%s\ngot  %s\nwant %s", step.send, got, step.want)
				}
			}
			// Another connection goes on where this one was.
			other := dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ndjson", nil)
			other.send(`{"id":"4","action":"page.evaluate","params":{"expression":"document.title"}}`)
			if got := other.next(); !strings.Contains(got, `"value":"Second page"`) {
				t.Errorf("another connection's active page: %s", got)
			}
		})
	}
}
