package harness

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Browser is a headless browser with a profile of its own.
type Browser struct {
	profile string
	cmd     *exec.Cmd
	log     bytes.Buffer // read it only after Stop
}

// likeness is what makes one Chromium behave as the next, whoever starts it.
var likeness = []string{"--disable-gpu", "--disable-quic", "--disable-dev-shm-usage", "--window-size=1280,800"}

// chromiums are the names of Chromium.
var chromiums = []string{"chromium", "chromium-browser", "google-chrome", "chrome"}

// Chromium returns the path of Chromium, or of what the variable CHROMIUM names.
func Chromium() (string, error) { return LookUp("CHROMIUM", chromiums...) }

// HeadlessShell returns the path of Chromium's headless shell, which takes a third of
// the processor time, or of Chromium where there is no shell.
func HeadlessShell() (string, error) {
	return LookUp("CHROMIUM", append([]string{"chromium-headless-shell"}, chromiums...)...)
}

// browserFor returns the path of the headless shell. Benchmarks are about Chromium itself.
func browserFor(t testing.TB) (string, error) {
	if _, measures := t.(*testing.B); measures {
		return Chromium()
	}
	return HeadlessShell()
}

// StartBrowser opens url in a headless shell. With debugging it has a DevTools port,
// else no way in for a client at all. It has these further flags. It ends with the test
// at the latest.
func StartBrowser(t testing.TB, url string, debugging bool, flags ...string) *Browser {
	t.Helper()
	path, err := browserFor(t)
	if err != nil {
		t.Fatal(err)
	}
	return openBrowser(t, path, url, debugging, flags...)
}

// StartChromium is StartBrowser with a whole Chromium, for what the shell lacks: a
// process for each page, DevTools, extensions, tabs that are discarded.
func StartChromium(t testing.TB, url string, debugging bool, flags ...string) *Browser {
	t.Helper()
	path, err := Chromium()
	if err != nil {
		t.Fatal(err)
	}
	return openBrowser(t, path, url, debugging, flags...)
}

// openBrowser opens url in the browser at path.
func openBrowser(t testing.TB, path, url string, debugging bool, flags ...string) *Browser {
	t.Helper()
	profile, err := os.MkdirTemp(scratch, "profile")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{
		"--headless", "--no-sandbox", // the pages are the test's own, and root has no sandbox
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--disable-back-forward-cache", // a page taken from it fires no load event for the client to wait for
		"--user-data-dir=" + profile,
	}, slices.Concat(likeness, flags)...)
	if debugging {
		args = append(args, "--remote-debugging-port=0")
	}
	cmd := exec.Command(path, append(args, url)...)
	cmd.Env = os.Environ()
	return startBrowser(t, profile, cmd)
}

// startBrowser runs a browser until the test ends.
func startBrowser(t testing.TB, profile string, cmd *exec.Cmd) *Browser {
	t.Helper()
	b := &Browser{profile: profile, cmd: cmd}
	b.cmd.Stdout, b.cmd.Stderr = &b.log, &b.log
	b.cmd.Env = append(b.cmd.Env, "TMPDIR="+profile) // killed, it leaves its temporary folders behind
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	b.cmd.WaitDelay = 5 * time.Second
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		b.Stop()
		if t.Failed() {
			t.Logf("The browser said:\n%s", b.said())
		}
	})
	return b
}

// said is the browser's log without Chromium's complaints about the lack of a D-Bus.
func (b *Browser) said() string {
	var lines []string
	for line := range strings.Lines(b.log.String()) {
		if !strings.Contains(line, "dbus/") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "")
}

// Stop kills the browser with all its processes.
func (b *Browser) Stop() {
	if b.cmd.ProcessState != nil {
		return
	}
	_ = syscall.Kill(-b.cmd.Process.Pid, syscall.SIGKILL)
	_ = b.cmd.Wait()
}

// Port returns the DevTools port, which Chromium writes into its profile.
func (b *Browser) Port(t testing.TB) string {
	t.Helper()
	var port string
	Eventually(t, Started, func() error {
		text, err := os.ReadFile(filepath.Join(b.profile, "DevToolsActivePort"))
		if err != nil {
			return err
		}
		port, _, _ = strings.Cut(string(text), "\n")
		if _, err := net.LookupPort("tcp", port); err != nil || port == "" {
			return fmt.Errorf("DevToolsActivePort says %q", text)
		}
		return nil
	})
	return port
}
