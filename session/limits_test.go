package session

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits looks ids up that are as long as they may be, and longer ones.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "MaxID of a session", MaxID, func(n int) bool {
		id := strings.Repeat("x", n)
		table := Table{byID: map[string]*Session{id: {}}}
		return table.Get(id) != nil
	})
	limittest.Reach(t, "MaxID of a target", MaxID, func(n int) bool {
		id := strings.Repeat("x", n)
		list := ByTarget{lists: map[string][]*Session{id: {{}}}}
		return len(list.OfTarget(id)) == 1
	})
}
