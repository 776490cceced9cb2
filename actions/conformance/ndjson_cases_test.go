package conformance

import "slices"

// missing matches the answer to a request that lacks a field; protocol that to
// a frame that is none.
func missing(field string) string { return failed("bad request: missing field `" + field + "`") }

func protocol(why string) string {
	return `\{"id":"","success":false,"error":"bad request: ` + why + `"\}`
}

// ndjsonCases are those of TestNDJSONConformance.
func ndjsonCases() []cell {
	cells := slices.Clone(ndjsonOwn)
	for _, of := range [][2]string{
		{"page.click", ``},
		{"page.hover", ``},
		{"page.focus", ``},
		{"page.fill", `,"value":"x"`},
		{"page.type", `,"text":"x"`},
		{"page.press", `,"key":"a"`},
		{"page.select", `,"values":["free"]`},
		{"page.scroll", `,"direction":"down"`},
	} {
		cells = append(cells, ndjsonElement(of[0], of[1])...)
	}
	for _, of := range [][2]string{
		{"page.navigate", `,"url":"{app}/"`},
		{"page.snapshot", ``},
		{"page.evaluate", `,"expression":"1"`},
		{"page.click", `,"selector":"h1"`},
		{"page.hover", `,"selector":"h1"`},
		{"page.focus", `,"selector":"h1"`},
		{"page.fill", `,"selector":"h1","value":"x"`},
		{"page.type", `,"text":"x"`},
		{"page.press", `,"key":"a"`},
		{"page.select", `,"selector":"h1","values":"x"`},
		{"page.scroll", `,"direction":"down"`},
		{"page.back", ``},
		{"page.forward", ``},
		{"page.reload", ``},
		{"page.wait", ``},
		{"page.screenshot", ``},
		{"page.content", ``},
		{"page.network.list", ``},
		{"tab.activate", ``},
		{"tab.close", ``},
	} {
		cells = append(cells, ndjsonPage(of[0], of[1])...)
	}
	return append(cells, cell{method: "tab.close", name: "normal", params: `{}`, want: done("")})
}

// ndjsonElement are the cases of each action that is about an element.
func ndjsonElement(action, more string) []cell {
	at := func(element string) string { return `{` + element + more + `,"timeout_ms":{soon}}` }
	return []cell{
		{method: action, name: "element not found", params: at(`"selector":"#none"`), want: failed("element not found: #none")},
		{method: action, name: "stale ref", params: at(`"ref":"e9999"`), want: failed("element not found: e9999.*")},
		{method: action, name: "bad selector", params: at(`"selector":"li["`), want: failed("bad request: .*")},
		{method: action, name: "two ways to name the element", params: at(`"selector":"h1","ref":"e1"`), want: failed("bad request: field `ref` cannot be used with another.*")},
		{method: action, name: "selector of another type", params: at(`"selector":7`), want: failed("bad request: invalid type: integer `7`, expected a string for field `selector`")},
	}
}

// ndjsonPage are the cases of each action that is about a page.
func ndjsonPage(action, more string) []cell {
	return []cell{
		{method: action, name: "no such page", params: `{"page_id":"page-999"` + more + `}`, noPage: true, want: failed("page not found: page-999")},
		{method: action, name: "bad timeout", params: `{"page_id":"{page}"` + more + `,"timeout_ms":"soon"}`, noPage: true, want: failed("bad request: invalid type: .* for field `timeout_ms`")},
	}
}

var ndjsonOwn = []cell{
	{method: "page.snapshot", name: "normal", want: `\{"id":"1","success":true,"data":\{"tree_yaml":"- heading \\"Sign up\\" \[level=1\].*","title":"Sign up","element_count":[0-9]+,"page_id":"{page}","url":"{app}/form.html"\}\}`},
	{method: "page.evaluate", name: "normal", params: `{"expression":"document.title"}`, want: `\{"id":"1","success":true,"data":\{"value":"Sign up","page_id":"{page}"\}\}`},
	{method: "page.evaluate", name: "promise", params: `{"expression":"Promise.resolve({a:[1,null]})"}`, want: `\{"id":"1","success":true,"data":\{"value":\{"a":\[1,null\]\},"page_id":"{page}"\}\}`},
	{method: "page.evaluate", name: "undefined", params: `{"expression":"undefined"}`, want: `\{"id":"1","success":true,"data":\{"value":null,"page_id":"{page}"\}\}`},
	{method: "page.evaluate", name: "exception", params: `{"expression":"(() => { throw new Error('no\\nway') })()"}`, want: failed("evaluation failed: Error: no")},
	{method: "page.evaluate", name: "timeout", params: `{"expression":"new Promise(() => {})","timeout_ms":300}`, want: failed("evaluation timed out")},
	{method: "page.evaluate", name: "bad input", params: `{"expression":7}`, want: failed("bad request: invalid type: integer `7`, expected a string for field `expression`")},
	{method: "page.click", name: "selector", params: `{"selector":"#agree"}`, want: done(`,"url":"{app}/form.html"`), then: "agree.checked", is: "true"},
	{method: "page.click", name: "double", params: `{"selector":"h1","click_count":2}`, want: done(`,"url":"{app}/form.html"`), then: `seen.includes("dblclick ")`, is: "true"},
	{method: "page.click", name: "point", params: `{"x":20,"y":30}`, want: done(`,"url":"{app}/form.html"`)},
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
	{method: "page.press", name: "no such key", params: `{"key":"Hyper"}`, want: failed(`bad request: \\"Hyper\\" is not a key`)},
	{method: "page.hover", name: "normal", params: `{"selector":"h1"}`, want: done("")},
	{method: "page.focus", name: "normal", params: `{"selector":"#notes"}`, want: done(""), then: "document.activeElement.id", is: `"notes"`},
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
	{method: "page.wait", name: "bad state", params: `{"selector":"h1","state":"lost"}`, want: failed(`bad request: \\"lost\\" is not a state of an element`)},
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
	{method: "page.navigate", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":15000}`, want: failed("navigation blocked: Domain not allowed: localhost"), frame: failed("navigation .*"), back: true},
	{method: "page.navigate", name: "timeout", params: `{"url":"{app}/never","timeout_ms":{soon}}`, want: failed("navigation timed out"), back: true},
	{method: "page.navigate", name: "failed", params: `{"url":"http://127.0.0.1:1/","timeout_ms":15000}`, want: failed("navigation failed: net::ERR_.*"), frame: failed("navigation .*"), back: true},
	{method: "page.navigate", name: "bad input", params: `{}`, want: missing("url")},
	{method: "tab.list", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"tabs":\[.*\{"page_id":"{page}","url":"{app}/form.html","title":"Sign up","active":true\}.*\]\}\}`},
	{method: "session.list", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"sessions":\["chromium"\]\}\}`, frame: `\{"id":"1","success":true,"data":\{"sessions":\["default"\]\}\}`},
	{method: "session.info", name: "normal", params: `{}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"session":"chromium","engine":"[^"]+/[^"]+","pages":[0-9]+\}\}`, frame: `\{"id":"1","success":true,"data":\{"session":"default","engine":"Chrome/[^"]+","pages":1\}\}`},
	{method: "tab.new", name: "blocked", params: `{"url":"{host}/two.html"}`, noPage: true, want: failed("navigation blocked: .*")},
	{method: "tab.new", name: "normal", params: `{"url":"{app}/two.html"}`, noPage: true, want: `\{"id":"1","success":true,"data":\{"page_id":"page-[0-9]+","url":"{app}/two.html"\}\}`},
	{method: "tab.activate", name: "normal", params: `{}`, want: done("")},
	{method: "tab.activate", name: "bad input", params: `{}`, noPage: true, want: missing("page_id")},
	{method: "page.evaluate", name: "too large", params: `{"expression":"'x'.repeat(5 << 20)"}`, want: failed("limit exceeded: .*")},
	{method: "page.evaluate", name: "page navigated away", params: `{"expression":"location.reload(), new Promise(() => {})"}`, want: failed("page navigated away"), back: true},
	{method: "page.evaluate", name: "without an expression", params: `{}`, want: missing("expression")},
	{method: "page.click", name: "half a point", params: `{"x":20}`, want: missing("y")},
	{method: "page.click", name: "no such point", params: `{"x":-5,"y":-5,"timeout_ms":{soon}}`, want: failed(`element not found: nothing is at \(-5, -5\)`)},
	{method: "page.click", name: "bad count", params: `{"selector":"h1","click_count":4}`, want: failed("bad request: field `click_count` is 4.*")},
	{method: "page.fill", name: "not enabled", params: `{"selector":"#locked","value":"x","timeout_ms":{soon}}`, want: failed("element disabled.*")},
	{method: "page.fill", name: "no field", params: `{"selector":"h1","value":"x","timeout_ms":{soon}}`, want: failed("bad request: .*")},
	{method: "page.fill", name: "not visible", params: `{"selector":".gone button","value":"x","timeout_ms":{soon}}`, want: failed("(bad request: |element not visible).*")},
	{method: "page.type", name: "without a text", params: `{"selector":"#email"}`, want: missing("text")},
	{method: "page.press", name: "without a key", params: `{"selector":"#email"}`, want: missing("key")},
	{method: "page.hover", name: "not visible", params: `{"selector":".gone","timeout_ms":{soon}}`, want: failed("element not visible.*")},
	{method: "page.hover", name: "covered", params: `{"selector":"#under","timeout_ms":{soon}}`, want: failed("element covered by .*")},
	{method: "page.select", name: "without values", params: `{"selector":"#plan"}`, want: missing("values")},
	{method: "page.select", name: "no select", params: `{"selector":"#email","values":["a"],"timeout_ms":{soon}}`, want: failed("bad request: .*")},
	{method: "page.scroll", name: "bad direction", params: `{"direction":"north"}`, want: failed("bad request: field `direction` is .*")},
	{method: "page.wait", name: "not visible", params: `{"selector":".gone","state":"visible","timeout_ms":{soon}}`, want: failed("element not visible.*")},
	{method: "page.handoff", name: "without instructions", params: `{}`, want: missing("instructions")},
	{method: "page.handoff", name: "empty instructions", params: `{"instructions":" "}`, want: failed("bad request: .*instructions must not be empty.*")},
	{method: "page.handoff_wait", name: "no such handoff", params: `{"handoff_id":"F00"}`, want: failed(`bad request: handoff \\"F00\\" of this page does not exist.*`)},
	{method: "page.handoff_cancel", name: "no such handoff", params: `{"handoff_id":"F00"}`, want: failed(`bad request: handoff \\"F00\\" of this page does not exist.*`)},
	{method: "page.network.list", name: "bad limit", params: `{"limit":0}`, want: failed("bad request: field `limit` is 0.*")},
	{method: "page.screenshot", name: "bad format", params: `{"format":"gif"}`, want: failed("bad request: field `format` is .*")},
	{method: "tab.new", name: "bad input", params: `{"url":7}`, noPage: true, want: failed("bad request: invalid type: .*")},
	{method: "tab.new", name: "failed", params: `{"url":"http://127.0.0.1:1/"}`, noPage: true, want: failed("navigation failed: http://127.0.0.1:1/ cannot be reached.*")},
	{method: "session.list", name: "no such session", raw: `{"id":"1","action":"session.list","session":"nowhere"}`, want: failed("session not found: nowhere")},
	{method: "page.click", name: "no element", params: `{}`, want: missing("ref")},
	{method: "page.hover", name: "no element", params: `{}`, want: missing("ref")},
	{method: "page.focus", name: "no element", params: `{}`, want: missing("ref")},
	{method: "page.fill", name: "no element", params: `{"value":"x"}`, want: missing("ref")},
	{method: "page.select", name: "no element", params: `{"values":"free"}`, want: missing("ref")},
	{method: "(any)", name: "unknown action", raw: `{"id":"1","action":"page.fly"}`, want: failed("unknown action: page.fly")},
	{method: "(any)", name: "method for action", raw: `{"id":"1","method":"page.snapshot"}`, want: protocol("missing field `action`")},
	{method: "(any)", name: "a numeric id", raw: `{"id":1,"action":"page.snapshot"}`, want: protocol("invalid type: integer `1`, expected a string")},
	{method: "(any)", name: "an empty id", raw: `{"id":"","action":"page.snapshot"}`, want: protocol("field `id` is empty")},
	{method: "(any)", name: "no id", raw: `{"action":"page.snapshot"}`, want: protocol("missing field `id`")},
	{method: "(any)", name: "no JSON", raw: `{"id":"1",`, want: protocol(".*")},
	{method: "(any)", name: "two objects", raw: `{"id":"1","action":"tab.list"}{}`, want: protocol(".*")},
	{method: "(any)", name: "an array", raw: `[{"id":"1","action":"tab.list"}]`, want: protocol("invalid type: .*")},
	{method: "(any)", name: "params that are no object", raw: `{"id":"1","action":"tab.list","params":[]}`, want: protocol("invalid type: .*")},
}
