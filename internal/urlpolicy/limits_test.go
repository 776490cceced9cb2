package urlpolicy

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how many answers of DNS are remembered, and to the length of names.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "mostKnown", mostKnown, func(n int) bool {
		r := &Resolver{ask: func(context.Context, string) ([]netip.Addr, error) { return []netip.Addr{{}}, nil }}
		for i := range n {
			if _, err := r.look(t.Context(), fmt.Sprintf("n%d.test", i)); err != nil {
				t.Fatal(err)
			}
		}
		return len(r.known) == n
	})
	limittest.Reach(t, "label of a name", 63, func(n int) bool { return !longLabel(strings.Repeat("x", n) + ".test") })
	limittest.Reach(t, "whole name", 253, func(n int) bool {
		return !longLabel(strings.Repeat("x.", n/2-1) + strings.Repeat("x", n-2*(n/2-1)))
	})
}
