package bridge

import (
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

const (
	aliveEvery  = 5 * time.Second
	aliveWithin = 10 * time.Second
)

// aliveness is whether the script of the page behind a Host runs. Pongs do not
// tell: the browser sends them while the page hangs.
type aliveness struct {
	silent atomic.Bool // for too long

	mu    sync.Mutex // guards everything below
	timer *time.Timer
	n     int64     // of the last question
	since time.Time // when it was asked; zero once it is answered
}

// start asks from now on, again and again.
func (a *aliveness) start(p *Page) {
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
		p.conn.Offer(wire.Frame{Head: strconv.AppendInt([]byte(`{"kind":"alive","n":`), a.n, 10), Tail: wire.End})
	})
}

func (a *aliveness) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.timer != nil {
		a.timer.Stop()
		a.timer = nil
	}
}

// heard takes the page's answer.
func (a *aliveness) heard(n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if n == a.n {
		a.since = time.Time{}
		a.silent.Store(false)
	}
}

// Responsive implements Liveness.
func (p *Page) Responsive() bool { return !p.alive.silent.Load() }
