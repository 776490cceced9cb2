package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// ended checks that the command id and then its session ended, the former for one
// of the reasons.
func ended(t *testing.T, c *cdpClient, id int, session string, reasons ...string) {
	t.Helper()
	isAnswer := func(m message) bool { return m.ID == id }
	isEnd := func(m message) bool {
		var p struct{ SessionID string }
		return m.Method == "Target.detachedFromTarget" && json.Unmarshal(m.Params, &p) == nil && p.SessionID == session
	}
	answer := c.Await(t, "an end of the command in flight", isAnswer)
	if answer.Error == nil || answer.Error.Code != -32000 || !slices.ContainsFunc(reasons, func(r string) bool { return strings.HasPrefix(answer.Error.Message, r) }) {
		t.Errorf("the command in flight ended with %v and %s, want -32000 %q", answer.Error, answer.Result, reasons)
	}
	c.Await(t, "the end of the session", isEnd)
	both := c.All(func(m message) bool { return isAnswer(m) || isEnd(m) })
	if len(both) != 2 || !isAnswer(both[0]) {
		t.Errorf("got %d messages, %+v; want the command's end and then the session's, once each", len(both), both)
	}
}

// began returns a client with a command in flight.
func began(t *testing.T, e *endpoint) (c *cdpClient, id int, session string) {
	t.Helper()
	c = dialCDP(t, e)
	session = c.Attach(t, c.page(t))
	return c, c.hang(t, e, session), session
}

// A second Host page takes the hub over, and the first does not come back.
func TestSecondHostReplacesTheFirst(t *testing.T) {
	onlyHub(t)
	e := newEndpoint(t)
	c, id, session := began(t, e)
	startBrowser(t, e.site.host.URL+"/host/2", false)
	ended(t, c, id, session, "Host replaced by a newer connection")
	e.hub.awaitTarget(t, "app-2", "Field book")
	e.site.expect(t, "/host/1", "relay.relay", `"replaced"`)

	// Longer than the first waits from one attempt to the next.
	for quiet := time.Now().Add(3 * time.Second); time.Now().Before(quiet); time.Sleep(50 * time.Millisecond) {
		s, err := e.hub.status()
		if err != nil || len(s.Targets) != 1 || s.Targets[0].TargetID != "app-2" {
			t.Fatalf("the hub's state became %+v, %v; want app-2 all the time", s, err)
		}
	}
	e.site.expect(t, "/host/1", "relay.relay", `"replaced"`)
	e.site.expect(t, "/host/2", "relay.relay", `"connected"`)
	if got := c.Evaluate(t, c.Attach(t, "app-2"), "document.title"); got != `"Field book"` {
		t.Errorf("the second Host's app has the title %s", got)
	}
}

// A Host page that is reloaded offers its targets again, by itself.
func TestHostPageReloads(t *testing.T) {
	onlyHub(t)
	e := newEndpoint(t)
	c, id, session := began(t, e)
	e.site.expect(t, appPage, "window.fresh = false", "false")
	if _, err := e.site.ask("/host/1", "setTimeout(() => location.reload()); null"); err != nil {
		t.Fatal(err)
	}
	// The app's document says goodbye when its Host page goes, and may be heard yet.
	ended(t, c, id, session, "Host disconnected", "Cannot find context with specified id")
	e.hub.awaitTarget(t, "app-1", "Field book")
	e.site.expect(t, appPage, "window.fresh ?? true", "true")
	if got := c.Evaluate(t, c.Attach(t, "app-1"), "window.fresh ?? true"); got != "true" {
		t.Errorf("the old document answered")
	}
}

// Without a Host a client is told why there is nothing to drive.
func TestNoHost(t *testing.T) {
	onlyHub(t)
	h := startHub(t)
	c := newClient(t, &endpoint{site: newSite(t), port: h.port(t), hub: h})
	out, err := c.run("snapshot")
	if want := "No page is open in this hub: open http://"; err == nil || !strings.Contains(out, want) {
		t.Errorf("snapshot: %v, %s; want an error with %q", err, out, want)
	}
}
