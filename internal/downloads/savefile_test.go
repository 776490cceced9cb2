package downloads

import (
	"os"
	"path/filepath"
	"testing"
)

func TestR116SavedFilesReplaceNothing(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"there.txt", "there (1).txt", "outside"} {
		if err := os.WriteFile(in(name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(in("folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("outside"), in("symlink")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(in("nowhere"), in("dangling")); err != nil {
		t.Fatal(err)
	}
	for to, want := range map[string]string{
		"fresh": "fresh", "there.txt": "there (2).txt", "symlink": "symlink (1)", "dangling": "dangling (1)", "folder": "folder (1)", ".hidden": " (1).hidden",
	} {
		if to == ".hidden" {
			if err := os.WriteFile(in(to), []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		saved, err := SaveAs(from, in(to))
		if err != nil || saved != in(want) {
			t.Errorf("saved as %s, %v, want %s", saved, err, want)
		}
		if got, err := os.ReadFile(saved); err != nil || string(got) != "new" {
			t.Errorf("%s has %q, %v, want new", saved, got, err)
		}
	}
	for _, name := range []string{"there.txt", "there (1).txt", "outside", "symlink", ".hidden"} {
		if got, _ := os.ReadFile(in(name)); string(got) != "old" {
			t.Errorf("%s was changed to %q", name, got)
		}
	}
	if _, err := os.Lstat(in("nowhere")); err == nil {
		t.Error("what a link names was made")
	}
	for _, to := range []string{"relative", in("no folder/f")} {
		if _, err := SaveAs(from, to); err == nil {
			t.Errorf("saved as %s", to)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for _, name := range []string{"there.txt", "symlink", "dangling"} {
		if err := copyTo(root, from, name, 0o600); err == nil {
			t.Errorf("copied over %s", name)
		}
	}
	if err := copyTo(root, dir, "unreadable", 0o600); err == nil {
		t.Error("copied what cannot be read")
	}
	if _, err := os.Lstat(in("unreadable")); err == nil {
		t.Error("the beginning of a copy that failed stays")
	}
	if err := copyTo(root, from, "copied", 0o600); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(in("copied")); string(got) != "new" {
		t.Errorf("the copy has %q, want new", got)
	}
}
