package clients

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// yamlRef finds the ref of an element in a line of a snapshot.
var yamlRef = regexp.MustCompile(`\[ref=(\w+)\]`)

// kinds are what MCP servers drive, as -target names it: an iframe, and a tab of
// a browser.
var kinds = []string{"hub", "browser"}

// hubMCP are the ways to the tools of the hub itself.
var hubMCP = map[string]func(t *testing.T, e *harness.Endpoint) mcp.Transport{
	"HTTP": func(_ *testing.T, e *harness.Endpoint) mcp.Transport {
		return &mcp.StreamableClientTransport{Endpoint: "http://127.0.0.1:" + e.Port + "/mcp"}
	},
	"stdio": func(t *testing.T, e *harness.Endpoint) mcp.Transport {
		t.Helper()
		program, err := harness.CDPHub()
		if err != nil {
			t.Fatal(err)
		}
		return &mcp.CommandTransport{Command: exec.Command(program, "mcp", "--url", "http://127.0.0.1:"+e.Port, "--files", scratch)}
	},
}

// startHubMCP connects to the tools of the hub.
func startHubMCP(t *testing.T, way string, e *harness.Endpoint) *server {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "cdphub-e2e", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), hubMCP[way](t, e), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return &server{session: session, e: e, ref: yamlRef, shot: "browser_snapshot"}
}

// startPlaywrightMCP starts Playwright MCP, which drives the endpoint.
func startPlaywrightMCP(t *testing.T, e *harness.Endpoint) *server {
	t.Helper()
	return &server{
		e: e, ref: yamlRef, shot: "browser_snapshot",
		session: startServer(t, "playwright-mcp", "--cdp-endpoint", "http://127.0.0.1:"+e.Port, "--allow-unrestricted-file-access"),
	}
}

// TestHubMCP has the official client of Go use each tool of the hub, with the
// checks that Playwright MCP has, and a few of its own.
func TestHubMCP(t *testing.T) {
	for _, kind := range kinds {
		for way := range hubMCP {
			t.Run(kind+"/"+way, func(t *testing.T) {
				s := startHubMCP(t, way, harness.EndpointOf(t, kind))
				s.e.Site.Handle("/api/echo", echo)
				list, err := s.session.ListTools(t.Context(), nil)
				if err != nil {
					t.Fatal(err)
				}
				unused := map[string]bool{}
				for _, tool := range list.Tools {
					unused[tool.Name] = true
				}
				s.used = func(tool string) { delete(unused, tool) }
				for _, c := range slices.Concat(playwrightTools, hubTools) {
					if c.feature == "upload" && c.name == "browser_file_upload" {
						continue // hubTools has it
					}
					t.Run(c.name, func(t *testing.T) {
						s.use(t, "browser_navigate", args{"url": s.url(harness.AppPage)}, "Page Title: Field book")
						c.run(t, s)
					})
				}
				for tool := range unused {
					t.Errorf("%s has not been used", tool)
				}
			})
		}
	}
}

// hubTools are uses of what Playwright MCP has not, or has in another way.
var hubTools = []check[*server]{
	{"upload", "a file by content", func(t *testing.T, s *server) {
		s.use(t, "browser_file_upload", args{"target": "#file", "files": []args{{"name": "letter.txt", "data": base64.StdEncoding.EncodeToString([]byte("Dear reader"))}}})
		s.is(t, fileOf, `["letter.txt","Dear reader"]`)
	}, nil},
	{"upload", "a file by its path, where the server runs on the client's machine", func(t *testing.T, s *server) {
		if strings.HasSuffix(t.Name(), "/stdio/"+filepath.Base(t.Name())) {
			s.use(t, "browser_file_upload", args{"paths": []string{letter(t)}})
			s.is(t, fileOf, `["letter.txt","Dear reader"]`)
			return
		}
		said, _, failed := s.call(t, "browser_file_upload", args{"paths": []string{letter(t)}})
		same(t, "it is refused", failed && strings.Contains(said, "send the content"), true)
	}, nil},
	{"accessibility", "browser_find", func(t *testing.T, s *server) {
		s.use(t, "browser_find", args{"text": "out of ORDER"}, `button "Out of order" [disabled]`)
	}, nil},
	{"drag", "browser_drop", func(t *testing.T, s *server) {
		s.use(t, "browser_drop", args{"target": "#bin", "data": args{"text/plain": "paper"}})
		s.is(t, text("bin"), `"Got paper"`)
	}, nil},
	{"emulation", "browser_emulate_media", func(t *testing.T, s *server) {
		s.use(t, "browser_emulate_media", args{"colorScheme": "dark"})
		s.is(t, `matchMedia("(prefers-color-scheme: dark)").matches`, "true")
		s.use(t, "browser_emulate_media", args{"colorScheme": nil})
	}, nil},
	{"response bodies", "browser_network_request", func(t *testing.T, s *server) {
		s.use(t, "browser_network_request", args{"index": 1, "part": "response-body"}, "<title>Field book</title>")
	}, nil},
	{"two clients at once", "browser_handoff to a person who does nothing", func(t *testing.T, s *server) {
		said := s.use(t, "browser_handoff", args{"instructions": "Log in.", "timeout": 1}, "opens once: http")
		id := regexp.MustCompile(`handoffId (\w+)`).FindStringSubmatch(said)
		if id == nil {
			t.Fatalf("no handoffId in %q", said)
		}
		s.use(t, "browser_handoff_wait", args{"handoffId": id[1]}, "The time is over")
		said = s.use(t, "browser_handoff", args{"instructions": "Log in."})
		if id = regexp.MustCompile(`handoffId (\w+)`).FindStringSubmatch(said); id == nil {
			t.Fatalf("no handoffId in %q", said)
		}
		s.use(t, "browser_handoff_cancel", args{"handoffId": id[1]}, "cancelled")
	}, nil},
	{"close", "browser_close", func(t *testing.T, s *server) {
		s.use(t, "browser_tabs", args{"action": "new", "url": s.url("/two.html")}, "Second page")
		said := s.use(t, "browser_close", args{}, "### Result")
		same(t, "it is closed", strings.Contains(said, "/two.html"), false)
	}, nil},
}

// TestToolsTakePlaywrightsArguments wants each tool of Playwright MCP that the
// hub has to take the same arguments, of the same types, and to need no others.
func TestToolsTakePlaywrightsArguments(t *testing.T) {
	e := harness.EndpointOf(t, "browser")
	ours, theirs := toolsOf(t, startHubMCP(t, "HTTP", e)), toolsOf(t, startPlaywrightMCP(t, e))
	for name, tool := range theirs {
		own := ours[name]
		if own == nil {
			if lacking[name] == "" {
				t.Errorf("the hub has no %s, for no reason that is known", name)
			}
			continue
		}
		a, b := schemaOf(t, own), schemaOf(t, tool)
		for field, there := range b.Properties {
			switch {
			case field == "filename": // the hub writes no files
			case a.Properties[field].kind() == "":
				t.Errorf("%s does not take %s", name, field)
			case a.Properties[field].kind() != there.kind():
				t.Errorf("%s: %s is of type %s, there %s", name, field, a.Properties[field].kind(), there.kind())
			}
		}
		for _, field := range a.Required {
			if !slices.Contains(b.Required, field) {
				t.Errorf("%s needs %s, which may be left out there", name, field)
			}
		}
		reads := func(tool *mcp.Tool) bool { return tool.Annotations != nil && tool.Annotations.ReadOnlyHint }
		if reads(own) != reads(tool) {
			t.Errorf("%s: readOnlyHint is %v, there %v", name, reads(own), reads(tool))
		}
	}
	for name := range lacking {
		if theirs[name] == nil || ours[name] != nil {
			t.Errorf("%s is said to be lacking", name)
		}
	}
}

// lacking are the tools of Playwright MCP that the hub has not, and why.
var lacking = map[string]string{
	"browser_run_code_unsafe": "it runs a client's code in the server",
}

func toolsOf(t *testing.T, s *server) map[string]*mcp.Tool {
	t.Helper()
	list, err := s.session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

// schema is a JSON Schema, as far as it is compared.
type schema struct {
	Type       any // a name, or several
	AnyOf      []schema
	Properties map[string]schema
	Required   []string
}

// kind is the type; "" where there is none. Whole numbers are numbers, and what
// may be null, too, is as good as what may be left out.
func (s schema) kind() string {
	for _, one := range s.AnyOf {
		if kind := one.kind(); kind != "null" {
			return kind
		}
	}
	name, ok := s.Type.(string)
	for _, one := range anys(s.Type) {
		if !ok && one != "null" {
			name = fmt.Sprint(one)
		}
	}
	if name == "integer" {
		return "number"
	}
	return name
}

func anys(v any) []any {
	list, _ := v.([]any)
	return list
}

func schemaOf(t *testing.T, tool *mcp.Tool) (s schema) {
	t.Helper()
	text, err := json.Marshal(tool.InputSchema)
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// step is one call of a tool in a task. Where the arguments have a text such as
// `ref of button "Add one"` that stands for the ref in a snapshot.
type step struct {
	tool string
	args args
}

// steps use what both servers have.
var steps = []step{
	{"browser_click", args{"element": "Add one", "target": `ref of button "Add one"`}},
	{"browser_click", args{"element": "Press twice", "target": `ref of button "Press twice"`, "doubleClick": true}},
	{"browser_hover", args{"element": "Hover here", "target": "#hover"}},
	{"browser_type", args{"element": "Name", "target": `ref of textbox "Name"`, "text": "Ada"}},
	{"browser_type", args{"element": "Notes", "target": `ref of textbox "Notes"`, "text": "two words", "slowly": true}},
	{"browser_press_key", args{"key": "Backspace"}},
	{"browser_press_key", args{"key": "Tab"}},
	{"browser_select_option", args{"element": "Plan", "target": `ref of combobox "Plan"`, "values": []string{"team"}}},
	{"browser_fill_form", args{"fields": []args{
		{"name": "Email", "element": "Email", "target": "#email", "type": "textbox", "value": "ada@example.org"},
		{"name": "Terms", "element": "Terms", "target": "#terms", "type": "checkbox", "value": "true"},
		{"name": "Large", "element": "Large", "target": "#large", "type": "radio", "value": "true"},
	}}},
	{"browser_click", args{"element": "Save entry", "target": `ref of button "Save entry"`}},
	{"browser_drag", args{"startElement": "Card", "startTarget": "#card", "endElement": "Bin", "endTarget": "#bin"}},
	{"browser_evaluate", args{"function": "() => { document.body.dataset.mark = 'made' }"}},
	{"browser_click", args{"element": "Fetch later", "target": `ref of button "Fetch later"`}},
	{"browser_wait_for", args{"text": "Arrived late"}},
	{"browser_click", args{"element": "Speak", "target": `ref of button "Speak"`}},
	{"browser_console_messages", args{"level": "info"}},
	{"browser_network_requests", args{"static": false}},
	{"browser_click", args{"element": "Ring", "target": `ref of button "Ring"`}},
	{"browser_handle_dialog", args{"accept": true}},
	{"browser_take_screenshot", args{"type": "png", "scale": "css"}},
	{"browser_tabs", args{"action": "list"}},
}

// state is what the page has come to: its fields and texts, and the events that it
// has seen.
const state = `[
	["name", "email", "plan", "notes"].map((id) => document.getElementById(id).value),
	["terms", "news", "large"].map((id) => document.getElementById(id).checked),
	["count", "twice", "hover", "saved", "bin", "alarm", "arrivals"].map((id) => document.getElementById(id).textContent),
	document.body.dataset.mark, document.activeElement.id,
	seen.filter(([type]) => /click|change|submit|drag/.test(type)).map((row) => row.join(" ")),
]`

// TestSameTaskAsPlaywrightMCP has Playwright MCP and the hub's own tools do the same
// with the same names and arguments, on the same page.
func TestSameTaskAsPlaywrightMCP(t *testing.T) {
	for _, kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			e := harness.EndpointOf(t, kind)
			want := startPlaywrightMCP(t, e).carryOut(t, steps)
			for way := range hubMCP {
				if got := startHubMCP(t, way, e).carryOut(t, steps); got != want {
					t.Errorf("%s:\ngot  %s\nwant %s, as by Playwright MCP", way, got, want)
				}
			}
		})
	}
}

// carryOut does the steps on a fresh page and returns its state.
func (s *server) carryOut(t *testing.T, steps []step) string {
	t.Helper()
	s.use(t, "browser_navigate", args{"url": s.url(harness.AppPage)})
	for _, one := range steps {
		arguments := maps.Clone(one.args)
		if words, ok := strings.CutPrefix(fmt.Sprint(arguments["target"]), "ref of "); ok {
			arguments["target"] = s.find(t, words)
		}
		s.use(t, one.tool, arguments)
	}
	got, err := s.e.Site.Ask(harness.AppPage, state)
	if err != nil {
		t.Fatal(err)
	}
	return got
}
