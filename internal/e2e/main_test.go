package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

var target = flag.String("target", "hub", "what the clients drive: hub, or chromium itself")

// scratch is the folder of everything the run leaves behind; TestMain removes it.
var scratch string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	if *target != "hub" && *target != "chromium" {
		fmt.Fprintf(os.Stderr, "-target=%s: want hub or chromium\n", *target)
		return 2
	}
	var err error
	// Not t.TempDir: agent-browser puts Unix sockets below it, whose paths are short.
	if scratch, err = os.MkdirTemp("", "cdphub-e2e"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(scratch)
	return m.Run()
}

// throughHub says whether the clients speak to the hub.
func throughHub() bool { return *target == "hub" }

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
	if path := os.Getenv(variable); path != "" {
		names = []string{path}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", fmt.Errorf("none of %q is there; %s may name one", names, variable)
}

// cdphub builds the program once and returns its path.
var cdphub = sync.OnceValues(func() (string, error) {
	path := filepath.Join(scratch, "cdphub")
	build := exec.Command("go", "build", "-o", path, "./cmd/cdphub")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
})

// agentBrowser returns the path of agent-browser, after installing it by the lock
// file if that has not been done.
var agentBrowser = sync.OnceValues(func() (string, error) {
	local := filepath.Join("node_modules", ".bin", "agent-browser")
	path, err := lookUp("AGENT_BROWSER", local)
	if err == nil || os.Getenv("AGENT_BROWSER") != "" {
		return path, err
	}
	if out, err := exec.Command("npm", "ci").CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return lookUp("AGENT_BROWSER", local)
})

// eventually polls until done returns nil, and fails the test with what it
// returned last.
func eventually(t *testing.T, limit time.Duration, done func() error) {
	t.Helper()
	deadline := time.Now().Add(limit)
	for {
		err := done()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
