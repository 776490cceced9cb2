package conformance

import (
	"slices"
	"strconv"
)

// cssTarget, ariaRef and pointAt are elements as params have it.
func cssTarget(selector string) string { return `{"type":"selector","css":"` + selector + `"}` }
func ariaRef(id string) string         { return `{"type":"ref","ref_id":"` + id + `"}` }
func pointAt(x, y int) string {
	return `{"type":"coordinates","x":` + strconv.Itoa(x) + `,"y":` + strconv.Itoa(y) + `}`
}

// jsonrpcCases are those of TestJSONRPCConformance.
func jsonrpcCases() []cell {
	cells := slices.Clone(jsonrpcOwn)
	for _, of := range [][3]string{
		{"browser.click", "click", ``},
		{"browser.type", "type into", `,"text":"x"`},
		{"browser.fill", "fill", `,"text":"x"`},
		{"browser.hover", "hover", ``},
		{"browser.scroll", "scroll", `,"direction":"down"`},
	} {
		cells = append(cells, jsonrpcElement(of[0], of[1], of[2])...)
	}
	for _, of := range [][2]string{
		{"browser.navigate", `,"url":"{app}/"`},
		{"browser.click", `,"target":{"type":"selector","css":"h1"}`},
		{"browser.type", `,"target":{"type":"selector","css":"h1"},"text":"x"`},
		{"browser.fill", `,"target":{"type":"selector","css":"h1"},"text":"x"`},
		{"browser.hover", `,"target":{"type":"selector","css":"h1"}`},
		{"browser.scroll", `,"direction":"down"`},
		{"browser.screenshot", ``},
		{"browser.evaluate", `,"script":"1"`},
		{"browser.snapshot", ``},
		{"browser.handoff", `,"instructions":"x"`},
		{"browser.handoff_wait", `,"handoff_id":"F00"`},
		{"browser.handoff_cancel", `,"handoff_id":"F00"`},
		{"browser.close_tab", ``},
	} {
		cells = append(
			cells,
			cell{method: of[0], name: "no such tab", params: `{"tab_id":"T9"` + of[1] + `}`, noPage: true, want: fault(-32004, "Tab not found: T9")},
			cell{method: of[0], name: "tab of another type", params: `{"tab_id":7` + of[1] + `}`, noPage: true, want: fault(-32602, "Invalid params: invalid type: .* for field `tab_id`")},
		)
	}
	return append(cells, cell{method: "browser.close_tab", name: "normal", params: `{}`, want: result(`"closed":true`)})
}

// jsonrpcElement are the cases of each method that is about an element; verb is
// what it cannot do at a point where there is none.
func jsonrpcElement(method, verb, more string) []cell {
	at := func(target string) string { return `{"target":` + target + more + `,"timeout_ms":{soon}}` }
	return []cell{
		{method: method, name: "no such ref", params: at(ariaRef("button[99]")), want: fault(-32006, `ARIA ref 'button\[99\]' not found in snapshot`)},
		{method: method, name: "no such selector", params: at(cssTarget("#none")), want: fault(-32006, "CSS selector '#none' matched no element")},
		{method: method, name: "no such point", params: at(pointAt(-5, -5)), want: fault(-32006, `No element found at \(-5, -5\) to `+verb)},
		{method: method, name: "unknown type", params: at(`{"type":"xpath","xpath":"//a"}`), want: fault(-32602, "Invalid params: field `target.type` is .*")},
		{method: method, name: "missing field", params: at(`{"type":"selector"}`), want: fault(-32602, "Invalid params: missing field `target.css`")},
		{method: method, name: "half a point", params: at(`{"type":"coordinates","x":1}`), want: fault(-32602, "Invalid params: missing field `target.y`")},
		{method: method, name: "a point that is none", params: at(`{"type":"coordinates","x":1e999,"y":1}`), want: fault(-32602, "Invalid params: .*")},
		{method: method, name: "bad selector", params: at(cssTarget("li[")), want: fault(-32602, "Invalid params: .*")},
	}
}

var jsonrpcOwn = []cell{
	{method: "browser.snapshot", name: "normal", params: `{}`, want: result(`"page_title":"Sign up","page_url":"{app}/form.html","focused_ref":null,"elements":\[\{"ref_id":"heading\[0\]","role":"heading","name":"Sign up","value":null,"state":\[\],"bounds":\{"x":8,"y":[0-9.]+,"width":[0-9.]+,"height":[0-9.]+\}\}.*\]`)},
	{method: "browser.evaluate", name: "normal", params: `{"script":"document.querySelectorAll('h1').length"}`, want: result(`"type":"number","value":1`)},
	{method: "browser.evaluate", name: "function", params: `{"script":"(() => { const items = document.querySelectorAll('#twins li'); return Array.from(items).map(i => i.textContent); })()"}`, want: result(`"type":"object","value":\["Twin","Twin"\]`)},
	{method: "browser.evaluate", name: "null", params: `{"script":"null"}`, want: result(`"type":"object","value":null`)},
	{method: "browser.evaluate", name: "undefined", params: `{"script":"undefined"}`, want: result(`"type":"undefined","value":null`)},
	{method: "browser.evaluate", name: "promise", params: `{"script":"Promise.resolve('x')"}`, want: result(`"type":"string","value":"x"`)},
	{method: "browser.evaluate", name: "exception", params: `{"script":"nothing()"}`, want: fault(-32006, "evaluation failed: ReferenceError: nothing is not defined")},
	{method: "browser.evaluate", name: "timeout", params: `{"script":"new Promise(() => {})","timeout_ms":300}`, want: fault(-32005, "evaluation timed out")},
	{method: "browser.evaluate", name: "bad input", params: `{"script":7}`, want: fault(-32602, "Invalid params: invalid type: integer `7`, expected a string for field `script`")},
	{method: "browser.click", name: "selector", params: `{"target":` + cssTarget("#agree") + `}`, want: result(`"clicked":true`), then: "agree.checked", is: "true"},
	{method: "browser.click", name: "ref", params: `{"target":` + ariaRef("checkbox[0]") + `}`, want: result(`"clicked":true`), then: "agree.checked", is: "false"},
	{method: "browser.click", name: "coordinates", params: `{"target":` + pointAt(20, 30) + `}`, want: result(`"clicked":true`), then: `seen.at(-1)`, is: `"click "`},
	{method: "browser.click", name: "first of several", params: `{"target":` + cssTarget("#twins li") + `}`, want: result(`"clicked":true`)},
	{method: "browser.click", name: "covered", params: `{"target":` + cssTarget("#under") + `}`, want: result(`"clicked":true`), then: `seen.at(-1)`, is: `"click over"`},
	{method: "browser.type", name: "normal", params: `{"target":` + cssTarget("#email") + `,"text":"ab"}`, want: result(`"typed":true`), then: "email.value", is: `"ab"`},
	{method: "browser.type", name: "appends", params: `{"target":` + cssTarget("#email") + `,"text":"c","clear":false}`, want: result(`"typed":true`), then: "email.value", is: `"abc"`},
	{method: "browser.type", name: "clears", params: `{"target":` + ariaRef("textbox[0]") + `,"text":"x","clear":true}`, want: result(`"typed":true`), then: "email.value", is: `"x"`},
	{method: "browser.type", name: "bad input", params: `{"target":` + cssTarget("#email") + `}`, want: fault(-32602, "Invalid params: missing field `text`")},
	{method: "browser.fill", name: "normal", params: `{"target":` + cssTarget("#email") + `,"text":"new"}`, want: result(`"filled":true`), then: "email.value", is: `"new"`},
	{method: "browser.hover", name: "normal", params: `{"target":` + cssTarget("h1") + `}`, want: result(`"hovered":true`)},
	{method: "browser.scroll", name: "down", params: `{"direction":"down"}`, want: result(`"scrolled":true`), then: "scrollY", is: "300"},
	{method: "browser.scroll", name: "up", params: `{"direction":"up"}`, want: result(`"scrolled":true`), then: "scrollY", is: "0"},
	{method: "browser.scroll", name: "an element", params: `{"direction":"down","target":` + cssTarget("#roll") + `}`, want: result(`"scrolled":true`), then: "roll.scrollTop", is: "300"},
	{method: "browser.scroll", name: "bad input", params: `{"direction":"north"}`, want: fault(-32602, "Invalid params: field `direction` is .*")},
	{method: "browser.screenshot", name: "normal", params: `{}`, want: result(`"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]+,"format":"png"`)},
	{method: "browser.screenshot", name: "quality of png", params: `{"quality":500}`, want: result(`"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]+,"format":"png"`)},
	{method: "browser.screenshot", name: "element as jpeg", params: `{"target":` + cssTarget("h1") + `,"full_page":true,"format":"jpeg","quality":60}`, want: result(`"data_base64":"/9j/[^"]+","width":[0-9]+,"height":[1-9][0-9],"format":"jpeg"`)},
	{method: "browser.screenshot", name: "bad input", params: `{"format":"gif"}`, want: fault(-32602, "Invalid params: field `format` is .*")},
	{method: "browser.screenshot", name: "a point", params: `{"target":` + pointAt(1, 1) + `}`, want: fault(-32602, "Invalid params: field `target` is a point.*")},
	{method: "browser.navigate", name: "normal", params: `{"url":"{app}/two.html"}`, want: result(`"url":"{app}/two.html","title":"Second page","status":200,"loaded":true`), frame: result(`"url":"{app}/two.html","title":"Second page","status":(0|200),"loaded":true`)},
	{method: "browser.click", name: "ref after a page change", params: `{"target":` + ariaRef("heading[0]") + `}`, want: fault(-32006, `ARIA ref 'heading\[0\]' not found in snapshot: take a new snapshot`)},
	{method: "browser.navigate", name: "domcontentloaded", params: `{"url":"{app}/form.html","wait_until":"domcontentloaded","timeout_ms":20000}`, want: result(`"url":"{app}/form.html","title":"Sign up","status":(0|200),"loaded":true`)},
	{method: "browser.navigate", name: "networkidle", params: `{"url":"{app}/form.html","wait_until":"networkidle"}`, want: result(`"url":"{app}/form.html","title":"Sign up","status":(0|200),"loaded":true`)},
	{method: "browser.navigate", name: "not loaded in time", params: `{"url":"{app}/part","timeout_ms":{soon}}`, want: result(`"url":"{app}/part","title":"[^"]*","status":(0|200),"loaded":false`), back: true},
	{method: "browser.navigate", name: "timeout", params: `{"url":"{app}/never","timeout_ms":1000}`, want: fault(-32005, "navigation timed out"), back: true},
	{method: "browser.navigate", name: "scheme", params: `{"url":"javascript:alert(1)"}`, want: fault(-32002, "navigation blocked: Blocked protocol: javascript")},
	{method: "browser.navigate", name: "metadata", params: `{"url":"http://0xa9fea9fe/"}`, want: fault(-32002, "navigation blocked: .*metadata.*")},
	{method: "browser.navigate", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":15000}`, want: fault(-32002, "navigation blocked: Domain not allowed: localhost"), frame: `.*"code":-3200[56],"message":"navigation .*`, back: true},
	{method: "browser.navigate", name: "failed", params: `{"url":"http://127.0.0.1:1/","timeout_ms":15000}`, want: fault(-32006, "navigation failed: net::ERR_.*"), frame: fault(-32006, "navigation failed: .*"), back: true},
	{method: "browser.navigate", name: "bad input", params: `{"url":"{app}/","wait_until":"commit"}`, want: fault(-32602, "Invalid params: field `wait_until` is .*")},
	{method: "browser.list_tabs", name: "normal", params: `{}`, noPage: true, want: result(`"tabs":\[.*\{"id":"{page}","url":"{app}/form.html","title":"Sign up"\}.*\]`)},
	{method: "browser.open_tab", name: "blocked", params: `{"url":"file:///etc/passwd"}`, noPage: true, want: fault(-32002, "navigation blocked: Blocked protocol: file")},
	{method: "browser.open_tab", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":15000}`, noPage: true, want: fault(-32002, "navigation blocked: Domain not allowed: localhost"), frame: fault(-32006, "navigation failed: .*")},
	{method: "browser.start", name: "normal", params: `{}`, noPage: true, want: result(`"running":true`)},
	{method: "browser.stop", name: "normal", params: `{}`, noPage: true, want: result(`"running":true`)},
	{method: "browser_config.get", name: "normal", params: `{}`, noPage: true, want: result(`"browser":\{"cdp_port":[0-9]+,"headless":false,"mode":\{"endpoint":"ws://[^"]+/devtools/browser","type":"connect"\}\}`)},
	{method: "browser_config.update", name: "normal", params: `{"browser":{"headless":false}}`, noPage: true, want: result(`"browser":\{"cdp_port":[0-9]+,"headless":false,"mode":\{"endpoint":"ws://[^"]+/devtools/browser","type":"connect"\}\}`)},
	{method: "browser_config.update", name: "refused", params: `{"browser":{"headless":true}}`, noPage: true, want: fault(-32002, "permission denied: .*")},
	{method: "connect", name: "where none is needed", params: `{"device_id":"d"}`, noPage: true, want: result(`"token":"","device_id":"d","permissions":\["\*"\],"expires_at":"9999-12-31T23:59:59Z"`)},
	{method: "browser.navigate", name: "without a URL", params: `{}`, want: fault(-32602, "Invalid params: missing field `url`")},
	{method: "browser.evaluate", name: "too large", params: `{"script":"'x'.repeat(5 << 20)"}`, want: fault(-32006, "limit exceeded: .*")},
	{method: "browser.evaluate", name: "page navigated away", params: `{"script":"location.reload(), new Promise(() => {})"}`, want: fault(-32603, "Internal error: page navigated away"), back: true},
	{method: "browser.evaluate", name: "without a script", params: `{}`, want: fault(-32602, "Invalid params: missing field `script`")},
	{method: "browser.click", name: "not visible", params: `{"target":` + cssTarget(".gone") + `,"timeout_ms":{soon}}`, want: fault(-32006, "element not visible.*")},
	{method: "browser.click", name: "not enabled", params: `{"target":` + cssTarget("#off") + `,"timeout_ms":{soon}}`, want: fault(-32006, "element disabled.*")},
	{method: "browser.type", name: "into a read-only field", params: `{"target":` + cssTarget("#locked") + `,"text":"x","timeout_ms":{soon}}`, want: fault(-32006, "element disabled: .* is read-only"), then: "locked.value", is: `"fixed"`},
	{method: "browser.fill", name: "read only", params: `{"target":` + cssTarget("#locked") + `,"text":"x","timeout_ms":{soon}}`, want: fault(-32006, "element disabled.*")},
	{method: "browser.fill", name: "no field", params: `{"target":` + cssTarget("h1") + `,"text":"x","timeout_ms":{soon}}`, want: fault(-32602, "Invalid params: .*")},
	{method: "browser.fill", name: "without a text", params: `{"target":` + cssTarget("h1") + `}`, want: fault(-32602, "Invalid params: missing field `text`")},
	{method: "browser.hover", name: "not visible", params: `{"target":` + cssTarget(".gone") + `,"timeout_ms":{soon}}`, want: fault(-32006, "element not visible.*")},
	{method: "browser.scroll", name: "without a direction", params: `{}`, want: fault(-32602, "Invalid params: .*`direction`.*")},
	{method: "browser.screenshot", name: "of all", params: `{"full_page":true}`, want: result(`"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]{4},"format":"png"`)},
	{method: "browser.screenshot", name: "bad quality", params: `{"format":"jpeg","quality":0}`, want: fault(-32602, "Invalid params: field `quality` is 0.*")},
	{method: "browser.open_tab", name: "normal", params: `{"url":"{app}/two.html"}`, noPage: true, want: result(`"id":"[^"]+","url":"{app}/two.html","title":"Second page"`)},
	{method: "browser.open_tab", name: "failed", params: `{"url":"http://127.0.0.1:1/"}`, noPage: true, want: fault(-32006, "navigation failed: http://127.0.0.1:1/ cannot be reached.*")},
	{method: "browser.open_tab", name: "without a URL", params: `{}`, noPage: true, want: fault(-32602, "Invalid params: missing field `url`")},
	{method: "browser.close_tab", name: "without a tab", params: `{}`, noPage: true, want: fault(-32602, "Invalid params: missing field `tab_id`")},
	{method: "connect", name: "bad input", params: `{"device_id":7}`, noPage: true, want: fault(-32602, "Invalid params: .*device_id.*")},
	{method: "(any)", name: "unknown method", raw: `{"jsonrpc":"2.0","id":1,"method":"browser.fly"}`, want: fault(-32601, "Method not found: browser.fly")},
	{method: "(any)", name: "an id of text", raw: `{"jsonrpc":"2.0","id":"a","method":"browser.start"}`, want: `\{"jsonrpc":"2.0","id":"a","result":\{"running":true\}\}`},
	{method: "(any)", name: "without jsonrpc", raw: `{"id":1,"method":"browser.start"}`, want: fault(-32600, ".*")},
	{method: "(any)", name: "params that are an array", raw: `{"jsonrpc":"2.0","id":1,"method":"browser.start","params":[]}`, want: fault(-32602, "Invalid params: .*")},
	{method: "(any)", name: "no JSON", raw: `{"jsonrpc":`, want: `\{"jsonrpc":"2.0","id":null,"error":\{"code":-32700,"message":"Parse error: .*`},
	{method: "(any)", name: "a batch", raw: `[{"jsonrpc":"2.0","id":1,"method":"browser.start"},{"jsonrpc":"2.0","method":"browser.start"},{"jsonrpc":"2.0","id":2,"method":"browser.fly"}]`, want: `\[(` + result(`"running":true`) + `,\{"jsonrpc":"2.0","id":2,"error":\{"code":-32601,.*\}|\{"jsonrpc":"2.0","id":2,"error":\{"code":-32601,.*\},` + result(`"running":true`) + `)\]`},
	{method: "(any)", name: "an empty batch", raw: `[]`, want: `\{"jsonrpc":"2.0","id":null,"error":\{"code":-32600,.*`},
}
