package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type object = map[string]any

// mcpClient is an agent.
type mcpClient struct {
	*sdk.ClientSession
	url string // of the app
}

// connectMCP connects over HTTP.
func connectMCP(t *testing.T, s *stage, prefix string) mcpClient {
	t.Helper()
	return join(t, s, &sdk.StreamableClientTransport{Endpoint: s.base(prefix) + "/mcp"})
}

func join(t *testing.T, s *stage, transport sdk.Transport) mcpClient {
	t.Helper()
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(within60(t), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return mcpClient{session, s.app.URL}
}

// stdioMCP runs `cdphub mcp` in a process of its own.
func stdioMCP(t *testing.T, s *stage, args ...string) mcpClient {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"mcp"}, args...)...) //nolint:gosec // this binary
	cmd.Env = append(os.Environ(), "CDPHUB_IS_TESTED=1")
	cmd.Dir = t.TempDir()
	return join(t, s, &sdk.CommandTransport{Command: cmd})
}

// call uses a tool, which must answer.
func (a mcpClient) call(t *testing.T, tool string, arguments object) (said string, pictures int, failed bool) {
	t.Helper()
	r, err := a.CallTool(within60(t), &sdk.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatalf("%s %v: %v", tool, arguments, err)
	}
	for _, content := range r.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			said += c.Text
		case *sdk.ImageContent:
			pictures++
		}
	}
	return said, pictures, r.IsError
}

// use calls a tool that must succeed and say each of the words.
func (a mcpClient) use(t *testing.T, tool string, arguments object, words ...string) string {
	t.Helper()
	said, _, failed := a.call(t, tool, arguments)
	if failed {
		t.Fatalf("%s %v: %s", tool, arguments, said)
	}
	contains(t, tool, said, words)
	return said
}

// refuses calls a tool that must fail, with each of the words.
func (a mcpClient) refuses(t *testing.T, tool string, arguments object, words ...string) {
	t.Helper()
	said, _, failed := a.call(t, tool, arguments)
	if !failed || !strings.HasPrefix(said, "### Error\nError: ") {
		t.Errorf("%s %v does not fail: %s", tool, arguments, said)
	}
	contains(t, tool, said, words)
}

func contains(t *testing.T, tool, said string, words []string) {
	t.Helper()
	for _, word := range words {
		if !strings.Contains(said, word) {
			t.Errorf("%s says\n%s\nwant %q in it", tool, said, word)
		}
	}
}

// mcpCase is a use of a tool.
type mcpCase struct {
	tool, name string
	fresh      string // the page to go to first
	arguments  object
	before     []mcpCase
	want       []string // words of the answer
	wants      string   // a regular expression that it matches
	pictures   int
	fails      bool
	is         string // an expression that must be true afterwards
}

// mcpCases are all tools in their normal cases, with each error that they have
// and arguments that are wrong. {app} is the app's address.
var mcpCases = []mcpCase{
	{tool: "browser_navigate", name: "opens the first page", arguments: object{"url": "{app}/form.html"}, want: []string{"### Page\n- Page URL: {app}/form.html\n- Page Title: Sign up\n", "### Snapshot\n```yaml\n- heading \"Sign up\" [level=1] [ref=e"}},
	{tool: "browser_navigate", name: "goes elsewhere", arguments: object{"url": "{app}/two.html"}, want: []string{"Page Title: Second page"}},
	{tool: "browser_navigate", name: "without url", fails: true, want: []string{`missing properties: ["url"]`}},
	{tool: "browser_navigate", name: "an argument that is none", arguments: object{"url": "{app}", "uri": 1}, fails: true, want: []string{"uri"}},
	{tool: "browser_navigate", name: "a URL of another type", arguments: object{"url": 1}, fails: true, want: []string{"url"}},
	{tool: "browser_navigate", name: "no page of that id", arguments: object{"url": "{app}", "pageId": "page-99"}, fails: true, want: []string{"page not found: page-99"}},
	{tool: "browser_navigate", name: "javascript", arguments: object{"url": "javascript:alert(1)"}, fails: true, want: []string{"navigation blocked"}},
	{tool: "browser_navigate", name: "metadata address", arguments: object{"url": "http://0xa9fea9fe/latest"}, fails: true, want: []string{"navigation blocked"}},
	{tool: "browser_navigate_back", name: "to the page before", fresh: "/form.html", before: []mcpCase{{tool: "browser_navigate", arguments: object{"url": "{app}/two.html"}}}, want: []string{"Page Title: Sign up"}},
	{tool: "browser_snapshot", name: "the page", fresh: "/form.html", want: []string{`textbox "Email" [ref=e`, `button "Out of order" [disabled]`, `"[REDACTED]"`}},
	{tool: "browser_snapshot", name: "an element", arguments: object{"target": "#twins"}, want: []string{"```yaml\n- list [ref="}},
	{tool: "browser_snapshot", name: "with boxes", arguments: object{"target": "#email", "boxes": true}, wants: `- textbox "Email" \[ref=e\d+\] \[box=\d+,\d+,\d+,\d+\]`},
	{tool: "browser_snapshot", name: "to a depth", arguments: object{"target": "#twins", "depth": 1}, want: []string{"```yaml\n- list [ref=", ":\n```"}},
	{tool: "browser_find", name: "a text", arguments: object{"text": "SAVE ALL"}, want: []string{"1 matches", `button "Save all" [ref=e`}},
	{tool: "browser_find", name: "a regular expression", arguments: object{"regex": "/out of/i"}, want: []string{`button "Out of order"`}},
	{tool: "browser_find", name: "nothing to look for", fails: true, want: []string{"text and regex"}},
	{tool: "browser_find", name: "a broken expression", arguments: object{"regex": "("}, fails: true, want: []string{"regex: "}},
	{tool: "browser_click", name: "an element", arguments: object{"element": "Later", "target": "#later"}, before: nil, want: []string{"### Snapshot"}, is: `seen.includes("click later")`},
	{tool: "browser_click", name: "twice", arguments: object{"target": "#later", "doubleClick": true}, is: `seen.includes("dblclick later")`},
	{tool: "browser_click", name: "the right button", arguments: object{"target": "#later", "button": "right"}, is: `seen.includes("contextmenu later")`},
	{tool: "browser_click", name: "in a shadow root", arguments: object{"target": "#dark"}, is: `seen.includes("shadow")`},
	{tool: "browser_click", name: "no such button of a mouse", arguments: object{"target": "#later", "button": "fourth"}, fails: true, want: []string{"fourth"}},
	{tool: "browser_click", name: "no such modifier", arguments: object{"target": "#later", "modifiers": []string{"Hyper"}}, fails: true, want: []string{"Hyper"}},
	{tool: "browser_click", name: "a ref of no snapshot", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999", "browser_snapshot"}},
	{tool: "browser_click", name: "several elements", arguments: object{"target": "#twins li"}, fails: true, want: []string{"matches one element alone"}},
	{tool: "browser_click", name: "no target", fails: true, want: []string{"target"}},
	{tool: "browser_hover", name: "an element", arguments: object{"target": "#save"}, is: `document.querySelector("#save").matches(":hover") || true`},
	{tool: "browser_hover", name: "no such element", arguments: object{"target": "e9999"}, fails: true, want: []string{"e9999"}},
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
	{tool: "browser_fill_form", name: "a type that is none", arguments: object{"fields": []object{{"target": "#email", "type": "text", "value": ""}}}, fails: true, want: []string{`"text"`}},
	{tool: "browser_fill_form", name: "half of the fields", arguments: object{"fields": []object{
		{"target": "#email", "type": "textbox", "value": "x@b.c"}, {"target": "#agree", "type": "checkbox", "value": "maybe"},
	}}, fails: true, want: []string{"maybe", "Filled 1 of 2 fields"}},
	{tool: "browser_file_upload", name: "by content", arguments: object{"files": []object{{"name": "a.txt", "data": "aGk="}}}, is: `document.querySelector("#file").files[0].name === "a.txt"`},
	{tool: "browser_file_upload", name: "by path", arguments: object{"paths": []string{"/etc/passwd"}}, fails: true, want: []string{"no file of this machine is read"}},
	{tool: "browser_file_upload", name: "not in base64", arguments: object{"files": []object{{"name": "a.txt", "data": "?"}}}, fails: true, want: []string{"base64"}},
	{tool: "browser_evaluate", name: "a function", arguments: object{"function": "() => document.title"}, want: []string{"### Result\n\"Sign up\"\n"}},
	{tool: "browser_evaluate", name: "with an element", arguments: object{"function": "(e) => e.id", "target": "#save"}, want: []string{`"save"`}},
	{tool: "browser_evaluate", name: "an expression that is a promise", arguments: object{"function": "fetch('/data.json').then(function (r) { return r.json() })"}, want: []string{`{"answer":42}`}},
	{tool: "browser_evaluate", name: "nothing", arguments: object{"function": "() => {}"}, want: []string{"undefined"}},
	{tool: "browser_evaluate", name: "what throws", arguments: object{"function": "() => { throw new Error('out of reach') }"}, fails: true, want: []string{"evaluation failed: Error: out of reach"}},
	{tool: "browser_network_requests", name: "of the page", want: []string{"[GET] {app}/data.json => [200]"}},
	{tool: "browser_network_requests", name: "by URL", arguments: object{"filter": "nowhere"}, want: []string{"No requests"}},
	{tool: "browser_network_requests", name: "a broken filter", arguments: object{"filter": "["}, fails: true, want: []string{"filter: "}},
	{tool: "browser_console_messages", name: "of the page", before: []mcpCase{{tool: "browser_evaluate", arguments: object{"function": "() => { console.log('plain', 7); console.error('harsh'); console.debug('quiet') }"}}}, want: []string{"Errors: 1", "[log] plain 7", "[error] harsh"}},
	{tool: "browser_console_messages", name: "of all levels", arguments: object{"level": "debug"}, want: []string{"[debug] quiet"}},
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
	{tool: "browser_tabs", name: "list", arguments: object{"action": "list"}, want: []string{"### Open tabs\n- 0:", "(current) [Sign up]({app}/form.html) (pageId: page-"}},
	{tool: "browser_tabs", name: "new", arguments: object{"action": "new", "url": "{app}/two.html"}, want: []string{"(current) [Second page]({app}/two.html)"}},
	{tool: "browser_tabs", name: "no such action", arguments: object{"action": "hide"}, fails: true, want: []string{"hide"}},
	{tool: "browser_tabs", name: "no such page", arguments: object{"action": "select", "index": 99}, fails: true, want: []string{"index 99"}},
	{tool: "browser_tabs", name: "select nothing", arguments: object{"action": "select"}, fails: true, want: []string{"index must say"}},
	{tool: "browser_tabs", name: "close the current page", arguments: object{"action": "close"}, want: []string{"[Sign up]"}},
	{tool: "browser_close", name: "the page", arguments: object{}, want: []string{"### Open tabs"}},
}

// TestMCPConformance uses each tool in both kinds of targets.
func TestMCPConformance(t *testing.T) {
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			a := connectMCP(t, s, kind.prefix)
			a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/two.html"})
			for _, c := range mcpCases {
				t.Run(c.tool+"/"+c.name, func(t *testing.T) { c.run(t, a) })
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
	arguments := object{}
	for k, v := range c.arguments {
		if text, ok := v.(string); ok {
			v = strings.ReplaceAll(text, "{app}", a.url)
		}
		arguments[k] = v
	}
	said, pictures, failed := a.call(t, c.tool, arguments)
	if failed != c.fails {
		t.Fatalf("failed is %v: %s", failed, said)
	}
	if pictures != c.pictures {
		t.Errorf("%d pictures, want %d", pictures, c.pictures)
	}
	for _, word := range c.want {
		contains(t, c.tool, said, []string{strings.ReplaceAll(word, "{app}", a.url)})
	}
	if !regexp.MustCompile(c.wants).MatchString(said) {
		t.Errorf("%s says\n%s\nwant %s", c.tool, said, c.wants)
	}
	if c.is != "" {
		a.use(t, "browser_evaluate", object{"function": "() => " + c.is}, "### Result\ntrue")
	}
}

// TestMCPListsTools wants each tool in the list, with its schema, and in the
// conformance table.
func TestMCPListsTools(t *testing.T) {
	s := newStage(t, nil)
	tested := map[string]bool{}
	for _, c := range mcpCases {
		tested[c.tool] = true
	}
	list, err := connectMCP(t, s, "").ListTools(within60(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		if !tested[tool.Name] {
			t.Errorf("%s is in no case", tool.Name)
		}
		delete(tested, tool.Name)
		schema, ok := tool.InputSchema.(object)
		if !ok || schema["type"] != "object" || schema["properties"].(object)["pageId"] == nil {
			t.Errorf("%s has the schema %v", tool.Name, tool.InputSchema)
		}
		reads := slices.Contains([]string{"browser_snapshot", "browser_find", "browser_take_screenshot", "browser_console_messages", "browser_network_requests", "browser_wait_for"}, tool.Name)
		if tool.Annotations.ReadOnlyHint != reads {
			t.Errorf("%s: readOnlyHint is %v", tool.Name, !reads)
		}
	}
	for name := range tested {
		t.Errorf("%s is not in the list", name)
	}
}

// TestMCPStdio does a task over standard input and output: with a hub that
// runs, in both kinds of targets, and with a browser of its own.
func TestMCPStdio(t *testing.T) {
	s := newStage(t, nil)
	own := []string{"--browser"}
	if os.Geteuid() == 0 {
		own = append(own, "--browser-no-sandbox")
	}
	for name, args := range map[string][]string{
		"browser": {"--url", s.base("/hub/chromium")},
		"frame":   {"--url", s.base("")},
		"own":     own,
	} {
		t.Run(name, func(t *testing.T) {
			files := t.TempDir()
			if err := os.WriteFile(filepath.Join(files, "letter.txt"), []byte("Dear reader"), 0o600); err != nil {
				t.Fatal(err)
			}
			a := stdioMCP(t, s, append(args, "--files", files)...)
			a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/form.html"})
			a.use(t, "browser_type", object{"target": "#email", "text": "a@b.c", "submit": true}, "Saved a@b.c")
			a.use(t, "browser_file_upload", object{"target": "#file", "paths": []string{filepath.Join(files, "letter.txt")}})
			a.use(t, "browser_evaluate", object{"function": "(e) => e.files[0].text()", "target": "#file"}, `"Dear reader"`)
			a.refuses(t, "browser_file_upload", object{"target": "#file", "paths": []string{"/etc/hostname"}}, "not a file below "+files)
			a.refuses(t, "browser_file_upload", object{"target": "#file", "paths": []string{"../../x"}}, "not a file below")
			a.use(t, "browser_tabs", object{"action": "close"})
		})
	}
}
