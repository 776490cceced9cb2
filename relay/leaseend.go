package relay

import (
	"slices"
	"time"
)

// A lease ends by its viewer, by its time, or with its page, and that of a guest with the
// handoff that has let the guest in.

// renew has a lease end after a time, for a reason, instead of when it would
// have.
func (l *lease) renew(after time.Duration, why LeaseEnd) {
	if l.timer != nil {
		l.timer.Stop()
	}
	l.until = time.Now().Add(after)
	l.timer = l.startTimer(after, why)
}

// startTimer ends a lease when its time is up, which may have changed meanwhile. An acting
// command only moves lease.until (usedLocked), which costs nothing; the timer then finds
// time left and starts again.
func (l *lease) startTimer(after time.Duration, why LeaseEnd) (t *time.Timer) {
	h := l.side.hub
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
			l.timer = l.startTimer(left, why)
			return
		}
		l.end(expiry{t, why})
	})
	return t
}

// viewerLeft is for a lease whose viewer has gone: it ends after LeaseOptions.Gone.
func (l *lease) viewerLeft() {
	if !l.away {
		l.away = true
		l.renew(l.Gone, LeaseViewerGone)
		l.side.hub.leases.changed(l.target)
	}
}

// forget ends what a Client that leaves has of leases.
func (ls *leases) forget(c *Client) {
	for _, l := range ls.list {
		l.kept.forget(c)
		if l.owner == c {
			l.owner = nil
			l.viewerLeft()
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

// end ends a lease, if the ender may. The commands that have waited for its end
// are carried out. It may be called again for the same lease: what has waited
// may end leases, too.
func (l *lease) end(by ender) {
	h := l.side.hub
	why, may := by.endOf(l)
	if !may || !h.leases.remove(l) {
		return
	}
	l.timer.Stop()
	l.timer = nil // it may have fired, and wait for the lock
	h.leases.countQuiet()
	// MayAct waits for it without the lock.
	close(l.over)
	if l.Ended != nil {
		l.Ended(why)
	}
	h.Control().ObserveLease(LeaseChange{TargetID: l.target, Name: l.name, Handoff: l.quiet != nil})
	h.leases.changed(l.target)
	l.kept.resume()
}

// remove forgets a lease, and reports false for one that has ended, such as by the end of another.
func (ls *leases) remove(l *lease) bool {
	i := slices.Index(ls.list, l)
	if i < 0 {
		return false
	}
	ls.list = slices.Delete(ls.list, i, i+1)
	return true
}

// end ends the leases that the ender may end.
func (ls *leases) end(by ender) {
	// A copy: the end of a lease changes the list.
	for _, l := range slices.Clone(ls.list) {
		l.end(by)
	}
}
