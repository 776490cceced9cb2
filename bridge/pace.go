package bridge

import (
	"sync"
	"time"
)

// A Host page takes all messages in one thread, in their order. What one payer has sent
// would be in front of what others send, be it a megabyte of params or ten thousand
// sessions that begin. So each has a window: of what it sends, so much may be on its way to
// the page. A mark behind it, which is a question of featureAlive with a negative number, comes
// back once the page's script has taken all that was sent before. Other queues cannot tell:
// the sockets and the browser take megabytes that the page has not seen.
const (
	paceWindow = 16 << 10    // of the cost of messages
	paceLeast  = 1 << 10     // the cost of a message is its bytes and this: a session that begins is work, too
	paceRests  = 2           // what is larger than the window is followed by a rest, so many times as long as the page had to do
	paceLong   = time.Second // the longest wait; a page that hangs for longer is found by featureAlive
)

// Pace is what one payer has sent to Host pages that they have not taken yet. Its zero value
// is ready.
type Pace struct {
	mu       sync.Mutex    `stays:"goes with its payer, whom the hub counts"`
	behind   int           // cost of what is on its way
	unmarked int           // of it, what has no mark behind it
	rest     time.Duration // to wait in any case, after what was larger than the window
	turn     chan struct{} // closed when a mark comes back; nil: no Client waits
}

// Add counts a message of so many bytes, and reports whether a mark is due.
func (a *Pace) Add(bytes int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	cost := bytes + paceLeast
	a.behind += cost
	a.unmarked += cost
	return a.unmarked >= paceWindow/2
}

// TakeUnmarked is the cost of what the next mark stands behind.
func (a *Pace) TakeUnmarked() (cost int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	cost, a.unmarked = a.unmarked, 0
	return cost
}

// Give gives back the cost of what the page has taken.
func (a *Pace) Give(cost int, took time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.behind -= cost; cost > paceWindow {
		a.rest = paceRests * took
	}
	if a.turn != nil {
		close(a.turn)
		a.turn = nil
	}
}

// Wait waits until the payer may send more, for paceLong at most.
func (a *Pace) Wait() {
	var timeout <-chan time.Time
	for {
		turn, rest := a.next()
		if turn == nil && rest == 0 {
			return
		}
		if timeout == nil {
			timeout = time.After(paceLong)
		}
		if turn == nil {
			timeout = time.After(min(rest, paceLong))
		}
		select {
		case <-turn:
		case <-timeout:
			return
		}
	}
}

// next is the channel to wait for, nil if there is room, and then how long to rest.
func (a *Pace) next() (turn <-chan struct{}, rest time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.behind-a.unmarked <= paceWindow/2 {
		rest, a.rest = a.rest, 0
		return nil, rest
	}
	if a.turn == nil {
		a.turn = make(chan struct{})
	}
	return a.turn, 0
}
