package relay

import (
	"slices"

	"github.com/cdphub/cdphub/bridge"
)

// Lasting is a Peer of a Client that outlives its connections: what the Client has
// created in a browser may go on to another Client, see Client.Succeed.
type Lasting interface {
	// BrowserEnded says that a browser has ended in which the Client had a session,
	// with all that the Client had there. It is called under the hub's lock.
	BrowserEnded()
}

// Succeed gives the Client what another one of the same hub has created: its browser
// contexts with their tabs. The other must then Leave, and its sessions and
// subscriptions end with it. Both are connected, to Peers that are Lasting.
func (c *Client) Succeed(old *Client) {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.left || old.left {
		return
	}
	for _, s := range h.sides.list {
		from := s.roots[old]
		k, ok := s.host.(bridge.Heirs)
		if !ok || from == nil {
			continue
		}
		to := s.rootLocked(c)
		k.Inherit(from.ID, to.ID)
		for _, t := range slices.Collect(s.targets.All()) {
			if t.Owner == from.ID {
				t.Owner = to.ID
				s.targets.Set(t)
				h.notePrivateLocked(t)
			}
		}
	}
}
