// Package link carries connections over WebSockets that come and go. A Pipe is a
// net.Conn whose bytes arrive once and in order, as long as its WebSocket comes back
// within a grace time:
//
//	pipe, err := link.Dialer{URL: "wss://hub.example/link"}.Dial(ctx)
//
// What was written and not acknowledged is kept, and sent again over the next
// WebSocket. Each has an epoch, which rises: what comes from an older one is dropped.
package link

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// What reads and writes fail with when a Pipe has ended.
var (
	ErrLost     = errors.New("the link was lost for too long")
	ErrProtocol = errors.New("the other end broke the protocol of links")
	ErrMemory   = errors.New("the link needs more memory than the budget has left")
	errEnded    = errors.New("the other end has closed the connection")
)

// Pipe is one connection. Its methods are safe for concurrent use. Its deadlines
// stand still while the link is lost, unless they are over when they are set.
type Pipe struct {
	local, remote net.Addr // static, as is what follows
	account       *wsconn.Account
	onEnd         func(error) // may be nil

	mu                           sync.Mutex `stays:"goes with its link"` // guards everything below
	readable, writable, sendable sync.Cond

	// Positions of what this end writes: acked <= sent <= end(), and the data of
	// kept are those from acked to written.
	kept    queue  // bytes from acked on
	acked   uint64 // the peer has received as much
	sent    uint64 // as much was given to conn
	written uint64
	allowed uint64 // the peer takes as much
	fin     bool   // nothing more is written, which takes a position

	// Positions of what the peer writes: read <= received, and the data of unread
	// are those between them.
	unread   queue
	received uint64
	read     uint64
	finished bool   // the peer writes nothing more; received has the position of that
	toldAck  uint64 // of received, to the peer
	toldUpTo uint64 // the limit, to the peer
	owes     bool   // both are still to be sent to the peer

	conn             *wsconn.Conn // nil while the link is lost
	epoch            uint64
	lost             time.Time     // when it was lost
	grace            time.Duration // for which it may be
	over             *time.Timer   // ends the pipe then
	reading, writing deadline
	closed           bool
	charged          int
	err              error // why it has ended
}

// newPipe makes a pipe that is lost. The budget may be nil.
func newPipe(local, remote net.Addr, grace time.Duration, budget *wsconn.Budget, payer quota.Payer, onEnd func(error)) *Pipe {
	p := &Pipe{local: local, remote: remote, grace: grace, onEnd: onEnd, allowed: window, toldUpTo: window, lost: time.Now()}
	p.readable.L, p.writable.L, p.sendable.L = &p.mu, &p.mu, &p.mu
	p.account = budget.Account(payer, func() { p.End(ErrMemory, wsconn.ReasonMemory) })
	p.over = time.AfterFunc(grace, p.giveUp)
	return p
}

// unlock counts what is held by now. It replaces p.mu.Unlock after everything that may
// change what is held. Enforce runs without the lock, since it may end this very pipe.
func (p *Pipe) unlock() {
	held := 0
	if p.err == nil {
		held = p.kept.cost() + p.unread.cost()
	}
	more := held - p.charged
	p.charged = held
	p.account.Add(more)
	p.mu.Unlock()
	if more > 0 {
		p.account.Enforce()
	}
}

// Read implements net.Conn. Bytes that have come are read even after the pipe has ended.
func (p *Pipe) Read(b []byte) (int, error) {
	p.mu.Lock()
	defer p.unlock()
	for {
		switch {
		case p.closed:
			return 0, net.ErrClosed
		case p.reading.over(p.isLost()):
			return 0, os.ErrDeadlineExceeded
		// Before finished and err: what has come is read first.
		case p.unread.len() > 0:
			n := copy(b, p.unread.from(0))
			p.unread.drop(n)
			p.read += uint64(n)
			p.tellLocked()
			return n, nil
		case p.finished:
			return 0, io.EOF
		case p.err != nil:
			return 0, p.err
		case len(b) == 0:
			return 0, nil
		}
		p.readable.Wait()
	}
}

// Write implements net.Conn. It waits while too much is kept. It does not keep b. What it
// has taken may not arrive, if the link is lost for too long.
func (p *Pipe) Write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.unlock()
	for {
		switch {
		case p.closed || p.fin:
			return n, net.ErrClosed
		case p.err != nil:
			return n, p.err
		case p.writing.over(p.isLost()):
			return n, os.ErrDeadlineExceeded
		case n == len(b):
			return n, nil
		}
		if room := min(maxKept-p.kept.len(), len(b)-n); room > 0 {
			p.kept.push(b[n : n+room])
			p.written += uint64(room)
			n += room
			p.sendable.Signal()
			if n < len(b) { // what is kept counts while the rest waits
				p.unlock()
				p.mu.Lock()
			}
			continue
		}
		p.writable.Wait()
	}
}

// CloseWrite ends what is written: the peer reads io.EOF behind it.
func (p *Pipe) CloseWrite() error {
	p.mu.Lock()
	defer p.unlock()
	p.fin = true
	p.writable.Broadcast()
	p.sendable.Signal()
	return nil
}

// Close implements net.Conn. What was written still arrives, if it can; what
// comes is dropped.
func (p *Pipe) Close() error {
	p.mu.Lock()
	defer p.unlock()
	p.closed, p.fin = true, true
	p.dropLocked()
	p.readable.Broadcast()
	p.writable.Broadcast()
	p.sendable.Signal()
	p.leaveLocked()
	return nil
}

// dropLocked drops what will not be read.
func (p *Pipe) dropLocked() {
	p.read += uint64(p.unread.len())
	p.unread = queue{}
	p.tellLocked()
}

// leaveLocked ends a closed pipe when the peer has everything.
func (p *Pipe) leaveLocked() {
	if p.closed && p.acked == p.end() {
		p.endLocked(net.ErrClosed, wsconn.ReasonNormal)
	}
}

// end is the position behind everything that was written.
func (p *Pipe) end() uint64 {
	if p.fin {
		return p.written + 1
	}
	return p.written
}

// End ends the pipe: reads and writes fail with why, and the peer gets the
// reason. Only the first call counts.
func (p *Pipe) End(why error, reason wsconn.Reason) {
	p.mu.Lock()
	defer p.unlock()
	p.endLocked(why, reason)
}

// endLocked is End under the lock. onEnd runs in a goroutine of its own: it may take locks
// that are held here.
func (p *Pipe) endLocked(why error, reason wsconn.Reason) {
	if p.err != nil {
		return
	}
	p.err = why
	p.kept = queue{}
	if p.conn != nil {
		p.conn.Close(reason)
	}
	p.conn = nil
	p.over.Stop()
	p.reading.stop()
	p.writing.stop()
	p.readable.Broadcast()
	p.writable.Broadcast()
	p.sendable.Broadcast()
	p.account.Add(-p.charged)
	p.charged = 0
	p.account.Close()
	if p.onEnd != nil {
		go p.onEnd(why)
	}
}

// giveUp ends a pipe whose grace time is over.
func (p *Pipe) giveUp() {
	p.mu.Lock()
	defer p.unlock()
	if p.isLost() { // it was just about to come back
		p.endLocked(ErrLost, wsconn.ReasonGone)
	}
}

// Err is why the pipe has ended, or nil.
func (p *Pipe) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

// isLost reports whether there is no WebSocket. The caller has the lock.
func (p *Pipe) isLost() bool { return p.conn == nil }

// LocalAddr implements net.Conn.
func (p *Pipe) LocalAddr() net.Addr { return p.local }

// RemoteAddr implements net.Conn. It stays when the link comes back from elsewhere.
func (p *Pipe) RemoteAddr() net.Addr { return p.remote }

// SetDeadline implements net.Conn.
func (p *Pipe) SetDeadline(t time.Time) error {
	p.SetReadDeadline(t)  //nolint:errcheck // it never fails
	p.SetWriteDeadline(t) //nolint:errcheck // it never fails
	return nil
}

// SetReadDeadline implements net.Conn.
func (p *Pipe) SetReadDeadline(t time.Time) error {
	p.setDeadline(&p.reading, t, p.wakeReader)
	return nil
}

// SetWriteDeadline implements net.Conn.
func (p *Pipe) SetWriteDeadline(t time.Time) error {
	p.setDeadline(&p.writing, t, p.wakeWriter)
	return nil
}

// setDeadline sets one of the two. wake is called without the lock, so that a wait that is
// under way looks at the new deadline.
func (p *Pipe) setDeadline(d *deadline, t time.Time, wake func()) {
	p.mu.Lock()
	if p.err == nil {
		d.set(t, p.isLost(), wake)
	}
	p.mu.Unlock()
	wake()
}

// wakeReader has waiting Reads look again.
func (p *Pipe) wakeReader() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.readable.Broadcast()
}

// wakeWriter has waiting Writes look again.
func (p *Pipe) wakeWriter() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writable.Broadcast()
}
