package relay

import (
	"context"
	"slices"
	"time"

	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Host may lose its connection and connect again. Another Host may have taken its
// slot meanwhile, here or at another node. The Directory gives each connection a
// lease of its slot; of several, the newest counts.

// directoryTimeout is how long the Directory may take to answer.
const directoryTimeout = 5 * time.Second

// acquireLease asks the Directory for the lease of a slot. The connection that had
// it before loses it. beginConnecting must come before, and the caller must call
// checkLeasesLocked, and count connecting down.
func (h *Hub) acquireLease(hc *connection, slot string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
	defer cancel()
	name := h.opts.Name
	if slot != "" {
		name += "/" + slot // no hub has such a name
	}
	hc.lease, err = h.opts.Nodes.Claim(ctx, name)
	return err
}

// watch ends the connection once its lease is lost.
func (hc *connection) watch() {
	select {
	case <-hc.over:
	case <-hc.lease.Lost():
		hc.hub.mu.Lock()
		defer hc.hub.mu.Unlock()
		hc.hub.checkLeasesLocked()
	}
}

// checkLeasesLocked ends each side whose lease is lost: the Host of its slot is at
// another node. While a Host connects here, SetHost decides instead, since it may
// be the same Host.
func (h *Hub) checkLeasesLocked() {
	if h.connecting > 0 {
		return
	}
	for _, s := range slices.Clone(h.emulatedLocked()) {
		hc := s.connection
		if s.disconnected != nil {
			hc = s.disconnected.connection
		}
		select {
		case <-hc.lease.Lost():
			s.makeRoomLocked(false)
		default:
		}
	}
}

// end gives the lease back, once the connection has ended.
func (hc *connection) end() {
	close(hc.over)
	if hc.lease == nil {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), directoryTimeout)
		defer cancel()
		hc.lease.Release(ctx) //nolint:errcheck // a lease that cannot be given back expires
	}()
}

// disconnection is the grace period in which a lost Host may come back.
type disconnection struct {
	connection *connection // the lost one: it keeps its lease
	timer      *time.Timer
}

// awaitLocked keeps the Targets and sessions of a lost Host until it comes back or
// the grace period ends. Commands in flight fail: they may or may not have been
// carried out.
func (s *side) awaitLocked() {
	h := s.hub
	lost := &disconnection{connection: s.connection}
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
// mints others.
func (s *side) endWorkersLocked() {
	for c := range s.hub.clients {
		for on := range c.sessions {
			if on.Kind == session.Worker && sideOf(on) == s {
				s.hub.endSessionLocked(on, errHostGone)
			}
		}
	}
}

func (s *side) stopWaitingLocked() {
	if s.disconnected != nil {
		s.disconnected.timer.Stop()
		s.disconnected.connection.end()
		s.disconnected = nil
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

// replacements delays Hosts that keep replacing each other, with exponential
// backoff.
type replacements struct {
	times []time.Time // of the replacements within replacedWithin, oldest first
}

const (
	replacedWithin = 10 * time.Second
	delayUnit      = 100 * time.Millisecond
	longestDelay   = 5 * time.Second
)

// ReconnectDelay is how long a Host must wait before it may connect. The n-th Host
// within 10 s that would replace another waits 100 ms · 2^n, at most 5 s. Each call
// counts as a Host that will connect to the slot "". The other slots are for Hosts
// that do not compete for a hub.
func (h *Hub) ReconnectDelay() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.inSlotLocked(""); s == nil || s.host == nil {
		return 0
	}
	return h.replacements.delay(time.Now())
}

// delay counts one replacement, and returns how long it must wait.
func (r *replacements) delay(now time.Time) time.Duration {
	r.times = slices.DeleteFunc(r.times, func(at time.Time) bool { return now.Sub(at) >= replacedWithin })
	r.times = append(r.times, now)
	n := min(len(r.times), 6) // 6.4 s is beyond the longest
	if len(r.times) > 64 {
		r.times = r.times[1:]
	}
	return min(delayUnit<<n, longestDelay)
}
