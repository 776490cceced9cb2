package page

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// The times of the questions. A page may be busy for some seconds, as with a large
// layout, so that it counts as silent only after aliveWithin.
const (
	aliveEvery  = 5 * time.Second  // between two questions
	aliveWithin = 10 * time.Second // without an answer, commands fail at once
)

// aliveness is whether the script of the page behind a Host runs. Pongs do not say so: the
// browser sends them (RFC 6455, section 5.5.3), also while the page's script hangs.
type aliveness struct {
	silent atomic.Bool // for too long

	mu    sync.Mutex  // guards everything below
	timer *time.Timer `held:"timers of questions to Hosts"`
	n     int64       `stays:"numbers the questions"` // of the last question
	since time.Time   // when it was asked; zero once it is answered
}

// start asks from now on, again and again. There is one question at a time: while it has no
// answer, none is sent. A question that does not fit into the queue counts as asked, since
// a Host that does not read is no better than one that hangs.
func (a *aliveness) start(p *Host) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.timer = time.AfterFunc(aliveEvery, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.timer == nil {
			return
		}
		a.timer.Reset(aliveEvery)
		if !a.since.IsZero() {
			a.silent.Store(time.Since(a.since) >= aliveWithin)
			return
		}
		a.n++
		a.since = time.Now()
		p.askAlive(a.n)
	})
}

// askAlive sends a question to the page's script, which answers with the same number once it
// has taken all messages before it. It returns false when the queue is full.
func (p *Host) askAlive(n int64) bool {
	return p.conn.Offer(wire.Frame{Head: strconv.AppendInt([]byte(`{"kind":"alive","n":`), n, 10), Tail: wire.End})
}

// stop asks no more. A timer that has fired already finds none, and does nothing.
func (a *aliveness) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// heard takes the page's answer. An answer to an older question does not count.
func (a *aliveness) heard(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n == a.n {
		a.since = time.Time{}
		a.silent.Store(false)
	}
}

// AnswerSigns implements Documents: what shows that it runs knows the method, too.
func (p *Host) AnswerSigns() bool { return p.abilities.Load().alive }

// busyAt is how many bytes that wait to be written are many.
const busyAt = 64 << 10

// Busy implements Documents.
func (p *Host) Busy() bool {
	return p.conn.Pending() >= busyAt || p.marks.wait() || p.amidst.Load()
}

// Responsive implements Liveness.
func (p *Host) Responsive() bool { return !p.alive.silent.Load() }
