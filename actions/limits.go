package actions

import (
	"cmp"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/time/rate"
)

// What no caller can have more of, in bytes.
const (
	MaxRequest  = 10 << 20 // one request, of any adapter
	MaxSnapshot = 1 << 20  // a snapshot: what is beyond is cut off, and a last line says so
	MaxSearched = 3 << 20  // a snapshot that is only searched (YAMLOptions.Long)
	MaxValue    = 4 << 20  // any other answer of a page, as JSON: what Evaluate returns, a page's content; beyond there is none
)

// Limits bounds what one connection may ask for, or one caller where an adapter has
// no connections. Zero fields take the default. A caller that asks for more gets
// RateLimited with the time to wait.
type Limits struct {
	Requests    int // in a second; 50
	Waiting     int // without an answer; 64
	Screenshots int // in a minute; 30
}

func (l Limits) withDefaults() Limits {
	l.Requests = cmp.Or(l.Requests, 50)
	l.Waiting = cmp.Or(l.Waiting, 64)
	l.Screenshots = cmp.Or(l.Screenshots, 30)
	return l
}

// Meter counts what has been asked for. Requests and screenshots each have a token
// bucket: it holds the limit, so that a burst of that size passes, and fills up at
// the same rate.
type Meter struct {
	limits   Limits // static after NewMeter
	requests *rate.Limiter
	shots    *rate.Limiter
	refs     refMemory // of the same caller
}

// NewMeter makes a Meter that holds to limits.
func NewMeter(l Limits) *Meter {
	l = l.withDefaults()
	return &Meter{
		limits:   l,
		requests: rate.NewLimiter(rate.Limit(l.Requests), l.Requests),
		shots:    rate.NewLimiter(rate.Limit(l.Screenshots)/60, l.Screenshots),
	}
}

// Limits are those that it holds to.
func (m *Meter) Limits() Limits { return m.limits }

// Request counts a request. Its error is of kind RateLimited, and says in its
// Details when there will be a turn again.
func (m *Meter) Request() error {
	return takeTurn(m.requests, english.Plural(m.limits.Requests, "request", "")+" a second")
}

// Screenshot counts a screenshot. Its error is that of Request.
func (m *Meter) Screenshot() error {
	return takeTurn(m.shots, english.Plural(m.limits.Screenshots, "screenshot", "")+" a minute")
}

// takeTurn takes a turn, and gives it back when it would have to wait.
func takeTurn(l *rate.Limiter, most string) error {
	turn := l.Reserve()
	wait := turn.Delay()
	if wait == 0 {
		return nil
	}
	turn.Cancel()
	e := newError(RateLimited, "rate limited: %s", most)
	e.Details.RetryAfter = wait
	return e
}

// idle reports whether a new Meter would be the same: both buckets are full.
func (m *Meter) idle() bool {
	return int(m.requests.Tokens()) == m.limits.Requests && int(m.shots.Tokens()) == m.limits.Screenshots
}

// busy is when to come again while too many requests wait.
const busy = time.Second

// TooMany is the error of a request for which there is no place any more.
func (m *Meter) TooMany() error {
	e := newError(RateLimited, "rate limited: this connection has %s in the queue already", english.Plural(m.limits.Waiting, "request", ""))
	e.Details.RetryAfter = busy
	return e
}

// meters are the Meters of callers without a connection, by the id of the caller. The
// map is bounded, since tokens come and go.
type meters struct {
	mu sync.Mutex `stays:"goes with its hub"` // guards of
	of map[string]*Meter
}

// maxMeters is how many are kept; past it those that are idle go.
const maxMeters = 1000

func (m *meters) get(caller string, l Limits) *Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	if one := m.of[caller]; one != nil {
		return one
	}
	if m.of == nil {
		m.of = make(map[string]*Meter)
	}
	// Those that are not idle stay, even if there are more than maxMeters of them:
	// else a caller could get a fresh one.
	if len(m.of) >= maxMeters {
		for id, one := range m.of {
			if one.idle() {
				delete(m.of, id)
			}
		}
	}
	one := NewMeter(l)
	m.of[caller] = one
	return one
}
