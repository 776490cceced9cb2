package mcp

import (
	"strings"
	"testing"
)

// TestLooksAreCut cuts a snapshot between two nodes.
func TestLooksAreCut(t *testing.T) {
	text := strings.Repeat("- text: äöü\n", 99) + "- text: äöü"
	if got, note := cutLook(text, 1200); got != text || note != "" {
		t.Errorf("what fits is cut: %q, %q", got, note)
	}
	if got, note := cutLook(text, 35); got != "- text: äöü\n- text: äöü\n" || !strings.HasPrefix(note, "Cut: 2 of 100 nodes are shown. ") {
		t.Errorf("a snapshot is cut to %q, %q", got, note)
	}
}
