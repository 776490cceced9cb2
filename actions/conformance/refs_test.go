package conformance

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/server"
)

// staleTries click by a ref, and return what the API answers.
var staleTries = map[string]struct {
	try  func(t *testing.T, h hands, ref string) string
	want string
}{
	"NDJSON": {func(_ *testing.T, h hands, ref string) string {
		n := h.(ndjsonHands)
		n.Send(`{"id":"1","action":"page.click","params":{"ref":"` + ref + `"}}`)
		return n.Next()
	}, `^\{"id":"1","success":false,"error":"element not found: \w+ is in no snapshot of this document: take a new snapshot"\}$`},
	"browser.*": {func(_ *testing.T, h hands, ref string) string {
		n := h.(jsonrpcHands)
		n.Send(`{"jsonrpc":"2.0","id":1,"method":"browser.click","params":{"target":{"type":"ref","ref_id":"` + ref + `"}}}`)
		return n.Next()
	}, `"error":\{"code":-32006,"message":"ARIA ref 'button\[0\]' not found in snapshot: take a new snapshot","data":\{"kind":"StaleRef","retryable":false\}\}\}$`},
	"hooks": {func(t *testing.T, h hands, ref string) string {
		return h.(hookHands).call(t, "click", object{"elementId": ref}).text
	}, `"error":\{"code":"ElementNotFound","message":"element not found: a\d+ is in no snapshot of this document: take a new snapshot"\}`},
	"BAP": {func(_ *testing.T, h hands, ref string) string {
		_, failed := h.(bapHands).call("action/click", `{"selector":{"type":"ref","ref":"`+ref+`"}}`)
		if failed == nil {
			return "done"
		}
		return failed.raw
	}, `"code":-32012,"message":"Element not found: no element has the ref @b any more, run agent/observe again","data":\{"retryable":false,.*"recoveryHint":"Run observe\(\) to refresh interactive elements`},
	"MCP": {func(t *testing.T, h hands, ref string) string {
		said, _, failed := h.(mcpHands).call(t, "browser_click", object{"target": ref})
		if !failed {
			return "done"
		}
		return said
	}, `element not found: \w+ is in no snapshot of this document: take a new snapshot`},
}

// snapshotRef is the ref of a button in a new snapshot.
func snapshotRef(t *testing.T, h hands, name string) string {
	t.Helper()
	b, is := h.(bapHands)
	if !is {
		return h.find(thing{"button", name, "button] " + name})
	}
	var seen struct {
		InteractiveElements []struct{ Ref, Name string }
	}
	text := b.must("agent/observe", `{"includeInteractiveElements":true}`)
	if err := json.Unmarshal([]byte(text), &seen); err != nil {
		t.Fatal(err)
	}
	for _, e := range seen.InteractiveElements {
		if e.Name == name {
			return e.Ref
		}
	}
	t.Fatalf("%s is not in %s", name, text)
	return ""
}

// TestR310StaleRefsOfAllDialects clicks by the ref of a "Cancel" when another document shows "Delete
// all" in its place, with the same id: at once, and after a snapshot of that document. Each API refuses
// that in the form of its errors, and nothing is done to the page.
func TestR310StaleRefsOfAllDialects(t *testing.T) {
	t.Parallel()
	s := newAgents(t, func(o *server.Options) { o.Actions.EvalAllow = []string{"*"} })
	for _, kind := range kinds {
		for name, dialect := range staleTries {
			t.Run(string(kind.TargetKind)+"/"+name, func(t *testing.T) {
				h := handsOf[name](t, s, kind.prefix)
				h.open(s.app.URL + "/stale.html?cancel")
				ref := snapshotRef(t, h, "Cancel")
				refuses := func(when string) {
					t.Helper()
					if got := dialect.try(t, h, ref); !regexp.MustCompile(dialect.want).MatchString(got) {
						t.Errorf("%s, %s of another document: got  %s\nwant %s", when, ref, got, dialect.want)
					}
					if log := h.read("log"); log != "nothing" {
						t.Errorf("%s, the page was %s", when, log)
					}
				}
				h.open(s.app.URL + "/stale.html?delete")
				refuses("at once")
				after := snapshotRef(t, h, "Delete all")
				if name == "browser.*" { // whose refs are positions in the latest snapshot of a tab
					return
				}
				if after == ref {
					t.Fatalf("%s is the ref of both buttons", ref)
				}
				refuses("after a snapshot")
				dialect.try(t, h, after)
				if h.read("log") != "pressed" {
					t.Errorf("%s does not press its button", after)
				}
			})
		}
	}
}

// TestR311DescriptionOfARef has a button change its name between snapshot and click. Words with the old
// name refuse the click; words with the new name, and words of one's own, do not.
func TestR311DescriptionOfARef(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	for words, refused := range map[string]bool{
		"Cancel button": true, "the button that says cancel": true,
		"Delete all": false, "the button at the top": false, "": false, "Cancel, now Delete all": false,
	} {
		h := newMCPHands(t, s, kinds[0].prefix).(mcpHands)
		h.open(s.app.URL + "/stale.html?cancel")
		ref := h.find(thing{"button", "Cancel", ""})
		h.do("browser_evaluate", object{"function": `() => { document.querySelector("#b").textContent = "Delete all"; }`})
		said, _, failed := h.call(t, "browser_click", object{"target": ref, "element": words})
		if failed != refused || refused && !strings.Contains(said, "take a new snapshot") {
			t.Errorf("%q: failed is %v, want %v: %s", words, failed, refused, said)
		}
		if pressed := h.read("log") == "pressed"; pressed == refused {
			t.Errorf("%q: pressed is %v", words, pressed)
		}
	}
}

// TestR310FormWithAStaleRef wants a form with one stale ref to stay as it is.
func TestR310FormWithAStaleRef(t *testing.T) {
	t.Parallel()
	s := newAgents(t, nil)
	h := newMCPHands(t, s, kinds[0].prefix).(mcpHands)
	h.open(s.app.URL + "/form.html")
	fields := []object{
		{"target": h.find(thing{"textbox", "Email", ""}), "type": "textbox", "value": "new@example.com"},
		{"target": "e9999", "type": "textbox", "value": "x"},
	}
	if said, _, failed := h.call(t, "browser_fill_form", object{"fields": fields}); !failed || !strings.Contains(said, "take a new snapshot") {
		t.Errorf("failed is %v: %s", failed, said)
	}
	if said := h.do("browser_evaluate", object{"function": `() => document.querySelector("input[type=email]").value`}); strings.Contains(said, "new@") {
		t.Errorf("the form was filled: %s", said)
	}
}
