package relay

import (
	"maps"
	"slices"
)

// Summary says what is connected to one hub:
//
//	{"hub":"x","hostConnected":true,"clients":1,"targets":2,"sessions":2}
type Summary struct {
	Hub           string `json:"hub"` // its name; "" is the default hub
	HostConnected bool   `json:"hostConnected"`
	Clients       int    `json:"clients"`
	Targets       int    `json:"targets"`
	Sessions      int    `json:"sessions"`
}

// Summaries counts who is on each hub, sorted by name. The hubs are looked at
// one after the other.
func (hs *Hubs) Summaries() []Summary {
	hs.mu.Lock()
	hubs := hs.byNameLocked()
	hs.mu.Unlock()
	list := make([]Summary, 0, len(hubs))
	for _, name := range slices.Sorted(maps.Keys(hubs)) {
		s := hubs[name].Stats()
		list = append(list, Summary{name, s.Hosts > 0, s.Clients, s.Targets, s.Sessions})
	}
	return list
}
