package server

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// testBrowser is a real browser behind the hub "chromium". Its path is empty, which
// finds any browser, where no headless shell is to be had.
func testBrowser() *Browsers {
	shell, _ := browsertest.HeadlessShell()
	return browserAt(shell)
}

// browserAt is the browser at path, behind the hub "chromium".
func browserAt(path string) *Browsers {
	return &Browsers{Chrome: chrome.Options{Path: path, NoSandbox: os.Geteuid() == 0}, Hubs: []string{"chromium"}, Max: 1, Idle: time.Minute}
}

// usersBrowser is a browser behind another server, as a person has one: the browser of a
// hub may not open what the hub's own server serves.
func usersBrowser(t *testing.T) started {
	t.Helper()
	return start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
}

func works() error { return nil }

// fakeBrowsers are fake ones behind these hubs, unless fail says that there are
// none to be had.
func fakeBrowsers(fail func() error, hubs ...string) *Browsers {
	return &Browsers{Hubs: hubs, Max: 2, Idle: time.Minute, Run: func(ctx context.Context, hub bridge.Hub, ready func()) error {
		if err := fail(); err != nil {
			return err
		}
		return hubtest.RunFakeBrowser(ctx, hub, ready)
	}}
}
