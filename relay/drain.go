package relay

import "github.com/cdphub/cdphub/internal/wire"

// errDraining refuses commands while the hub waits for those in flight.
var errDraining = wire.ServerError("Hub is shutting down: connect again in a moment")

// Drained is a Peer that wants to know when it may close: the hub drains, and
// all commands of its Client have been answered. It is called once, under the
// hub's lock. It must neither block nor call the hub.
type Drained interface {
	Drained()
}

// Drain begins to end the hub: commands are refused from now on, and each
// Client hears so, by Drained, as soon as it has its last answer. It returns at once; wait
// on Drained. A hub never leaves this state.
func (h *Hub) Drain() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.draining {
		return
	}
	h.draining = true
	h.awaited.parked.resume() // to be refused
	h.leases.end(hubEnd{})
	for c := range h.clients {
		c.drainLocked()
	}
	h.drainedLocked()
}

// Drained is closed when the hub drains, and all commands have been answered.
func (h *Hub) Drained() <-chan struct{} {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.drained == nil {
		h.drained = make(chan struct{})
	}
	drained := h.drained
	h.drainedLocked()
	return drained
}

// drainedLocked closes the channel of Drained once no command is in flight. It may be
// called again and again.
func (h *Hub) drainedLocked() {
	if h.drained == nil || !h.draining || h.calls.len() > 0 {
		return
	}
	select {
	case <-h.drained:
	default:
		close(h.drained)
	}
}

// drainLocked tells the Client's Peer once that it may close.
func (c *Client) drainLocked() {
	if p, ok := c.peer.(Drained); ok && c.calls == 0 && !c.drained {
		c.drained = true
		p.Drained()
	}
}

// Drain drains every hub, also those yet to come.
func (hs *Hubs) Drain() {
	hs.mu.Lock()
	hs.draining = true
	list := hs.byNameLocked()
	hs.mu.Unlock()
	for _, h := range list {
		h.Drain()
	}
}
