package relay

import (
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// Back-pressure: a Client that sends faster than its Host answers must wait. Once a
// number of its commands are in flight, the hub reads its next message only after
// an answer. The Client's own TCP window fills up, and commands of other Clients
// do not queue behind its commands. A Host that answers nothing for a while, such as a
// page that is busy, makes a Client wait again for each further number of commands. It
// makes no Client wait for long: there Limits.ClientCalls is the bound. While others send,
// all Clients of one token have that number together: commands that are never answered
// would otherwise fill the Host's queue as fast as the token opens connections.

// The bounds of back-pressure. A single Client may keep its Host busy; of several, none may
// fill the Host's queue for the others.
const (
	inFlightAlone  = 256                    // commands in flight of a Client, while no other sends
	inFlightShared = 32                     // while others send
	sharedFor      = 4096                   // for how many messages to the hub another Client still counts as one that sends
	longestWait    = 100 * time.Millisecond // for an answer
	smallParams    = 4 << 10                // bytes of params which inFlightShared bounds well enough; larger ones count for a bridge.Pace
)

// flow is the back-pressure of one Client. The hub's lock guards it.
type flow struct {
	last   uint64        // number of its last message, among all messages to the hub
	others uint64        // number of its last message that came after one of another Client; 0 is none
	turn   chan struct{} // closed when the Client may go on; nil while it does not wait
	more   int           // how many commands more it may have in flight, because it has waited for longestWait in vain
}

// throttleLocked returns the channel that is closed when the Client may send its next
// message; nil when it need not wait. The number of a message is Stats.Received. A gap to
// the Client's last number means that another Client has sent something meanwhile. A Client
// that has waited in vain may send more commands before it waits again (graceLocked).
func (c *Client) throttleLocked() chan struct{} {
	p, now := &c.flow, c.hub.counters.Received
	if now != p.last+1 {
		p.others = now
	}
	p.last = now
	most := inFlightAlone
	if p.sharedAt(now) {
		most = inFlightShared
	}
	if c.calls <= most+p.more {
		return nil
	}
	p.turn = make(chan struct{})
	return p.turn
}

// sharedAt reports whether another Client has sent something before message now.
func (f *flow) sharedAt(now uint64) bool { return f.others > 0 && now-f.others < sharedFor }

// graceLocked is how many commands more the Client may have in flight after it has waited
// in vain.
func (c *Client) graceLocked() int {
	if !c.flow.sharedAt(c.hub.counters.Received) {
		return inFlightAlone
	}
	clients := int64(1)
	if c.account.payer.ID != "" {
		clients = c.account.clients.UsedLocked()
	}
	return max(inFlightShared/int(max(clients, 1)), 1)
}

// await waits for an answer of the Host, or for longestWait. It runs in the goroutine that
// reads the Client's connection, without the hub's lock.
func (c *Client) await(turn <-chan struct{}) {
	if turn == nil {
		return
	}
	select {
	case <-turn:
		return
	case <-time.After(longestWait):
	}
	c.hub.mu.Lock()
	defer c.hub.mu.Unlock()
	if c.flow.turn != nil { // it has not just come
		c.flow.turn = nil
		c.flow.more += c.graceLocked()
	}
}

// paceLocked is the Pace of a new Client: that of its payer, or one of its own.
func (h *Hub) paceLocked(payer string) *bridge.Pace {
	if payer == "" {
		return new(bridge.Pace)
	}
	if h.paces == nil {
		h.paces = make(map[string]*bridge.Pace)
	}
	if h.paces[payer] == nil {
		h.paces[payer] = new(bridge.Pace)
	}
	return h.paces[payer]
}

// callEndedLocked is called when a command of the Client has been answered.
func (c *Client) callEndedLocked() {
	c.flow.more = 0
	if c.flow.turn != nil {
		close(c.flow.turn)
		c.flow.turn = nil
	}
	if c.hub.draining {
		c.drainLocked()
		c.hub.drainedLocked()
	}
}
