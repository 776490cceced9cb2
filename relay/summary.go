package relay

import (
	"maps"
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
	hubs := hs.byNameLocked()
	hs.mu.Unlock()
	list := make([]Census, 0, len(hubs))
	for _, name := range slices.Sorted(maps.Keys(hubs)) {
		s := hubs[name].Stats()
		list = append(list, Census{name, s.Hosts > 0, s.Clients, s.Targets, s.Sessions})
	}
	return list
}
