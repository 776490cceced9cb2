package mcp

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dustin/go-humanize/english"
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
	part := text + "\n# cut: the snapshot is longer than 78 KiB"
	for most, nodes := range map[int]int{35: 2, 5000: 100} {
		got, note := cutLook(part, most)
		if strings.Count(got, "- text") != nodes || strings.Contains(got, "#") || !strings.HasPrefix(note, fmt.Sprintf("Cut: the first %s are shown. ", english.Plural(nodes, "node", ""))) {
			t.Errorf("a part of a snapshot is cut to %q, %q", got, note)
		}
	}
}
