package e2e

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestDemoDrivesItself runs `cdphub demo --drive`, which ends well only when each of
// its steps printed what it should.
func TestDemoDrivesItself(t *testing.T) {
	onlyHub(t)
	path, err := cdphub()
	if err != nil {
		t.Fatal(err)
	}
	tool, err := agentBrowser()
	if err != nil {
		t.Fatal(err)
	}
	home, err := os.MkdirTemp(scratch, "demo")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "demo", "--drive", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0", "--agent-browser", tool)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_RUNTIME_DIR="+home)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{`textbox "Full name"`, "Welcome, Ada Lovelace!", "Order 200 is on its way", "all as expected"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it never printed %q:\n%s", want, out)
		}
	}
}
