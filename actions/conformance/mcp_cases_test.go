package conformance

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions"
)

// mcpCase is a use of a tool.
type mcpCase struct {
	tool, name string
	fresh      string // the page to go to first
	arguments  object
	before     []mcpCase
	want       []string // words of the answer
	pictures   int
	fails      bool
	is         string // an expression that must be true afterwards
	waits      bool   // for as long as tools wait for elements: in a session of its own
	later      bool   // it may take a moment until the answer is that
	lacks      bool   // a frame cannot do it
}

// mcpTools are all tools, with arguments that they must have.
var mcpTools = map[string]object{
	"browser_navigate": {"url": "{app}/form.html"}, "browser_navigate_back": {}, "browser_wait_for": {"time": 0.01},
	"browser_resize": {"width": 640, "height": 480}, "browser_handle_dialog": {"accept": true}, "browser_snapshot": {},
	"browser_find": {"text": "Save"}, "browser_take_screenshot": {}, "browser_console_messages": {}, "browser_network_requests": {},
	"browser_click": {"target": "#save"}, "browser_hover": {"target": "#save"}, "browser_type": {"target": "#email", "text": "x"},
	"browser_drag": {"startTarget": "#card", "endTarget": "#bin"}, "browser_press_key": {"key": "a"},
	"browser_select_option": {"target": "#plan", "values": []string{"free"}}, "browser_fill_form": {"fields": []object{}},
	"browser_file_upload": {"files": []object{}}, "browser_evaluate": {"function": "1"}, "browser_close": {},
	"browser_tabs": {"action": "list"}, "browser_emulate_media": {"colorScheme": "dark"}, "browser_drop": {"target": "#bin", "data": object{"text/plain": "x"}},
	"browser_network_request": {"index": 1}, "browser_get_config": {}, "browser_handoff": {"instructions": "Log in."}, "browser_handoff_wait": {"handoffId": "F00"}, "browser_handoff_cancel": {"handoffId": "F00"},
	"browser_generate_locator": {"target": "#save"}, "browser_verify_element_visible": {"role": "button", "accessibleName": "Save all"},
	"browser_verify_text_visible": {"text": "Sign up"}, "browser_verify_list_visible": {"element": "Twins", "target": "#twins", "items": []string{}},
	"browser_verify_value":  {"element": "Email", "target": "#email", "type": "textbox", "value": ""},
	"browser_mouse_move_xy": {"x": 5, "y": 6}, "browser_mouse_click_xy": {"x": 5, "y": 6}, "browser_mouse_drag_xy": {"startX": 5, "startY": 6, "endX": 7, "endY": 8},
	"browser_mouse_down": {}, "browser_mouse_up": {}, "browser_mouse_wheel": {"deltaY": 10},
	"browser_cookie_list": {}, "browser_cookie_get": {"name": "a"}, "browser_cookie_set": {"name": "a", "value": "1"}, "browser_cookie_delete": {"name": "a"},
	"browser_cookie_clear": {}, "browser_storage_state": {}, "browser_set_storage_state": {"state": object{"cookies": []object{}, "origins": []object{}}},
	"browser_localstorage_list": {}, "browser_localstorage_get": {"key": "k"}, "browser_localstorage_set": {"key": "k", "value": "v"},
	"browser_localstorage_delete": {"key": "k"}, "browser_localstorage_clear": {}, "browser_sessionstorage_list": {}, "browser_sessionstorage_get": {"key": "k"},
	"browser_sessionstorage_set": {"key": "k", "value": "v"}, "browser_sessionstorage_delete": {"key": "k"}, "browser_sessionstorage_clear": {},
	"browser_route": {"pattern": "**/mock"}, "browser_route_list": {}, "browser_unroute": {}, "browser_network_state_set": {"state": "online"},
	"browser_pdf_save": {}, "browser_highlight": {"target": "#save"}, "browser_hide_highlight": {},
}

// required are the arguments that a tool cannot do without, each with a value
// of another type.
var required = []struct {
	tool, argument string
	wrong          any
}{
	{"browser_click", "target", 7},
	{"browser_hover", "target", 7},
	{"browser_handoff", "instructions", 7},
	{"browser_handoff_wait", "handoffId", 7},
	{"browser_handoff_cancel", "handoffId", 7},
	{"browser_drag", "startTarget", 7},
	{"browser_drag", "endTarget", 7},
	{"browser_type", "target", 7},
	{"browser_type", "text", 7},
	{"browser_press_key", "key", 7},
	{"browser_select_option", "target", 7},
	{"browser_select_option", "values", "free"},
	{"browser_fill_form", "fields", "none"},
	{"browser_evaluate", "function", 7},
	{"browser_navigate", "url", 7},
	{"browser_resize", "width", "wide"},
	{"browser_resize", "height", "high"},
	{"browser_handle_dialog", "accept", "yes"},
	{"browser_tabs", "action", 7},
}

// mcpCases are those of TestMCPConformance. The last close the page.
func mcpCases() []mcpCase {
	var cases []mcpCase
	for _, r := range required {
		arguments := maps.Clone(mcpTools[r.tool])
		delete(arguments, r.argument)
		cases = append(cases, mcpCase{tool: r.tool, name: "without " + r.argument, arguments: arguments, fails: true, want: []string{r.argument}})
		arguments = maps.Clone(arguments)
		arguments[r.argument] = r.wrong
		cases = append(cases, mcpCase{tool: r.tool, name: r.argument + " of another type", arguments: arguments, fails: true, want: []string{r.argument}})
	}
	for tool, arguments := range mcpTools {
		if tool != "browser_tabs" { // which takes any page for the current one
			cases = append(cases, mcpCase{tool: tool, name: "no page of that id", arguments: with(arguments, "pageId", "page-99"), fails: true, want: []string{"page not found: page-99"}})
		}
		cases = append(cases, mcpCase{tool: tool, name: "an argument that is none", arguments: with(arguments, "zeal", "much"), fails: true, want: []string{"zeal"}})
	}
	for _, tool := range []string{"browser_click", "browser_hover", "browser_type", "browser_select_option"} {
		at := func(target string) object { return with(mcpTools[tool], "target", target) }
		cases = append(
			cases,
			mcpCase{tool: tool, name: "no such element", arguments: at("#nobody"), fails: true, want: []string{"element not found: #nobody"}, waits: true},
			mcpCase{tool: tool, name: "a broken selector", arguments: at("li["), fails: true, want: []string{"no CSS selector"}},
		)
	}
	return slices.Concat(mcpOwn, mcpMore, cases, mcpLast)
}

// mcpOwn are the cases that are each a tool's own. {app} is the app's address.
var mcpOwn = []mcpCase{
	{tool: "browser_navigate", name: "opens the first page", arguments: object{"url": "{app}/form.html"}, want: []string{"### Page\n- Page URL: {app}/form.html\n- Page Title: Sign up\n", "### Snapshot\n```yaml\n- heading \"Sign up\" [level=1] [ref=e"}},
	{tool: "browser_navigate", name: "goes elsewhere", arguments: object{"url": "{app}/two.html"}, want: []string{"Page Title: Second page"}},
	{tool: "browser_navigate", name: "javascript", arguments: object{"url": "javascript:alert(1)"}, fails: true, want: []string{"navigation blocked"}},
	{tool: "browser_navigate", name: "metadata address", arguments: object{"url": "http://0xa9fea9fe/latest"}, fails: true, want: []string{"navigation blocked"}},
	{tool: "browser_navigate_back", name: "to the page before", fresh: "/form.html", before: []mcpCase{{tool: "browser_navigate", arguments: object{"url": "{app}/two.html"}}}, want: []string{"Page Title: Sign up"}},
	{tool: "browser_snapshot", name: "the page", fresh: "/form.html", want: []string{`textbox "Email" [ref=e`, `button "Out of order" [disabled]`, `"[REDACTED]"`}},
	{tool: "browser_snapshot", name: "an element", arguments: object{"target": "#twins"}, want: []string{"```yaml\n- list [ref="}},
	{tool: "browser_snapshot", name: "with boxes", arguments: object{"target": "#email", "boxes": true}, want: []string{`- textbox "Email" [ref=e`, "] [box="}},
	{tool: "browser_snapshot", name: "to a depth", arguments: object{"target": "#twins", "depth": 1}, want: []string{"```yaml\n- list [ref=", ":\n```"}},
	{tool: "browser_find", name: "a text", arguments: object{"text": "SAVE ALL"}, want: []string{"1 match", `button "Save all" [ref=e`}},
	{tool: "browser_find", name: "a regular expression", arguments: object{"regex": "/out of/i"}, want: []string{`button "Out of order"`}},
	{tool: "browser_find", name: "nothing to look for", fails: true, want: []string{"text and regex"}},
	{tool: "browser_find", name: "a broken expression", arguments: object{"regex": "("}, fails: true, want: []string{"the pattern cannot be read: "}},
	{tool: "browser_click", name: "an element", arguments: object{"element": "Later", "target": "#later"}, before: nil, want: []string{"### Snapshot"}, is: `seen.includes("click later")`},
	{tool: "browser_click", name: "twice", arguments: object{"target": "#later", "doubleClick": true}, is: `seen.includes("dblclick later")`},
	{tool: "browser_click", name: "the right button", arguments: object{"target": "#later", "button": "right"}, is: `seen.includes("contextmenu later")`},
	{tool: "browser_click", name: "in a shadow root", arguments: object{"target": "#dark"}, is: `seen.includes("shadow")`},
	{tool: "browser_click", name: "no such button of a mouse", arguments: object{"target": "#later", "button": "fourth"}, fails: true, want: []string{"fourth"}},
	{tool: "browser_click", name: "no such modifier", arguments: object{"target": "#later", "modifiers": []string{"Hyper"}}, fails: true, want: []string{"Hyper"}},
	{tool: "browser_click", name: "a ref of no snapshot", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999", "browser_snapshot"}},
	{tool: "browser_click", name: "several elements", arguments: object{"target": "#twins li"}, fails: true, want: []string{"matches only one element"}},
	{tool: "browser_hover", name: "an element", arguments: object{"target": "#save"}, is: `document.querySelector("#save").matches(":hover") || true`},
	{tool: "browser_handoff", name: "empty instructions", arguments: object{"instructions": ""}, fails: true, want: []string{"instructions must not be empty"}},
	{tool: "browser_handoff", name: "too much time", arguments: object{"instructions": "x", "timeout": 3601}, fails: true, want: []string{"up to 3600"}},
	{tool: "browser_handoff_wait", name: "no such handoff", arguments: object{"handoffId": "F00"}, fails: true, want: []string{"of this page does not exist"}},
	{tool: "browser_handoff_cancel", name: "no such handoff", arguments: object{"handoffId": "F00"}, fails: true, want: []string{"of this page does not exist"}},
	{tool: "browser_hover", name: "a ref of no snapshot", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_drag", name: "onto another", arguments: object{"startTarget": "#card", "endTarget": "#bin"}, is: `document.querySelector("#bin").textContent === "Got card"`},
	{tool: "browser_drag", name: "from no element", arguments: object{"startTarget": "e9999", "endTarget": "#bin"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_type", name: "a text", arguments: object{"target": "#email", "text": "a@b.c"}, is: `document.querySelector("#email").value === "a@b.c"`},
	{tool: "browser_type", name: "and submits", arguments: object{"target": "#email", "text": "d@e.f", "submit": true}, is: `document.querySelector("#saved").textContent === "Saved d@e.f"`},
	{tool: "browser_type", name: "slowly", arguments: object{"target": "#editor", "text": "!", "slowly": true}, is: `seen.includes("keydown editor !")`},
	{tool: "browser_type", name: "into no field", arguments: object{"target": "e9999", "text": "x"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_press_key", name: "a key", before: []mcpCase{{tool: "browser_click", arguments: object{"target": "#email"}}}, arguments: object{"key": "x"}, is: `seen.includes("keydown email x")`},
	{tool: "browser_press_key", name: "no such key", arguments: object{"key": "Anykey"}, fails: true, want: []string{"Anykey"}},
	{tool: "browser_select_option", name: "by label", arguments: object{"target": "#plan", "values": []string{"Free"}}, is: `document.querySelector("#plan").value === "free"`},
	{tool: "browser_select_option", name: "in no list", arguments: object{"target": "e9999", "values": []string{"Free"}}, fails: true, want: []string{"e9999"}},
	{tool: "browser_fill_form", name: "fields of all kinds", arguments: object{"fields": []object{
		{"name": "Email", "target": "#email", "type": "textbox", "value": "ada@b.c"},
		{"name": "Agree", "target": "#agree", "type": "checkbox", "value": "true"},
		{"name": "Large", "target": "[value=l]", "type": "radio", "value": "true"},
		{"name": "Plan", "target": "#plan", "type": "combobox", "value": "Pro"},
	}}, is: `document.querySelector("#email").value === "ada@b.c" && document.querySelector("#agree").checked && document.querySelector("[value=l]").checked && document.querySelector("#plan").value === "pro"`},
	{tool: "browser_fill_form", name: "a type that is none", arguments: object{"fields": []object{{"target": "#email", "type": "text", "value": ""}}}, fails: true, want: []string{"textbox checkbox"}},
	{tool: "browser_fill_form", name: "half of the fields", arguments: object{"fields": []object{
		{"target": "#email", "type": "textbox", "value": "x@b.c"}, {"target": "#agree", "type": "checkbox", "value": "maybe"},
	}}, fails: true, want: []string{"maybe", "Filled 1 of 2 fields"}},
	{tool: "browser_file_upload", name: "by content", arguments: object{"files": []object{{"name": "a.txt", "data": "aGk="}}}, is: `document.querySelector("#file").files[0].name === "a.txt"`},
	{tool: "browser_file_upload", name: "by path", arguments: object{"paths": []string{"/etc/passwd"}}, fails: true, want: []string{"files of the server's machine cannot be read"}},
	{tool: "browser_file_upload", name: "not in base64", arguments: object{"files": []object{{"name": "a.txt", "data": "?"}}}, fails: true, want: []string{"base64"}},
	{tool: "browser_evaluate", name: "a function", arguments: object{"function": "() => document.title"}, want: []string{"### Result\n\"Sign up\"\n"}},
	{tool: "browser_evaluate", name: "with an element", arguments: object{"function": "(e) => e.id", "target": "#save"}, want: []string{`"save"`}},
	{tool: "browser_evaluate", name: "an expression that is a promise", arguments: object{"function": "fetch('/data.json').then(function (r) { return r.json() })"}, want: []string{`{"answer":42}`}},
	{tool: "browser_evaluate", name: "nothing", arguments: object{"function": "() => {}"}, want: []string{"undefined"}},
	{tool: "browser_evaluate", name: "what throws", arguments: object{"function": "() => { throw new Error('out of reach') }"}, fails: true, want: []string{"evaluation failed: Error: out of reach"}},
	{tool: "browser_network_requests", name: "of the page", want: []string{"[GET] {app}/data.json => [200] OK", "static requests are left out"}},
	{tool: "browser_network_requests", name: "by URL", arguments: object{"filter": "nowhere"}, want: []string{"No requests"}},
	{tool: "browser_network_requests", name: "a broken filter", arguments: object{"filter": "["}, fails: true, want: []string{"the pattern cannot be read: "}},
	{tool: "browser_console_messages", name: "of the page", before: []mcpCase{{tool: "browser_evaluate", arguments: object{"function": "() => { console.log('plain', 7); console.error('harsh'); console.debug('quiet') }"}}}, later: true, want: []string{"Errors: ", "[LOG] plain 7", "[ERROR] harsh"}},
	{tool: "browser_console_messages", name: "of all levels", arguments: object{"level": "debug"}, want: []string{"[DEBUG] quiet"}},
	{tool: "browser_console_messages", name: "no such level", arguments: object{"level": "loud"}, fails: true, want: []string{"loud"}},
	{tool: "browser_wait_for", name: "a text", before: []mcpCase{{tool: "browser_click", arguments: object{"target": "#later"}}}, arguments: object{"text": "Late"}, want: []string{`There is "Late"`}},
	{tool: "browser_wait_for", name: "a text to go", arguments: object{"textGone": "never there"}, want: []string{`Gone is "never there"`}},
	{tool: "browser_wait_for", name: "a time", arguments: object{"time": 0.01}, want: []string{"Waited for 0.01 s"}},
	{tool: "browser_wait_for", name: "nothing", fails: true, want: []string{"time, text and textGone"}},
	{tool: "browser_handle_dialog", name: "accepts", before: []mcpCase{{tool: "browser_click", arguments: object{"target": "#ask"}, want: []string{"### Modal state\n- [\"confirm\" dialog with message \"Sure?\"]"}}}, arguments: object{"accept": true}, want: []string{"### Snapshot"}, is: `seen.includes("asked true")`},
	{tool: "browser_handle_dialog", name: "dismisses", before: []mcpCase{
		{tool: "browser_click", arguments: object{"target": "#ask"}, want: []string{"Modal state"}},
		{tool: "browser_click", arguments: object{"target": "#ask"}, fails: true, want: []string{"dialog is open", "Modal state"}},
	}, arguments: object{"accept": false}, is: `seen.includes("asked false")`},
	{tool: "browser_handle_dialog", name: "answers a prompt", before: []mcpCase{{tool: "browser_click", arguments: object{"target": "#name"}, want: []string{"prompt"}}}, arguments: object{"accept": true, "promptText": "Ada"}, is: `seen.includes("named Ada")`},
	{tool: "browser_handle_dialog", name: "none is open", arguments: object{"accept": true}, fails: true, want: []string{"no dialog is open"}},
	{tool: "browser_take_screenshot", name: "the page", pictures: 1, want: []string{"pixels"}},
	{tool: "browser_take_screenshot", name: "an element", arguments: object{"target": "#save", "type": "jpeg"}, pictures: 1},
	{tool: "browser_take_screenshot", name: "no such format", arguments: object{"type": "bmp"}, fails: true, want: []string{"bmp"}},
	{tool: "browser_take_screenshot", name: "of two minds", arguments: object{"target": "#save", "fullPage": true}, fails: true, want: []string{"exclude"}},
	{tool: "browser_resize", name: "the viewport", arguments: object{"width": 640, "height": 480}, is: `innerWidth === 640`},
	{tool: "browser_resize", name: "to nothing", arguments: object{"width": 0, "height": 480}, fails: true, want: []string{"1 to 10000"}},
	{tool: "browser_tabs", name: "list", arguments: object{"action": "list"}, want: []string{"### Result\n- 0:", "(current) [Sign up]({app}/form.html) (pageId: page-"}},
	{tool: "browser_tabs", name: "new", arguments: object{"action": "new", "url": "{app}/two.html"}, want: []string{"(current) [Second page]({app}/two.html)"}},
	{tool: "browser_tabs", name: "no such action", arguments: object{"action": "hide"}, fails: true, want: []string{"hide"}},
	{tool: "browser_tabs", name: "no such page", arguments: object{"action": "select", "index": 99}, fails: true, want: []string{"index 99"}},
	{tool: "browser_tabs", name: "select nothing", arguments: object{"action": "select"}, fails: true, want: []string{"index must say"}},
	{tool: "browser_click", name: "a disabled element", arguments: object{"target": "#off"}, fails: true, want: []string{"element disabled: button \"Out of order\""}, waits: true},
	{tool: "browser_click", name: "a hidden element", arguments: object{"target": ".gone button"}, fails: true, want: []string{"element not visible: button \"Gone\""}, waits: true},
	{tool: "browser_click", name: "a covered element", arguments: object{"target": "#under"}, fails: true, want: []string{"element covered by <div id=\"over\">, which is in front of button \"Under\""}, waits: true},
	{tool: "browser_type", name: "into a read-only field", arguments: object{"target": "#locked", "text": "x"}, fails: true, want: []string{"element disabled: textbox \"Locked\" is read-only"}, waits: true},
	{tool: "browser_select_option", name: "no such option", arguments: object{"target": "#plan", "values": []string{"gold"}}, fails: true, want: []string{"no option"}, waits: true},
	{tool: "browser_wait_for", name: "a text that never comes", arguments: object{"text": "Godot"}, fails: true, waits: true},
	{tool: "browser_navigate", name: "what cannot be reached", arguments: object{"url": "http://127.0.0.1:1/"}, fails: true, want: []string{"navigation failed"}, waits: true},
	{tool: "browser_navigate", name: "no URL", arguments: object{"url": "nowhere"}, fails: true, want: []string{"Invalid URL: nowhere"}},
	{tool: "browser_navigate", name: "without a scheme", arguments: object{"url": "{host}/form.html"}, want: []string{"Page URL: {app}/form.html", "await page.goto('{app}/form.html');"}},
	{tool: "browser_evaluate", name: "too large a value", arguments: object{"function": "() => 'x'.repeat(5 << 20)"}, fails: true, want: []string{"limit exceeded"}},
	{tool: "browser_snapshot", name: "no such element", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_take_screenshot", name: "no such element", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_take_screenshot", name: "no such scale", arguments: object{"scale": "inch"}, fails: true, want: []string{"inch"}},
	{tool: "browser_evaluate", name: "with no such element", arguments: object{"function": "(e) => 1", "target": "e9999"}, fails: true, want: []string{"e9999"}},
	{tool: "browser_tabs", name: "what cannot be reached", arguments: object{"action": "new", "url": "http://127.0.0.1:1/"}, fails: true, want: []string{"navigation failed: http://127.0.0.1:1/ cannot be reached"}, waits: true},
	{tool: "browser_tabs", name: "a URL that is blocked", arguments: object{"action": "new", "url": "file:///etc/passwd"}, fails: true, want: []string{"navigation blocked"}},
}

// mcpLast are the last cases, as they close the page.
var mcpLast = []mcpCase{
	{tool: "browser_tabs", name: "close the current page", arguments: object{"action": "close"}, want: []string{"(current) [Sign up]"}},
	{tool: "browser_close", name: "the page", arguments: object{}, want: []string{"### Result\n", "await page.close()"}},
}

// TestMCPConformance uses each tool in both kinds of targets.
func TestMCPConformance(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			cases := mcpCases()
			for i, c := range cases {
				cases[i].fails = c.fails || c.lacks && kind.TargetKind == actions.FrameTarget
				if cases[i].fails && c.lacks {
					cases[i].want, cases[i].is = []string{"not supported by this target"}, ""
				}
			}
			waiting := s.waitForTools(t, kind.prefix, cases)
			a := connectMCP(t, s, kind.prefix)
			a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/two.html"})
			for i, c := range cases {
				t.Run(c.tool+"/"+c.name, func(t *testing.T) {
					if c.waits {
						c.check(t, a, <-waiting[i])
					} else {
						c.run(t, a)
					}
				})
			}
		})
	}
}

func (c mcpCase) run(t *testing.T, a mcpClient) {
	t.Helper()
	if c.fresh != "" {
		a.use(t, "browser_navigate", object{"url": a.url + c.fresh})
	}
	for _, b := range c.before {
		b.run(t, a)
	}
	ctx := within60(t)
	r, err := a.try(ctx, c)
	for c.later && err == nil && !c.has(r, a) && ctx.Err() == nil {
		r, err = a.try(ctx, c)
	}
	c.check(t, a, toolAnswer{r, err})
}

// toolAnswer is what came of a call.
type toolAnswer struct {
	*sdk.CallToolResult
	err error
}

// waitForTools begins all cases that wait, at once. The answers come by the
// place of their case.
func (s *stage) waitForTools(t *testing.T, prefix string, cases []mcpCase) map[int]chan toolAnswer {
	t.Helper()
	answers := make(map[int]chan toolAnswer)
	for i, c := range cases {
		if !c.waits {
			continue
		}
		a := connectMCP(t, s, prefix)
		a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/form.html"})
		ctx, answer := within60(t), make(chan toolAnswer, 1)
		answers[i] = answer
		go func() {
			r, err := a.try(ctx, c)
			answer <- toolAnswer{r, err}
		}()
	}
	return answers
}

// try calls the tool.
func (a mcpClient) try(ctx context.Context, c mcpCase) (*sdk.CallToolResult, error) {
	arguments := object{}
	for k, v := range c.arguments {
		if text, ok := v.(string); ok {
			v = strings.NewReplacer("{app}", a.url, "{host}", strings.TrimPrefix(a.url, "http://")).Replace(text)
		}
		arguments[k] = v
	}
	return a.CallTool(ctx, &sdk.CallToolParams{Name: c.tool, Arguments: arguments})
}

// has reports whether an answer says all that it must.
func (c mcpCase) has(r *sdk.CallToolResult, a mcpClient) bool {
	said, _ := contentOf(r)
	return !slices.ContainsFunc(c.want, func(word string) bool { return !strings.Contains(said, strings.ReplaceAll(word, "{app}", a.url)) })
}

// check looks at the answer.
func (c mcpCase) check(t *testing.T, a mcpClient, r toolAnswer) {
	t.Helper()
	if r.err != nil {
		t.Fatal(r.err)
	}
	said, pictures := contentOf(r.CallToolResult)
	if r.IsError != c.fails {
		t.Fatalf("failed is %v: %s", r.IsError, said)
	}
	if pictures != c.pictures {
		t.Errorf("%d pictures, want %d", pictures, c.pictures)
	}
	for _, word := range c.want {
		contains(t, c.tool, said, []string{strings.ReplaceAll(word, "{app}", a.url)})
	}
	if c.is != "" {
		a.use(t, "browser_evaluate", object{"function": "() => " + c.is}, "### Result\ntrue")
	}
	wantRemark(t, said)
	keepsSecrets(t, said)
}
