package ndjson

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how much of a name is repeated.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "longest name", 200, func(n int) bool { return len(cut(strings.Repeat("x", n))) == n })
}
