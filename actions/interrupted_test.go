package actions

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/waittest"
)

// heldPage is a fakePage that answers one of its commands only once the test allows it.
type heldPage struct {
	*fakePage
	goOn chan struct{}

	mu   sync.Mutex // guards everything below
	hold int        // the number of the command from now on; below 0 is none
	sent int        // commands from now on
	left int        // how often it was left
	last string     // the method of the command that is held
}

func (h *heldPage) Send(session, method string, params []byte) func(context.Context) ([]byte, error) {
	wait := h.fakePage.Send(session, method, params)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sent++; h.sent-1 != h.hold {
		return wait
	}
	h.last = method
	return func(ctx context.Context) ([]byte, error) {
		select {
		case <-h.goOn:
			return wait(ctx)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (h *heldPage) Leave() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left++
}

// holdFrom holds the command of that number from now on.
func (h *heldPage) holdFrom(n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hold, h.sent = n, 0
}

func (h *heldPage) commands() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sent
}

// actionInterruptions are what can happen to a call of an action; goesOn says that the page is
// there afterwards.
var actionInterruptions = map[string]struct {
	happens func(h *heldPage, b *Browser, cancel func())
	goesOn  bool
}{
	"caller gives up": {func(_ *heldPage, _ *Browser, cancel func()) { cancel() }, true},
	"document goes": {func(h *heldPage, _ *Browser, _ func()) {
		h.tell("S", "Page.frameNavigated", `{"frame":{"id":"F","loaderId":"L9","url":"https://a.example/c"}}`)
	}, true},
	"session ends": {func(h *heldPage, _ *Browser, _ func()) {
		h.tell("", "Target.detachedFromTarget", `{"sessionId":"S","targetId":"T"}`)
	}, true},
	"page goes":       {func(h *heldPage, _ *Browser, _ func()) { h.tell("", "Target.targetDestroyed", `{"targetId":"T"}`) }, false},
	"connection ends": {func(_ *heldPage, b *Browser, _ func()) { go b.Close() }, false},
}

// moreCalls wait for more than the page.
var moreCalls = []func(ctx context.Context, b *Browser, p *Page){
	func(ctx context.Context, b *Browser, _ *Page) { b.CreateContext(ctx); b.DestroyContext(ctx, "C") },
	func(ctx context.Context, _ *Browser, p *Page) { p.BeginHandoff(ctx, "x", 0); p.AwaitHandoff(ctx, "H") },
	func(ctx context.Context, _ *Browser, p *Page) {
		if cancel, err := p.Route(ctx, Route{Decide: func(context.Context, Request) RouteDecision { return RouteDecision{} }}); err == nil {
			cancel(context.Background())
		}
	},
	func(ctx context.Context, b *Browser, p *Page) { // makes a session of its own
		b.client.(*heldPage).tell("", "Target.detachedFromTarget", `{"sessionId":"S","targetId":"T"}`)
		b.settle(ctx)
		p.attach(ctx)
	},
	func(ctx context.Context, b *Browser, _ *Page) {
		h := b.client.(*heldPage)
		if other, err := Open(ctx, func(EventFunc) (Client, error) { return h, nil }, Options{}); err == nil {
			other.Close()
		}
		h.mu.Lock()
		h.left--
		h.mu.Unlock()
	},
}

// TestR287InterruptedActions interrupts each call of an action while the page answers its
// first, second, … command, by all that can happen meanwhile. The call ends, no lock is held,
// the next call goes on, and nothing is left of the connection when it ends.
func TestR287InterruptedActions(t *testing.T) {
	waits, names := make(map[string]bool), urlpolicy.NewResolver("MAP * 93.184.215.14") // no name server is asked
	for i, call := range slices.Concat(pageCalls, moreCalls) {
		for at, name := range slices.Sorted(maps.Keys(actionInterruptions)) {
			interruption := actionInterruptions[name]
			for n, more := 0, true; more; n++ {
				if name != "caller gives up" && (i+n)%len(actionInterruptions) != at {
					continue // each of these commands is interrupted by one of them
				}
				synctest.Test(t, func(t *testing.T) {
					h := &heldPage{fakePage: new(fakePage), goOn: make(chan struct{}), hold: -1}
					b, err := Open(t.Context(), func(event EventFunc) (Client, error) { h.event = event; return h, nil }, Options{Names: names})
					if err != nil {
						t.Fatal(err)
					}
					p, err := b.Page("")
					if err != nil {
						t.Fatal(err)
					}
					h.holdFrom(n)
					ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
					defer cancel()
					ended := make(chan struct{})
					go func() {
						call(ctx, b, p)
						close(ended)
					}()
					time.Sleep(attaching - time.Second) // the page answers its other commands
					more = h.commands() > n
					if interruption.goesOn {
						maps.Copy(waits, waittest.Waiting())
					}
					interruption.happens(h, b, cancel)
					synctest.Wait()
					if name == "caller gives up" {
						time.Sleep(2 * defaultTimeout) // what it has changed is changed back
						select {
						case <-ended:
						default:
							t.Errorf("call %d goes on without its caller: %s is not answered", i, h.last)
						}
					}
					close(h.goOn)
					time.Sleep(MaxTimeout)
					<-ended
					h.goesOn(t, b, p, interruption.goesOn)
					b.Close()
					if h.left != 1 || len(p.running) > 0 {
						t.Errorf("call %d, %s: the connection ended %d times, %d calls are left", i, h.last, h.left, len(p.running))
					}
				})
			}
		}
	}
	for _, function := range waitingActions {
		if !waits[function] {
			t.Errorf("%s was not interrupted", function)
		}
	}
}

// goesOn wants the locks of a page to be free, and the page to go on if it is there.
func (h *heldPage) goesOn(t *testing.T, b *Browser, p *Page, there bool) {
	t.Helper()
	if len(p.input)+len(p.join)+len(p.routes) > 0 {
		t.Errorf("%s: a lock of the page is held, or it has a route", h.last)
	}
	if !there {
		return
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := b.List(ctx); err != nil {
		t.Errorf("%s: afterwards the pages cannot be listed: %v", h.last, err)
	}
	if _, err := p.SnapshotYAML(ctx, YAMLOptions{}); err != nil && KindOf(err) != FrameNotFound && KindOf(err) != TargetClosed {
		t.Errorf("%s: afterwards the page cannot be read: %v", h.last, err)
	}
}

// waitingActions are the functions that act after a wait, and are interrupted.
var waitingActions = []string{
	"actions.Page.attach",
	"actions.Page.createSession",
	"actions.Browser.CreateContext",
	"actions.Browser.DestroyContext",
	"actions.Browser.List",
	"actions.Page.AwaitHandoff",
	"actions.Page.BeginHandoff",
	"actions.Page.Requests",
	"actions.Page.SetFrame",
	"actions.Page.runInput",
	"actions.Page.awaitState",
	"actions.Page.captureImage",
	"actions.Page.sendCommands",
	"actions.Page.enableDomain",
	"actions.Page.frameOffset",
	"actions.Page.listFrames",
	"actions.Page.runNavigation",
	"actions.Page.worldOf",
	"actions.queue.run",
}
