// Package wsconn is a WebSocket connection (RFC 6455), of either side, with one
// reader, one writer and a bounded queue of messages.
//
//	conn, err := wsconn.Upgrade(w, r, wsconn.Options{})
//	if err != nil {
//		return // the request has been answered
//	}
//	why := conn.Serve(ctx, func(message []byte) {
//		conn.Deliver(wsconn.Frame{Body: message}) // an echo
//	})
//
// Reason is why a connection ends; the catalogue says what a peer should do then.
package wsconn

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// Frame is one message in up to three parts, which are written one after the
// other. The parts are the caller's again when a call returns.
type Frame = wire.Frame

// Limits bounds what one connection may use. Zero fields take the default. 100 MiB
// for a message is Chromium's own limit for what its DevTools endpoint receives.
type Limits struct {
	MaxMessage     int64         // bytes of one incoming message; 100 MiB
	MaxFragments   int           // frames of one incoming message; 65,536
	MaxPending     int           // bytes queued behind the write under way; 32 MiB
	MaxQueued      int           // messages queued behind the write under way; 32,768
	PingEvery      time.Duration // 25 s
	PongWithin     time.Duration // silence after a ping that means death, but see Patient; 10 s
	MessageTimeout time.Duration // from a message's first byte to its last; 60 s, with Patient none
	WriteTimeout   time.Duration // a write without any progress; 10 s, with Patient none
	FlushTimeout   time.Duration // for what is queued when the connection closes; 5 s
	DrainTimeout   time.Duration // for the peer to close after our close frame; 500 ms

	// Patient is for a peer whose process may stand still, as at a breakpoint: no time
	// ends its connection, only what it holds (MaxPending, MaxQueued, Budget). Silence means
	// death only if the peer's system has not acknowledged for PongWithin what was sent. Pings
	// go on, for the sake of NATs on the way.
	Patient bool
}

// forever is a time-out of a patient connection. A deadline so far ahead is still a
// time.Time that a socket takes.
const forever = 100 * 365 * 24 * time.Hour

// withDefaults is l with the defaults of its comments.
func (l Limits) withDefaults() Limits {
	if l.Patient {
		l.MessageTimeout, l.WriteTimeout = forever, forever
	}
	l.MaxMessage = orDefault(l.MaxMessage, 100<<20)
	l.MaxFragments = orDefault(l.MaxFragments, 65536)
	l.MaxPending = orDefault(l.MaxPending, 32<<20)
	l.MaxQueued = orDefault(l.MaxQueued, 32768)
	l.PingEvery = orDefault(l.PingEvery, 25*time.Second)
	l.PongWithin = orDefault(l.PongWithin, 10*time.Second)
	l.MessageTimeout = orDefault(l.MessageTimeout, time.Minute)
	l.WriteTimeout = orDefault(l.WriteTimeout, 10*time.Second)
	l.FlushTimeout = orDefault(l.FlushTimeout, 5*time.Second)
	l.DrainTimeout = orDefault(l.DrainTimeout, 500*time.Millisecond)
	return l
}

// orDefault is v, or d where v is zero or less.
func orDefault[T int | int64 | time.Duration](v, d T) T {
	if v <= 0 {
		return d
	}
	return v
}

// Conn is one WebSocket connection. Its maker must call Serve or Start, even after
// Close: only these close the socket.
//
// Deliver, Offer, Close and Pending are safe for concurrent use and do not wait
// for the peer. WaitBelow is safe for concurrent use, too.
type Conn struct {
	nc       net.Conn // static after construction, as is what follows
	limits   *Limits
	client   bool                 // this end dialled: it sends masked frames
	textOnly bool                 // the peer understands whole text frames and nothing else
	deflate  bool                 // large messages are compressed, and the peer's may be
	binary   func(message []byte) // handles binary messages; without it, as in CDP, one ends the connection

	tooLarge   func(head, tail []byte, size int64) // handles a message that is too large; without it, one ends the connection
	maxMessage atomic.Int64                        `stays:"configuration"` // bytes of one incoming message
	versionOne atomic.Bool                         // the peer knows 1008 in place of our own codes

	memory Account
	share  *Share // nil: its time is not counted

	started // for Start; its comments say who owns what

	in reader // owned by the reader's goroutine

	w writer // owned by the writer's goroutine, while there is one

	mu     sync.Mutex `stays:"its budget counts its bytes"` // guards everything below
	out    outbox
	served bool          // Serve runs: there may be a writer
	writes bool          // there is one
	ended  chan struct{} // closed when the last writer has ended; made by startWriting
	reason Reason        // why it closes; zero while it does not
	giveUp time.Time     // when the writer stops trying; set with reason
}

// newConn makes a connection of a socket whose handshake is over. The first ping is due
// after PingEvery.
func newConn(nc net.Conn, limits *Limits) *Conn {
	c := &Conn{nc: nc, limits: limits}
	c.maxMessage.Store(limits.MaxMessage)
	c.w.c, c.memory.of = c, c
	_, c.w.noRetry = tlsOf(nc)
	c.in.next = time.Now().Add(limits.PingEvery)
	return c
}

// HandleBinary sets the handler of binary messages. Without one a binary message
// ends the connection. It must be called before Serve or Start. The message belongs to f
// until it returns.
func (c *Conn) HandleBinary(f func(message []byte)) { c.binary = f }

// HandleTooLarge sets the handler of messages that are longer than Limits.MaxMessage: it gets
// their ends, 1 KiB each, and their size in bytes. The rest is discarded as it is read. Without
// a handler such a message ends the connection. It must be called before Serve or Start, on
// a connection without compression.
func (c *Conn) HandleTooLarge(f func(head, tail []byte, size int64)) { c.tooLarge = f }

// LimitMessages lowers the limit for incoming messages to n bytes. 0, or more than
// Limits.MaxMessage, restores that. It counts from the next frame on. A longer message ends
// the connection with ReasonTooBig. Safe for concurrent use.
func (c *Conn) LimitMessages(n int64) {
	c.maxMessage.Store(min(orDefault(n, c.limits.MaxMessage), c.limits.MaxMessage))
}

// MaxMessage is the limit for incoming messages.
func (c *Conn) MaxMessage() int64 { return c.maxMessage.Load() }

// Hold counts memory that the connection's user holds for it, in bytes: n is added to what
// the Budget counts for the connection, and may be negative. Only the handler of messages
// may call it. What is held when the connection ends is returned to the Budget by itself.
func (c *Conn) Hold(n int) {
	c.memory.Add(n)
	if n > 0 {
		c.memory.Enforce()
	}
}

// UseVersionOneCodes says whether the close frame has 1008 where the Reason has a
// code of our own. Hosts of version 1 of the bridge know no others. Serve returns
// the Reason unchanged.
func (c *Conn) UseVersionOneCodes(on bool) { c.versionOne.Store(on) }

// RemoteAddr is the peer's address.
func (c *Conn) RemoteAddr() net.Addr { return c.nc.RemoteAddr() }

// Serve runs the connection until it ends, calling handle for each text
// message, one at a time. The message, valid UTF-8, belongs to the handler
// until it returns. Serve returns when the writer has ended and the socket is
// closed.
//
// Cancelling ctx closes the connection, with the Reason that is its cause or
// else with ReasonShutdown. What is queued by then is still written.
func (c *Conn) Serve(ctx context.Context, handle func(message []byte)) Reason {
	stop := context.AfterFunc(ctx, func() { c.Close(reasonOf(ctx)) })
	defer stop()
	c.poller = nil // the caller's goroutine waits anyway
	c.startWriting()
	why := ReasonInternal // if handle panics, this remains
	defer func() {
		c.Close(why)
		c.finish()
	}()
	why = c.read(handle)
	c.Close(why)
	return c.closing()
}

// finish waits for the writer, closes the socket and frees the buffers. The order matters:
// the writer has sent the close frame before drain reads, and no goroutine uses the buffers once
// the socket is closed.
func (c *Conn) finish() {
	<-c.ended
	c.drain()
	c.hangUp()
	c.in.release()
	c.memory.Close()
}

// Close begins to end the connection and returns at once: what is queued is
// written, then a close frame with the reason. Only the first call counts.
func (c *Conn) Close(r Reason) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeLocked(r)
}

// closeLocked is Close under the lock. How long the writer may go on depends on the
// reason: not at all for a peer that has gone, DrainTimeout for a peer that does not
// read, which is enough for the close frame, and FlushTimeout for all others.
func (c *Conn) closeLocked(r Reason) {
	if c.reason.Code != 0 {
		return
	}
	c.reason = r
	now := time.Now()
	switch r {
	case ReasonGone, ReasonDead:
		c.giveUp = now
		c.dropLocked()
	case ReasonSlowConsumer, ReasonMemory:
		// The queue of such a peer is what must be freed. Behind the batch under way, it
		// gets the close frame alone.
		c.giveUp = now.Add(c.limits.DrainTimeout)
		c.dropLocked()
	default:
		c.giveUp = now.Add(c.limits.FlushTimeout)
	}
	// Wakes the reader and the writer from their system calls: they see the reason.
	c.nc.SetReadDeadline(now)
	c.nc.SetWriteDeadline(c.giveUp)
	c.out.signalRoom()
	c.writeLocked()
	c.wakeLocked()
}

// closing returns the reason, whose code is 0 while there is none.
func (c *Conn) closing() Reason {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.reason
}

// drain waits for the peer to close its side. To close ours while it still
// sends would make the kernel reset the connection, and the close frame could
// be lost with what came before it (RFC 6455, section 7.1.1).
func (c *Conn) drain() {
	if r := c.closing(); r == ReasonGone || r == ReasonDead {
		return
	}
	c.nc.SetReadDeadline(time.Now().Add(c.limits.DrainTimeout))
	b := smalls.Get().(*[smallSize]byte)
	defer smalls.Put(b)
	for {
		if _, err := c.nc.Read(b[:]); err != nil {
			return
		}
	}
}
