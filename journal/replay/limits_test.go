package replay

import (
	"fmt"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/journal"
)

// TestR296Limits goes to how many Clients are named.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "mostDrivers", mostDrivers, func(n int) bool {
		r := new(journal.Recording)
		for i := range n {
			r.Entries = append(r.Entries, journal.Entry{Kind: journal.Command, Client: fmt.Sprint(i)})
		}
		return len(player{r}.state().Hubs[0].Targets[0].Drivers) == n
	})
}
