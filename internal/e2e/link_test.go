package e2e

import (
	"fmt"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestAgentBrowserByABadNetwork runs the steps of TestAgentBrowser by way of `cdphub
// connect`. It connects anew when an answer takes 3 s, and the new Client knows nothing of
// open dialogs: the network is away for less.
func TestAgentBrowserByABadNetwork(t *testing.T) {
	onlyHub(t)
	if !harness.LongFaults() {
		t.Skip("make test-clients runs it")
	}
	e := newEndpoint(t)
	n := harness.NewNetwork(t, e.hub.clientAddr)
	e.port = harness.Connect(t, n)
	faults, _ := harness.FaultsOf(t)
	faults.Longest = 1500 * time.Millisecond
	defer n.Fail(faults)()
	runSections(t, e)
	t.Logf("the network was cut %d times", n.Cuts())
}

// TestClicksByABadNetwork clicks by way of `cdphub connect` while its network fails every
// 5 s, for up to 20 s in a long run: the page counts as many clicks as were sent.
func TestClicksByABadNetwork(t *testing.T) {
	onlyHub(t)
	faults, long := harness.FaultsOf(t)
	e := newEndpoint(t)
	n := harness.NewNetwork(t, e.hub.clientAddr)
	port := harness.Connect(t, n)
	c := dialCDP(t, &endpoint{port: port})
	c.Patience = faults.Longest + harness.Soon
	session := c.Attach(t, "app-1")
	at := c.middleOf(t, session, "plus")
	defer n.Fail(faults)()
	clicks := 0
	for end := time.Now().Add(long); time.Now().Before(end); clicks++ {
		c.click(t, session, at)
		c.Forget()
	}
	if got := c.Evaluate(t, session, text("count")); got != fmt.Sprintf("%q", fmt.Sprint(clicks)) {
		t.Errorf("the page has counted %s clicks of %d", got, clicks)
	}
	t.Logf("%d clicks, %d cuts", clicks, n.Cuts())
	if n.Cuts() < int(long/(faults.Every+faults.Longest)) || clicks < 10 {
		t.Errorf("%d clicks and %d cuts are too few", clicks, n.Cuts())
	}
}
