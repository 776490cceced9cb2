package wsconn

import (
	"context"
	"time"
)

// started is the state of a connection that was begun with Start. A connection that Serve
// runs has none of it.
type started struct {
	// static after Start
	poller *Poller
	handle func([]byte)
	onEnd  func(Reason)
	stop   func() bool // releases Start's context

	// guarded by Conn.mu
	fd     int32       // descriptor in the Poller; 0 until it was first parked
	parked bool        // there is no reader: the Poller or timer wakes the connection
	timer  *time.Timer // wakes a parked connection for the next ping
}

// Start runs the connection as Serve does, but returns at once and calls ended when Serve
// would return. A connection that is silent for a time is parked: it waits in
// Options.Poller and needs no goroutine. A panic in handle ends the process, as in any
// goroutine. The goroutine that runs ended is the connection's own; no lock is held.
func (c *Conn) Start(ctx context.Context, handle func(message []byte), ended func(Reason)) {
	c.handle, c.onEnd = handle, ended
	c.stop = context.AfterFunc(ctx, func() { c.Close(reasonOf(ctx)) })
	c.startWriting()
	go c.run()
}

// run reads until the connection ends or is parked.
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

// park hands an idle connection to the Poller. It reports false when that is
// not possible. Close may run at the same time: it takes the same lock, and either finds
// parked set and starts the reader, or sets the reason before, which is seen here. So no
// end is missed.
func (c *Conn) park() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason.Code != 0 {
		return false
	}
	c.in.release()
	if !c.poller.add(c) {
		c.poller = nil // do not ask again
		return false
	}
	c.parked = true
	wait := time.Until(c.in.next)
	switch {
	case c.textOnly: // such a peer gets no pings
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

// wakeLocked is wake with the lock held. The Poller, the timer and Close may all call
// it; the first one starts the reader, and the others find parked false.
func (c *Conn) wakeLocked() {
	if !c.parked {
		return
	}
	c.parked = false
	c.poller.remove(c)
	if c.timer != nil {
		c.timer.Stop()
	}
	go c.run()
}
