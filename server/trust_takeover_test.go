package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
)

// TestR175TakeoverOfATab takes over a real tab with a frame of another site in it, and
// tries to act on it by every way that leads there.
func TestR175TakeoverOfATab(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title>", r.URL.Path)
		if r.URL.Path == "/top" {
			fmt.Fprintf(w, `<iframe src="http://localhost:%s/inner"></iframe>`, r.Host[strings.LastIndex(r.Host, ":")+1:])
		}
	}))
	t.Cleanup(app.Close)
	s := start(t, func(o *Options) {
		o.Browsers = testBrowser()
		o.Browsers.Chrome.Args = append(o.Browsers.Chrome.Args, "--site-per-process")
	})
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.NewPage(t.Context(), app.URL+"/top", "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := b.NewPage(t.Context(), app.URL+"/other", "")
	if err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.Hub(t.Context(), "chromium")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	frame := ""
	hubtest.Eventually(t, "the frame is a target", func() bool {
		for _, info := range hub.Targets(nil) {
			if info.Type == "iframe" {
				frame = info.ID
			}
		}
		return frame != ""
	})
	ann, err := hub.JoinLocal(relay.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer ann.Leave()
	if err := ann.Take(p.ID, "Ann", relay.LeaseOptions{}); err != nil {
		t.Fatal(err)
	}
	if held, ok := hub.Control().Holder(frame); !ok || held.Name != "Ann" {
		t.Errorf("the frame is held by %+v", held)
	}
	c := s.clientOf(t, "/hub/chromium")
	tabs := ""
	c.send(`{"id":1,"method":"Target.setDiscoverTargets","params":{"discover":true,"filter":[{}]}}`)
	c.until(`"id":1,`)
	c.send(`{"id":2,"method":"Target.getTargets","params":{"filter":[{"type":"tab"}]}}`)
	for _, part := range strings.Split(c.until(`"id":2,`), `"targetId":"`)[1:] {
		tabs += " " + part[:strings.IndexByte(part, '"')]
	}
	const input = `"method":"Input.dispatchMouseEvent","params":{"type":"mouseMoved","x":1,"y":1}`
	n := 10
	try := func(what, message string, paused bool) {
		t.Helper()
		n++
		c.send(fmt.Sprintf(`{"id":%d,%s`, n, message))
		if got := c.until(fmt.Sprintf(`"id":%d,`, n)); strings.Contains(got, "paused: Ann has the page") != paused {
			t.Errorf("%s: %.300s", what, got)
		}
	}
	try("the page's session", input+c.attachTo(p.ID), true)
	try("the frame's session", input+c.attachTo(frame), true)
	tail := c.attachTo(frame)
	try("reading the frame", `"method":"Runtime.evaluate","params":{"expression":"1"}`+tail, false)
	try("another page", input+c.attachTo(other.ID), false)
	try("closing by name", `"method":"Target.closeTarget","params":{"targetId":"`+p.ID+`"}}`, true)
	try("to the front", `"method":"Target.activateTarget","params":{"targetId":"`+p.ID+`"}}`, true)
	try("input without a page", input+"}", true)
	for _, tab := range strings.Fields(tabs) {
		if hub.Control().Emulated(tab) {
			continue
		}
		n++
		c.send(fmt.Sprintf(`{"id":%d,"method":"Target.attachToTarget","params":{"targetId":%q,"flatten":true}}`, n, tab))
		got := c.until(fmt.Sprintf(`"id":%d,`, n))
		if _, after, ok := strings.Cut(got, `"sessionId":"`); ok {
			id := after[:strings.IndexByte(after, '"')]
			n++
			c.send(fmt.Sprintf(`{"id":%d,"method":"Page.reload","sessionId":%q}`, n, id))
			c.until(fmt.Sprintf(`"id":%d,`, n)) // whatever it is, the page below has not reloaded
		}
	}
	if got := evaluate(t, p, `performance.getEntriesByType("navigation")[0].type`); got != `"navigate"` {
		t.Errorf("the page was reloaded by its tab: %s", got)
	}
}
