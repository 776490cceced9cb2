package relay

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// A browser that has crashed is started again, which takes a second or two. Until
// then the hub keeps the commands that only a browser can carry out.

// browserPatience is how long a command waits for a browser until it is refused. A command that
// finds no room (quota.Parked) is refused at once, with the advice to try again.
const browserPatience = 10 * time.Second

// awaited is what waits for the browser of a hub. Hub.mu guards it.
type awaited struct {
	expected int             `held:"browsers expected"` // those who see to it that there is a browser
	ended    bool            // there was one, and no other is on its way
	came     chan struct{}   `stays:"one signal for all waiters"` // closed when a Host comes, or none will; nil while nobody waits
	parked   waitingCommands `held:"parked commands"`
}

// ExpectBrowser says that somebody keeps a browser at the hub, until over is
// called: while there is none, it is being started. over must be called exactly once.
func (h Control) ExpectBrowser() (over func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.awaited.expected++
	h.awaited.ended = false
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.awaited.expected--; h.awaited.expected == 0 {
			h.awaited.ended = true
			h.arrivedLocked()
			h.awaited.parked.resume()
		}
	}
}

// AwaitBrowser waits for a browser that is being started, for 10 s at most. Its
// error says to callers what is the case. It returns nil, too, when no browser is expected
// any more: the next command then gets the refusal that fits. The hub's lock must not be
// held.
func (h Control) AwaitBrowser(ctx context.Context) error {
	patience := time.NewTimer(browserPatience)
	defer patience.Stop()
	for {
		h.mu.Lock()
		if !h.browserComesLocked() {
			h.mu.Unlock()
			return nil
		}
		if h.awaited.came == nil {
			h.awaited.came = make(chan struct{})
		}
		came := h.awaited.came
		h.mu.Unlock()
		select {
		case <-came:
		case <-patience.C:
			return advice.Restarting
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// browserComesLocked reports whether a browser is being started.
func (h *Hub) browserComesLocked() bool { return h.awaited.expected > 0 && h.sides.browser() == nil }

// arrivedLocked wakes the goroutines in AwaitBrowser, which check again. It serves the
// parked commands if there is a browser now or none will come.
func (h *Hub) arrivedLocked() {
	if h.awaited.came != nil {
		close(h.awaited.came)
		h.awaited.came = nil
	}
	if !h.browserComesLocked() {
		h.awaited.parked.resume()
	}
}

// parkLocked keeps a command that needs the browser which is being started, and
// reports whether it did. The hub serves it when the browser is there, before what the
// Client sends then. It keeps only what the emulated browser level cannot answer: a command
// inside a session on a Target has its Host, or has lost it for good.
func (h *Hub) parkLocked(r *request, m method) bool {
	switch {
	case !h.browserComesLocked() || !r.isMethod || h.draining,
		!m.real && m.browser != nil, // the hub can answer it
		r.session != nil && (r.session.Kind != session.Browser || r.session.side != nil):
		return false
	}
	// A Target of a Host page needs no browser.
	if r.args.hasTargetID {
		if _, emulated := h.find(r.args.targetID); emulated {
			return false
		}
	}
	refusal := func() *wire.Error { return wire.ServerError(advice.Restarting.String()) }
	return h.awaited.parked.keep(r, h.pools.parked, browserPatience, refusal)
}
