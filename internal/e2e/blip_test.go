package e2e

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// A Host page whose connection breaks comes back to its sessions: what a
// Client holds in the page is still there.
func TestF02HostPageBlips(t *testing.T) {
	onlyHub(t)
	s, h := newSite(t), startHub(t)
	wire := hubtest.NewNetwork(t, h.hostAddr)
	s.useHub("http://" + wire.Addr)
	startBrowser(t, s.host.URL+"/host/1", false)
	h.awaitTarget(t, "app-1", "Field book")
	c := dialCDP(t, &endpoint{site: s, port: h.port(t), hub: h})
	session := c.Attach(t, "app-1")
	c.Call(t, session, "Runtime.enable", nil)
	c.Evaluate(t, session, "window.kept = 41, 0")

	wire.Cut()
	for _, want := range []bool{false, true} {
		eventually(t, harness.Started, func() error {
			st, err := h.status()
			if err == nil && st.HostConnected != want {
				err = fmt.Errorf("the Host is connected: %v, want %v", st.HostConnected, want)
			}
			return err
		})
	}
	if got := c.Evaluate(t, session, "++window.kept"); got != "42" {
		t.Errorf("the session says %s, want 42", got)
	}
	if ends := c.All(func(m message) bool { return strings.HasPrefix(m.Method, "Target.detached") }); len(ends) > 0 {
		t.Errorf("the session ended: %s", ends[0].Params)
	}
	if _, err := s.ask(appPage, "console.log('after')"); err != nil {
		t.Fatal(err)
	}
	said := func(m message) bool {
		return m.Method == "Runtime.consoleAPICalled" && strings.Contains(string(m.Params), "after")
	}
	if m := c.Await(t, "an event", said); m.SessionID != session {
		t.Errorf("the event has the session %q, want %q", m.SessionID, session)
	}
	time.Sleep(100 * time.Millisecond)
	if n := len(c.All(said)); n != 1 {
		t.Errorf("the event came %d times", n)
	}
}
