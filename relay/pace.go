package relay

import "time"

// A Client that sends faster than its Host answers waits for its turn, so that
// what others send need not wait behind all of that: its reader stops, and
// then its own TCP window. A Host that answers nothing at all makes nobody
// wait; the limit of commands in flight is what ends that.

const (
	paceAbove   = 256                    // commands in flight of one Client
	paceSilence = 100 * time.Millisecond // without an answer: waiting is in vain
	paceLongest = 500 * time.Millisecond // for one message
)

// pace is one Client's place in that, guarded by the hub's lock.
type pace struct {
	turn   chan struct{} // closed when the Client may go on; nil while it does not wait
	moved  bool          // something was answered while it waits
	futile bool          // it has waited, and nothing was answered
}

// turnLocked returns what the Client must wait for before its next message;
// nil is nothing.
func (c *Client) turnLocked() chan struct{} {
	if c.calls <= paceAbove || c.pace.futile {
		return nil
	}
	c.pace.turn, c.pace.moved = make(chan struct{}), false
	return c.pace.turn
}

// await waits for a turn as long as the Host answers, but not for long.
func (c *Client) await(turn <-chan struct{}) {
	if turn == nil {
		return
	}
	for waited := time.Duration(0); ; {
		select {
		case <-turn:
			return
		case <-time.After(paceSilence):
		}
		if waited += paceSilence; !c.waitsOn(waited) {
			return
		}
	}
}

// waitsOn decides what a Client does that has waited in vain so far.
func (c *Client) waitsOn(waited time.Duration) bool {
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	p := &c.pace
	switch {
	case p.turn == nil: // it has just come
		return false
	case !p.moved:
		*p = pace{futile: true}
		return false
	case waited >= paceLongest:
		*p = pace{}
		return false
	}
	p.moved = false
	return true
}

// callEndedLocked is called when a command of the Client has been answered.
func (c *Client) callEndedLocked() {
	c.pace.futile, c.pace.moved = false, true
	if c.pace.turn != nil && c.calls <= paceAbove {
		close(c.pace.turn)
		c.pace.turn = nil
	}
	if c.hub.draining {
		c.drainLocked()
	}
}
