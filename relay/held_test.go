package relay

import (
	"maps"
	"slices"
	"testing"

	"github.com/cdphub/cdphub/internal/held/heldtest"
)

// newHub makes a hub of a test. At its end, all Clients and Hosts leave, and the hub must hold
// nothing any more.
func newHub(t testing.TB, o Options) *Hub {
	h := New(o)
	t.Cleanup(func() {
		wantsNothingLeft(t, h)
		if o.Quotas == nil { // else others may have something, too
			heldtest.WantsNothing(t, "the ledger of the hub", h.opts.Quotas.Held())
		}
	})
	return h
}

// wantsNothingLeft has all Clients leave, and then all Hosts, which do not come back.
func wantsNothingLeft(t testing.TB, h *Hub) {
	t.Helper()
	h.mu.Lock()
	clients, sides := slices.Collect(maps.Keys(h.clients)), slices.Clone(h.sides.list)
	h.mu.Unlock()
	for _, c := range clients {
		c.Leave()
	}
	for _, s := range sides {
		if s.connection != nil {
			s.connection.HostGone(false)
			continue
		}
		h.mu.Lock()
		s.endLocked(errHostGone)
		h.mu.Unlock()
	}
	heldtest.WantsNothing(t, "the hub", h.Control().Held())
}
