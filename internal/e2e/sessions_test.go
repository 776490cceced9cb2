package e2e

import (
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// A reload and a navigation to the same origin keep the target and its sessions.
func TestDocumentChangesKeepSessions(t *testing.T) {
	e := newEndpoint(t)
	c := dialCDP(t, e)
	page := c.page(t)
	session := c.Attach(t, page)
	c.Call(t, session, "Page.enable", nil)
	c.Call(t, session, "Runtime.enable", nil)

	changes := []struct {
		name, method string
		params       map[string]any
		title        string
	}{
		{"reload", "Page.reload", nil, "Field book"},
		{"navigation", "Page.navigate", map[string]any{"url": e.site.app.URL + "/two.html"}, "Second page"},
		{"reload of the other page", "Page.reload", nil, "Second page"},
		{"navigation back", "Page.navigate", map[string]any{"url": e.site.app.URL + appPage}, "Field book"},
	}
	for _, change := range changes {
		c.Evaluate(t, session, "window.old = true")
		c.Forget()
		c.Call(t, session, change.method, change.params)
		c.Await(t, "the load event after the "+change.name, harness.Event(session, "Page.loadEventFired"))
		c.Await(t, "a context after the "+change.name, harness.Event(session, "Runtime.executionContextCreated"))
		if got := c.Evaluate(t, session, "[document.title, window.old ?? null]"); got != `["`+change.title+`",null]` {
			t.Errorf("after the %s the page says %s, want %s in a new document", change.name, got, change.title)
		}
		if got := c.page(t); got != page {
			t.Errorf("after the %s the target is %s, was %s", change.name, got, page)
		}
		if lost := c.All(harness.Event("", "Target.detachedFromTarget")); len(lost) != 0 {
			t.Errorf("the %s ended a session: %s", change.name, lost[0].Params)
		}
	}
}

// A command that is under way when its document goes fails.
func TestCommandOfAnOldDocument(t *testing.T) {
	e := newEndpoint(t)
	c := dialCDP(t, e)
	session := c.Attach(t, c.page(t))
	c.Call(t, session, "Page.enable", nil)
	want := "Cannot find context with specified id"
	if !throughHub() {
		want = "Inspected target navigated or closed" // Chromium 156; rod knows only the other one
	}
	for name, change := range map[string]string{
		"reload":     "setTimeout(() => location.reload()); null",
		"navigation": "setTimeout(() => location.assign('two.html')); null",
	} {
		c.Call(t, session, "Page.navigate", map[string]any{"url": e.site.app.URL + appPage})
		e.site.expect(t, appPage, "[document.readyState, window.hanging ?? false]", `["complete",false]`)
		id := c.hang(t, e, session)
		if _, err := e.site.ask(appPage, change); err != nil {
			t.Fatal(err)
		}
		answer := c.Await(t, "an end of the command", func(m message) bool { return m.ID == id })
		if answer.Error == nil || answer.Error.Code != -32000 || answer.Error.Message != want {
			t.Errorf("%s: the command in flight ended with %v and %s, want -32000 %s", name, answer.Error, answer.Result, want)
		}
		c.Evaluate(t, session, "1") // the session goes on
	}
}
