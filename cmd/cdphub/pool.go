package main

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/relay"
)

// pool runs a browser behind each hub that is to have one: from when somebody
// first wants it until nobody has for a while.
type pool struct {
	// run keeps a browser at a hub until ctx ends, and calls came whenever one
	// has come. It returns early when there is none to be had.
	run    func(ctx context.Context, hub bridge.Hub, came func()) error
	serves func(hub string) bool // whether a hub is to have one
	hubs   *relay.Hubs
	max    int           // browsers at a time
	idle   time.Duration // how long one outlives its last user
	log    *zap.Logger

	mu     sync.Mutex // guards everything below
	places map[string]*place
	closed bool
	runs   sync.WaitGroup
	count  poolNumbers
	failed failure
}

// failure is that the last browser could not be started: the next is not tried
// at once, whoever asks.
type failure struct {
	err   error
	pause time.Duration // doubles with each
	until time.Time
}

const (
	firstPoolPause = time.Second
	mostPoolPause  = 30 * time.Second
)

// place is one hub with its browser. The pool's lock guards it.
type place struct {
	users int
	since time.Time   // when the last user left
	idle  *time.Timer // set while there are no users
	end   context.CancelFunc
	up    chan struct{} // closed when the browser has come, or will not
	err   error         // why it will not
}

var (
	errPoolFull   = errors.New("all browsers are in use: try again later, or allow more with --max-browsers")
	errPoolClosed = errors.New("the hub is shutting down")
)

// use sees to it that a hub has its browser until done is called. It waits for
// the browser to come. Hubs that are to have none are always ready.
func (p *pool) use(ctx context.Context, hub string) (done func(), err error) {
	if !p.has(hub) {
		return func() {}, nil
	}
	at, err := p.enter(hub)
	if err != nil {
		return nil, err
	}
	done = sync.OnceFunc(func() { p.leave(hub, at) })
	select {
	case <-at.up:
		p.mu.Lock()
		err = at.err
		p.mu.Unlock()
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		done()
		return nil, err
	}
	return done, nil
}

// has reports whether a hub is to have a browser.
func (p *pool) has(hub string) bool { return p != nil && p.serves(hub) }

// enter counts a user in, with whom a browser may be started.
func (p *pool) enter(hub string) (*place, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errPoolClosed
	}
	at := p.places[hub]
	if at == nil {
		if time.Now().Before(p.failed.until) {
			return nil, p.failed.err
		}
		if len(p.places) >= p.max && !p.evictLocked() {
			return nil, errPoolFull
		}
		var err error
		if at, err = p.startLocked(hub); err != nil {
			return nil, err
		}
	}
	if at.idle != nil {
		at.idle.Stop()
		at.idle = nil
	}
	at.users++
	return at, nil
}

// startLocked starts the browser of a hub.
func (p *pool) startLocked(name string) (*place, error) {
	hub, release, err := p.hubs.Acquire(name)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	at := &place{end: cancel, up: make(chan struct{})}
	if p.places == nil {
		p.places = make(map[string]*place)
	}
	p.places[name] = at
	p.log.Info("starting a browser", zap.String("hub", name))
	p.runs.Go(func() {
		defer release()
		came, started := sync.OnceFunc(func() { close(at.up) }), false
		err := p.run(ctx, hub, func() {
			p.mu.Lock()
			p.count.started++
			p.failed, started = failure{}, true
			p.mu.Unlock()
			came()
		})
		p.mu.Lock()
		defer p.mu.Unlock()
		at.err = fmt.Errorf("no browser: %w", err)
		if ctx.Err() == nil {
			p.log.Error("there is no browser any more", zap.String("hub", name), zap.Error(err))
			if !started { // else it is this hub's business alone
				p.failLocked(at.err)
			}
		}
		came()
		p.forgetLocked(name, at)
	})
	return at, nil
}

// failLocked notes that a browser could not be had.
func (p *pool) failLocked(err error) {
	p.count.failed++
	f := &p.failed
	f.err, f.pause = err, min(max(2*f.pause, firstPoolPause), mostPoolPause)
	f.until = time.Now().Add(f.pause)
}

// leave counts a user out. The last one leaves the browser to be idle.
func (p *pool) leave(hub string, at *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at.users--; at.users > 0 || p.places[hub] != at {
		return
	}
	at.since = time.Now()
	var t *time.Timer
	t = time.AfterFunc(p.idle, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if at.idle == t {
			p.log.Info("ending an idle browser", zap.String("hub", hub))
			p.forgetLocked(hub, at)
		}
	})
	at.idle = t
}

// evictLocked ends the browser that has been idle for longest, if there is one.
func (p *pool) evictLocked() bool {
	var hub string
	var oldest *place
	for name, at := range p.places {
		if at.users == 0 && (oldest == nil || at.since.Before(oldest.since)) {
			hub, oldest = name, at
		}
	}
	if oldest == nil {
		return false
	}
	p.forgetLocked(hub, oldest)
	return true
}

func (p *pool) forgetLocked(hub string, at *place) {
	if p.places[hub] == at {
		delete(p.places, hub)
	}
	if at.idle != nil {
		at.idle.Stop()
		at.idle = nil
	}
	at.end()
}

// end ends the browser of a hub, if it has one, whoever uses it.
func (p *pool) end(hub string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := p.places[hub]; at != nil {
		p.forgetLocked(hub, at)
	}
}

// close ends every browser and waits for that.
func (p *pool) close() {
	if p == nil {
		return
	}
	p.mu.Lock()
	p.closed = true
	for hub, at := range p.places {
		p.forgetLocked(hub, at)
	}
	p.mu.Unlock()
	p.runs.Wait()
}

// poolNumbers are for metrics.
type poolNumbers struct {
	running int
	started int // those started again included
	failed  int // that could not be had
}

func (p *pool) numbers() poolNumbers {
	if p == nil {
		return poolNumbers{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.count
	n.running = len(p.places)
	return n
}
