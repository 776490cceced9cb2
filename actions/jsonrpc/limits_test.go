package jsonrpc

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how many calls a batch may have.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxBatch", maxBatch, func(n int) bool {
		calls, _, err := readBatch([]byte("[0" + strings.Repeat(",0", n-1) + "]"))
		return err == nil && len(calls) == n
	})
}
