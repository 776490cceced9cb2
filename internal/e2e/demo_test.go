package e2e

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
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

// TestDemoOpensTheDashboard runs `cdphub demo` for a user with a display: it opens the
// page of the apps, and the dashboard when they are paired.
func TestDemoOpensTheDashboard(t *testing.T) {
	onlyHub(t)
	path, err := cdphub()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	opened := filepath.Join(home, "opened")
	opener := fmt.Sprintf("#!/bin/sh\necho \"$1\" >> %q\n", opened)
	if err := os.WriteFile(filepath.Join(home, "xdg-open"), []byte(opener), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	cmd := exec.Command(path, "demo", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0")
	cmd.Env = append(os.Environ(), "HOME="+home, "DISPLAY=:99", "PATH="+home+string(filepath.ListSeparator)+os.Getenv("PATH"))
	harness.Start(t, cmd)
	addresses := func(n int) (list []string) {
		eventually(t, harness.Started, func() error {
			text, err := os.ReadFile(opened)
			if list = strings.Fields(string(text)); len(list) < n {
				return errors.Join(err, fmt.Errorf("it opened %q, want %d pages", list, n))
			}
			return nil
		})
		return list
	}
	harness.StartBrowser(t, addresses(1)[0], false)
	dashboard := addresses(2)[1]
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, dashboard, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	page, err := io.ReadAll(res.Body)
	if err != nil || !strings.Contains(string(page), `src="/ui/app.js"`) {
		t.Errorf("%s is no dashboard: %s, %v", dashboard, page, err)
	}
}
