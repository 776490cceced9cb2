package relay

import (
	"context"
	"time"
)

// A Host on standby replaces no other Host: it waits until the slot "", which is
// that of Host pages, is free.

// freeFor is how long the slot must have been free before a Host on standby is
// offered it: the Host page that had it may just be reloading.
const freeFor = 2 * time.Second

// Free implements bridge.Standby.
func (h *Hub) Free() bool {
	free, _ := h.slotState()
	return free
}

// AwaitFree implements bridge.Standby. It does not reserve the slot: of several that wait,
// the first whose ready comes gets it, and the others get ErrTaken from SetHost.
func (h *Hub) AwaitFree(ctx context.Context) error {
	for {
		free, freed := h.slotState()
		if free {
			return nil
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case <-time.After(freeFor):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// slotState reports whether the slot "" is free. freed is closed when a Host
// leaves it. Both come from under one lock: a Host that leaves right after it closes this
// very channel.
func (h *Hub) slotState() (free bool, freed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sides.isFree(), h.sides.awaitFreed()
}
