package relay

import (
	"slices"
	"time"

	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Host may lose its connection and connect again. Another Host may have taken its
// slot meanwhile: of several, the one that came last counts.

// disconnection is the grace period in which a lost Host may come back.
type disconnection struct {
	timer *time.Timer
}

// awaitLocked keeps the Targets and sessions of a lost Host until it comes back or
// the grace period ends. Commands in flight fail: they may or may not have been
// carried out.
func (s *side) awaitLocked() {
	h := s.hub
	lost := new(disconnection)
	s.host, s.connection, s.lifecycle = nil, nil, nil
	s.failAllLocked(errHostGone)
	s.endWorkersLocked()
	lost.timer = time.AfterFunc(h.opts.Grace, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.disconnected == lost {
			h.log.Info("host did not come back")
			s.endLocked(errHostGone)
		}
	})
	s.disconnected = lost
}

// endWorkersLocked ends the sessions that the Host has minted. A Host that comes back
// mints others. Their ids were the Host's, and nothing tells which of the new ones would be
// which.
func (s *side) endWorkersLocked() {
	for c := range s.hub.clients {
		for on := range c.sessions {
			if on.Kind == session.Worker && sideOf(on) == s {
				s.hub.endSessionLocked(on, errHostGone)
			}
		}
	}
}

// stopWaitingLocked ends the grace period. A timer that has fired already finds another
// disconnection, or none.
func (s *side) stopWaitingLocked() {
	if s.disconnected != nil {
		s.disconnected.timer.Stop()
		s.disconnected = nil
	}
}

// resumeLocked goes on with the Targets that the Host still has, and tells it
// of their sessions. Target by Target: what the Host no longer has ends, what has changed
// is updated, and what is new is announced. So Clients keep their sessions across a
// reconnect.
func (s *side) resumeLocked(list []targets.Info) {
	still := make(map[string]bool, len(list))
	for _, t := range list {
		still[t.ID] = true
	}
	// Targets whose info has not changed in any member need no event.
	kept := make(map[targets.Info]bool)
	for t := range s.targets.All() {
		if !still[t.ID] {
			s.goneLocked(t.ID, errTargetDestroyed)
			continue
		}
		kept[t] = true
		for _, on := range s.sessions.ofTarget(t.ID) {
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

// replacements delays Hosts that keep replacing each other, with exponential
// backoff.
type replacements struct {
	times []time.Time `stays:"those within 10 s, few"` // of the replacements within replacedWithin, oldest first
}

// The numbers of ReconnectDelay. Two Hosts that connect again at once when they are
// replaced would otherwise end each other's sessions all the time.
const (
	replacedWithin = 10 * time.Second
	delayUnit      = 100 * time.Millisecond
	longestDelay   = 5 * time.Second

	mostReplacements = 64 // that are remembered
)

// ReconnectDelay is how long a Host must wait before it may connect. The first Host that
// would replace another need not wait: most often it is the same one, whose connection was
// lost and not closed. The n-th within 10 s waits 100 ms · 2^(n-1), at most 5 s. Each call
// counts as a Host that will connect to the slot "". The other slots are for Hosts that do
// not compete for a hub.
func (h Control) ReconnectDelay() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sides.inSlot(""); s == nil || s.host == nil {
		return 0
	}
	return h.replacements.delay(time.Now())
}

// delay counts one replacement, and returns how long it must wait.
func (r *replacements) delay(now time.Time) time.Duration {
	r.times = slices.DeleteFunc(r.times, func(at time.Time) bool { return now.Sub(at) >= replacedWithin })
	r.times = append(r.times, now)
	n := min(len(r.times)-1, 6) // 6.4 s is beyond the longest
	if len(r.times) > mostReplacements {
		r.times = r.times[1:]
	}
	if n == 0 {
		return 0
	}
	return min(delayUnit<<n, longestDelay)
}
