package hubtest

import (
	"context"
	"errors"

	"github.com/cdphub/cdphub/bridge"
)

// fakeBrowser is a browser Host that is there and does nothing.
type fakeBrowser struct{}

func (fakeBrowser) Send(bridge.Command) error           { return errors.New("never") }
func (fakeBrowser) Release(string, string)              {}
func (fakeBrowser) Close(bridge.Reason)                 {}
func (fakeBrowser) Slot() string                        { return bridge.BrowserSlot }
func (fakeBrowser) AttachedToBrowser(bridge.Attachment) {}

// RunFakeBrowser is for browsers.Options: it serves a browser that does nothing
// until ctx ends.
func RunFakeBrowser(ctx context.Context, hub bridge.Hub, ready func()) error {
	e, err := hub.SetHost(fakeBrowser{}, bridge.Announcement{})
	if err != nil {
		return err
	}
	ready()
	<-ctx.Done()
	e.HostGone(false)
	return ctx.Err()
}
