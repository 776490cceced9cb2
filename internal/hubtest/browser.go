package hubtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
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
	return serveHost(ctx, hub, fakeBrowser{}, bridge.Announcement{}, ready, func(bridge.Events) {})
}

// pageBrowser is a browser Host with one page. It lists that page, and answers all other
// commands with {}.
type pageBrowser struct {
	fakeBrowser
	page   targets.Info
	events bridge.Events
	known  chan struct{} // closed when events are known
}

// RunPageBrowser is RunFakeBrowser for a browser with one page, whose id is "of-" and the
// name of its hub.
func RunPageBrowser(ctx context.Context, hub bridge.Hub, ready func()) error {
	id := "of-" + hub.(interface{ Name() string }).Name()
	b := &pageBrowser{page: targets.Info{ID: id, Type: "page", Title: "title " + id, URL: "http://app/" + id}, known: make(chan struct{})}
	return serveHost(ctx, hub, b, bridge.Announcement{Targets: []targets.Info{b.page}}, ready, func(e bridge.Events) {
		b.events = e
		close(b.known)
	})
}

// Send implements bridge.Host. The answer comes from another goroutine, since the hub
// holds its lock.
func (b *pageBrowser) Send(c bridge.Command) error {
	page, err := json.Marshal(map[string]any{"targetId": b.page.ID, "type": "page", "title": b.page.Title, "url": b.page.URL, "attached": false})
	if err != nil {
		return err
	}
	result, event := "{}", ""
	switch c.Method {
	case "Target.getTargets":
		result = `{"targetInfos":[` + string(page) + `]}`
	case "Target.setDiscoverTargets":
		event = `{"targetInfo":` + string(page) + `}`
	}
	go func(call bridge.CallID, session string) {
		<-b.known
		if event != "" {
			b.events.SessionEvent(session, "Target.targetCreated", []byte(event))
		}
		b.events.Result(call, session, []byte(result), nil)
	}(c.Call, strings.Clone(c.SessionID))
	return nil
}

// serveHost keeps a Host at a hub until ctx ends.
func serveHost(ctx context.Context, hub bridge.Hub, h bridge.Host, a bridge.Announcement, ready func(), accepted func(bridge.Events)) error {
	e, err := hub.SetHost(h, a)
	if err != nil {
		return err
	}
	accepted(e)
	ready()
	<-ctx.Done()
	e.HostGone(false)
	return ctx.Err()
}
