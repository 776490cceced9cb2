package relay

import (
	"slices"
	"time"
)

// A lease ends by its viewer, by its time, or with its page, and that of a guest with the
// handoff that has let the guest in.

// renewLocked has a lease end after a time, for a reason, instead of when it would
// have.
func (h *Hub) renewLocked(l *lease, after time.Duration, why LeaseEnd) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.until = time.Now().Add(after)
	l.timer = h.leaseTimer(l, after, why)
}

// leaseTimer ends a lease when its time is up, which may have changed meanwhile. An acting
// command only moves lease.until (usedLocked), which costs nothing; the timer then finds
// time left and starts again.
func (h *Hub) leaseTimer(l *lease, after time.Duration, why LeaseEnd) (t *time.Timer) {
	ready := make(chan struct{}) // t is set
	defer close(ready)
	t = time.AfterFunc(after, func() {
		<-ready
		h.mu.Lock()
		defer h.mu.Unlock()
		if l.timer != t { // another has taken its place
			return
		}
		if left := time.Until(l.until); left > 0 {
			l.timer = h.leaseTimer(l, left, why)
			return
		}
		h.endLeaseLocked(l, expiry{t, why})
	})
	return t
}

// awayLocked is for a lease whose viewer has gone: it ends after LeaseOptions.Gone.
func (h *Hub) awayLocked(l *lease) {
	if !l.away {
		l.away = true
		h.renewLocked(l, l.Gone, LeaseViewerGone)
		h.leaseChangedLocked(l.target)
	}
}

// leaseClientLeftLocked ends what a Client that leaves has of leases.
func (h *Hub) leaseClientLeftLocked(c *Client) {
	if h.leases == nil {
		return
	}
	for _, l := range h.leases.list {
		l.kept.forget(c)
		if l.owner == c {
			l.owner = nil
			h.awayLocked(l)
		}
	}
}

// ender is who, or what, may end a lease. There is one for each way in which leases end, and
// none for a Client that has asked for a handoff.
type ender interface {
	// endOf is how it ends a lease; ok is false for one that it may not end.
	endOf(l *lease) (why LeaseEnd, ok bool)
}

type (
	// holder is the Client of the viewer, who gives the page back.
	holder struct{ client *Client }
	// expiry is a timer of the lease whose time is up.
	expiry struct {
		timer *time.Timer
		why   LeaseEnd
	}
	// targetEnd is the end of a page.
	targetEnd struct {
		side   *side
		target string
	}
	// handoffEnd is the end of a handoff, for its guest.
	handoffEnd struct{ handoff *handoff }
	// hubEnd is the end of the hub, which is the operator's.
	hubEnd struct{}
)

func (e holder) endOf(l *lease) (LeaseEnd, bool) {
	return LeaseReleased, e.client != nil && l.owner == e.client
}

func (e expiry) endOf(l *lease) (LeaseEnd, bool) {
	return e.why, l.timer == e.timer && !time.Now().Before(l.until)
}

func (e targetEnd) endOf(l *lease) (LeaseEnd, bool) {
	return LeaseTargetGone, l.side == e.side && l.target == e.target
}

func (e handoffEnd) endOf(l *lease) (LeaseEnd, bool) {
	return LeaseHandoff, l.guestOf != nil && l.guestOf == e.handoff
}

func (hubEnd) endOf(*lease) (LeaseEnd, bool) { return LeaseHubEnds, true }

// endLeaseLocked ends a lease, if the ender may. The commands that have waited for its end
// are carried out. It may be called again for the same lease: what has waited
// may end leases, too.
func (h *Hub) endLeaseLocked(l *lease, by ender) {
	why, may := by.endOf(l)
	if !may || !h.removeLeaseLocked(l) {
		return
	}
	l.timer.Stop()
	l.timer = nil // it may have fired, and wait for the lock
	h.countQuietLocked()
	// MayAct waits for it without the lock.
	close(l.over)
	if l.Ended != nil {
		l.Ended(why)
	}
	h.ObserveLease(LeaseChange{TargetID: l.target, Name: l.name, Handoff: l.quiet != nil})
	h.leaseChangedLocked(l.target)
	l.kept.resume()
}

// removeLeaseLocked forgets a lease, and reports false for one that has ended.
func (h *Hub) removeLeaseLocked(l *lease) bool {
	if h.leases == nil { // the end of another has ended it
		return false
	}
	i := slices.Index(h.leases.list, l)
	if i < 0 {
		return false
	}
	h.leases.list = slices.Delete(h.leases.list, i, i+1)
	if len(h.leases.list) == 0 {
		h.leases = nil
	}
	return true
}

// endLeasesLocked ends the leases that the ender may end.
func (h *Hub) endLeasesLocked(by ender) {
	if h.leases == nil {
		return
	}
	// A copy: endLeaseLocked changes the list.
	for _, l := range slices.Clone(h.leases.list) {
		h.endLeaseLocked(l, by)
	}
}
