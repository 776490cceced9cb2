package conformance

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// handsOf take hold of a new page by each of the action APIs.
var handsOf = map[string]func(t *testing.T, s *stage, prefix string) hands{
	"NDJSON":    newNDJSONHands,
	"browser.*": newJSONRPCHands,
	"hooks":     newHookHands,
	"BAP":       newBAPHands,
	"MCP":       newMCPHands,
}

// parse reads a JSON object.
func parse(t testing.TB, text string) (o object) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&o); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return o
}

// unbase64 reads data, whatever a data URL says of it first.
func unbase64(t testing.TB, text string) []byte {
	t.Helper()
	b, err := base64.StdEncoding.DecodeString(text[strings.Index(text, ",")+1:])
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// innerText is an expression for the text of an element on one line.
func innerText(id string) string {
	return `(document.getElementById(` + jsonText(id) + `)?.innerText ?? "").split(/\s+/).join(" ").trim()`
}

// refIn finds the ref of an element in a snapshot in YAML.
func refIn(yaml string, e thing) string {
	line := regexp.MustCompile(regexp.QuoteMeta(e.role+` "`+e.name+`"`) + `.* \[ref=(\w+)\]`)
	if found := line.FindStringSubmatch(yaml); found != nil {
		return found[1]
	}
	return ""
}

// ndjsonHands use the NDJSON action API.
type ndjsonHands struct{ *hubtest.Peer }

func newNDJSONHands(t *testing.T, s *stage, prefix string) hands {
	h := ndjsonHands{hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(prefix), "http")+"/ndjson", nil)}
	h.do("tab.new", object{"url": s.app.URL + "/two.html"})
	return h
}

func (h ndjsonHands) do(action string, params object) object {
	h.T.Helper()
	h.Send(string(mustMarshal(object{"id": "1", "action": action, "params": params})))
	answer := parse(h.T, h.Next())
	if answer["success"] != true {
		h.T.Fatalf("%s %v: %v", action, params, answer["error"])
	}
	return answer["data"].(object)
}

func (h ndjsonHands) open(url string) { h.do("page.navigate", object{"url": url}) }
func (h ndjsonHands) find(e thing) string {
	return refIn(h.do("page.snapshot", nil)["tree_yaml"].(string), e)
}

func (h ndjsonHands) typeText(ref, text string) {
	h.do("page.type", object{"ref": ref, "text": text})
}

func (h ndjsonHands) fill(ref, text string) { h.do("page.fill", object{"ref": ref, "value": text}) }

func (h ndjsonHands) choose(ref, label string) {
	h.do("page.select", object{"ref": ref, "values": []string{label}})
}
func (h ndjsonHands) click(ref string)   { h.do("page.click", object{"ref": ref}) }
func (h ndjsonHands) dismiss(ref string) { h.click(ref) } // the hub says no by itself
func (h ndjsonHands) read(id string) string {
	return h.do("page.evaluate", object{"expression": innerText(id)})["value"].(string)
}

func (h ndjsonHands) where() (url, title string) {
	at := h.do("page.snapshot", nil)
	return at["url"].(string), at["title"].(string)
}

func (h ndjsonHands) picture() []byte {
	return unbase64(h.T, h.do("page.screenshot", nil)["data_base64"].(string))
}

// jsonrpcHands use browser.* over JSON-RPC.
type jsonrpcHands struct{ *hubtest.Peer }

func newJSONRPCHands(t *testing.T, s *stage, prefix string) hands {
	h := jsonrpcHands{hubtest.Dial(t, "ws"+strings.TrimPrefix(s.base(prefix), "http")+"/ws", nil)}
	h.do("open_tab", object{"url": s.app.URL + "/two.html"})
	return h
}

func (h jsonrpcHands) do(method string, params object) object {
	h.T.Helper()
	h.Send(string(mustMarshal(object{"jsonrpc": "2.0", "id": 1, "method": "browser." + method, "params": params})))
	answer := parse(h.T, h.Next())
	if answer["error"] != nil {
		h.T.Fatalf("%s %v: %v", method, params, answer["error"])
	}
	return answer["result"].(object)
}

func (h jsonrpcHands) open(url string) { h.do("navigate", object{"url": url}) }

func (h jsonrpcHands) find(e thing) string {
	var look func(list []any) string
	look = func(list []any) string {
		for _, x := range list {
			x := x.(object)
			if x["role"] == e.role && x["name"] == e.name {
				return x["ref_id"].(string)
			}
			if inner, ok := x["children"].([]any); ok {
				if ref := look(inner); ref != "" {
					return ref
				}
			}
		}
		return ""
	}
	return look(h.do("snapshot", object{})["elements"].([]any))
}

func (h jsonrpcHands) on(ref string) object { return object{"type": "ref", "ref_id": ref} }
func (h jsonrpcHands) typeText(ref, text string) {
	h.do("type", object{"target": h.on(ref), "text": text})
}

func (h jsonrpcHands) fill(ref, text string) {
	h.do("fill", object{"target": h.on(ref), "text": text})
}
func (h jsonrpcHands) choose(ref, label string) { h.fill(ref, label) }
func (h jsonrpcHands) click(ref string)         { h.do("click", object{"target": h.on(ref)}) }
func (h jsonrpcHands) dismiss(ref string)       { h.click(ref) } // the hub says no by itself
func (h jsonrpcHands) read(id string) string {
	return h.do("evaluate", object{"script": innerText(id)})["value"].(string)
}

func (h jsonrpcHands) where() (url, title string) {
	at := h.do("snapshot", object{})
	return at["page_url"].(string), at["page_title"].(string)
}

func (h jsonrpcHands) picture() []byte {
	return unbase64(h.T, h.do("screenshot", object{})["data_base64"].(string))
}

// hookHands use browser hooks. There is none that opens a page.
type hookHands struct {
	t *testing.T
	rp
}

func newHookHands(t *testing.T, s *stage, prefix string) hands {
	return hookHands{t, s.openPage(t, prefix, "/two.html")}
}

func (h hookHands) do(name string, params object) object {
	h.t.Helper()
	return h.use(h.t, name, params)
}

func (h hookHands) open(url string) { h.do("navigate", object{"url": url}) }

func (h hookHands) find(e thing) string {
	for line := range strings.Lines(h.do("snapshot", nil)["markdown"].(string)) {
		if id, _, ok := strings.Cut(strings.TrimPrefix(line, "["), " "); ok && strings.Contains(line, e.line) {
			return id
		}
	}
	return ""
}

func (h hookHands) typeText(ref, text string) { h.do("type", object{"elementId": ref, "text": text}) }

func (h hookHands) fill(ref, text string)    { h.do("fill", object{"elementId": ref, "value": text}) }
func (h hookHands) choose(ref, label string) { h.fill(ref, label) }
func (h hookHands) click(ref string)         { h.do("click", object{"elementId": ref}) }
func (h hookHands) dismiss(ref string)       { h.click(ref) } // the hub says no by itself
func (h hookHands) read(id string) string {
	return h.do("eval", object{"script": innerText(id)})["value"].(string)
}

func (h hookHands) where() (url, title string) {
	return h.do("getUrl", nil)["url"].(string), h.do("getTitle", nil)["title"].(string)
}

func (h hookHands) picture() []byte {
	return unbase64(h.t, h.do("screenshot", nil)["dataUrl"].(string))
}

// bapHands use the Browser Agent Protocol.
type bapHands struct{ *agent }

func newBAPHands(t *testing.T, s *stage, prefix string) hands {
	h := bapHands{s.launched(t, prefix+"/bap")}
	h.page(s.app.URL + "/two.html")
	return h
}

func (h bapHands) do(method string, params object) object {
	h.T.Helper()
	return parse(h.T, h.must(method, string(mustMarshal(params))))
}

func (h bapHands) open(url string) { h.do("page/navigate", object{"url": url}) }

// find makes a selector, with which actions wait for the element.
func (h bapHands) find(e thing) string {
	return string(mustMarshal(object{"type": "role", "role": e.role, "name": e.name, "exact": true}))
}

func (h bapHands) act(method, selector string, more object) {
	h.T.Helper()
	params := object{"selector": json.RawMessage(selector)}
	for k, v := range more {
		params[k] = v
	}
	h.do("action/"+method, params)
}

func (h bapHands) typeText(ref, text string) { h.act("type", ref, object{"text": text}) }
func (h bapHands) fill(ref, text string)     { h.act("fill", ref, object{"value": text}) }
func (h bapHands) choose(ref, label string)  { h.act("select", ref, object{"values": label}) }
func (h bapHands) click(ref string)          { h.act("click", ref, nil) }
func (h bapHands) dismiss(ref string) {
	h.do("dialog/handle", object{"action": "dismiss"})
	h.click(ref)
}

func (h bapHands) read(id string) string {
	at := h.do("observe/element", object{"selector": object{"type": "css", "value": "#" + id}, "properties": []string{"text"}})
	text, _ := at["text"].(string)
	return strings.Join(strings.Fields(text), " ")
}

func (h bapHands) where() (url, title string) {
	at := h.do("observe/content", object{"format": "text"})
	return at["url"].(string), at["title"].(string)
}

func (h bapHands) picture() []byte {
	return unbase64(h.T, h.do("observe/screenshot", object{"options": object{"format": "png"}})["data"].(string))
}

// mcpHands use the tools of MCP.
type mcpHands struct {
	t *testing.T
	mcpClient
}

func newMCPHands(t *testing.T, s *stage, prefix string) hands {
	h := mcpHands{t, connectMCP(t, s, prefix)}
	h.do("browser_tabs", object{"action": "new", "url": s.app.URL + "/two.html"})
	return h
}

func (h mcpHands) do(tool string, arguments object) string {
	h.t.Helper()
	return h.use(h.t, tool, arguments)
}

func (h mcpHands) open(url string)     { h.do("browser_navigate", object{"url": url}) }
func (h mcpHands) find(e thing) string { return refIn(h.do("browser_snapshot", nil), e) }
func (h mcpHands) typeText(ref, text string) {
	h.do("browser_type", object{"target": ref, "text": text, "slowly": true})
}

func (h mcpHands) fill(ref, text string) {
	h.do("browser_fill_form", object{"fields": []object{{"target": ref, "type": "textbox", "value": text}}})
}

func (h mcpHands) choose(ref, label string) {
	h.do("browser_select_option", object{"target": ref, "values": []string{label}})
}
func (h mcpHands) click(ref string) { h.do("browser_click", object{"target": ref}) }
func (h mcpHands) dismiss(ref string) {
	h.click(ref)
	h.do("browser_handle_dialog", object{"accept": false})
}

func (h mcpHands) read(id string) (text string) {
	said := h.do("browser_evaluate", object{"function": innerText(id)})
	if err := json.NewDecoder(strings.NewReader(strings.TrimPrefix(said, "### Result\n"))).Decode(&text); err != nil {
		h.t.Fatalf("%s: %v", said, err)
	}
	return text
}

func (h mcpHands) where() (url, title string) {
	said := h.do("browser_snapshot", nil)
	for line := range strings.Lines(said) {
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "- Page URL: "); ok {
			url = at
		}
		if at, ok := strings.CutPrefix(strings.TrimSpace(line), "- Page Title: "); ok {
			title = at
		}
	}
	return url, title
}

func (h mcpHands) picture() []byte {
	r, err := h.CallTool(within60(h.t), &sdk.CallToolParams{Name: "browser_take_screenshot"})
	if err != nil || r.IsError {
		h.t.Fatal(err, r)
	}
	var b bytes.Buffer
	for _, c := range r.Content {
		if image, ok := c.(*sdk.ImageContent); ok {
			b.Write(image.Data)
		}
	}
	return b.Bytes()
}

// mustMarshal is what a value is in JSON.
func mustMarshal(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
