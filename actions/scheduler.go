package actions

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"go.uber.org/zap"
)

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

// The lanes that are no page's: of requests that wait for all others, and for
// which all others wait, and of those about no page.
const (
	everyLane = ""
	apartLane = "apart"
)

// Turn says when a request runs.
type Turn struct {
	Page  string   // its page's handle, "" for the active one: it runs after those on that page
	Of    *Browser // which has the page; nil is the Browser of the Lanes
	Apart bool     // it is about no page: it runs after those that are not, either
	Alone bool     // it may change which page is active: it runs after all others, and they after it
}

// NewLanes makes the lanes of a caller. When the process shuts down, over is
// called once the requests that have come by then are answered. End must be
// called.
func NewLanes(ctx context.Context, c Caller, over func()) *Lanes {
	if c.Options.Meter == nil {
		c.Options.Meter = NewMeter(c.Options.Limits)
	}
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
	l.mu.Lock()
	b := l.browser
	l.mu.Unlock()
	if b != nil {
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

// Run runs f in its turn. Its error is of kind RateLimited, and f does not run,
// when there are too many requests.
func (l *Lanes) Run(t Turn, f func(context.Context)) error {
	meter := l.caller.Options.Meter
	if err := meter.Request(); err != nil {
		return err
	}
	lane := l.laneOf(t)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting >= meter.limits.Waiting || l.ended {
		return meter.TooMany()
	}
	l.goLocked(lane, f)
	return nil
}

// laneOf is the lane of a turn: the ID of its page. While a request is under way
// that may change which the active one is, nobody knows.
func (l *Lanes) laneOf(t Turn) string {
	l.mu.Lock()
	barred, b := l.barred > 0, l.browser
	l.mu.Unlock()
	if t.Of != nil {
		b = t.Of
	}
	switch {
	case t.Alone:
		return everyLane
	case t.Apart:
		return apartLane
	case b == nil, barred && t.Page == "":
		return everyLane
	}
	p, err := b.Page(t.Page)
	if err != nil {
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
// logged. A log of nil is none.
func Try[T any](log *zap.Logger, verb string, f func() (T, error)) (result T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if log != nil {
				log.Error("a request failed by a fault of the hub", zap.String("verb", verb),
					zap.String("panic", fmt.Sprint(fault)), zap.ByteString("stack", debug.Stack()))
			}
			err = errorf(Internal, "internal error")
		}
	}()
	return f()
}
