package targets

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to the limits of filters and ids; TestRegistryLimits has those of
// the registry.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "MaxRules", MaxRules, func(n int) bool {
		f, ok := ReadFilter([]byte("[" + strings.Repeat(`{"type":"page"},`, n-1) + "{}]"))
		if ok != (len(f) == n) {
			t.Errorf("%d rules are read as %d: %v", n, len(f), ok)
		}
		return ok
	})
	limittest.Reach(t, "maxKind", maxKind, func(n int) bool {
		kind := strings.Repeat("x", n)
		f, ok := ReadFilter([]byte(`[{"type":"` + kind + `"}]`))
		return ok && f.Takes(kind)
	})
	limittest.Reach(t, "MaxID", MaxID, func(n int) bool {
		r, id := new(Registry), strings.Repeat("x", n)
		_, ok := r.Set(Info{ID: id})
		return ok
	})
	limittest.Reach(t, "MaxID of a look-up", MaxID, func(n int) bool {
		r, id := new(Registry), strings.Repeat("x", n)
		r.byID.Set(id, Info{ID: id}) // of a map whose keys were not checked
		_, found := r.Get(id)
		return found
	})
}
