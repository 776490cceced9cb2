package e2e

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestEachBrowser shows an app in the ready-made Host page of a hub, in each browser. The last
// of the tests leaves other documents behind.
func TestEachBrowser(t *testing.T) {
	onlyHub(t)
	for _, tt := range []struct {
		name string
		open func(page string)
	}{
		{"chromium", func(page string) { startBrowser(t, page, false) }},
		{"firefox", func(page string) { harness.StartFirefox(t, page) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t)
			h := startHub(t)
			s.useHub("http://" + h.hostAddr)
			tt.open("http://" + h.hostAddr + "/shell?app=" + url.QueryEscape(s.app.URL+appPage))
			eventually(t, harness.Started, func() error {
				st, err := h.status()
				if err == nil && (len(st.Targets) != 1 || st.Targets[0].Title != "Field book") {
					err = fmt.Errorf("the hub has %+v, want the app", st)
				}
				return err
			})
			t.Run("parts", func(t *testing.T) { loadsParts(t, h) })
			t.Run("shared events", func(t *testing.T) { hearsTogether(t, h) })
			t.Run("blank documents are nobody's", func(t *testing.T) { attackFrom(t, h, s) })
		})
	}
}

// attackFrom takes a frame of the ready-made Host page to blank documents, and tries to read
// the page around them.
func attackFrom(t *testing.T, h *hub, s *site) {
	c := harness.DialCDP(t, "http://127.0.0.1:"+h.port(t))
	session := c.Attach(t, c.Pages(t)[0])
	// A document may be on its way out: it is asked until one answers as it should, or too long.
	check := func(what, session, address string) {
		t.Helper()
		const upwards = `window.old || document.readyState !== "complete" ? "not yet" : (() => { try { return origin + " reaches " + top.location.hash + top.document.title } catch (e) { return origin + " " + e.name + " " + location.href } })()`
		eventually(t, harness.Started, func() error {
			id := c.Send(t, session, "Runtime.evaluate", map[string]any{"expression": upwards})
			m := c.Await(t, "an answer", func(m harness.Message) bool { return m.ID == id })
			got := string(m.Result)
			if strings.Contains(got, "exceptionDetails") { // no document answers yet
				return fmt.Errorf("%s: %s", what, got)
			}
			if strings.Contains(got, "reaches") || strings.Contains(got, h.hostAddr) {
				t.Fatalf("%s: %s", what, got)
			}
			if m.Error != nil || !strings.Contains(got, `"`+address+`"`) {
				return fmt.Errorf("%s: %w %s, want %s", what, m.Error, got, address)
			}
			return nil
		})
	}
	// leave marks the document that makes way. One that has not loaded would be replaced in the history (HTML, 7.4.2.2).
	leave := func(script string) { c.Evaluate(t, session, "void (window.old = true, "+script+")") }
	navigate := func(url string) { c.Call(t, session, "Page.navigate", map[string]any{"url": url}) }
	const blank = "null SecurityError about:blank"
	navigate("about:blank")
	check("a blank document", session, blank)
	c.Evaluate(t, session, "document.open(), document.write('<p>x'), document.close()")
	check("one that was written", session, blank)
	leave("setTimeout(() => location.reload(), 100)")
	check("one that has reloaded itself", session, blank)
	leave("0")
	c.Call(t, session, "Page.reload", nil)
	check("one that was reloaded", session, blank)
	app := s.app.URL + appPage
	navigate(app)
	check("the app", session, s.app.URL+" SecurityError "+app)
	leave("setTimeout(() => history.back(), 100)")
	check("history", session, blank)

	navigate(app)
	c.Forget()
	c.Evaluate(t, session, "void open('about:blank')")
	for i, open := range []func(){
		func() {},
		func() { c.Send(t, "", "Target.createTarget", map[string]any{"url": "about:blank"}) },
	} {
		open()
		eventually(t, harness.Started, func() error {
			if n := len(c.Pages(t)); n != i+2 {
				return fmt.Errorf("there are %d pages, want %d", n, i+2)
			}
			return nil
		})
		for _, page := range c.Pages(t) {
			other := c.Attach(t, page)
			if page == c.Pages(t)[0] {
				continue
			}
			check("another window", other, blank)
		}
	}
}
