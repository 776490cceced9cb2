package quota

import (
	"maps"
	"slices"

	"github.com/cdphub/cdphub/internal/held"
)

// Held counts what Payers have of all resources, by names.
func (l *Ledger) Held() map[string]int {
	l.mu.Lock()
	pools := slices.Collect(maps.Keys(l.listed))
	l.mu.Unlock()
	all := make(map[string]int)
	for _, p := range pools {
		p.mu.Lock()
		held.Add(all, Table[p.resource].Name+": ", held.Of(p))
		p.mu.Unlock()
	}
	return all
}
