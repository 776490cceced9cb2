package relay

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Host may lose its connection and come back, and so may find another in
// its place; the Directory decides between Hosts that come at once.

// directoryTimeout is how long the Directory may take to answer.
const directoryTimeout = 5 * time.Second

// errOvertaken refuses a Host that a newer one has overtaken on its way in.
var errOvertaken = errors.New("replaced by a newer host")

// claim asks the Directory for the hub, and begins a generation of Host. The
// claim of the generation before is lost by that: whoever calls must see to it,
// and count claiming down.
func (h *Hub) claim() (*hostEvents, error) {
	h.mu.Lock()
	h.claiming++
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
	defer cancel()
	claim, err := h.opts.Nodes.Claim(ctx, h.opts.Name)
	if err != nil {
		return nil, err
	}
	return &hostEvents{hub: h, claim: claim, over: make(chan struct{})}, nil
}

// watch ends the generation's Host once the hub's Host is elsewhere.
func (e *hostEvents) watch() {
	select {
	case <-e.over:
	case <-e.claim.Lost():
		e.hub.mu.Lock()
		defer e.hub.mu.Unlock()
		e.hub.checkClaimLocked()
	}
}

// checkClaimLocked ends the Host, or what waits for it, whose claim is lost:
// the hub's Host is elsewhere. While a newer one comes in here that decides what
// becomes of it, since it may be the same.
func (h *Hub) checkClaimLocked() {
	e := h.events
	if h.away != nil {
		e = h.away.events
	}
	if e == nil || h.claiming > 0 {
		return
	}
	select {
	case <-e.claim.Lost():
		h.clearHostLocked(false)
		h.hostID = ""
	default:
	}
}

// end is called once the generation is over.
func (e *hostEvents) end() {
	close(e.over)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
		defer cancel()
		e.claim.Release(ctx) //nolint:errcheck // a claim that cannot be released expires
	}()
}

// HostGone implements bridge.Events.
func (e *hostEvents) HostGone(mayReturn bool) {
	if !e.lock() {
		return
	}
	h := e.hub
	defer h.mu.Unlock()
	h.host, h.events = nil, nil
	h.scripts.clear()
	if mayReturn && h.hostID != "" {
		h.log.Info("host away", zap.Duration("grace", h.opts.Grace))
		h.awaitLocked(e)
		return
	}
	h.log.Info("host disconnected")
	e.end()
	h.endHostLocked()
}

// absence is the time until a Host comes back.
type absence struct {
	events *hostEvents // of the Host that is away: the hub is still this node's
	timer  *time.Timer
}

// awaitLocked keeps what the Host had until it comes back or the time is up.
// What was in flight is lost: it may or may not have been carried out.
func (h *Hub) awaitLocked(e *hostEvents) {
	h.failEveryLocked(errHostGone)
	away := &absence{events: e}
	away.timer = time.AfterFunc(h.opts.Grace, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.away == away {
			h.log.Info("host did not come back")
			h.endHostLocked()
		}
	})
	h.away = away
}

func (h *Hub) stopWaitingLocked() {
	if h.away != nil {
		h.away.timer.Stop()
		h.away.events.end()
		h.away = nil
	}
}

// endHostLocked forgets a Host that has gone for good.
func (h *Hub) endHostLocked() {
	h.stopWaitingLocked()
	h.hostID, h.version = "", bridge.Version{}
	h.dropTargetsLocked(errHostGone)
}

// resumeLocked goes on with the Targets that the Host still has, and tells it
// of their sessions.
func (h *Hub) resumeLocked(list []targets.Info) {
	still := make(map[string]bool, len(list))
	for _, t := range list {
		still[t.ID] = true
	}
	kept := make(map[targets.Info]bool)
	for t := range h.targets.All() {
		if !still[t.ID] {
			h.goneLocked(t.ID, errTargetDestroyed)
			continue
		}
		kept[t] = true
		for _, s := range h.sessions.OfTarget(t.ID) {
			if s.Kind == session.Page {
				h.announceLocked(s)
			}
		}
	}
	h.adoptLocked(slices.DeleteFunc(list, func(t targets.Info) bool { return kept[t] }))
}

// takeovers slows down Hosts that take a hub from each other again and again.
type takeovers struct {
	times []time.Time // of those within takeoverWindow, oldest first
}

const (
	takeoverWindow = 10 * time.Second
	takeoverFirst  = 100 * time.Millisecond
	takeoverLast   = 5 * time.Second
)

// TakeoverWait is how long a Host must wait before it may connect: the n-th
// that would take the hub from another within 10 s waits 100 ms · 2^n, at most
// 5 s. Each call counts as one that will.
func (h *Hub) TakeoverWait() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.host == nil {
		return 0
	}
	return h.takeover.next(time.Now())
}

func (t *takeovers) next(now time.Time) time.Duration {
	t.times = slices.DeleteFunc(t.times, func(at time.Time) bool { return now.Sub(at) >= takeoverWindow })
	t.times = append(t.times, now)
	n := min(len(t.times), 6) // 6.4 s is beyond the longest
	if len(t.times) > 64 {
		t.times = t.times[1:]
	}
	return min(takeoverFirst<<n, takeoverLast)
}
