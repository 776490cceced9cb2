package relay

import "time"

// A Client that sends faster than its Host answers waits for its turn: once a
// number of its commands are in flight, each further one waits for an answer.
// Its reader stops, and then its own TCP window, and what others send need
// not wait behind all of that. A Host that answers nothing makes nobody wait;
// the limit of commands in flight is what ends that.

const (
	paceAlone   = 256                    // commands in flight of the only Client that sends
	paceShared  = 32                     // of one among others
	paceMemory  = 4096                   // messages to the hub; what was sent before them is long ago
	paceSilence = 100 * time.Millisecond // without an answer: waiting is in vain
)

// pace is one Client's place in that, guarded by the hub's lock.
type pace struct {
	last   uint64        // number of its last message, among those to the hub
	others uint64        // likewise, of the last before which others sent something; 0 is none
	turn   chan struct{} // closed when the Client may go on; nil while it does not wait
	futile bool          // it has waited, and nothing was answered
}

// turnLocked returns what the Client must wait for before its next message;
// nil is nothing.
func (c *Client) turnLocked() chan struct{} {
	p, now := &c.pace, c.hub.ledger.Received
	if now != p.last+1 {
		p.others = now
	}
	p.last = now
	most := paceAlone
	if p.others > 0 && now-p.others < paceMemory {
		most = paceShared
	}
	if c.calls <= most || p.futile {
		return nil
	}
	p.turn = make(chan struct{})
	return p.turn
}

// await waits for a turn as long as the Host may be about to answer.
func (c *Client) await(turn <-chan struct{}) {
	if turn == nil {
		return
	}
	select {
	case <-turn:
		return
	case <-time.After(paceSilence):
	}
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.pace.turn != nil { // it has not just come
		c.pace.turn, c.pace.futile = nil, true
	}
}

// callEndedLocked is called when a command of the Client has been answered.
func (c *Client) callEndedLocked() {
	c.pace.futile = false
	if c.pace.turn != nil {
		close(c.pace.turn)
		c.pace.turn = nil
	}
	if c.hub.draining {
		c.drainLocked()
	}
}
