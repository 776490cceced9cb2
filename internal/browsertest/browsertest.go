// Package browsertest lends browsers to tests:
//
//	func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }
//
//	profile := browsertest.Borrow(t) // for chrome.Options.URL
//
// A start of a browser takes about a second of processor time, so a test binary
// starts as many browsers as it has tests at a time, not one for each test.
//
// A browser has one borrower at a time. When its test ends, the browser is
// cleared: all pages and browser contexts are closed, and cookies and
// permissions are removed. What is kept by origin needs no clearing, since each
// test serves its pages on a port of its own. The browser of a test that failed
// is not lent again.
package browsertest

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// startTimeout is how long a browser may take to start. The machine may be busy.
const startTimeout = time.Minute

// browser is one headless shell.
type browser struct {
	profile string
	window  *chrome.Window
}

var (
	mu   sync.Mutex // guards idle
	idle []*browser
)

// Main runs the tests and then ends the browsers. TestMain passes its result to
// os.Exit.
func Main(m *testing.M) (status int) {
	status = m.Run()
	// No lock is needed: all tests have ended.
	for _, b := range idle {
		b.close()
	}
	return status
}

// SkipShort leaves out a test that starts a browser, in the quick gate (go test -short).
func SkipShort(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts a browser")
	}
}

// Borrow returns the profile folder of a running headless shell, for
// chrome.Options.URL, until the test ends. The browser has one blank page.
func Borrow(t testing.TB) (profile string) {
	t.Helper()
	SkipShort(t)
	b := takeIdle()
	if b == nil {
		var err error
		if b, err = startBrowser(); err != nil {
			t.Fatalf("start a browser to lend: %v", err)
		}
	}
	t.Cleanup(func() {
		if !t.Failed() {
			err := b.clear()
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				idle = append(idle, b)
				return
			}
			t.Logf("this browser is not lent again: %v", err)
		}
		b.close()
	})
	return b.profile
}

func takeIdle() *browser {
	mu.Lock()
	defer mu.Unlock()
	if len(idle) == 0 {
		return nil
	}
	b := idle[len(idle)-1]
	idle = idle[:len(idle)-1]
	return b
}

// startBrowser starts a browser that listens on a port, with the arguments of the
// browsers that a hub starts.
func startBrowser() (*browser, error) {
	policy, err := urlpolicy.New(urlpolicy.Options{}) // no page reaches a metadata service
	if err != nil {
		return nil, err
	}
	path, err := HeadlessShell()
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		return nil, err
	}
	b := &browser{profile: profile}
	o := chrome.Options{Path: path, Profile: profile, NoSandbox: os.Geteuid() == 0, Network: policy, Args: []string{"--remote-debugging-port=0"}}
	if b.window, err = chrome.Show(o, "about:blank"); err != nil {
		os.RemoveAll(profile)
		return nil, err
	}
	port := filepath.Join(profile, "DevToolsActivePort")
	for end := time.Now().Add(startTimeout); ; time.Sleep(20 * time.Millisecond) {
		// Chromium writes the port and then the path: see endpointIn of bridge/chrome.
		if _, err = readEndpoint(port); err == nil {
			return b, nil
		}
		if time.Now().After(end) {
			b.close()
			return nil, err
		}
	}
}

func (b *browser) close() {
	b.window.Close()
	os.RemoveAll(b.profile)
}
