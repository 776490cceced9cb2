package relay

import (
	"context"
	"slices"
	"time"

	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Host may lose its connection and come back, and so may find another in
// its place; the Directory decides between Hosts that come at once.

// directoryTimeout is how long the Directory may take to answer.
const directoryTimeout = 5 * time.Second

// claim asks the Directory for a slot of the hub, for a generation of Host. The
// claim of the generation before is lost by that: the caller must look after it
// with checkClaimsLocked, and count claiming down.
func (h *Hub) claim(g *generation, slot string) (err error) {
	h.mu.Lock()
	h.claiming++
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
	defer cancel()
	name := h.opts.Name
	if slot != "" {
		name += "/" + slot // no hub has such a name
	}
	g.claim, err = h.opts.Nodes.Claim(ctx, name)
	return err
}

// watch ends the generation's Host once the Host of its slot is elsewhere.
func (g *generation) watch() {
	select {
	case <-g.over:
	case <-g.claim.Lost():
		g.hub.mu.Lock()
		defer g.hub.mu.Unlock()
		g.hub.checkClaimsLocked()
	}
}

// checkClaimsLocked ends each Host, connected or away, whose claim is lost: the
// Host of its slot is elsewhere. While a newer Host comes in here, that one
// decides what becomes of it, since it may be the same.
func (h *Hub) checkClaimsLocked() {
	if h.claiming > 0 {
		return
	}
	for _, s := range slices.Clone(h.emulatedLocked()) {
		g := s.generation
		if s.away != nil {
			g = s.away.generation
		}
		select {
		case <-g.claim.Lost():
			s.makeRoomLocked(false)
		default:
		}
	}
}

// end is called once the generation is over.
func (g *generation) end() {
	close(g.over)
	if g.claim == nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
		defer cancel()
		g.claim.Release(ctx) //nolint:errcheck // a claim that cannot be released expires
	}()
}

// absence is the time until a Host comes back.
type absence struct {
	generation *generation // of the Host that is away: the slot is still this node's
	timer      *time.Timer
}

// awaitLocked keeps what the Host had until it comes back or the time is up.
// What was in flight is lost: it may or may not have been carried out.
func (s *side) awaitLocked() {
	h := s.hub
	away := &absence{generation: s.generation}
	s.host, s.generation, s.lifecycle = nil, nil, nil
	s.failAllLocked(errHostGone)
	away.timer = time.AfterFunc(h.opts.Grace, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.away == away {
			h.log.Info("host did not come back")
			s.endLocked(errHostGone)
		}
	})
	s.away = away
}

func (s *side) stopWaitingLocked() {
	if s.away != nil {
		s.away.timer.Stop()
		s.away.generation.end()
		s.away = nil
	}
}

// resumeLocked goes on with the Targets that the Host still has, and tells it
// of their sessions.
func (s *side) resumeLocked(list []targets.Info) {
	still := make(map[string]bool, len(list))
	for _, t := range list {
		still[t.ID] = true
	}
	kept := make(map[targets.Info]bool)
	for t := range s.targets.All() {
		if !still[t.ID] {
			s.goneLocked(t.ID, errTargetDestroyed)
			continue
		}
		kept[t] = true
		for _, on := range s.sessions.OfTarget(t.ID) {
			if on.Kind == session.Page {
				s.announceLocked(on)
			}
		}
	}
	for _, t := range list {
		if !kept[t] {
			s.createdLocked(t)
		}
	}
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
	if s := h.inSlotLocked(""); s == nil || s.host == nil {
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
