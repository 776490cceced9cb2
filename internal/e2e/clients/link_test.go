package clients

import (
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestPuppeteerByABadNetwork runs the checks of TestPuppeteer by way of `cdphub
// connect`, while its network fails every 5 s.
func TestPuppeteerByABadNetwork(t *testing.T) {
	if !harness.ThroughHub() {
		t.Skip("connect leads to a hub")
	}
	e := newEndpoint(t)
	n := harness.NewNetwork(t, e.Hub.ClientAddr)
	e.Port = harness.Connect(t, n)
	defer n.Fail(harness.Faults{Every: 5 * time.Second, Shortest: 100 * time.Millisecond, Longest: 3 * time.Second})()
	runNode(t, "Puppeteer", "puppeteer", e)
	t.Logf("the network was cut %d times", n.Cuts())
}
