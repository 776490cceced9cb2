package wsconn

import (
	"sync"
	"sync/atomic"
	"time"
)

// Groups of connections share the CPUs, one group for each hub. A group has a part of a CPU
// of its own (ownPart); one that uses more is heavy. As long as another group that is not
// heavy has messages, the readers of a heavy one pause before they read on: until the group
// has no more than its part again, fewer than half of the CPUs are busy, or longestPause is
// over. So a flood gets the CPU time that others leave. A group never waits if it is alone
// or if all others are heavy, too, and no wait is longer than longestPause. What a reader
// has not read stays in the socket: it keeps its order, and the TCP window tells the peer
// to wait.
//
// The time is that from one read of a socket to the next. It is measured for each read, not
// for each message, which may be many in one read.
const (
	ownPart      = 8                      // of a CPU: 1/8
	ownBurst     = time.Millisecond       // so much more at once
	countedMost  = 500 * time.Microsecond // of one read: a handler may wait, or the process may not run
	lightFor     = 10 * time.Millisecond  // so long after a message a group counts as one that has messages
	pauseFor     = 100 * time.Microsecond
	longestPause = 10 * time.Millisecond
)

// Shares is all groups that share the CPUs. There is one for a process, and a Share of it
// for each hub.
//
//	all := wsconn.NewShares()
//	hub := all.Share()
//	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Share: hub})
type Shares struct {
	begun  time.Time
	groups atomic.Uint32 `stays:"numbers the hubs"`
	light  atomic.Uint64 `stays:"when a hub was busy last"` // see note
}

// NewShares returns one without groups.
func NewShares() *Shares { return &Shares{begun: time.Now()} }

// Share is what one group has used.
type Share struct {
	of *Shares
	id uint32

	mu   sync.Mutex    // guards what follows; nothing else is locked under it
	used time.Duration // beyond the group's own part
	at   time.Duration // when that was right, after Shares.begun
}

// Share makes a group.
func (s *Shares) Share() *Share { return &Share{of: s, id: s.groups.Add(1)} }

// note says that a group which is not heavy has messages. Only the last one is
// known, with the time in milliseconds: a heavy group only asks whether it is another.
func (s *Shares) note(id uint32, now time.Duration) {
	if v := uint64(id)<<32 | uint64(uint32(now/time.Millisecond)); s.light.Load() != v {
		s.light.Store(v)
	}
}

// others reports whether a group that is not heavy has messages, other than this.
func (s *Shares) others(id uint32, now time.Duration) bool {
	v := s.light.Load()
	return v>>32 != 0 && uint32(v>>32) != id && uint32(now/time.Millisecond)-uint32(v) <= uint32(lightFor/time.Millisecond)
}

// add counts time that a reader has used, and returns what its group has used beyond
// its own part: it is heavy above ownBurst. Time that passes gives back ownPart of itself,
// as in a token bucket. The upper bound, 2*ownBurst, keeps a group that was heavy for
// minutes from being heavy for long after it has stopped.
func (s *Share) add(took, now time.Duration) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	left := s.used - max(0, now-s.at)/ownPart
	s.used, s.at = min(max(0, left)+min(took, countedMost), 2*ownBurst), now
	return s.used
}

// yield is called before a read by a reader that has used the time since the last
// one, and pauses if it must.
func (s *Share) yield(since time.Time) {
	now := time.Since(s.of.begun)
	used := s.add(now-since.Sub(s.of.begun), now)
	if used <= ownBurst/2 { // one that is heavy now and then hides no other
		s.of.note(s.id, now)
	}
	for end := now + longestPause; used > ownBurst && now < end && s.of.others(s.id, now) && isBusy(2); used = s.add(0, now) {
		time.Sleep(pauseFor)
		now = time.Since(s.of.begun)
	}
}
