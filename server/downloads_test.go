package server

import (
	"os"
	"path/filepath"
	"testing"
)

// TestDownloads checks where files of frames may be written.
func TestDownloads(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	save, err := newDownloads(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		folder, name, want string
	}{
		{root, "a.txt", "a.txt"},
		{root, "a.txt", "a (1).txt"},
		{outside, "a.txt", ""},
		{filepath.Join(root, "link"), "a.txt", ""},
		{filepath.Join(root, "none"), "a.txt", ""},
		{".", "a.txt", ""},
		{root, "../a.txt", ""},
		{root, "..", ""},
		{root, "", ""},
	} {
		err := save(tt.folder, tt.name, []byte("hi"))
		if (err == nil) != (tt.want != "") {
			t.Errorf("%s in %s: %v", tt.name, tt.folder, err)
		}
		if got, _ := os.ReadFile(filepath.Join(root, tt.want)); tt.want != "" && string(got) != "hi" {
			t.Errorf("%s has %q", tt.want, got)
		}
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
	if _, err := newDownloads(root + "/none"); err == nil {
		t.Error("a directory that is not there is taken")
	}
}
