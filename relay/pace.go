package relay

import "time"

// A Client that sends faster than its Host answers waits for its turn, so that
// what others send need not wait behind all of that: its reader stops, and
// then its own TCP window. A Host that answers nothing at all makes nobody
// wait; the limit of commands in flight is what ends that.

const (
	paceAbove   = 256                   // commands in flight of one Client
	paceLongest = 10 * time.Millisecond // for one message
)

// pace is one Client's place in that, guarded by the hub's lock.
type pace struct {
	turn   chan struct{} // closed when the Client may go on; nil while it does not wait
	futile bool          // it has waited, and nothing was answered
}

// turnLocked returns what the Client must wait for before its next message;
// nil is nothing.
func (c *Client) turnLocked() chan struct{} {
	if c.calls <= paceAbove || c.pace.futile {
		return nil
	}
	c.pace.turn = make(chan struct{})
	return c.pace.turn
}

// await waits for a turn, but not for long.
func (c *Client) await(turn <-chan struct{}) {
	if turn == nil {
		return
	}
	select {
	case <-turn:
	case <-time.After(paceLongest):
		c.hub.mu.Lock()
		defer c.hub.mu.Unlock()
		if c.pace.turn == turn {
			c.pace = pace{futile: true}
		}
	}
}

// callEndedLocked is called when a command of the Client has been answered.
func (c *Client) callEndedLocked() {
	c.pace.futile = false
	if c.pace.turn != nil && c.calls <= paceAbove {
		close(c.pace.turn)
		c.pace.turn = nil
	}
	if c.hub.draining {
		c.drainLocked()
	}
}
