package actions

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"go.uber.org/zap"
)

// maxWaiting is how many requests of one connection may be unanswered.
const maxWaiting = 64

// Lanes run the requests of one connection: those on one page in the order in
// which they come, those on different pages beside one another. The Browser
// that they share is opened by the first that wants it.
type Lanes struct {
	caller Caller // static after NewLanes
	ctx    context.Context
	stop   context.CancelFunc
	runs   sync.WaitGroup

	opening sync.Mutex // held while the Browser is being opened

	mu      sync.Mutex // guards everything below
	browser *Browser   // nil until there is one
	waiting int
	last    map[string]chan struct{} // the last request of each lane, closed at its end
	barred  int                      // requests under way in all lanes at once
	ended   bool
}

// everyLane is the lane of requests that wait for all others, and for which
// all others wait.
const everyLane = ""

// NewLanes makes the lanes of a caller. When the process shuts down, over is
// called once the requests that have come by then are answered. End must be
// called.
func NewLanes(ctx context.Context, c Caller, over func()) *Lanes {
	l := &Lanes{caller: c, last: make(map[string]chan struct{})}
	l.ctx, l.stop = context.WithCancel(ctx)
	if c.Ending != nil {
		l.runs.Go(func() {
			select {
			case <-c.Ending:
				l.mu.Lock()
				l.goLocked(everyLane, func(context.Context) { over() })
				l.mu.Unlock()
			case <-l.ctx.Done():
			}
		})
	}
	return l
}

// End cuts off what runs, waits for that, and ends the Browser.
func (l *Lanes) End() {
	l.mu.Lock()
	l.ended = true
	l.mu.Unlock()
	l.stop()
	l.runs.Wait()
	if l.browser != nil {
		l.browser.Close()
	}
}

// Browser returns the connection's Browser.
func (l *Lanes) Browser() (*Browser, error) {
	l.opening.Lock()
	defer l.opening.Unlock()
	if b := l.opened(); b != nil {
		return b, nil
	}
	b, err := l.caller.Open(l.ctx)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.browser = b
	return b, nil
}

func (l *Lanes) opened() *Browser {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.browser
}

// Run runs f in its turn. Page is the handle of the page that it is about, ""
// for the active one; moves says that it may make another page the active one,
// or is about none. It reports false, and does not run f, when too many wait.
func (l *Lanes) Run(page string, moves bool, f func(context.Context)) bool {
	lane := everyLane
	if b := l.opened(); b != nil && !moves {
		lane = l.laneOf(b, page)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= maxWaiting || l.ended {
		return false
	}
	l.goLocked(lane, f)
	return true
}

// laneOf is the ID of the page meant. While a request is under way that may
// change which that is, nobody knows.
func (l *Lanes) laneOf(b *Browser, page string) string {
	l.mu.Lock()
	barred := l.barred > 0
	l.mu.Unlock()
	p, err := b.Page(page)
	if err != nil || barred && page == "" {
		return everyLane
	}
	return p.ID
}

// goLocked runs f when those before it in its lane have ended.
func (l *Lanes) goLocked(lane string, f func(context.Context)) {
	done := make(chan struct{})
	var before []chan struct{}
	if lane == everyLane {
		for _, c := range l.last {
			before = append(before, c)
		}
		clear(l.last)
		l.barred++
	} else {
		before = []chan struct{}{l.last[everyLane], l.last[lane]}
	}
	l.last[lane] = done
	l.waiting++
	l.runs.Go(func() {
		defer l.leave(lane, done)
		for _, c := range before {
			if c != nil {
				<-c
			}
		}
		f(l.ctx)
	})
}

func (l *Lanes) leave(lane string, done chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting--
	if lane == everyLane {
		l.barred--
	}
	if l.last[lane] == done {
		delete(l.last, lane)
	}
	close(done)
}

// Try runs f, and makes an error of kind Internal of its panic, which is
// logged.
func (l *Lanes) Try(verb string, f func() (any, error)) (result any, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if log := l.caller.Options.Log; log != nil {
				log.Error("a request failed by a fault of the hub", zap.String("verb", verb),
					zap.String("panic", fmt.Sprint(fault)), zap.ByteString("stack", debug.Stack()))
			}
			result, err = nil, errorf(Internal, "internal error")
		}
	}()
	return f()
}

// TooMany is the error of a request for which there is no place any more.
func TooMany() error {
	return errorf(RateLimited, "rate limited: %d requests of this connection wait already", maxWaiting)
}
