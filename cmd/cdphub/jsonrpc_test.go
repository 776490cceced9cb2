package main

import (
	"strconv"
	"testing"
)

// jsonrpcTalk is how JSON-RPC speaks.
var jsonrpcTalk = talk{
	handle: "tab_id",
	request: func(method, params string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	},
	open:     func(url string) (string, string) { return "browser.open_tab", `{"url":"` + url + `"}` },
	opened:   `"result":\{"id":"([^"]+)"`,
	navigate: func(url string) (string, string) { return "browser.navigate", `{"url":"` + url + `"}` },
	evaluate: func(e string) (string, string) { return "browser.evaluate", `{"script":` + jsonText(e) + `}` },
	value:    func(v string) string { return `"value":` + v + `}` },
}

// result and fault match the two kinds of answers.
func result(json string) string { return `\{"jsonrpc":"2.0","id":1,"result":\{` + json + `\}\}` }

func fault(code int, message string) string {
	return `\{"jsonrpc":"2.0","id":1,"error":\{"code":` + strconv.Itoa(code) + `,"message":"` + message + `","data":\{"kind":"[A-Za-z]+","retryable":(true|false)\}\}\}`
}

// cssTarget, ariaRef and pointAt are elements as params have it.
func cssTarget(selector string) string { return `{"type":"selector","css":"` + selector + `"}` }
func ariaRef(id string) string         { return `{"type":"ref","ref_id":"` + id + `"}` }
func pointAt(x, y int) string {
	return `{"type":"coordinates","x":` + strconv.Itoa(x) + `,"y":` + strconv.Itoa(y) + `}`
}

// TestJSONRPCConformance has every method do its work, and fail in each way
// that it can, on both kinds of targets.
func TestJSONRPCConformance(t *testing.T) {
	s := newStage(t, func(f *hubFlags) { f.BlockURL = []string{"localhost"} })
	const nav, noTab = `"url":"{app}/two.html","title":"Second page","status":200,"loaded":true`, `{"tab_id":"T9"}`
	refusesPages(t, "/ws", jsonrpcTalk, fault(-32006, "not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ws", jsonrpcTalk, []cell{
		{method: "browser.snapshot", name: "normal", params: `{}`, want: result(`"page_title":"Sign up","page_url":"{app}/form.html","focused_ref":null,"elements":\[\{"ref_id":"heading\[0\]","role":"heading","name":"Sign up","value":null,"state":\[\],"bounds":\{"x":8,"y":[0-9.]+,"width":[0-9.]+,"height":[0-9.]+\}\}.*\]`)},
		{method: "browser.snapshot", name: "no such tab", params: noTab, noPage: true, want: fault(-32004, "Tab not found: T9")},
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
		{method: "browser.click", name: "no such ref", params: `{"target":` + ariaRef("button[99]") + `,"timeout_ms":{soon}}`, want: fault(-32006, `ARIA ref 'button\[99\]' not found in snapshot`)},
		{method: "browser.click", name: "no such selector", params: `{"target":` + cssTarget("#none") + `,"timeout_ms":{soon}}`, want: fault(-32006, "CSS selector '#none' matched no element")},
		{method: "browser.click", name: "no such point", params: `{"target":` + pointAt(-5, -5) + `,"timeout_ms":{soon}}`, want: fault(-32006, `No element found at \(-5, -5\) to click`)},
		{method: "browser.click", name: "unknown type", params: `{"target":{"type":"xpath","xpath":"//a"}}`, want: fault(-32602, "Invalid params: field `target.type` is .*")},
		{method: "browser.type", name: "normal", params: `{"target":` + cssTarget("#email") + `,"text":"ab"}`, want: result(`"typed":true`), then: "email.value", is: `"ab"`},
		{method: "browser.type", name: "appends", params: `{"target":` + cssTarget("#email") + `,"text":"c","clear":false}`, want: result(`"typed":true`), then: "email.value", is: `"abc"`},
		{method: "browser.type", name: "clears", params: `{"target":` + ariaRef("textbox[0]") + `,"text":"x","clear":true}`, want: result(`"typed":true`), then: "email.value", is: `"x"`},
		{method: "browser.type", name: "no such selector", params: `{"target":` + cssTarget("#none") + `,"text":"x","timeout_ms":{soon}}`, want: fault(-32006, "CSS selector '#none' matched no element")},
		{method: "browser.type", name: "bad input", params: `{"target":` + cssTarget("#email") + `}`, want: fault(-32602, "Invalid params: missing field `text`")},
		{method: "browser.fill", name: "normal", params: `{"target":` + cssTarget("#email") + `,"text":"new"}`, want: result(`"filled":true`), then: "email.value", is: `"new"`},
		{method: "browser.fill", name: "no such point", params: `{"target":` + pointAt(-5, -5) + `,"text":"x","timeout_ms":{soon}}`, want: fault(-32006, `No element found at \(-5, -5\) to fill`)},
		{method: "browser.hover", name: "normal", params: `{"target":` + cssTarget("h1") + `}`, want: result(`"hovered":true`)},
		{method: "browser.hover", name: "no such point", params: `{"target":` + pointAt(-5, -5) + `,"timeout_ms":{soon}}`, want: fault(-32006, `No element found at \(-5, -5\) to hover`)},
		{method: "browser.scroll", name: "down", params: `{"direction":"down"}`, want: result(`"scrolled":true`), then: "scrollY", is: "300"},
		{method: "browser.scroll", name: "up", params: `{"direction":"up"}`, want: result(`"scrolled":true`), then: "scrollY", is: "0"},
		{method: "browser.scroll", name: "an element", params: `{"direction":"down","target":` + cssTarget("#roll") + `}`, want: result(`"scrolled":true`), then: "roll.scrollTop", is: "300"},
		{method: "browser.scroll", name: "bad input", params: `{"direction":"north"}`, want: fault(-32602, "Invalid params: field `direction` is .*")},
		{method: "browser.screenshot", name: "normal", params: `{}`, want: result(`"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]+,"format":"png"`)},
		{method: "browser.screenshot", name: "quality of png", params: `{"quality":500}`, want: result(`"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]+,"format":"png"`)},
		{method: "browser.screenshot", name: "element as jpeg", params: `{"target":` + cssTarget("h1") + `,"full_page":true,"format":"jpeg","quality":60}`, want: result(`"data_base64":"/9j/[^"]+","width":[0-9]+,"height":[1-9][0-9],"format":"jpeg"`)},
		{method: "browser.screenshot", name: "bad input", params: `{"format":"gif"}`, want: fault(-32602, "Invalid params: field `format` is .*")},
		{method: "browser.screenshot", name: "a point", params: `{"target":` + pointAt(1, 1) + `}`, want: fault(-32602, "Invalid params: field `target` is a point.*")},
		{method: "browser.navigate", name: "normal", params: `{"url":"{app}/two.html"}`, want: result(nav), frame: result(`"url":"{app}/two.html","title":"Second page","status":(0|200),"loaded":true`)},
		{method: "browser.click", name: "ref after a page change", params: `{"target":` + ariaRef("heading[0]") + `}`, want: result(`"clicked":true`)},
		{method: "browser.navigate", name: "domcontentloaded", params: `{"url":"{app}/form.html","wait_until":"domcontentloaded","timeout_ms":20000}`, want: result(`"url":"{app}/form.html","title":"Sign up","status":(0|200),"loaded":true`)},
		{method: "browser.navigate", name: "networkidle", params: `{"url":"{app}/form.html","wait_until":"networkidle"}`, want: result(`"url":"{app}/form.html","title":"Sign up","status":(0|200),"loaded":true`)},
		{method: "browser.navigate", name: "not loaded in time", params: `{"url":"{app}/half","timeout_ms":{soon}}`, want: result(`"url":"{app}/half","title":"Half","status":(0|200),"loaded":false`), back: true},
		{method: "browser.navigate", name: "timeout", params: `{"url":"{app}/never","timeout_ms":1000}`, want: fault(-32005, "navigation timed out"), back: true},
		{method: "browser.navigate", name: "scheme", params: `{"url":"javascript:alert(1)"}`, want: fault(-32002, "navigation blocked: Blocked protocol: javascript")},
		{method: "browser.navigate", name: "metadata", params: `{"url":"http://0xa9fea9fe/"}`, want: fault(-32002, "navigation blocked: .*metadata.*")},
		{method: "browser.navigate", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":2000}`, want: fault(-32002, "navigation blocked: Domain not allowed: localhost"), frame: `.*"code":-3200[56],"message":"navigation .*`, back: true},
		{method: "browser.navigate", name: "failed", params: `{"url":"http://127.0.0.1:1/","timeout_ms":2000}`, want: fault(-32006, "navigation failed: net::ERR_.*"), frame: fault(-32006, "navigation failed: .*"), back: true},
		{method: "browser.navigate", name: "bad input", params: `{"url":"{app}/","wait_until":"commit"}`, want: fault(-32602, "Invalid params: field `wait_until` is .*")},
		{method: "browser.list_tabs", name: "normal", params: `{}`, noPage: true, want: result(`"tabs":\[.*\{"id":"{page}","url":"{app}/form.html","title":"Sign up"\}.*\]`)},
		{method: "browser.open_tab", name: "blocked", params: `{"url":"file:///etc/passwd"}`, noPage: true, want: fault(-32002, "navigation blocked: Blocked protocol: file")},
		{method: "browser.open_tab", name: "redirect to blocked", params: `{"url":"{app}/redirect?to={host}/two.html","timeout_ms":2000}`, noPage: true, want: fault(-32002, "navigation blocked: Domain not allowed: localhost"), frame: fault(-32005, ".*timed out")},
		{method: "browser.start", name: "normal", params: `{}`, noPage: true, want: result(`"running":true`)},
		{method: "browser.stop", name: "normal", params: `{}`, noPage: true, want: result(`"running":true`)},
		{method: "browser_config.get", name: "normal", params: `{}`, noPage: true, want: result(`"browser":\{"cdp_port":[0-9]+,"headless":false,"mode":\{"endpoint":"ws://[^"]+/devtools/browser","type":"connect"\}\}`)},
		{method: "browser_config.update", name: "refused", params: `{"browser":{}}`, noPage: true, want: fault(-32002, "permission denied: .*")},
		{method: "connect", name: "where none is needed", params: `{"device_id":"d"}`, noPage: true, want: result(`"token":"","device_id":"d","permissions":\["\*"\],"expires_at":"9999-12-31T23:59:59Z"`)},
		{method: "browser.close_tab", name: "no such tab", params: noTab, noPage: true, want: fault(-32004, "Tab not found: T9")},
		{method: "browser.close_tab", name: "normal", params: `{}`, want: result(`"closed":true`)},
	})
}
