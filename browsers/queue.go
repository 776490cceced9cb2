package browsers

import (
	"context"
	"errors"
	"slices"
	"time"
)

// maxQueue is how many users may wait for a browser.
const maxQueue = 1000

// waiter is a user in the queue. The pool's lock guards it until served is closed;
// then it belongs to the user.
type waiter struct {
	hub    string
	since  time.Time
	served chan struct{} // closed with one of the following set
	at     *slot
	err    error
}

// joinQueueLocked puts a user behind all others.
func (p *Pool) joinQueueLocked(hub string) (*waiter, error) {
	switch {
	case p.closed:
		return nil, ErrClosed
	case p.patience <= 0, len(p.queue) >= maxQueue:
		return nil, ErrFull
	}
	w := &waiter{hub: hub, since: time.Now(), served: make(chan struct{})}
	p.queue = append(p.queue, w)
	return w, nil
}

// await waits until a user is served, has waited for Options.Queue, or has left. If
// the user was served at the same moment, it has the browser: the queue decides, and
// not the select.
func (p *Pool) await(ctx context.Context, w *waiter) (*slot, error) {
	timer := time.NewTimer(p.patience)
	defer timer.Stop()
	err := ErrFull
	select {
	case <-w.served:
	case <-timer.C:
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	if i := slices.Index(p.queue, w); i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
		w.err = err
	}
	p.mu.Unlock()
	if p.onQueue != nil {
		p.onQueue(time.Since(w.since), w.err == nil)
	}
	return w.at, w.err
}

// serveQueueLocked gives the users that have waited longest what there is. It must be
// called whenever a browser has become idle or has ended. Users wait in one queue, so
// that none is passed over for ever.
func (p *Pool) serveQueueLocked() {
	for len(p.queue) > 0 {
		w := p.queue[0]
		at, err := p.enterLocked(w.hub)
		if errors.Is(err, ErrFull) {
			return
		}
		p.queue = slices.Delete(p.queue, 0, 1)
		w.at, w.err = at, err
		close(w.served)
	}
}
