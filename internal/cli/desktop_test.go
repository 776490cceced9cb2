//go:build unix

package cli

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestDefaultBrowserOutlivesHub has an xdg-open that runs for as long as the browser
// that it has started, as the real one does.
func TestDefaultBrowserOutlivesHub(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":99")
	said := filepath.Join(dir, "said")
	script := "#!/bin/sh\necho $$ $1 > " + said + ".new && mv " + said + ".new " + said + "\nexec sleep 60\n"
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	defer end()
	window, err := desktop{log: zap.NewNop()}.open(ctx, "http://127.0.0.1:9223/shell")
	if err != nil {
		t.Fatal(err)
	}
	end()
	window.Close()
	var text []byte
	hubtest.Eventually(t, "xdg-open runs", func() bool {
		text, err = os.ReadFile(said)
		return err == nil
	})
	number, page, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	pid, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Kill(pid, syscall.SIGKILL)
	if page != "http://127.0.0.1:9223/shell" {
		t.Errorf("it was given the page %q", page)
	}
	if session, err := syscall.Getpgid(pid); err != nil || session != pid {
		t.Errorf("the browser is in the process group %d, %v; want one of its own, %d", session, err, pid)
	}
}

// TestDefaultBrowserFails has an xdg-open that finds no browser.
func TestDefaultBrowserFails(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("DISPLAY", ":99")
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte("#!/bin/sh\nexit 3\n"), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	if _, err := (desktop{log: zap.NewNop()}).open(t.Context(), "http://127.0.0.1:9223/shell"); err == nil || !strings.Contains(err.Error(), "--headless") {
		t.Errorf("%v, want advice", err)
	}
}
