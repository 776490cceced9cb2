// Package actionstest gives tests of package actions and its adapters a real Chromium
// to act in:
//
//	chromium, err := actionstest.Start(path)
//	defer chromium.Close()
//	b, err := actions.Open(ctx, chromium.Join, actions.Options{})
package actionstest

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/remote"
)

// Chromium is a headless browser with a profile of its own.
type Chromium struct {
	url     string // of its DevTools WebSocket
	profile string
	cmd     *exec.Cmd
}

// starting is how long the browser may take to start. It is long, since the machine
// of the tests may be busy.
const starting = time.Minute

// Start runs the Chromium or headless shell at path until Close.
func Start(path string) (*Chromium, error) {
	profile, err := os.MkdirTemp("", "actionstest")
	if err != nil {
		return nil, err
	}
	c := &Chromium{profile: profile}
	c.cmd = exec.Command(
		path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--window-size=1000,700",
		"--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost", // nothing beyond this machine
		"--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank",
	)
	c.cmd.Env = append(os.Environ(), "TMPDIR="+profile)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its helpers die with it
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	for end := time.Now().Add(starting); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		// Chromium writes the port and the path of its WebSocket into this file when
		// it listens.
		text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
		if port, path, ok := strings.Cut(strings.TrimSpace(string(text)), "\n"); err == nil && ok {
			c.url = "ws://127.0.0.1:" + port + path
			return c, nil
		}
	}
	c.Close()
	return nil, errors.New("chromium has not said where it listens")
}

// Close ends the browser.
func (c *Chromium) Close() {
	// A negative number means the process group (kill(2)).
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	_ = c.cmd.Wait()
	for i := 0; os.RemoveAll(c.profile) != nil && i < 50; i++ { // a helper may still be writing
		time.Sleep(20 * time.Millisecond)
	}
}

// Join connects to the browser. It is an actions.Join.
func (c *Chromium) Join(event actions.EventFunc) (actions.Client, error) {
	return remote.Join(c.url, nil)(event)
}
