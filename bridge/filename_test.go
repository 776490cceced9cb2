package bridge

import (
	"strings"
	"testing"
)

func TestR253FileNames(t *testing.T) {
	for _, good := range []string{"a", "a.txt", ".hidden", "Bericht für 2026.pdf", "...", "a..b", "6f1c8f6e-0d3b-4b0e-9d0c-0f2f7a1d2c3b", strings.Repeat("a", maxFileName)} {
		if !IsFileName(good) {
			t.Errorf("%q is refused", good)
		}
	}
	for _, bad := range []string{
		"", ".", "..", "../a", "a/../../b", "/etc/passwd", "a/b", `a\b`, `..\a`, `\\host\share`, "a\x00b", "a\nb", "\x7f", "\u0085", "\xff",
		strings.Repeat("a", maxFileName+1), strings.Repeat("../", 1000),
	} {
		if IsFileName(bad) {
			t.Errorf("%q is a name", bad)
		}
	}
}
