package webpage

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how much of a refusal a page shows.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxText", maxText, func(n int) bool {
		f := &refusal{begun: true, status: 404}
		if taken, err := f.Write([]byte(strings.Repeat("x", n))); err != nil || taken != n {
			t.Errorf("%d of %d bytes are taken: %v", taken, n, err)
		}
		return f.text.Len() == n
	})
}
