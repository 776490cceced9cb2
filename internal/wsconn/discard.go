package wsconn

import (
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// discard reads a frame of a message that is too large, and keeps the ends of the message.
// With the last frame its handler gets them.
func (c *Conn) discard(m *message, h ws.Header) error {
	in := &c.in
	if m.cut == nil {
		m.cut = new(wire.Cut)
		m.cut.Add(m.data)
		c.memory.Add(-bufferCost(m.data))
		m.data = nil
	}
	if m.frames++; m.frames > c.limits.MaxFragments {
		return ReasonFragments
	}
	if m.frames == 1 {
		in.begun = time.Now()
	}
	for left := h.Length; left > 0; {
		if in.r == in.w {
			if err := c.need(1, false); err != nil {
				return err
			}
		}
		p := in.unread()[:min(left, int64(in.w-in.r))]
		if h.Masked {
			ws.Cipher(p, h.Mask, int(h.Length-left))
		}
		m.cut.Add(p)
		in.r += len(p)
		left -= int64(len(p))
	}
	if !h.Fin {
		return nil
	}
	in.begun = time.Time{}
	c.tooLarge(m.cut.Head, m.cut.Tail, m.cut.Size)
	m.free()
	return nil
}
