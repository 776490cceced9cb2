package clients

import (
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestPuppeteerByABadNetwork runs the checks of TestPuppeteer by way of `cdphub
// connect`, while its network fails every 5 s.
func TestPuppeteerByABadNetwork(t *testing.T) {
	if !harness.ThroughHub() {
		t.Skip("connect leads to a hub")
	}
	e := newEndpoint(t)
	harness.WithFaults(t, e.Hub.ClientAddr, func(port string) {
		e.Port = port
		runNode(t, "Puppeteer", "puppeteer", e)
	})
}
