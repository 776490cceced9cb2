package auth

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestAppendFile adds entries to a file that nobody has made yet, many at once,
// and to one with comments and without a last line end.
func TestAppendFile(t *testing.T) {
	fresh := filepath.Join(t.TempDir(), "tokens.yaml")
	entryOf := func(name string) FileEntry {
		return FileEntry{Name: name, Role: "client", SHA256: NewSecret("token-of-" + name + "-long-enough").Hash()}
	}
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() {
			if err := AppendFile(fresh, entryOf(fmt.Sprint("n", i/2))); err != nil && !strings.Contains(err.Error(), "already") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	raw, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	entries, _, err := parseFile(raw)
	if err != nil || len(entries) != 10 {
		t.Errorf("%d entries, %v; want 10, each name once:\n%s", len(entries), err, raw)
	}
	if info, err := os.Stat(fresh); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file has mode %v, %v; want 0600", info.Mode(), err)
	}

	const before = "# whose they are\ntokens:\n  - {name: a, token: token-of-somebody, role: host} # the page\nrevoked: [x]"
	old := write(t, "old.yaml", before)
	if err := AppendFile(old, entryOf("b")); err != nil {
		t.Fatal(err)
	}
	raw, err = os.ReadFile(old)
	if err != nil || !strings.HasPrefix(string(raw), before+"\n---\n") {
		t.Errorf("%s, %v; want what was there first", raw, err)
	}
	if entries, revoked, err := parseFile(raw); err != nil || len(entries) != 2 || !revoked["x"] {
		t.Errorf("%d entries, %v revoked, %v:\n%s", len(entries), revoked, err, raw)
	}

	for name, text := range map[string]string{"a name twice": "tokens: [{name: b, token: token-of-somebody, role: host}]", "no YAML": "tokens: [", "another": "- x"} {
		file := write(t, "refused.yaml", text)
		if err := AppendFile(file, entryOf("b")); err == nil {
			t.Errorf("%s: it was added", name)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			t.Errorf("%s: the file is %q, %v; want it as it was", name, now, err)
		}
	}
}
