package server

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/browsers"
)

// testBrowser is a real Chromium behind the hub "chromium".
func testBrowser() *browsers.Options {
	return &browsers.Options{Chrome: chrome.Options{NoSandbox: os.Geteuid() == 0}, Hubs: []string{"chromium"}, Max: 1, Idle: time.Minute}
}

// fakeBrowser is a Host that is there and does nothing.
type fakeBrowser struct{}

func (fakeBrowser) Send(bridge.Command) error  { return errors.New("never") }
func (fakeBrowser) Release(string, string)     {}
func (fakeBrowser) Close(bridge.Reason)        {}
func (fakeBrowser) Attached(bridge.Attachment) {}

func works() error { return nil }

// fakeBrowsers are fake ones behind these hubs, unless fail says that there are
// none to be had.
func fakeBrowsers(fail func() error, hubs ...string) *browsers.Options {
	return &browsers.Options{Hubs: hubs, Max: 2, Idle: time.Minute, Run: func(ctx context.Context, hub bridge.Hub, ready func()) error {
		if err := fail(); err != nil {
			return err
		}
		e, err := hub.SetHost(fakeBrowser{}, bridge.Announcement{Browser: true})
		if err != nil {
			return err
		}
		ready()
		<-ctx.Done()
		e.HostGone(false)
		return ctx.Err()
	}}
}
