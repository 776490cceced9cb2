package conformance

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// payer is an agent that counts the characters of answers. It knows the page by the answers so far, and asks for a snapshot only
// where they do not have what it looks for.
type payer struct {
	mcpClient
	t      *testing.T
	told   []string // the answers since the last whole snapshot
	calls  int
	looks  int // calls of browser_snapshot
	tokens int
}

func (p *payer) do(tool string, arguments object, words ...string) {
	p.t.Helper()
	said := p.use(p.t, tool, arguments)
	p.calls++
	p.tokens += utf8.RuneCountInString(said) / 4
	if strings.Contains(said, "### Snapshot") {
		p.told = nil
	}
	p.told = append(p.told, said)
	if missing := slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(said, word) }); missing && tool != "browser_snapshot" {
		p.looks++
		p.do("browser_snapshot", object{}, words...)
	} else if missing {
		p.t.Fatalf("%s does not have %q", said, words)
	}
}

// find is the ref of an element.
func (p *payer) find(role, name string) string {
	p.t.Helper()
	for range 2 {
		for _, said := range slices.Backward(p.told) {
			if ref := refIn(said, thing{role: role, name: name}); ref != "" {
				return ref
			}
		}
		p.looks++
		p.do("browser_snapshot", object{})
	}
	p.t.Fatalf("no %s %q", role, name)
	return ""
}

func (p *payer) click(role, name string, words ...string) {
	p.t.Helper()
	p.do("browser_click", object{"target": p.find(role, name), "element": name}, words...)
}

func (p *payer) write(name, text string) {
	p.t.Helper()
	p.do("browser_type", object{"target": p.find("textbox", name), "element": name, "text": text})
}

// smallTasks are six, each on a page that has been opened.
var smallTasks = []struct {
	name, page string
	do         func(p *payer)
}{
	{"shop", "/shop.html?q=lamp", func(p *payer) {
		p.click("link", "Oil lamp", "Order")
		p.write("Name", "Ada")
		p.do("browser_select_option", object{"target": p.find("combobox", "Size"), "values": []string{"Large"}})
		p.click("checkbox", "Gift", "[checked]")
		p.click("button", "Order", "Oil lamp, Large, for Ada")
	}},
	{"form", "/form.html", func(p *payer) {
		p.do("browser_fill_form", object{"fields": []object{
			{"target": p.find("textbox", "Email"), "type": "textbox", "value": "a@b.c"},
			{"target": p.find("checkbox", "Agree"), "type": "checkbox", "value": "true"},
			{"target": p.find("combobox", "Plan"), "type": "combobox", "value": "Pro"},
		}})
		p.click("button", "Save all", "Saved a@b.c")
	}},
	{"rows", "/tasks.html#rows", func(p *payer) {
		for _, n := range []string{"3", "5", "8"} {
			p.click("checkbox", "Order "+n)
		}
		p.click("button", "Delete chosen", "0 chosen")
		p.click("button", "Ship 9", "Shipped")
	}},
	{"list", "/tasks.html#list", func(p *payer) {
		for _, text := range []string{"Milk", "Bread", "Tea"} {
			p.write("New", text)
			p.click("button", "Add", text)
		}
		p.click("button", "Remove Bread")
		p.click("checkbox", "Tea", "[checked]")
	}},
	{"steps", "/tasks.html#steps", func(p *payer) {
		p.write("Answer 1", "one")
		p.click("button", "Next", "Step 2 of 3")
		p.write("Answer 2", "two")
		p.click("button", "Next", "Thank you")
	}},
	{"parts", "/tasks.html", func(p *payer) {
		p.click("link", "List", "To do")
		p.click("link", "Steps", "Step 1 of 3")
		p.do("browser_navigate_back", object{}, "To do")
	}},
}

// TestR442SmallTasksCostLittle does six small tasks with the answers that are usual, and with all of the page in each:
// the usual ones take at most half, and no step and no look more.
func TestR442SmallTasksCostLittle(t *testing.T) {
	t.Parallel()
	s := newStage(t, nil)
	for _, kind := range kinds {
		t.Run(string(kind.TargetKind), func(t *testing.T) {
			t.Parallel()
			sum := map[string]payer{}
			for _, mode := range []string{"", "full"} {
				for _, task := range smallTasks {
					p := &payer{t: t, mcpClient: join(t, s, &sdk.StreamableClientTransport{Endpoint: s.base(kind.prefix) + "/mcp?snapshot-mode=" + mode})}
					p.do("browser_tabs", object{"action": "new", "url": s.app.URL + task.page})
					task.do(p)
					t.Logf("%-5s %-6s %2d calls, %5d tokens", task.name, mode, p.calls, p.tokens)
					all := sum[mode]
					sum[mode] = payer{calls: all.calls + p.calls, looks: all.looks + p.looks, tokens: all.tokens + p.tokens}
					p.do("browser_close", object{})
				}
			}
			usual, full := sum[""], sum["full"]
			t.Logf("usual: %d calls, %d tokens; full: %d calls, %d tokens", usual.calls, usual.tokens, full.calls, full.tokens)
			if usual.tokens > full.tokens/2 || usual.calls > full.calls || usual.looks > full.looks {
				t.Error("the usual answers cost more than half")
			}
		})
	}
}
