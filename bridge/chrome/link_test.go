package chrome

import (
	"os"
	"path/filepath"
	"testing"
)

func TestLink(t *testing.T) {
	from := filepath.Join(t.TempDir(), "from")
	if err := os.WriteFile(from, []byte("new"), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	there, outside, subfolder := filepath.Join(dir, "there"), filepath.Join(dir, "outside"), filepath.Join(dir, "folder")
	for _, name := range []string{there, outside} {
		if err := os.WriteFile(name, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(subfolder, 0o700); err != nil {
		t.Fatal(err)
	}
	symlink := filepath.Join(dir, "symlink")
	if err := os.Symlink(outside, symlink); err != nil {
		t.Fatal(err)
	}
	for _, to := range []string{filepath.Join(dir, "fresh"), there, symlink} {
		if err := link(from, to); err != nil {
			t.Errorf("link to %s: %v", to, err)
		}
		if got, err := os.ReadFile(to); err != nil || string(got) != "new" {
			t.Errorf("%s has %q, %v, want new", to, got, err)
		}
	}
	if got, _ := os.ReadFile(outside); string(got) != "old" {
		t.Errorf("what a link names was changed to %q", got)
	}
	for _, to := range []string{"relative", filepath.Join(dir, "no folder", "f"), subfolder} {
		if err := link(from, to); err == nil {
			t.Errorf("link to %s succeeded", to)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.part")); left != nil {
		t.Errorf("left behind: %q", left)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := copyTo(root, from, "copied"); err != nil {
		t.Error(err)
	}
	if got, _ := os.ReadFile(filepath.Join(dir, "copied")); string(got) != "new" {
		t.Errorf("the copy has %q, want new", got)
	}
}
