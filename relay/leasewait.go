package relay

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// With LeaseOptions.Wait, commands that act on a page wait until it is handed back.

// maxKeptParams is how many bytes of params a command has at most that waits for a lease.
// How many commands wait for one lease is limited, too (quota.Paused). A command beyond
// that is refused at once.
const maxKeptParams = 64 << 10

// kept is a command that waits.
type kept struct {
	request
	wait
	timer *time.Timer
}

// usedLocked notes that the holder has acted. It does not touch the timer, see leaseTimer.
func (l *lease) usedLocked() { l.until = time.Now().Add(l.Idle) }

// keepLocked has a command wait for the end of a lease, and reports whether there was
// room. The timer of a command and the end of the lease may come together: whoever removes
// it from the list answers it.
func (h *Hub) keepLocked(l *lease, r *request) bool {
	if len(r.Params) > maxKeptParams {
		return false
	}
	if l.waiting == nil {
		l.waiting = h.opts.Quotas.Guarded(quota.Paused, 0, &h.mu)
	}
	counted, ok := waitLocked(l.waiting, r.client)
	if !ok {
		return false
	}
	k := &kept{request: r.keep(), wait: counted}
	h.counters.Received-- // it is counted when it is answered
	k.timer = time.AfterFunc(l.Wait, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if l.dropLocked(k) {
			h.counters.Received++
			k.client.answer(h.sessionLocked(k.client, &k.Envelope), k.ID, nil, l.paused())
		}
	})
	l.kept = append(l.kept, k)
	return true
}

// dropLocked forgets a command that waits, and reports whether it did.
func (l *lease) dropLocked(k *kept) bool {
	for i, other := range l.kept {
		if other == k {
			l.kept = append(l.kept[:i], l.kept[i+1:]...)
			k.endLocked()
			return true
		}
	}
	return false
}

// forgetLocked drops what a Client that leaves has waiting. They are counted as lost with
// their Client, as all others without an answer.
func (l *lease) forgetLocked(c *Client) {
	for _, k := range append([]*kept(nil), l.kept...) {
		if k.client == c && l.dropLocked(k) {
			k.timer.Stop()
			c.hub.counters.Received++
			c.hub.counters.ClientGone++
		}
	}
}

// resumeLocked carries out what has waited, in the order in which it came. The list is
// taken away first, as a command may begin another lease's wait.
func (h *Hub) resumeLocked(l *lease) {
	list := l.kept
	l.kept = nil
	for _, k := range list {
		k.endLocked()
		if k.timer.Stop(); k.client.left {
			continue
		}
		h.counters.Received++
		h.serveLocked(&k.request, nil)
	}
}

// mayAct answers CdpHub.mayAct, a command that counts as acting and does nothing: it waits,
// or is refused, while somebody has taken over the page. It is Local.MayAct for a Client in
// another process.
func mayAct(_ *Hub, r *request) ([]byte, *wire.Error) {
	if !r.args.hasTargetID {
		return nil, missingParam("targetId")
	}
	return nil, nil
}

// MayAct is for callers that act on a target by commands that only read, such as a call of
// a script. It fails while somebody else has taken over the target, after the same wait as
// an acting command. The error is an *Error, "paused: NAME has the page", also when ctx
// ends first.
func (l *Local) MayAct(ctx context.Context, targetID string) error {
	h := l.client.hub
	var late <-chan time.Time
	for {
		h.mu.Lock()
		held := h.leaseOnLocked(targetID)
		if held == nil || held.owner == l.client {
			h.mu.Unlock()
			return nil
		}
		wait, over, why := held.Wait, held.over, held.paused()
		h.mu.Unlock()
		if wait == 0 {
			return why
		}
		// One limit for all: another lease may follow the first.
		if late == nil {
			timer := time.NewTimer(wait)
			defer timer.Stop()
			late = timer.C
		}
		select {
		case <-over:
		case <-late:
			return why
		case <-ctx.Done():
			return why
		}
	}
}
