package e2e

import (
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestR58LargeAnswerLetsInputPass has one Client ask for 10 MiB over a connection of 2 MiB a
// second, and another one click meanwhile, in the same page.
func TestR58LargeAnswerLetsInputPass(t *testing.T) {
	onlyHub(t)
	const size = 10 << 20
	h, s := startHub(t), newSite(t)
	n := hubtest.NewNetwork(t, h.hostAddr)
	s.useHub("http://" + n.Addr)
	startBrowser(t, s.host.URL+"/host/1", false)
	h.awaitTarget(t, "app-1", "Field book")
	e := &endpoint{site: s, port: h.port(t)}
	one, other := dialCDP(t, e), dialCDP(t, e)
	session, clicking := one.Attach(t, "app-1"), other.Attach(t, "app-1")
	at := other.middleOf(t, clicking, "plus")

	n.Slow(2 << 20)
	before := n.Passed()
	id := one.Send(t, session, "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("'x'.repeat(%d)", size), "returnByValue": true})
	answered := func(m message) bool { return m.ID == id }
	clicks, meanwhile := 0, 0
	for len(one.All(answered)) == 0 {
		underWay := n.Passed()-before > 1<<20
		other.click(t, clicking, at)
		clicks++
		if underWay && len(one.All(answered)) == 0 {
			meanwhile++
		}
	}
	if m := one.Await(t, "the large answer", answered); m.Error != nil || len(m.Result) < size {
		t.Errorf("the large answer is %v, of %d bytes", m.Error, len(m.Result))
	}
	if got := other.Evaluate(t, clicking, text("count")); got != fmt.Sprintf("%q", fmt.Sprint(clicks)) {
		t.Errorf("the page has counted %s clicks of %d", got, clicks)
	}
	if meanwhile < 6 { // without chunks it is 3
		t.Errorf("%d clicks were answered while the large answer was under way, want 6 and more", meanwhile)
	}
	t.Logf("%d clicks, %d of them while the large answer was under way", clicks, meanwhile)
}
