package wsconn

import (
	"errors"
	"os"
	"sync"
	"time"
)

// mediumSize is the size of the read buffer of a connection that is busy.
const mediumSize = 16 << 10

var mediums = sync.Pool{New: func() any { return new([mediumSize]byte) }}

// reader buffers what was read ahead. An idle connection makes do with the
// small buffer; one that fills it borrows a medium one for as long as a lot
// comes in.
type reader struct {
	buf   []byte // small, or a medium one
	r, w  int    // buf[r:w] is not yet used
	small [512]byte

	heard  bool      // bytes have come since the last ping
	pinged time.Time // when a ping was sent that waits for an answer
	next   time.Time // when to ping, or to give up waiting
	begun  time.Time // first byte of an unfinished message; zero when there is none
}

func (in *reader) unread() []byte { return in.buf[in.r:in.w] }

// release gives a medium buffer back.
func (in *reader) release() {
	if len(in.buf) == mediumSize {
		mediums.Put((*[mediumSize]byte)(in.buf))
	}
	in.buf, in.r, in.w = in.small[:], 0, 0
}

// push puts bytes in front of the first read.
func (in *reader) push(b []byte) {
	if len(b) > len(in.small) {
		in.buf = make([]byte, len(b)+len(in.small))
	}
	in.w = copy(in.buf, b)
}

// need reads until at least n unread bytes are buffered; n is at most the
// size of the small buffer.
func (c *Conn) need(n int) error {
	in := &c.in
	for in.w-in.r < n {
		if in.r == in.w {
			in.r, in.w = 0, 0
		} else if len(in.buf)-in.r < n {
			in.w = copy(in.buf, in.buf[in.r:in.w])
			in.r = 0
		}
		got, err := c.receive(in.buf[in.w:])
		in.w += got
		if err != nil {
			return err
		}
		if got == 0 && in.r == in.w {
			in.release() // nothing has come for a long time
		}
		if in.r > 0 || in.w > got || got == 0 {
			continue
		}
		// What was just read is all there is: the moment to change buffers.
		switch full := got == len(in.buf); {
		case full && len(in.buf) == len(in.small):
			in.buf = mediums.Get().(*[mediumSize]byte)[:]
			copy(in.buf, in.small[:])
		case got <= len(in.small) && len(in.buf) > len(in.small):
			copy(in.small[:], in.buf[:got])
			in.release()
			in.w = got
		}
	}
	return nil
}

// receive reads once from the socket. When the socket's deadline passes it
// sees to pings and to what the peer owes; if the connection may go on it
// returns 0 and no error. Its errors are Reasons.
func (c *Conn) receive(p []byte) (int, error) {
	n, err := c.nc.Read(p)
	switch {
	case n > 0:
		c.in.heard = true
		return n, nil
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

// overdue is called when the socket's deadline has passed. It returns why
// the connection must end, or the zero Reason once it has set the next
// deadline, which is never later than the nearest of what may fall due.
func (c *Conn) overdue(now time.Time) Reason {
	in := &c.in
	if r := c.closing(); r.Code != 0 {
		return r
	}
	if !in.begun.IsZero() && now.Sub(in.begun) >= c.limits.MessageTimeout {
		return ReasonTooSlow
	}
	switch {
	case c.bare || now.Before(in.next):
	case in.pinged.IsZero():
		in.pinged, in.heard = now, false
		in.next = now.Add(c.limits.PongWithin)
		c.ping()
	case !in.heard:
		return ReasonDead
	default:
		in.next = in.pinged.Add(c.limits.PingEvery)
		in.pinged = time.Time{}
	}
	c.arm(now)
	return Reason{}
}

// arm sets the socket's read deadline, unless the connection closes: Close
// has then set one for the reader to notice.
func (c *Conn) arm(now time.Time) {
	in := &c.in
	due := now.Add(c.limits.MessageTimeout)
	if !in.begun.IsZero() {
		due = in.begun.Add(c.limits.MessageTimeout)
	}
	if !c.bare && in.next.Before(due) {
		due = in.next
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason.Code == 0 {
		c.nc.SetReadDeadline(due)
	}
}
