package wsconn

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// startWriting allows the writer to run.
func (c *Conn) startWriting() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.served = true
	c.ended = make(chan struct{})
	if c.out.frames > 0 || c.reason.Code != 0 {
		c.writeLocked()
	}
}

// writeLocked starts the writer's goroutine unless it runs. The goroutine ends
// when nothing is left to write: most connections are idle, and a goroutine's
// stack is half of the memory of one. Before Serve or Start, messages are only queued: the
// caller may deliver the first ones while it still sets up the connection.
func (c *Conn) writeLocked() {
	if c.served && !c.writes {
		c.writes = true
		go c.write()
	}
}

// write is the writer: it takes all that is queued and writes it at once, until nothing is
// left. When the connection closes it ends with a close frame and half-closes. It never
// holds Conn.mu while it writes, so that Deliver never waits for the socket.
func (c *Conn) write() {
	var batch [][]byte
	for {
		var open bool
		batch, open = c.next(batch)
		if len(batch) == 0 {
			if !open {
				c.writeEnd()
			}
			return
		}
		// Counted before compressed, which may need fewer chunks: what was added must be
		// taken off again.
		held := chunkCost(len(batch))
		if c.deflate {
			batch = compressBatch(batch)
		}
		why := c.w.write(batch)
		recycleChunks(batch)
		c.memory.Add(-held)
		if why.Code != 0 {
			c.w.unsent = true
			c.Close(why)
			close(c.ended)
			return
		}
	}
}

// writeEnd writes the close frame and closes the socket for writing.
func (c *Conn) writeEnd() {
	defer close(c.ended)
	why := c.closing()
	if c.versionOne.Load() {
		why = why.versionOne()
	}
	// Written by itself, behind all that was queued.
	if f := closeFrame(why); f != nil && !c.textOnly {
		var o outbox
		o.addFrame(ws.OpClose, wire.Frame{Body: f}, c.client)
		_ = c.w.write(o.chunks) // whatever comes of it, the connection ends
		recycleChunks(o.chunks)
	}
	if r := c.closing(); r == ReasonGone || r == ReasonDead {
		return // the CloseWrite of TLS sends an alert, and would wait for a peer that has gone
	}
	if half, ok := c.nc.(interface{ CloseWrite() error }); ok {
		half.CloseWrite() //nolint:errcheck // a peer that is gone
	}
}

// hangUp closes the socket. For TLS it closes the connection below: CloseWrite
// has sent the alert close_notify, or it cannot be sent. Then tls.Conn.Close
// would wait up to 5 s for a peer that reads nothing (crypto/tls, Go 1.26). A peer that has not
// read what was written is reset: the system would keep its bytes for minutes, and a node
// that forwards them would not learn of the end before it can pass them on.
func (c *Conn) hangUp() {
	nc := c.nc
	if t, ok := tlsOf(nc); ok {
		nc = t.NetConn()
	}
	if tcp, ok := nc.(*net.TCPConn); ok && c.w.unsent {
		tcp.SetLinger(0)
	}
	nc.Close()
}

// next returns all queued chunks. Without any the writer's goroutine must end;
// when the connection is not open, for good. Spare is an emptied list to use
// again.
func (c *Conn) next(spare [][]byte) (batch [][]byte, open bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	open = c.reason.Code == 0
	if c.out.frames == 0 {
		c.writes = !open // no other may start once the end is written
		return nil, open
	}
	if cap(spare) > 64 {
		spare = nil // of a burst
	}
	return c.out.take(spare), open
}

// closeFrame is the payload of the close frame for a reason; nil means that
// none is sent.
func closeFrame(r Reason) []byte {
	switch {
	case r == ReasonNoStatus:
		return []byte{}
	case !validCode(r.Code):
		return nil
	}
	// RFC 6455, section 5.5: 125 bytes of payload, of which the code takes 2.
	text := r.Text[:min(len(r.Text), ws.MaxControlFramePayloadSize-2)]
	return append(binary.BigEndian.AppendUint16(nil, r.Code), text...)
}

// writer writes batches under a deadline. The socket's deadline lies at most
// a quarter of the timeout ahead, and is moved lazily; each time it passes,
// the writer looks whether there was progress. That needs a socket whose
// Write can go on after a timeout, as TCP's can and crypto/tls's cannot: there
// each chunk has the whole timeout, and to run out of it is the end.
type writer struct {
	c        *Conn
	noRetry  bool        // the first timeout is the last
	unsent   bool        // what was queued could not be written
	bufs     net.Buffers // a field, since WriteTo makes it escape
	deadline time.Time   // of the socket
}

// write returns the zero Reason when all is written. It consumes no chunk. It returns
// ReasonSlowConsumer when the peer took nothing for WriteTimeout, and ReasonGone when the
// socket fails.
func (w *writer) write(batch [][]byte) Reason {
	w.bufs = append(w.bufs[:0], batch...)
	keep := w.bufs[:0]
	defer func() {
		clear(keep[:len(batch)])
		w.bufs = keep
		if cap(keep) > 16 {
			w.bufs = nil // of a burst
		}
	}()
	progress := time.Now()
	now := progress
	for {
		w.arm(now)
		n, err := w.once()
		switch {
		case err == nil && len(w.bufs) == 0:
			return Reason{}
		case err == nil: // one chunk of TLS
			now = time.Now()
			continue
		case !errors.Is(err, os.ErrDeadlineExceeded):
			return ReasonGone
		case w.noRetry:
			return ReasonSlowConsumer
		}
		now = time.Now()
		if n > 0 || now.Sub(w.deadline) > w.c.limits.WriteTimeout/4 { // or this process has not run for a while
			progress = now
		}
		if now.Sub(progress) >= w.c.limits.WriteTimeout {
			return ReasonSlowConsumer
		}
		if w.late(now) {
			return ReasonGone
		}
	}
}

// once writes as much as the socket takes before its deadline.
func (w *writer) once() (int64, error) {
	if len(w.bufs) > 1 && !w.noRetry {
		return w.bufs.WriteTo(w.c.nc)
	}
	n, err := w.c.nc.Write(w.bufs[0])
	if err == nil {
		w.bufs = w.bufs[1:]
	} else {
		w.bufs[0] = w.bufs[0][n:]
	}
	return int64(n), err
}

// arm moves the socket's deadline ahead when it is near. While the connection
// closes, Close has set the last one.
func (w *writer) arm(now time.Time) {
	tick := w.c.limits.WriteTimeout / 4
	if w.noRetry {
		tick = w.c.limits.WriteTimeout
	} else if w.deadline.Sub(now) > tick/2 {
		return
	}
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	if w.c.reason.Code == 0 {
		w.deadline = now.Add(tick)
		w.c.nc.SetWriteDeadline(w.deadline)
	}
}

// late reports whether the connection closes and its time is up.
func (w *writer) late(now time.Time) bool {
	w.c.mu.Lock()
	defer w.c.mu.Unlock()
	return w.c.reason.Code != 0 && !now.Before(w.c.giveUp)
}
