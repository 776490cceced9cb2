package wsconn

import (
	"context"
	"time"
)

// started is what a connection needs that no caller waits for.
type started struct {
	lot    *Lot // static after Start, as is what follows
	handle func([]byte)
	onEnd  func(Reason)
	stop   func() bool // lets go of Start's context

	spot   int32       // its descriptor, once it has been in the lot; guarded by Conn.mu
	parked bool        // likewise: it has no reader, and waits for wake
	timer  *time.Timer // likewise: wakes it for the next ping
}

// Start runs the connection as Serve does, but returns at once and calls ended
// when Serve would return. While nothing comes for a time the connection waits
// in Options.Lot and needs no goroutine. A panic in handle ends the process,
// as in any goroutine.
func (c *Conn) Start(ctx context.Context, handle func(message []byte), ended func(Reason)) {
	c.handle, c.onEnd = handle, ended
	c.stop = context.AfterFunc(ctx, func() { c.Close(reasonOf(ctx)) })
	c.startWriting()
	go c.run()
}

// run reads until the connection ends or is left to the lot.
func (c *Conn) run() {
	for {
		why := c.read(c.handle)
		if why == reasonIdle && c.park() {
			return
		}
		if why != reasonIdle {
			c.Close(why)
			c.finish()
			c.stop()
			c.onEnd(c.closing())
			return
		}
	}
}

// park leaves an idle connection to the lot. It reports false where that is
// not possible.
func (c *Conn) park() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason.Code != 0 {
		return false
	}
	c.in.release()
	if !c.lot.enter(c) {
		c.lot = nil // do not ask again
		return false
	}
	c.parked = true
	wait := time.Until(c.in.next)
	switch {
	case c.bare: // it is never asked whether it lives
	case c.timer == nil:
		c.timer = time.AfterFunc(wait, c.wake)
	default:
		c.timer.Reset(wait)
	}
	return true
}

// wake gives a parked connection its reader back.
func (c *Conn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wakeLocked()
}

func (c *Conn) wakeLocked() {
	if !c.parked {
		return
	}
	c.parked = false
	c.lot.leave(c)
	if c.timer != nil {
		c.timer.Stop()
	}
	go c.run()
}
