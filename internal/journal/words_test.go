package journal

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
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

// TestSecretFieldsAreThoseOfActions wants recordings to know a field for a secret by the same
// "autocomplete" and the same names as the action APIs do, whose script is another one.
func TestSecretFieldsAreThoseOfActions(t *testing.T) {
	source, err := os.ReadFile("../../web/src/actions/secrets.ts")
	if err != nil {
		t.Fatal(err)
	}
	for pattern, in := range map[string]string{
		`const AUTOCOMPLETE = (/.+/i);`:       script,
		`const names = (\["name", .+\])\.map`: script,
		`const LONGEST_LABEL = (\d+);`:        strconv.Itoa(longestLabel),
	} {
		if m := regexp.MustCompile(pattern).FindSubmatch(source); m == nil || !strings.Contains(in, string(m[1])) {
			t.Errorf("secrets.ts has %q for %q, a recording has another one", m, pattern)
		}
	}
}
