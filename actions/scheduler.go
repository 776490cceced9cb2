package actions

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"go.uber.org/zap"
)

// Scheduler runs the requests of one connection: requests on one page in the order in
// which they come, requests on different pages at the same time. The first request
// that needs the Browser opens it.
//
// Lock order: opening, then mu. mu is not held while a request runs or a Browser is
// opened.
type Scheduler struct {
	caller Caller // static after NewScheduler
	ctx    context.Context
	stop   context.CancelFunc
	runs   sync.WaitGroup

	opening sync.Mutex // held while the Browser is being opened

	mu        sync.Mutex `stays:"goes with its caller"` // guards everything below
	browser   *Browser   // nil until there is one
	waiting   int
	last      map[string]chan struct{} // the last request of each queue; closed at its end
	exclusive int                      // exclusive requests under way
	ended     bool
}

// The queues that belong to no page. A request of exclusiveQueue runs after all
// requests before it, and all requests after it wait for it. The names are no ids of
// pages.
const (
	exclusiveQueue = ""
	noPageQueue    = "apart"
)

// Job says when a request runs, and after which others.
type Job struct {
	Page      string   // its page's handle, "" for the active one: it runs after earlier jobs of that page
	Of        *Browser // which has the page; nil is the Browser of the Scheduler
	NoPage    bool     // it concerns no page: it runs after other jobs without a page
	Exclusive bool     // it may change the active page: it runs after all earlier jobs, and before all later ones
}

// NewScheduler makes the scheduler of a caller. When the process shuts down, it calls
// over once all requests so far are answered, so that the adapter can close its
// connection. The caller must call End.
func NewScheduler(ctx context.Context, c Caller, over func()) *Scheduler {
	if c.Options.Meter == nil {
		c.Options.Meter = NewMeter(c.Options.Limits)
	}
	s := &Scheduler{caller: c, last: make(map[string]chan struct{})}
	s.ctx, s.stop = context.WithCancel(ctx)
	if c.Ending != nil {
		s.runs.Go(func() {
			select {
			case <-c.Ending:
				s.mu.Lock()
				// As an exclusive job it runs after all requests that came before.
				s.goLocked(exclusiveQueue, func(context.Context) { over() })
				s.mu.Unlock()
			case <-s.ctx.Done():
			}
		})
	}
	return s
}

// End cancels running requests, waits for their end, and closes the Browser. Requests
// that come later are refused.
func (s *Scheduler) End() {
	s.mu.Lock()
	s.ended = true
	s.mu.Unlock()
	s.stop()
	s.runs.Wait()
	if s.browser != nil {
		s.browser.Close()
	}
}

// Browser returns the connection's Browser, which the first call opens. Calls at the
// same time wait for that one; after an error the next call tries again.
func (s *Scheduler) Browser() (*Browser, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	s.mu.Lock()
	b := s.browser
	s.mu.Unlock()
	if b != nil {
		return b, nil
	}
	b, err := s.caller.Open(s.ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.browser = b
	return b, nil
}

// Run runs f in a goroutine of its own when the scheduler allows it, and returns at
// once. If the connection asks too often or too many requests wait, f does not run,
// and the error has the kind RateLimited.
func (s *Scheduler) Run(t Job, f func(context.Context)) error {
	end, err := s.caller.Begin()
	if err != nil {
		return err
	}
	queue := s.queueOf(t)
	s.mu.Lock()
	defer s.mu.Unlock()
	if meter := s.caller.Options.Meter; s.waiting >= meter.limits.Waiting || s.ended {
		end()
		return meter.TooMany()
	}
	s.goLocked(queue, func(ctx context.Context) {
		defer end()
		f(ctx)
	})
	return nil
}

// queueOf is the queue of a job: the ID of its page. A job for the active page is
// exclusive while another job may still change which page is active.
func (s *Scheduler) queueOf(t Job) string {
	s.mu.Lock()
	exclusive, b := s.exclusive > 0, s.browser
	s.mu.Unlock()
	if t.Of != nil {
		b = t.Of
	}
	switch {
	case t.Exclusive:
		return exclusiveQueue
	case t.NoPage:
		return noPageQueue
	// Without a Browser nothing is known of pages: the first request opens it alone.
	case b == nil, exclusive && t.Page == "":
		return exclusiveQueue
	}
	p, err := b.Page(t.Page)
	if err != nil {
		// The page may be one that an earlier request is about to open.
		return exclusiveQueue
	}
	return p.ID
}

// goLocked runs f when the jobs before it in its queue have ended. Each job waits for
// the channel of the last one of its queue, which that one closes at its end.
func (s *Scheduler) goLocked(queue string, f func(context.Context)) {
	done := make(chan struct{})
	var before []chan struct{}
	if queue == exclusiveQueue {
		for _, c := range s.last {
			before = append(before, c)
		}
		clear(s.last)
		s.exclusive++
	} else {
		// A nil channel, of a queue without a job, is skipped below.
		before = []chan struct{}{s.last[exclusiveQueue], s.last[queue]}
	}
	s.last[queue] = done
	s.waiting++
	s.runs.Go(func() {
		defer s.leave(queue, done)
		for _, c := range before {
			if c != nil {
				<-c
			}
		}
		f(s.ctx)
	})
}

// leave lets the next job of the queue begin. A queue whose last job this was is
// forgotten.
func (s *Scheduler) leave(queue string, done chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting--
	if queue == exclusiveQueue {
		s.exclusive--
	}
	if s.last[queue] == done {
		delete(s.last, queue)
	}
	close(done)
}

// Try runs f. If f panics, Try logs the panic and returns an error of kind Internal,
// so that a fault of one verb does not end the process. A nil log logs nothing.
func Try[T any](log *zap.Logger, verb string, f func() (T, error)) (result T, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			if log != nil {
				log.Error("a request failed by a fault of the hub", zap.String("verb", verb),
					zap.String("panic", fmt.Sprint(fault)), zap.ByteString("stack", debug.Stack()))
			}
			err = newError(Internal, "internal error")
		}
	}()
	return f()
}
