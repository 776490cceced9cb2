package link

import (
	"errors"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// ErrStale refuses a WebSocket that is older than the one that the pipe has.
var ErrStale = errors.New("the link continues over a newer connection")

// fence drops, from now on, what comes from WebSockets of earlier epochs. It returns the
// position up to which the pipe has received. The order of a handshake is fence, answer,
// attach: after fence nothing can change the position that the answer names.
func (p *Pipe) fence(epoch uint64) (received uint64, err error) {
	p.mu.Lock()
	defer p.unlock()
	switch {
	case p.err != nil:
		return 0, p.err
	case epoch <= p.epoch:
		return 0, ErrStale
	}
	p.epoch = epoch
	if p.conn != nil {
		p.conn.Close(wsconn.ReasonLinkMoved)
		p.looseLocked()
	}
	return p.received, nil
}

// attach goes on over a WebSocket of an epoch, which the caller then serves, and
// calls detach when it has ended. The peer has received up to a position. A position that
// cannot be, of bytes that the peer has acknowledged or that were never written, ends the
// link.
func (p *Pipe) attach(c *wsconn.Conn, epoch, peerHas uint64) error {
	p.mu.Lock()
	defer p.unlock()
	switch {
	case p.err != nil:
		return p.err
	case epoch != p.epoch || p.conn != nil:
		return ErrStale
	case peerHas < p.acked || peerHas > p.end():
		p.endLocked(ErrProtocol, wsconn.ReasonProtocol)
		return ErrProtocol
	}
	p.conn = c
	p.over.Stop()
	p.ackLocked(peerHas)
	// All behind that position is sent again, though it may have been sent before.
	p.sent, p.owes = peerHas, true
	p.reading.resume(p.lost, p.wakeReader)
	p.writing.resume(p.lost, p.wakeWriter)
	c.HandleBinary(func(m []byte) { p.receive(c, m) })
	go p.pump(c)
	return nil
}

// looseLocked takes the WebSocket from the pipe. It does not close it. The grace time
// begins.
func (p *Pipe) looseLocked() {
	p.conn, p.lost = nil, time.Now()
	p.reading.stop()
	p.writing.stop()
	p.over.Reset(p.grace)
	p.sendable.Broadcast()
}

// detach takes a WebSocket that has ended from the pipe, and ends the pipe if the
// WebSocket's reason says so. It reports whether the pipe waits for another.
func (p *Pipe) detach(c *wsconn.Conn, why wsconn.Reason) (waits bool) {
	p.mu.Lock()
	defer p.unlock()
	if p.conn != c {
		return p.err == nil
	}
	p.looseLocked()
	switch {
	case why.Code == wsconn.ReasonNormal.Code:
		p.endLocked(errEnded, why)
	case isFinal(why):
		p.endLocked(why, why)
	}
	return p.err == nil
}

// isFinal reports whether a reason is the end of a link, and not of a WebSocket alone,
// which a proxy between the two may end with reasons of its own.
func isFinal(why wsconn.Reason) bool {
	switch why {
	case wsconn.ReasonProtocol, wsconn.ReasonTooBig, wsconn.ReasonInternal, wsconn.ReasonMemory, wsconn.ReasonShutdown,
		wsconn.ReasonTokenRevoked, wsconn.ReasonTokenChanged, wsconn.ReasonTokenExpired, wsconn.ReasonLinkMoved:
		return true
	}
	return false
}

// pump sends what there is to send while the pipe has that WebSocket. Little is queued
// there, so that bytes which wait are in memory once. It ends when the pipe has another
// WebSocket, or none, or has ended.
func (p *Pipe) pump(c *wsconn.Conn) {
	buf := make([]byte, chunk)
	for {
		f, ok := p.next(c, buf)
		if !ok || !c.DeliverBinary(wsconn.Frame{Head: f.head(), Body: f.data}) {
			return
		}
		c.WaitBelow(2*chunk, time.Hour) // the connection's own limits end it before
	}
}

// next waits for the next frame to send over a WebSocket. Its data are in buf. Each frame
// has an acknowledgement and a limit, so that none is needed beside it.
func (p *Pipe) next(c *wsconn.Conn, buf []byte) (f frame, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.conn == c {
		// As much as was written, the peer takes, and a frame may have.
		n := uint64(0)
		if p.sent < p.written && p.sent < p.allowed {
			n = min(p.written-p.sent, p.allowed-p.sent, chunk)
		}
		end := p.fin && p.sent+n == p.written
		if n == 0 && !end && !p.owes {
			p.sendable.Wait()
			continue
		}
		f = frame{end: end, ack: p.received, limit: p.read + window, offset: p.sent, data: buf[:n]}
		if n > 0 {
			copy(f.data, p.kept.from(int(p.sent-p.acked)))
		}
		if p.sent += n; end {
			p.sent++
		}
		p.toldAck, p.toldUpTo, p.owes = f.ack, f.limit, false
		return f, true
	}
	return f, false
}

// tellLocked sends an acknowledgement when one is due. When bytes flow in one direction
// only, these frames are without data. A quarter of the window is worth one.
func (p *Pipe) tellLocked() {
	if p.received-p.toldAck >= ackEvery || p.read+window-p.toldUpTo >= window/4 {
		p.owes = true
		p.sendable.Signal()
	}
}

// receive takes a message of a WebSocket.
func (p *Pipe) receive(c *wsconn.Conn, message []byte) {
	p.mu.Lock()
	defer p.unlock()
	if p.conn != c {
		return // an older one
	}
	f, ok := readFrame(message)
	if !ok || !p.takeLocked(f) {
		p.endLocked(ErrProtocol, wsconn.ReasonProtocol)
	}
}

// takeLocked reports false for a frame that cannot be. What was sent twice, before and
// after a loss, is cut off. A gap cannot be: it would mean that the peer has dropped what
// it had to keep.
func (p *Pipe) takeLocked(f frame) bool {
	if f.ack < p.acked || f.ack > p.sent || f.offset > p.received {
		return false
	}
	p.ackLocked(f.ack)
	p.allowed = max(p.allowed, f.limit)
	p.sendable.Signal()
	if known := p.received - f.offset; known > 0 { // sent twice
		if known > uint64(len(f.data)) {
			return true
		}
		f.data = f.data[known:]
	}
	if p.finished {
		return len(f.data) == 0
	}
	// The peer has sent more than it was allowed to.
	if p.received+uint64(len(f.data)) > p.read+window {
		return false
	}
	p.received += uint64(len(f.data))
	p.unread.push(f.data)
	if f.end {
		p.finished, p.owes = true, true
		p.received++
	}
	// Nothing is read any more, but the peer's bytes are acknowledged, so that it comes to
	// its end.
	if p.closed {
		p.dropLocked()
	}
	p.tellLocked()
	p.readable.Broadcast()
	p.leaveLocked()
	return true
}

// ackLocked drops what the peer has received from kept.
func (p *Pipe) ackLocked(upTo uint64) {
	data := min(upTo, p.written) - min(p.acked, p.written)
	p.kept.drop(int(data))
	p.acked = upTo
	p.writable.Broadcast()
	p.leaveLocked()
}
