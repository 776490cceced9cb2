package e2e

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// scratch is the folder of everything the run leaves behind.
var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// throughHub says whether the clients speak to the hub.
func throughHub() bool { return harness.ThroughHub() }

// onlyHub passes over a test of something that Chromium itself has no notion of.
func onlyHub(t *testing.T) {
	t.Helper()
	if !throughHub() {
		t.Skip("about Host pages, which -target=chromium does without")
	}
}

// lookUp finds a program by the variable that names it, or under the first of
// the names that exists.
func lookUp(variable string, names ...string) (string, error) {
	return harness.LookUp(variable, names...)
}

// cdphub builds the program once and returns its path.
func cdphub() (string, error) { return harness.CDPHub() }

// agentBrowser returns the path of agent-browser, after installing it by the lock
// file if that has not been done.
var agentBrowser = sync.OnceValues(func() (string, error) {
	local := filepath.Join("node_modules", ".bin", "agent-browser")
	path, err := lookUp("AGENT_BROWSER", local)
	if err == nil || os.Getenv("AGENT_BROWSER") != "" {
		return path, err
	}
	if err := harness.InstallNode("."); err != nil {
		return "", err
	}
	return lookUp("AGENT_BROWSER", local)
})

// eventually polls until done returns nil, and fails the test with what it
// returned last.
func eventually(t *testing.T, limit time.Duration, done func() error) {
	t.Helper()
	harness.Eventually(t, limit, done)
}
