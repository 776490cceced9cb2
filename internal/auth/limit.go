package auth

import (
	"net/netip"
	"sync"
	"time"
)

// The wrong tokens of an address that sends wrongMost of them to one hub within
// wrongWithin are answered 429 there for lockOut; ten times as many count over
// all hubs.
const (
	wrongMost   = 10
	wrongWithin = 10 * time.Second
	lockOut     = 30 * time.Second
	maxTallies  = 10_000
)

// place is where wrong tokens come from and which hub they are for.
type place struct {
	from netip.Prefix
	hub  string // EveryHub for what asks for all of them
	all  bool   // whatever they are for; without a hub
}

// tally counts the wrong tokens of a place.
type tally struct {
	wrong int
	since time.Time
	until time.Time // of the lock-out; zero while there is none
}

// over reports whether the tally says nothing any more.
func (t *tally) over(now time.Time) bool {
	return !now.Before(t.until) && now.Sub(t.since) >= wrongWithin
}

// limiter locks addresses out that guess. Its memory is bounded: when it is
// full, what it knows of some place is forgotten.
type limiter struct {
	mu      sync.Mutex       // guards everything below
	tallies map[place]*tally `stays:"swept, and bounded by number"`
	swept   time.Time
}

// Place is what an address is counted as: itself, or the network that one
// customer of a provider has. The zero Prefix stands for one that cannot be
// read. For IPv6 it is the /64: a machine with one address of it has all.
func Place(from netip.Addr) netip.Prefix {
	from = from.Unmap()
	bits := 32
	if from.Is6() {
		bits = 64
	}
	p, _ := from.Prefix(bits)
	return p
}

// placesOf are those that a wrong token counts at, each once. A hub that cannot
// be has none of its own.
func placesOf(from netip.Addr, hub string) []place {
	p := Place(from)
	all := place{from: p, all: true}
	if hub != EveryHub && !validHub(hub) {
		return []place{all}
	}
	return []place{all, {from: p, hub: hub}}
}

// most is how many wrong tokens of a place begin a lock-out.
func (p place) most() int {
	if p.all {
		return 10 * wrongMost
	}
	return wrongMost
}

// locked is how much longer an address is locked out of a hub, or 0.
func (l *limiter) locked(from netip.Addr, hub string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lockedLocked(placesOf(from, hub))
}

// lockedLocked is how much longer one of these places is locked out, or 0.
func (l *limiter) lockedLocked(at []place) (left time.Duration) {
	for _, p := range at {
		if t := l.tallies[p]; t != nil {
			left = max(left, time.Until(t.until))
		}
	}
	return left
}

// wrong counts a wrong token, unless the address is locked out: then left says
// for how much longer. It reports whether a lock-out has begun.
func (l *limiter) wrong(from netip.Addr, hub string) (left time.Duration, began bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now, at := time.Now(), placesOf(from, hub)
	// A lock-out is not made longer by what comes meanwhile.
	if left = l.lockedLocked(at); left > 0 {
		return left, false
	}
	for _, p := range at {
		t := l.tallies[p]
		if t == nil || t.over(now) {
			t = &tally{since: now}
			l.addLocked(p, t, now)
		}
		if t.wrong++; t.wrong >= p.most() && t.until.IsZero() {
			t.until, began = now.Add(lockOut), true
		}
	}
	return 0, began
}

// addLocked keeps a new tally. maxTallies bounds the memory: an attacker has any number of
// IPv6 networks.
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
