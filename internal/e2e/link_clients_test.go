package e2e

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestClientsClickByABadNetwork has Playwright, Puppeteer and agent-browser click by way of
// `cdphub connect`, while its network fails every 5 s: the page of each counts as many clicks
// as it has sent. They have a page each, since a page has one mouse: of two Clients that press
// its button at once, one makes no click.
func TestClientsClickByABadNetwork(t *testing.T) {
	onlyHub(t)
	if !harness.LongFaults() {
		t.Skip("make test-clients runs it")
	}
	for _, client := range []string{"Playwright", "Puppeteer", "agent-browser"} {
		t.Run(client, func(t *testing.T) {
			t.Parallel()
			faults, long := harness.FaultsOf(t)
			click := clickByNode
			if client == "agent-browser" {
				// It gives up a command after 30 s, which no option changes (0.41), and one
				// may meet two outages.
				faults.Longest, click = 10*time.Second, clickByAgentBrowser
			}
			e := newEndpoint(t)
			n := harness.NewNetwork(t, e.hub.clientAddr)
			e.port = harness.Connect(t, n)
			stop := n.Fail(faults)
			clicks := click(t, client, e, long)
			stop()
			e.site.expect(t, appPage, text("count"), fmt.Sprintf("%q", strconv.Itoa(clicks)))
			t.Logf("%d clicks, %d cuts of up to %v", clicks, n.Cuts(), faults.Longest)
			if n.Cuts() < int(long/(faults.Every+faults.Longest)) || clicks < 10 {
				t.Errorf("%d clicks and %d cuts are too few", clicks, n.Cuts())
			}
		})
	}
}

// clickByNode runs clients/node/faults.mjs, and returns how often it has clicked.
func clickByNode(t *testing.T, client string, e *endpoint, long time.Duration) (clicks int) {
	t.Helper()
	dir := filepath.Join("clients", "node")
	harness.NodeModules(t, dir)
	cmd := exec.CommandContext(t.Context(), "node", "faults.mjs")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CLIENT="+client, "ENDPOINT=http://127.0.0.1:"+e.port,
		fmt.Sprint("LONG=", long.Milliseconds()), fmt.Sprint("PATIENCE=", harness.Patience.Milliseconds()))
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err == nil {
		clicks, err = strconv.Atoi(strings.TrimSpace(string(out)))
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, errors.String())
	}
	return clicks
}

// clickByAgentBrowser returns how often it has clicked.
func clickByAgentBrowser(t *testing.T, _ string, e *endpoint, long time.Duration) (clicks int) {
	t.Helper()
	c := newClient(t, e)
	c.port = "ws://127.0.0.1:" + e.port + "/devtools/browser"
	for end := time.Now().Add(long); time.Now().Before(end); clicks++ {
		if out, err := c.run("click", "#plus"); err != nil {
			t.Fatalf("after %d clicks: %v\n%s", clicks, err, out)
		}
	}
	return clicks
}
