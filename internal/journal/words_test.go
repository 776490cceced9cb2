package journal

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
)

// TestR342CommandsHaveWords wants words in the dashboard for exactly the commands that a timeline
// keeps: people read no names of CDP.
func TestR342CommandsHaveWords(t *testing.T) {
	source, err := os.ReadFile("../../web/src/dashboard/model/words.ts")
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, m := range regexp.MustCompile(`(?m)^  "([A-Z]\w+\.\w+)": ".+",$`).FindAllSubmatch(source, -1) {
		have = append(have, string(m[1]))
	}
	want := maps.Clone(methods)
	maps.DeleteFunc(want, func(_ string, m *method) bool { return m.command == nil })
	if names := slices.Sorted(maps.Keys(want)); !slices.Equal(have, names) {
		t.Errorf("words for %q\nwant them for %q", have, names)
	}
}
