package conformance

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
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

// TestJSONRPCConformance has every method do its work, and fail in each way
// that it can, on both kinds of targets.
func TestJSONRPCConformance(t *testing.T) {
	t.Parallel()
	s := newStage(t, func(f *server.Options) { f.Network.Block = []string{"localhost"} })
	refusesPages(t, "/ws", jsonrpcTalk, fault(-32006, "not supported by this target: Target.createTarget .*"))
	conform(t, s, "/ws", jsonrpcTalk, jsonrpcCases())
}

// TestJSONRPCSeed sends the requests of the published page.
func TestJSONRPCSeed(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			r := s.openPage(t, kind.prefix, "/form.html")
			c := hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(kind.prefix), "http")+"/ws", nil)
			const element = `\{"ref_id":"[a-z]+\[[0-9]+\]","role":"[a-z]+","name":("[^"]*"|null),"value":("[^"]*"|null),"state":\[[^]]*\],"bounds":\{"x":[^}]+\}(,"children":\[.*\])?\}`
			for _, x := range []struct{ name, method, params, want string }{
				{"list_tabs", "browser.list_tabs", `{}`, `"tabs":\[.*\{"id":"{tab}","url":"{app}/form.html","title":"Sign up"\}.*\]`},
				{"navigate, by tab_id", "browser.navigate", `{ "tab_id": "{tab}", "url": "{app}/form.html", "wait_until": "load", "timeout_ms": 30000 }`, `"url":"{app}/form.html","title":"Sign up","status":(0|200),"loaded":true`},
				{"snapshot", "browser.snapshot", `{}`, `"page_title":"Sign up","page_url":"{app}/form.html","focused_ref":null,"elements":\[` + element + `(,` + element + `)*\]`},
				{"click a ref", "browser.click", `{ "target": { "type": "ref", "ref_id": "button[0]" } }`, `"clicked":true`},
				{"click a selector", "browser.click", `{ "target": { "type": "selector", "css": "#save" } }`, `"clicked":true`},
				{"click coordinates", "browser.click", `{ "target": { "type": "coordinates", "x": 20, "y": 30 } }`, `"clicked":true`},
				{"type", "browser.type", `{ "target": { "type": "selector", "css": "#email" }, "text": "user@example.com", "clear": true }`, `"typed":true`},
				{"type, without clear", "browser.type", `{ "target": { "type": "ref", "ref_id": "textbox[0]" }, "text": ".uk" }`, `"typed":true`},
				{"evaluate the field", "browser.evaluate", `{ "script": "document.querySelector('#email').value" }`, `"type":"string","value":"user@example.com.uk"`},
				{"screenshot of the viewport", "browser.screenshot", `{ "full_page": false, "format": "png" }`, `"data_base64":"iVBOR[^"]+","width":[0-9]+,"height":[0-9]+,"format":"png"`},
				{"screenshot of an element", "browser.screenshot", `{ "target": { "type": "selector", "css": "h1" }, "format": "jpeg", "quality": 80 }`, `"data_base64":"/9j/[^"]+","width":[0-9]+,"height":[0-9]+,"format":"jpeg"`},
				{"evaluate a number", "browser.evaluate", `{ "script": "document.querySelectorAll('a').length", "timeout_ms": 5000 }`, `"type":"number","value":3`},
				{"evaluate a function", "browser.evaluate", `{ "script": "(() => { const items = document.querySelectorAll('#twins li'); return Array.from(items).map(i => i.textContent); })()" }`, `"type":"object","value":\["Twin","Twin"\]`},
				{"scroll", "browser.scroll", `{ "direction": "down" }`, `"scrolled":true`},
				{"configuration", "browser_config.get", `{}`, `"browser":\{"cdp_port":[0-9]+,"headless":false,"mode":\{"endpoint":"ws://127.0.0.1:[0-9]+` + kind.prefix + `/devtools/browser","type":"connect"\}\}`},
			} {
				t.Run(x.name, func(t *testing.T) {
					fill := strings.NewReplacer("{app}", s.app.URL, "{tab}", r.browser)
					c.Send(fill.Replace(`{ "jsonrpc": "2.0", "id": 1, "method": "` + x.method + `", "params": ` + x.params + ` }`))
					if got := c.Next(); !regexp.MustCompile("^" + fill.Replace(result(x.want)) + "$").MatchString(got) {
						t.Errorf("%s %s\ngot  %.900s\nwant %s", x.method, x.params, got, x.want)
					}
				})
			}
		})
	}
}
