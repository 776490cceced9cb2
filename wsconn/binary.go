package wsconn

import "github.com/gobwas/ws"

// DeliverBinary is Deliver for one binary message, such as a picture.
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
