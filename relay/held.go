package relay

import "github.com/cdphub/cdphub/internal/held"

// Held counts what the hub holds, by names. All of it is zero again when its Hosts and Clients
// have gone.
func (h *Hub) Held() map[string]int { return held.Of(h) }

// Held counts what the hubs hold together, and how many there are.
func (hs *Hubs) Held() map[string]int {
	all := held.Of(hs)
	hs.mu.Lock()
	hubs := hs.byNameLocked()
	hs.mu.Unlock()
	for _, h := range hubs {
		held.Add(all, "", h.Control().Held())
	}
	return all
}
