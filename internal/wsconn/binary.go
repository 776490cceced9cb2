package wsconn

import "github.com/gobwas/ws"

// DeliverBinary is Deliver for one binary message, such as a picture. CDP has none:
// Chromium's own endpoint sends JSON text alone. It copies f, and reports whether the
// message was taken.
func (c *Conn) DeliverBinary(f Frame) bool {
	c.mu.Lock()
	ok := c.reason.Code == 0
	if ok && !c.queueLocked(ws.OpBinary, f) {
		c.closeLocked(ReasonSlowConsumer)
		ok = false
	}
	c.mu.Unlock()
	c.memory.Enforce()
	return ok
}
