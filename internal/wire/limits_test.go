package wire_test

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
	"github.com/cdphub/cdphub/internal/wire"
)

// TestR296Limits goes to the longest name of a method.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "MaxMethod", wire.MaxMethod, func(n int) bool { return wire.IsMethod("A." + strings.Repeat("x", n-2)) })
}
