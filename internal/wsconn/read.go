package wsconn

import (
	"errors"
	"os"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/tcpstate"
)

// The sizes of read buffers: one is for a connection that reads little, one for
// a connection that is busy.
const (
	smallSize  = 512
	mediumSize = 16 << 10
)

var (
	smalls  = sync.Pool{New: func() any { return new([smallSize]byte) }}
	mediums = sync.Pool{New: func() any { return new([mediumSize]byte) }}
)

// reader buffers bytes that were read ahead. A connection usually has a small
// buffer; one that fills it borrows a medium one while much comes in,
// and one that is parked has none.
type reader struct {
	buf  []byte // small, medium or nil
	r, w int    // buf[r:w] is not yet used

	full   int       // reads in a row that filled the buffer
	heard  bool      // bytes have come since the last ping
	warned bool      // nothing had come when the answer to it was nearly due
	pinged time.Time // when a ping was sent that waits for an answer
	next   time.Time // when to ping, or to give up waiting
	begun  time.Time // first byte of an unfinished message; zero when there is none
	due    time.Time // the socket's deadline
	since  time.Time // when the last read with bytes ended; zero where that does not count
}

// unread is what was read ahead, part of the buffer.
func (in *reader) unread() []byte { return in.buf[in.r:in.w] }

// take borrows a buffer.
func (in *reader) take(size int) {
	if size <= smallSize {
		in.buf = smalls.Get().(*[smallSize]byte)[:]
	} else {
		in.buf = mediums.Get().(*[mediumSize]byte)[:]
	}
}

// release gives the buffer back. What is unread is lost.
func (in *reader) release() {
	switch len(in.buf) {
	case smallSize:
		smalls.Put((*[smallSize]byte)(in.buf))
	case mediumSize:
		mediums.Put((*[mediumSize]byte)(in.buf))
	}
	in.buf, in.r, in.w = nil, 0, 0
}

// push puts bytes in front of the first read. They are what net/http has read
// ahead, behind the handshake.
func (in *reader) push(b []byte) {
	if len(b) == 0 {
		return
	}
	if len(b) > mediumSize-smallSize {
		in.buf = make([]byte, len(b)+smallSize)
	} else {
		in.take(len(b))
	}
	in.w = copy(in.buf, b)
}

// swap changes the buffer for another that takes what is unread.
func (in *reader) swap(size int) {
	old := *in
	in.take(size)
	in.r, in.w = 0, copy(in.buf, old.unread())
	old.release()
}

// need reads until at least n unread bytes are buffered; n is at most the
// size of the small buffer. Between messages the connection may turn out to be
// idle.
func (c *Conn) need(n int, between bool) error {
	in := &c.in
	silent := false
	for in.w-in.r < n {
		switch {
		case in.buf == nil:
			in.take(smallSize)
		case in.r == in.w:
			in.r, in.w = 0, 0
		case len(in.buf)-in.r < n:
			in.w = copy(in.buf, in.buf[in.r:in.w])
			in.r = 0
		}
		got, err := c.receive(in.buf[in.w:])
		in.w += got
		if err != nil {
			return err
		}
		if got == 0 && in.r == in.w { // nothing has come for a long time
			in.release()
			if silent && between && c.poller != nil {
				return reasonIdle
			}
			silent = true
		}
		if in.r > 0 || in.w > got || got == 0 {
			continue
		}
		// What was just read is all there is: the moment to change buffers.
		switch full := got == len(in.buf); {
		case full && len(in.buf) == smallSize:
			in.swap(mediumSize)
		case got <= smallSize && len(in.buf) > smallSize:
			in.swap(smallSize)
		}
	}
	return nil
}

// receive reads once from the socket. When the socket's deadline passes it sends pings and
// checks what the peer must have sent by then. If the connection may go on it returns 0 and
// no error. Its errors are Reasons. It is called by the reader's goroutine
// alone. The time for Share runs from the end of one read to the beginning of the next: it
// is what the handler has used.
func (c *Conn) receive(p []byte) (int, error) {
	if c.share != nil && !c.in.since.IsZero() {
		c.share.yield(c.in.since)
		c.in.since = time.Time{}
	}
	n, err := c.nc.Read(p)
	switch {
	case n > 0:
		c.in.heard = true
		if c.share != nil {
			c.in.since = time.Now()
		}
		c.in.yield(n == len(p))
		return n, nil
	// A Read may return neither bytes nor an error (io.Reader).
	case err == nil:
		return 0, nil
	case !errors.Is(err, os.ErrDeadlineExceeded):
		return 0, ReasonGone
	}
	if why := c.overdue(time.Now()); why.Code != 0 {
		return 0, why
	}
	return 0, nil
}

// overdue is called when the socket's deadline has passed, or reading begins. It returns why
// the connection must end, or the zero Reason once it has set the next
// deadline, which is never later than the nearest of what may fall due. A connection is in
// one of four states:
//
//	quiet    pinged is zero: at next, a ping is sent
//	asked    at next, 9/10 of PongWithin after the ping, bytes must have come
//	warned   none have: at next, the last tenth later, they must have come
//	dead     none have: ReasonDead
//
// When bytes have come, the next ping is due PingEvery after the last one. With
// Limits.Patient, a peer whose system acknowledges what is sent is as good as one that has
// sent bytes.
func (c *Conn) overdue(now time.Time) Reason {
	in := &c.in
	if r := c.closing(); r.Code != 0 {
		return r
	}
	if late := now.Sub(in.due); !in.begun.IsZero() && !in.due.IsZero() && late > c.limits.MessageTimeout/10 {
		in.begun = in.begun.Add(late) // this process has not run for a while, or the connection's clock has not
	}
	if !in.begun.IsZero() && now.Sub(in.begun) >= c.limits.MessageTimeout {
		return ReasonTooSlow
	}
	switch {
	// No ping is due, or the peer would not understand one.
	case c.textOnly || now.Before(in.next):
	case in.pinged.IsZero():
		in.pinged, in.heard, in.warned = now, false, false
		in.next = now.Add(c.limits.PongWithin / 10 * 9)
		c.ping()
	// Any bytes count as an answer, not only a pong: a peer that sends a large message
	// answers a ping behind it.
	case in.heard, c.limits.Patient && in.warned && tcpstate.Acknowledges(c.nc, c.limits.PongWithin):
		in.next = in.pinged.Add(c.limits.PingEvery)
		in.pinged = time.Time{}
	case !in.warned:
		// If this process has not run for a while, what came is yet to be read.
		in.warned = true
		in.next = now.Add(c.limits.PongWithin / 10)
	default:
		return ReasonDead
	}
	c.arm(now)
	return Reason{}
}

// arm sets the socket's read deadline, unless the connection closes: Close has then set one
// for the reader to notice. It is the nearest of the time for the message under way, the
// next ping, and the time after which the connection is parked.
func (c *Conn) arm(now time.Time) {
	in := &c.in
	due := now.Add(c.limits.MessageTimeout)
	if !in.begun.IsZero() {
		due = in.begun.Add(c.limits.MessageTimeout)
	}
	if !c.textOnly && in.next.Before(due) {
		due = in.next
	}
	if c.poller != nil && in.begun.IsZero() {
		if look := now.Add(c.poller.idleAfter); look.Before(due) {
			due = look
		}
	}
	in.due = due
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason.Code == 0 {
		c.nc.SetReadDeadline(due)
	}
}
