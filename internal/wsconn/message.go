package wsconn

import (
	"encoding/binary"
	"errors"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// message assembles a message that is not in the read buffer as a whole. Its memory is
// borrowed while the message comes in. It grows with the bytes that have arrived, and never
// by the length that a header announces.
type message struct {
	data    []byte
	checked int // data[:checked] is valid UTF-8
	frames  int
	binary  bool
	deflate bool      // data is compressed
	cut     *wire.Cut // what is kept of a message that is too large; nil for any other
}

// The sizes of a message's buffer, in bytes.
const (
	firstSize  = 4 << 10
	keptSize   = 1 << 20 // larger buffers are not kept for the next message
	growFactor = 4       // a header that announces 100 MiB gets 4 KiB, and then four times what has arrived
)

var messages sync.Pool // of *[]byte

// read is the reader. It passes messages to handle until the connection ends, and returns
// why. It returns reasonIdle when the connection may be parked.
func (c *Conn) read(handle func([]byte)) Reason {
	if why := c.overdue(time.Now()); why.Code != 0 {
		return why
	}
	var m message
	defer m.free()
	for {
		if err := c.frame(&m, handle); err != nil {
			var r Reason
			if errors.As(err, &r) {
				return r
			}
			return ReasonInternal
		}
	}
}

// frame reads one frame. Its errors are Reasons. The frames of a message may have control
// frames between them, which are answered at once (RFC 6455, section 5.4).
func (c *Conn) frame(m *message, handle func([]byte)) error {
	h, err := c.header(m.frames > 0)
	if err != nil {
		return err
	}
	// Control frames have no part in the message under way.
	if h.OpCode.IsControl() {
		return c.control(h)
	}
	if h.OpCode == ws.OpBinary {
		if c.binary == nil {
			return ReasonBinary
		}
		m.binary = true
	}
	if h.Rsv != 0 {
		m.deflate = true
	}
	// Before anything is read: a peer that announces too much is refused by its header.
	if m.cut != nil || h.Length > c.maxMessage.Load()-int64(len(m.data)) {
		if c.tooLarge == nil {
			return ReasonTooBig
		}
		return c.discard(m, h)
	}
	// A peer may send frames of 0 bytes without end; the limit for bytes would never stop
	// it.
	if m.frames++; m.frames > c.limits.MaxFragments {
		return ReasonFragments
	}
	in := &c.in
	if m.frames == 1 && h.Fin && !m.deflate && h.Length <= int64(in.w-in.r) {
		// The usual case: all of it is in the read buffer, and is unmasked there. The
		// handler gets this memory, without a copy: hence it may not keep it.
		p := in.buf[in.r : in.r+int(h.Length)]
		if h.Masked {
			ws.Cipher(p, h.Mask, 0)
		}
		if !m.binary && !utf8.Valid(p) {
			return ReasonInvalidUTF8
		}
		in.r += int(h.Length)
		c.hand(m, p, handle)
		return nil
	}
	if m.frames == 1 {
		in.begun = time.Now()
	}
	if err := c.payload(m, h); err != nil || !h.Fin {
		return err
	}
	if m.deflate {
		if err := c.inflate(m); err != nil {
			return err
		}
		// payload has checked all but a character that is cut off at the end of the message.
		// RFC 6455, section 8.1: invalid UTF-8 fails the connection.
	} else if !m.binary && m.checked < len(m.data) {
		return ReasonInvalidUTF8
	}
	in.begun = time.Time{}
	c.hand(m, m.data, handle)
	if c.poller != nil {
		c.arm(time.Now()) // idleness is not looked for within a message
	}
	return nil
}

// hand gives a whole message, whose payload is p, to its handler.
func (c *Conn) hand(m *message, p []byte, handle func([]byte)) {
	if m.binary {
		handle = c.binary
	}
	handle(p)
	c.memory.Add(-bufferCost(m.data))
	m.free()
}

// header reads and checks a frame's header (RFC 6455, section 5.2). It is called with
// fragmented for the frames of a message behind the first: these are continuations, or
// control frames between them.
func (c *Conn) header(fragmented bool) (h ws.Header, err error) {
	if err = c.need(2, !fragmented); err != nil {
		return h, err
	}
	b := c.in.unread()
	h.Fin = b[0]&0x80 != 0
	h.Rsv = b[0] & 0x70 >> 4
	h.OpCode = ws.OpCode(b[0] & 0x0f)
	h.Masked = b[1]&0x80 != 0
	short := b[1] & 0x7f
	size := 2
	switch short {
	case 126:
		size += 2
	case 127:
		size += 8
	}
	at := size // of the mask
	if h.Masked {
		size += 4
	}
	state := ws.StateServerSide
	if c.client {
		state = ws.StateClientSide
	}
	if fragmented {
		state = state.Set(ws.StateFragmented)
	}
	if c.deflate {
		state = state.Set(ws.StateExtended)
	}
	// The first two bytes tell enough for most violations, whose sender may
	// never send more.
	h.Length = int64(short)
	if ws.CheckHeader(h, state) != nil || misplacedRSV(h) {
		return h, ReasonProtocol
	}
	if err = c.need(size, false); err != nil {
		return h, err
	}
	b = c.in.unread()
	switch short {
	case 126:
		h.Length = int64(binary.BigEndian.Uint16(b[2:]))
	case 127:
		h.Length = int64(binary.BigEndian.Uint64(b[2:]))
	}
	if h.Length < 0 || short == 126 && h.Length < 126 || short == 127 && h.Length <= 0xffff {
		return h, ReasonProtocol // the top bit, or more bytes than the length needs: section 5.2 forbids both
	}
	if h.Masked {
		copy(h.Mask[:], b[at:])
	}
	c.in.r += size
	return h, nil
}

// payload appends the payload of a data frame to the message. Once the read buffer is empty
// it reads from the socket straight into the message's buffer, so that most of a large
// message is not copied.
func (c *Conn) payload(m *message, h ws.Header) error {
	in := &c.in
	for at := 0; at < int(h.Length); {
		if len(m.data) == 0 && in.r == in.w {
			if err := c.need(1, false); err != nil {
				return err // before anything is borrowed
			}
		}
		left := int(h.Length) - at
		before := bufferCost(m.data)
		to := m.space(left, h.Fin)
		if grown := bufferCost(m.data) - before; grown > 0 {
			c.memory.Add(grown)
			c.memory.Enforce()
		}
		var n int
		if in.r < in.w {
			n = copy(to, in.unread())
			in.r += n
		} else {
			var err error
			if n, err = c.receive(to); err != nil {
				return err
			}
		}
		if h.Masked {
			ws.Cipher(to[:n], h.Mask, at)
		}
		at += n
		m.data = m.data[:len(m.data)+n]
		if !m.binary && !m.deflate && !m.check() {
			return ReasonInvalidUTF8
		}
	}
	return nil
}

// space returns room for up to n more bytes, and for at least one. They may be
// the last.
func (m *message) space(n int, last bool) []byte {
	if m.data == nil {
		if kept, ok := messages.Get().(*[]byte); ok {
			m.data = (*kept)[:0]
		} else {
			m.data = make([]byte, 0, firstSize)
		}
	}
	size := len(m.data)
	if size == cap(m.data) {
		want := size + n
		if !last { // Chromium sends large messages in frames of 128 KiB: to grow by each would copy all of it each time
			want = max(want, 2*size)
		}
		grown := make([]byte, size, min(size*growFactor, want))
		copy(grown, m.data)
		m.data = grown
	}
	return m.data[size:min(cap(m.data), size+n)]
}

// check goes on with the UTF-8 check as far as characters are complete, so
// that a peer that sends something else is stopped at once.
func (m *message) check() bool {
	end := len(m.data)
	for i := end - 1; i >= m.checked && i >= end-utf8.UTFMax; i-- {
		if utf8.RuneStart(m.data[i]) {
			if !utf8.FullRune(m.data[i:]) {
				end = i
			}
			break
		}
	}
	if !utf8.Valid(m.data[m.checked:end]) {
		return false
	}
	m.checked = end
	return true
}

// free ends the message and keeps its memory for another, if it is not huge.
func (m *message) free() {
	if c := cap(m.data); c > 0 && c <= keptSize {
		kept := m.data[:0]
		messages.Put(&kept)
	}
	*m = message{}
}

// pongPatience is the longest time for which a peer that reads no pongs is not read from: only
// the reader notices that it has gone.
const pongPatience = 10 * time.Second

// control answers a control frame. Their payload has 125 bytes at most and is never
// fragmented (RFC 6455, section 5.5), which header has checked. A pong needs no answer:
// that bytes have come is what overdue looks for. A ping is answered with its own payload
// (section 5.5.3).
func (c *Conn) control(h ws.Header) error {
	size := int(h.Length)
	if err := c.need(size, false); err != nil {
		return err
	}
	p := c.in.unread()[:size]
	c.in.r += size
	if h.Masked {
		ws.Cipher(p, h.Mask, 0)
	}
	switch h.OpCode {
	case ws.OpPing:
		// A peer that sends pings faster than it reads pongs is not read from until half
		// of its queue is free, or pongPatience has passed. Otherwise its pings would end it as a
		// slow consumer.
		c.waitUntil(func() bool { return c.out.frames < max(c.limits.MaxQueued/2, 1) }, pongPatience)
		c.sendControl(ws.OpPong, p)
	case ws.OpClose:
		return closedBy(p)
	}
	return nil
}

// closedBy is the reason in a peer's close frame; it is sent back as it came. A payload of
// 1 byte has no whole code. Section 5.5.1 of RFC 6455 wants a close frame in answer, which
// typically echoes the code; section 7.4 says which codes may be in a frame.
func closedBy(p []byte) Reason {
	switch {
	case len(p) == 0:
		return ReasonNoStatus
	case len(p) == 1:
		return ReasonProtocol
	}
	r := Reason{binary.BigEndian.Uint16(p), string(p[2:])}
	if !validCode(r.Code) || !utf8.ValidString(r.Text) {
		return ReasonProtocol
	}
	return r
}

// ping sends a ping without payload (RFC 6455, section 5.5.2).
func (c *Conn) ping() { c.sendControl(ws.OpPing, nil) }

// sendControl queues a control frame behind what is queued already. A peer that understands
// text frames alone gets none.
func (c *Conn) sendControl(op ws.OpCode, p []byte) {
	if c.textOnly {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.queueLocked(op, wire.Frame{Body: p}) {
		c.closeLocked(ReasonSlowConsumer)
	}
}
