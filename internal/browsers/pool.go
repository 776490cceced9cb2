package browsers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// Pool is the hubs of a process with their browsers. Its methods may be called from
// any goroutine.
//
// Lock order: Pool.mu comes before the lock of a hub. Nothing waits under it.
type Pool struct {
	// run keeps a browser at a hub until ctx ends, and calls ready whenever one is
	// there. It returns early when there is none to be had.
	run    func(ctx context.Context, hub bridge.Hub, ready func()) error
	serves func(hub string) bool // whether a hub is to have one
	named  []string              // the patterns of names of hubs that are to have a browser
	hubs   *relay.Hubs
	max    int           // browsers at a time
	idle   time.Duration // how long one outlives its last user
	log    *zap.Logger
	places *quota.Pool // of browsers
	waits  *quota.Pool // of the queue

	reserve func(ctx context.Context) (left func(), err error) // nil: each browser has one

	patience time.Duration // of the queue; 0: there is none
	onStart  func(took time.Duration)
	onQueue  func(waited time.Duration, how Outcome)

	try      func(context.Context) (product string, err error)
	launches bool          // browsers, rather than connecting to one
	divided  bool          // each share of tokens has a browser of its own
	keeps    bool          // the one browser is the user's own, and kept: each connection asks her
	sick     chan struct{} // has room for one: health is an error

	mu     sync.Mutex       // guards everything below
	slots  map[string]*slot `held:"browsers"`
	queue  []*waiter        `held:"waiters for a browser"` // the first is served first
	health error            // why no browser can be had, as far as is known
	asked  bool             // the user's own browser was connected to once
	awaits error            // what a connection to it waits for
	closed bool
	runs   sync.WaitGroup
	count  Numbers `stays:"counts what has been"`
	failed failure
}

// failure is that the last browser could not be started. Until a pause has passed,
// the pool starts no other, whichever hub asks: a broken installation would start
// processes as fast as Clients come. The pause doubles from firstPause to mostPause.
type failure struct {
	err   error
	pause time.Duration // doubles with each
	until time.Time
}

const (
	firstPause = time.Second
	mostPause  = 30 * time.Second
)

// slot is one hub with its browser, from its start until it is forgotten. The pool's
// lock guards it.
type slot struct {
	hub     *relay.Hub     // static
	account *quota.Account // of who pays for the browser
	users   int
	since   time.Time   // when the last user left
	idle    *time.Timer // set while there are no users
	end     context.CancelFunc
	up      chan struct{} // closed when the browser has come, or will not
	err     error         // why it will not
}

// Use starts the browser of a hub, or keeps the one that is there, until done is
// called. The browser counts for the Payer of ctx. Use waits for the browser; for one that is being started again, for 10 s
// at most (ErrRestarting). Hubs that have none are always ready.
func (p *Pool) Use(ctx context.Context, hub string) (done func(), err error) {
	if !p.Has(hub) {
		return func() {}, nil
	}
	at, err := p.enter(ctx, hub, quota.FromContext(ctx))
	if err != nil {
		return nil, err
	}
	done = sync.OnceFunc(func() { p.leave(hub, at) })
	late, stop := p.lateness()
	defer stop()
	select {
	case <-late:
		err = ErrRestarting
	case <-at.up:
		// The browser has come once, but may have ended since and be on its way back.
		err = at.hub.Control().AwaitBrowser(ctx)
	case <-ctx.Done():
		err = ctx.Err()
	}
	p.mu.Lock()
	switch {
	case err == nil && p.closed:
		err = ErrClosed
	case err == nil:
		err = at.err // up is closed also when the browser will not come
	case errors.Is(err, ErrRestarting):
		err = cmp.Or(p.awaits, err)
	}
	p.mu.Unlock()
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// Has reports whether a hub is to have a browser.
func (p *Pool) Has(hub string) bool { return p.serves(hub) }

// Runs reports whether a hub has a browser now.
func (p *Pool) Runs(hub string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.slots[hub] != nil
}

// Divided reports whether each share of tokens is to have a browser of its own.
func (p *Pool) Divided() bool { return p.divided }

// Names reports whether the options name a hub by its own name, so that it is known
// before a Client uses it.
func (p *Pool) Names(hub string) bool {
	hub, _ = relay.CutShare(hub)
	return slices.Contains(p.named, hub)
}

// enter counts a user in, and starts a browser for the hub if there is none. If all
// are in use it waits in the queue, as long as Options.Queue allows. A user of a hub
// that has a browser never waits. Those in the queue could not be served until now, so
// that no caller is passed over.
func (p *Pool) enter(ctx context.Context, hub string, payer quota.Payer) (*slot, error) {
	p.mu.Lock()
	at, err := p.enterLocked(hub, payer)
	if !errors.Is(err, ErrFull) {
		p.mu.Unlock()
		return at, err
	}
	w, err := p.joinQueueLocked(hub, payer, err)
	p.mu.Unlock()
	if err != nil {
		return nil, err
	}
	return p.await(ctx, w)
}

// enterLocked counts a user in, or returns ErrFull when there is no browser that
// is free.
func (p *Pool) enterLocked(hub string, payer quota.Payer) (*slot, error) {
	if p.closed {
		return nil, ErrClosed
	}
	at := p.slots[hub]
	if at == nil {
		if time.Now().Before(p.failed.until) {
			return nil, p.failed.err
		}
		account, err := p.placeLocked(payer)
		if err != nil {
			return nil, err
		}
		if at, err = p.startLocked(hub, account); err != nil {
			givePlace(account)
			return nil, err
		}
	} else if at.users == 0 {
		p.payLocked(at, payer)
	}
	if at.idle != nil {
		at.idle.Stop()
		at.idle = nil
	}
	at.users++
	return at, nil
}

// startLocked starts the browser of a hub, in a goroutine that ends with the browser.
func (p *Pool) startLocked(name string, account *quota.Account) (*slot, error) {
	hub, release, err := p.hubs.AcquireFor(account.Payer(), name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	at := &slot{hub: hub, account: account, end: cancel, up: make(chan struct{})}
	if p.slots == nil {
		p.slots = make(map[string]*slot)
	}
	p.slots[name] = at
	p.log.Info("starting a browser", zap.String("hub", name))
	// From here on the hub answers that a browser is on its way.
	over := hub.Control().ExpectBrowser()
	p.runs.Go(func() {
		defer release()
		defer over()
		up, started := sync.OnceFunc(func() { close(at.up) }), false
		began := time.Now()
		err := p.runReserved(ctx, hub, func() {
			p.mu.Lock()
			p.count.Started++
			first := !started
			p.failed, p.health, p.awaits, started = failure{}, nil, nil, true
			p.mu.Unlock()
			if first && p.onStart != nil {
				p.onStart(time.Since(began))
			}
			up()
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		at.err = fmt.Errorf("no browser: %w", err)
		// A cluster without room says nothing about this machine.
		if refused := new(notReserved); errors.As(err, refused) {
			at.err = refused.error
		} else if ctx.Err() == nil {
			p.log.Error("no browser is available", zap.String("hub", name), zap.Error(err))
			if !started { // else it is this hub's business alone
				p.failLocked(at.err)
			}
		}
		up()
		p.forgetLocked(name, at)
		p.serveQueueLocked()
	})
	return at, nil
}

// notReserved is that a browser may not be started, which says nothing of whether it works.
type notReserved struct{ error }

// runReserved runs a browser that may be started.
func (p *Pool) runReserved(ctx context.Context, hub bridge.Hub, ready func()) error {
	if p.reserve != nil {
		left, err := p.reserve(ctx)
		if err != nil {
			return notReserved{err}
		}
		defer left()
	}
	return p.run(ctx, hub, ready)
}

// failLocked notes that a browser could not be had.
func (p *Pool) failLocked(err error) {
	p.count.Failed++
	f := &p.failed
	f.err, f.pause = err, min(max(2*f.pause, firstPause), mostPause)
	f.until = time.Now().Add(f.pause)
	p.sickLocked(err)
}

// leave counts a user out. After the last one the browser is idle: it ends after
// Options.Idle, or earlier if another hub needs its place.
func (p *Pool) leave(hub string, at *slot) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at.users--; at.users > 0 || p.slots[hub] != at {
		return
	}
	if at.since = time.Now(); p.keeps {
		return
	}
	var t *time.Timer
	t = time.AfterFunc(p.idle, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// A user who came meanwhile has set another timer, or none.
		if at.idle == t {
			p.log.Info("ending an idle browser", zap.String("hub", hub))
			p.forgetLocked(hub, at)
			p.serveQueueLocked()
		}
	})
	at.idle = t
	p.serveQueueLocked()
}

// forgetLocked ends a browser. The goroutine of startLocked does the rest, without
// the lock.
func (p *Pool) forgetLocked(hub string, at *slot) {
	if p.slots[hub] == at {
		delete(p.slots, hub)
		givePlace(at.account)
	}
	if at.idle != nil {
		at.idle.Stop()
		at.idle = nil
	}
	at.end()
}

// End ends the browser of a hub, if it has one, even if it has users: the hub's
// sandbox has ended, or another node has the hub.
func (p *Pool) End(hub string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.slots[hub]; at != nil {
		p.forgetLocked(hub, at)
		p.serveQueueLocked()
	}
}

// Close ends every browser and waits until the processes have ended. Users in the
// queue get ErrClosed.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closed = true
	for hub, at := range p.slots {
		p.forgetLocked(hub, at)
	}
	p.serveQueueLocked() // tells those in the queue that no browser will come
	p.mu.Unlock()
	p.runs.Wait()
}

// Numbers are counts of browsers.
type Numbers struct {
	Running int // or starting
	Started int // those started again included
	Failed  int // that could not be had
	Queued  int // users that wait for one, and not for another of their own token to end
	Idle    int // running, without a user
}

// Numbers counts the browsers.
func (p *Pool) Numbers() Numbers {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.count
	n.Running = len(p.slots)
	for _, w := range p.queue {
		if outcomeOf(w.err) != OwnLimit {
			n.Queued++
		}
	}
	for _, at := range p.slots {
		if at.users == 0 {
			n.Idle++
		}
	}
	return n
}

// Most is how many browsers there may be at a time; 0: none.
func (p *Pool) Most() int { return p.max }

// Hubs are the patterns of the names of hubs that have a browser.
func (p *Pool) Hubs() []string { return p.named }
