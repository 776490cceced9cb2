package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// hearsTogether has several sessions of two Clients hear of one call. Each
// gets the event once, and objects of its own.
func hearsTogether(t *testing.T, h *hub) {
	one, two := harness.DialCDP(t, "http://127.0.0.1:"+h.port(t)), harness.DialCDP(t, "http://127.0.0.1:"+h.port(t))
	page := one.Pages(t)[0]
	sessions := map[string]*harness.CDP{}
	for _, c := range []*harness.CDP{one, one, two, two, one} {
		session := c.Attach(t, page)
		sessions[session] = c
		c.Call(t, session, "Runtime.enable", nil)
	}
	quiet := two.Attach(t, page) // it has enabled nothing
	one.Evaluate(t, one.Attach(t, page), "console.log('in common'), console.log('apart', { a: 1 })")
	objects := map[string]bool{}
	for session, c := range sessions {
		for _, text := range []string{"in common", "apart"} {
			said := func(m harness.Message) bool {
				return m.SessionID == session && m.Method == "Runtime.consoleAPICalled" && strings.Contains(string(m.Params), text)
			}
			m := c.Await(t, text, said)
			var call struct{ Args []struct{ ObjectID string } }
			if err := json.Unmarshal(m.Params, &call); err != nil {
				t.Fatal(err)
			}
			objects[call.Args[len(call.Args)-1].ObjectID] = true
			c.Evaluate(t, session, "1") // answers come in order, so a second event would be there
			if n := len(c.All(said)); n != 1 {
				t.Errorf("%q came %d times to a session, want once", text, n)
			}
		}
	}
	delete(objects, "")
	if len(objects) != len(sessions) {
		t.Errorf("the sessions got %d objects, want %d", len(objects), len(sessions))
	}
	if late := two.All(func(m harness.Message) bool { return m.SessionID == quiet && m.Method != "" }); len(late) != 0 {
		t.Errorf("a session that has enabled nothing got %s", late[0].Method)
	}
}

// loadsParts has the agent load its parts from the hub.
func loadsParts(t *testing.T, h *hub) {
	c := harness.DialCDP(t, "http://127.0.0.1:"+h.port(t))
	session := c.Attach(t, c.Pages(t)[0])
	const button = `document.body.insertAdjacentHTML("afterbegin",
		'<button onclick="this.textContent = 1" style="position:fixed;left:0;top:0;width:60px;height:60px;z-index:9999">Part</button>')`
	c.Evaluate(t, session, button)
	tree := string(c.Call(t, session, "Accessibility.getFullAXTree", nil))
	if !strings.Contains(tree, `"value":"Part"`) {
		t.Errorf("the tree has no button: %.300s", tree)
	}
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		c.Call(t, session, "Input.dispatchMouseEvent", map[string]any{"type": kind, "x": 20, "y": 20, "button": "left", "clickCount": 1})
	}
	if got := c.Evaluate(t, session, "document.querySelector('button').textContent"); got != `"1"` {
		t.Errorf("the button has %s after the click, want 1", got)
	}
	const loaded = `performance.getEntriesByType("resource").map((e) => new URL(e.name).pathname.slice(1)).filter((n) => ["dom.js", "accessibility.js", "input.js", "extras.js"].includes(n)).sort().join()`
	if got := c.Evaluate(t, session, loaded); got != `"accessibility.js,dom.js,input.js"` {
		t.Errorf("the page has loaded %s, want accessibility.js, dom.js and input.js", got)
	}
}
