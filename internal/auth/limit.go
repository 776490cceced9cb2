package auth

import (
	"net/netip"
	"sync"
	"time"
)

// An address that sends wrongMost wrong tokens to one hub within wrongWithin
// is not heard there for lockOut; ten times as many count over all hubs.
const (
	wrongMost   = 10
	wrongWithin = 10 * time.Second
	lockOut     = 30 * time.Second
	maxTallies  = 10_000
)

// place is where wrong tokens come from and which hub they are for.
type place struct {
	from netip.Prefix
	hub  string // EveryHub for all together
}

// tally counts the wrong tokens of a place.
type tally struct {
	wrong int
	since time.Time
	until time.Time // of the lock-out; zero while there is none
}

func (t *tally) over(now time.Time) bool {
	return !now.Before(t.until) && now.Sub(t.since) >= wrongWithin
}

// limiter locks out addresses that guess. Its memory is bounded: when it is
// full, what it knows of some place is forgotten.
type limiter struct {
	mu      sync.Mutex // guards everything below
	tallies map[place]*tally
	swept   time.Time
}

func places(from netip.Addr, hub string) [2]place {
	bits := 32
	if from.Is6() {
		bits = 64 // what one customer of a provider has
	}
	p, _ := from.Prefix(bits) // the zero Prefix stands for an address that cannot be read
	return [2]place{{p, hub}, {p, EveryHub}}
}

// locked is how much longer an address is locked out of a hub, or 0.
func (l *limiter) locked(from netip.Addr, hub string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range places(from, hub) {
		if t := l.tallies[p]; t != nil {
			if left := time.Until(t.until); left > 0 {
				return left
			}
		}
	}
	return 0
}

// wrong counts a wrong token.
func (l *limiter) wrong(from netip.Addr, hub string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for i, p := range places(from, hub) {
		most := wrongMost
		if i == 1 {
			most *= 10
		}
		t := l.tallies[p]
		if t == nil || t.over(now) {
			t = &tally{since: now}
			l.addLocked(p, t, now)
		}
		if t.wrong++; t.wrong >= most && t.until.IsZero() {
			t.until = now.Add(lockOut)
		}
	}
}

func (l *limiter) addLocked(p place, t *tally, now time.Time) {
	if l.tallies == nil {
		l.tallies = make(map[place]*tally)
	}
	if len(l.tallies) >= maxTallies {
		l.shrinkLocked(now)
	}
	l.tallies[p] = t
}

// shrinkLocked forgets what is over, at most once a second, and then one that
// is not, if it must.
func (l *limiter) shrinkLocked(now time.Time) {
	if now.Sub(l.swept) >= time.Second {
		l.swept = now
		for p, t := range l.tallies {
			if t.over(now) {
				delete(l.tallies, p)
			}
		}
	}
	for p := range l.tallies {
		if len(l.tallies) < maxTallies {
			return
		}
		delete(l.tallies, p)
	}
}
