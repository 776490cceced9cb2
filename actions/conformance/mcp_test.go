package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/cdphub/cdphub/actions/mcp"
)

type object = map[string]any

// mcpClient is an agent.
type mcpClient struct {
	*sdk.ClientSession
	url string // of the app
}

// connectMCP connects over HTTP, for all capabilities. Each answer has all of the page.
func connectMCP(t *testing.T, s *stage, prefix string) mcpClient {
	t.Helper()
	caps := strings.Join(mcp.Capabilities(), ",")
	return join(t, s, &sdk.StreamableClientTransport{Endpoint: s.base(prefix) + "/mcp?snapshot-mode=full&caps=" + caps})
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
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"mcp"}, args...)...) //nolint:gosec // our own
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
	said, pictures = contentOf(r)
	if words := ofCDP.FindString(said); words != "" && strings.HasPrefix(tool, "browser_handoff") {
		t.Errorf("%s %v says %q, which no agent knows: %s", tool, arguments, words, said)
	}
	return said, pictures, r.IsError
}

// contentOf is what an answer says, and how many pictures it has.
func contentOf(r *sdk.CallToolResult) (said string, pictures int) {
	for _, content := range r.Content {
		switch c := content.(type) {
		case *sdk.TextContent:
			said += c.Text
		case *sdk.ImageContent:
			pictures++
		}
	}
	return said, pictures
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

// readsOnly reports whether a tool says that it changes nothing.
func readsOnly(tool *sdk.Tool) bool { return tool.Annotations != nil && tool.Annotations.ReadOnlyHint }

// looking are the tools that change nothing.
var looking = strings.Fields(`browser_snapshot browser_find browser_take_screenshot browser_console_messages browser_network_requests
	browser_network_request browser_wait_for browser_get_config browser_generate_locator browser_verify_element_visible
	browser_verify_text_visible browser_verify_list_visible browser_verify_value browser_cookie_list browser_cookie_get
	browser_storage_state browser_localstorage_list browser_localstorage_get browser_sessionstorage_list browser_sessionstorage_get
	browser_route_list browser_pdf_save`)

// TestMCPListsTools wants each tool in the list, with its schema, and in the
// conformance table.
func TestMCPListsTools(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	tested := map[string]bool{}
	for _, c := range mcpCases() {
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
		if reads := slices.Contains(looking, tool.Name); readsOnly(tool) != reads {
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
	t.Parallel()
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
			files, out := t.TempDir(), t.TempDir()
			if err := os.WriteFile(filepath.Join(files, "letter.txt"), []byte("Dear reader"), 0o600); err != nil {
				t.Fatal(err)
			}
			a := stdioMCP(t, s, append(args, "--files", files, "--output-dir", out, "--caps", "storage,testing")...)
			a.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/form.html"})
			a.use(t, "browser_type", object{"target": "#email", "text": "a@b.c", "submit": true}, "Saved a@b.c")
			a.use(t, "browser_file_upload", object{"target": "#file", "paths": []string{filepath.Join(files, "letter.txt")}})
			a.use(t, "browser_evaluate", object{"function": "(e) => e.files[0].text()", "target": "#file"}, `"Dear reader"`)
			a.refuses(t, "browser_file_upload", object{"target": "#file", "paths": []string{"/etc/hostname"}}, "not a file below "+files)
			a.refuses(t, "browser_file_upload", object{"target": "#file", "paths": []string{"../../x"}}, "not a file below")
			a.use(t, "browser_snapshot", object{"filename": "page.yml"}, "- [Snapshot]("+filepath.Join(out, "page.yml")+")")
			if text, err := os.ReadFile(filepath.Join(out, "page.yml")); err != nil || !strings.Contains(string(text), "heading \"Sign up\"") {
				t.Errorf("%s, %v", text, err)
			}
			a.refuses(t, "browser_snapshot", object{"filename": "../page.yml"}, "is not below "+out)
			a.use(t, "browser_storage_state", object{"filename": "state.json"}, "[Storage state]")
			a.use(t, "browser_set_storage_state", object{"filename": "state.json"}, "Restored")
			a.refuses(t, "browser_pdf_save", object{}, "capability pdf, which is off: start cdphub mcp with --caps pdf")
			a.use(t, "browser_tabs", object{"action": "close"})
		})
	}
}

// TestMCPTabsAreTheClientsOwn has two agents on one hub: each counts its own
// pages, in the order in which it has opened them, and is left with none when it
// has closed them.
func TestMCPTabsAreTheClientsOwn(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			page := func(name string) object { return object{"action": "new", "url": s.app.URL + name} }
			one, two := connectMCP(t, s, kind.prefix), connectMCP(t, s, kind.prefix)
			one.use(t, "browser_tabs", page("/form.html"))
			two.use(t, "browser_tabs", page("/two.html"), "- 0: (current) [Second page]", "Other pages of this hub", "[Sign up]")
			one.use(t, "browser_tabs", page("/two.html"), "- 0: [Sign up]", "- 1: (current) [Second page]")
			one.use(t, "browser_tabs", object{"action": "select", "index": 0}, "- 0: (current) [Sign up]", "- 1: [Second page]")
			one.use(t, "browser_tabs", object{"action": "close", "index": 1}, "- 0: (current) [Sign up]")
			one.use(t, "browser_close", object{}, "This client has no page open", "[Second page]")
			one.refuses(t, "browser_snapshot", object{}, "this client has no page open")
			one.use(t, "browser_navigate", object{"url": s.app.URL + "/form.html"}, "Page Title: Sign up")
			two.use(t, "browser_snapshot", object{}, "Page Title: Second page")
			two.use(t, "browser_tabs", object{"action": "list"}, "- 0: (current) [Second page]")
		})
	}
}

// TestR355MCPLongPages acts on a page with many rows: the answer is one that a model survives, says that it
// is cut, and what is beyond, also behind the end of a snapshot, can be found and acted on.
func TestR355MCPLongPages(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			c := connectMCP(t, s, kind.prefix)
			c.use(t, "browser_tabs", object{"action": "new", "url": s.app.URL + "/form.html"})
			show := func(rows int) {
				c.use(t, "browser_evaluate", object{"function": fmt.Sprintf(`() => { document.body.innerHTML = Array.from({ length: %d }, (_, i) =>
					"<p>" + "some words, ".repeat(90) + "<button onclick='this.textContent = 1'>Ship " + i + "</button>").join("") }`, rows)})
			}
			show(100)
			said := c.use(t, "browser_press_key", object{"key": "a"}, "\nCut: ", "browser_find", "browser_snapshot")
			if n := utf8.RuneCountInString(said); n > 21_000 {
				t.Errorf("a tool that acts answers %d characters", n)
			}
			if !strings.Contains(said, `button "Ship 99"`) || strings.Count(said, "some words") > 90*90 {
				t.Error("texts are shown before what one acts on")
			}
			if seen := c.use(t, "browser_snapshot", object{}, "\nCut: ", "limit", "filename", `button "Ship 99"`); utf8.RuneCountInString(seen) > 21_000 {
				t.Errorf("a snapshot has %d characters", utf8.RuneCountInString(seen))
			}
			if seen := c.use(t, "browser_snapshot", object{"snapshot": "300"}, "\nCut: ", `button "Ship 0"`); utf8.RuneCountInString(seen) > 300*4+600 || strings.Contains(seen, `button "Ship 99"`) {
				t.Errorf("a snapshot of 300 tokens has %d characters", utf8.RuneCountInString(seen))
			}
			if full := c.use(t, "browser_snapshot", object{"limit": 200_000}, `button "Ship 99"`); len(full) < 100_000 || strings.Contains(full, "\nCut: ") {
				t.Errorf("the whole page has %d bytes", len(full))
			}
			file, err := c.CallTool(within60(t), &sdk.CallToolParams{Name: "browser_snapshot", Arguments: object{"filename": "page.yml"}})
			if err != nil || len(file.Content) != 2 || !strings.Contains(file.Content[1].(*sdk.EmbeddedResource).Resource.Text, `button "Ship 99"`) {
				t.Errorf("the file lacks the end of the page: %v", err)
			}
			show(1200) // more than a snapshot may have
			found := c.use(t, "browser_find", object{"text": "Ship 1199"}, "1 match")
			ref := regexp.MustCompile(`button "Ship 1199" \[ref=(\w+)\]`).FindStringSubmatch(found)
			if ref == nil {
				t.Fatalf("it is found without a ref: %s", found)
			}
			c.use(t, "browser_click", object{"target": ref[1]})
			c.use(t, "browser_find", object{"text": "Ship 1199"}, "0 matches")
		})
	}
}
