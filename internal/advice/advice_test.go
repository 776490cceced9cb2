package advice

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTroubleshooting holds docs/troubleshooting.md to the messages of the hub and of
// its pages: each has a heading, and stands below it.
func TestTroubleshooting(t *testing.T) {
	root := filepath.Join("..", "..")
	want := map[string]string{}
	for name, e := range All {
		want[name] = e.String()
	}
	source := read(t, filepath.Join(root, "web", "src", "wire", "messages.ts"))
	for _, m := range regexp.MustCompile(`export const ([A-Z_]+) =\s+"([^"]*)";`).FindAllStringSubmatch(source, -1) {
		want[m[1]] = m[2]
	}
	if n := strings.Count(source, "export const"); len(want) != len(All)+n {
		t.Errorf("%d of %d messages of pages were read", len(want)-len(All), n)
	}
	got := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^### (.*)\n\n> (.*)$`).FindAllStringSubmatch(read(t, filepath.Join(root, "docs", "troubleshooting.md")), -1) {
		got[m[1]] = m[2]
	}
	for name, text := range want {
		if got[name] != text {
			t.Errorf("docs/troubleshooting.md says of %s\n %q, the program\n %q", name, got[name], text)
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("docs/troubleshooting.md has %s, which the program has not", name)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWith(t *testing.T) {
	e := Entry{"{a} and {b}", "do {a}, not {c}"}.With("a", "{b}", "b", "2")
	if e.String() != "{b} and 2: do {b}, not {c}" {
		t.Errorf("got %q", e)
	}
}
