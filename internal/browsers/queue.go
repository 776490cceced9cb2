package browsers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// waiter is a user in the queue. The pool's lock guards it until served is closed;
// then it belongs to the user.
type waiter struct {
	hub    string
	payer  quota.Payer
	leave  func() // gives its place in the queue back
	since  time.Time
	served chan struct{} // closed with one of the following set
	at     *slot
	err    error // until then, why it waits
}

// Outcome is how a wait for a browser has ended.
type Outcome string

// The outcomes.
const (
	Served   Outcome = "served"
	OwnLimit Outcome = "own_limit" // the token had as many as its own limit allows, whatever is free
	GaveUp   Outcome = "gave_up"
)

// Outcomes are all of them.
var Outcomes = []Outcome{Served, OwnLimit, GaveUp}

// outcomeOf is that of a wait with its error.
func outcomeOf(err error) Outcome {
	if _, own := quota.OwnLimit(err); own {
		return OwnLimit
	}
	if err != nil {
		return GaveUp
	}
	return Served
}

// joinQueueLocked puts a user behind all others. why is the error of a user who does not
// wait, or not for long enough.
func (p *Pool) joinQueueLocked(hub string, payer quota.Payer, why error) (*waiter, error) {
	if most, own := quota.OwnLimit(why); p.patience <= 0 || own && most == 0 { // none can become free
		return nil, why
	}
	leave, err := p.waits.Take(payer, 1)
	if err != nil {
		return nil, why
	}
	w := &waiter{hub: hub, payer: payer, leave: leave, err: why, since: time.Now(), served: make(chan struct{})}
	p.queue = append(p.queue, w)
	return w, nil
}

// await waits until a user is served, has waited for Options.Queue, or has left. If
// the user was served at the same moment, it has the browser: the queue decides, and
// not the select.
func (p *Pool) await(ctx context.Context, w *waiter) (*slot, error) {
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	var gone error
	select {
	case <-w.served:
	case <-timer.C:
	case <-ctx.Done():
		gone = ctx.Err()
	}
	p.mu.Lock()
	outcome := outcomeOf(w.err)
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		w.err = cmp.Or(gone, w.err)
	}
	p.mu.Unlock()
	w.leave()
	if p.onQueue != nil {
		p.onQueue(time.Since(w.since), outcome)
	}
	return w.at, w.err
}

// serveQueueLocked gives the users that have waited longest what there is. It must be
// called whenever a browser has become idle or has ended. Users wait in one queue, so
// that none is passed over for ever. A token that has its part holds up no others.
func (p *Pool) serveQueueLocked() {
	full := make(map[string]bool) // tokens, by their IDs
	p.queue = slices.DeleteFunc(p.queue, func(w *waiter) bool {
		if full[w.payer.ID] {
			return false
		}
		w.at, w.err = p.enterLocked(w.hub, w.payer)
		if errors.Is(w.err, ErrFull) {
			full[w.payer.ID] = true
			return false
		}
		close(w.served)
		return true
	})
}
