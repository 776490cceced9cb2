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

// mark is a question that says, once it is answered, what the page has taken.
type mark struct {
	n    int64
	pace *Pace
	cost int
	sent time.Time
}

// marks are those on their way to a page, the oldest first.
type marks struct {
	mu    sync.Mutex // before Pace.mu
	list  []mark     `held:"marks of paces"`
	last  int64      `stays:"numbers the marks"` // they count down from -1, as aliveness counts up
	ended bool
}

// WaitForRoom implements FlowControl.
func (p *Page) WaitForRoom(pace *Pace, n int) {
	p.conn.WaitBelow(p.conn.MaxPending()/4*3, longestWait)
	if pace == nil || !p.abilities.Load().alive {
		return
	}
	if pace.add(n + paceLeast) {
		p.sendMark(pace)
	}
	pace.wait()
}

// sendMark sends a mark behind what a payer has sent. One that does not fit into the queue
// is none: WaitBelow waits for the queue.
func (p *Page) sendMark(pace *Pace) {
	m := &p.marks
	m.mu.Lock()
	defer m.mu.Unlock()
	one := mark{m.last - 1, pace, pace.takeUnmarked(), time.Now()}
	if m.ended || !p.askAlive(one.n) {
		pace.give(one.cost, 0)
		return
	}
	m.last = one.n
	m.list = append(m.list, one)
}

// heard takes the page's answer to mark n, and so to those before it.
func (m *marks) heard(n int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.list) > 0 && m.list[0].n >= n {
		one := m.list[0]
		m.list = m.list[1:]
		one.pace.give(one.cost, time.Since(one.sent))
	}
}

// end gives back what the page will not take any more.
func (m *marks) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	for _, one := range m.list {
		one.pace.give(one.cost, 0)
	}
	m.list = nil
}

// add counts a message, and reports whether a mark is due.
func (a *Pace) add(cost int) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.behind += cost
	a.unmarked += cost
	return a.unmarked >= paceWindow/2
}

// takeUnmarked is the cost of what the next mark stands behind.
func (a *Pace) takeUnmarked() (cost int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	cost, a.unmarked = a.unmarked, 0
	return cost
}

// give gives back the cost of what the page has taken.
func (a *Pace) give(cost int, took time.Duration) {
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

// wait waits until the payer may send more, for paceLong at most.
func (a *Pace) wait() {
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
