package relay

import (
	"cmp"
	"slices"
)

// Census is who is on one hub at a moment.
type Census struct {
	Hub           string `json:"hub"` // its name; "" is the default hub
	HostConnected bool   `json:"hostConnected"`
	Clients       int    `json:"clients"`
	Targets       int    `json:"targets"`
	Sessions      int    `json:"sessions"`
}

// Census counts who is on each hub, sorted by name. The hubs are looked at
// one after the other.
func (hs *Hubs) Census() []Census {
	hs.mu.Lock()
	list := make([]Census, 0, len(hs.hubs))
	hubs := make(map[string]*Hub, len(hs.hubs))
	for name, e := range hs.hubs {
		list = append(list, Census{Hub: name})
		hubs[name] = e.hub
	}
	hs.mu.Unlock()
	slices.SortFunc(list, func(a, b Census) int { return cmp.Compare(a.Hub, b.Hub) })
	for i := range list {
		hubs[list[i].Hub].count(&list[i])
	}
	return list
}

func (h *Hub) count(c *Census) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c.HostConnected = h.host != nil
	c.Clients, c.Targets, c.Sessions = len(h.clients), len(h.targets.All()), h.sessions.Len()
}
