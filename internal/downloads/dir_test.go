package downloads

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFilesStayInTheDirectory checks where files of frames may be written.
func TestFilesStayInTheDirectory(t *testing.T) {
	root, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(root, "link")); err != nil {
		t.Fatal(err)
	}
	dir, err := ResolveDir(root)
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
		f, err := dir.create(true, &room{most: 100})
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte("hi"))
		if _, err = f.SaveTo(tt.folder, tt.name); (err == nil) != (tt.want != "") {
			t.Errorf("%s in %s: %v", tt.name, tt.folder, err)
		}
		if got, _ := os.ReadFile(filepath.Join(root, tt.want)); tt.want != "" && string(got) != "hi" {
			t.Errorf("%s has %q", tt.want, got)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(root); len(left) != 3 { // two files and the link
		t.Errorf("in the directory are %v", left)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 {
		t.Errorf("written outside: %v", left)
	}
	if _, err := ResolveDir(root + "/none"); err == nil {
		t.Error("a directory that is not there is taken")
	}
}
