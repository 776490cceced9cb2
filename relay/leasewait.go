package relay

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
)

// With LeaseOptions.Wait, commands that act on a page wait until it is handed back.

// usedLocked notes that the holder has acted. It does not touch the timer, see startTimer.
func (l *lease) usedLocked() { l.until = time.Now().Add(l.Idle) }

// keep has a command wait for the end of a lease, and reports whether there was room for
// it (quota.Paused).
func (l *lease) keep(r *request) bool {
	h := l.side.hub
	if l.room == nil {
		l.room = h.opts.Quotas.Guarded(quota.Paused, 0, &h.mu)
	}
	c := r.client
	return l.kept.keep(r, l.room, l.Wait, func() *wire.Error { return l.pausedFor(c) })
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
		held := h.leases.covering(targetID)
		if held == nil || held.owner == l.client {
			h.mu.Unlock()
			return nil
		}
		wait, ended, why := held.Wait, held.ended, held.pausedFor(l.client)
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
		case <-ended:
		case <-late:
			return why
		case <-ctx.Done():
			return why
		}
	}
}
