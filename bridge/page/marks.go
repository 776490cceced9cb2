package page

import (
	"sync"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// mark is a question that says, once it is answered, what the page has taken.
type mark struct {
	n    int64
	pace *bridge.Pace
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
func (p *Host) WaitForRoom(pace *bridge.Pace, n int) {
	p.conn.WaitBelow(p.conn.MaxPending()/4*3, longestWait)
	if pace == nil || !p.abilities.Load().alive {
		return
	}
	if pace.Add(n) {
		p.sendMark(pace)
	}
	pace.Wait()
}

// sendMark sends a mark behind what a payer has sent. One that does not fit into the queue
// is none: WaitBelow waits for the queue.
func (p *Host) sendMark(pace *bridge.Pace) {
	m := &p.marks
	m.mu.Lock()
	defer m.mu.Unlock()
	one := mark{m.last - 1, pace, pace.TakeUnmarked(), time.Now()}
	if m.ended || !p.askAlive(one.n) {
		pace.Give(one.cost, 0)
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
		one.pace.Give(one.cost, time.Since(one.sent))
	}
}

// wait reports whether the page has yet to take what was sent before a mark.
func (m *marks) wait() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.list) > 0
}

// end gives back what the page will not take any more.
func (m *marks) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	for _, one := range m.list {
		one.pace.Give(one.cost, 0)
	}
	m.list = nil
}
