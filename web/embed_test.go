package web

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestDistIsFresh rebuilds the bundles in memory and compares them with those
// committed.
func TestDistIsFresh(t *testing.T) {
	build(t, "-check")
}

// TestTypeScript runs the tests of web/src that need no browser, under Node.
func TestTypeScript(t *testing.T) {
	build(t, "-test")
}

func build(t *testing.T, flag string) {
	t.Helper()
	for _, dir := range []string{"src", "dist", "build", "package-lock.json", "style.css"} {
		look(t, dir)
	}
	out, err := exec.Command("go", "run", "-C", "build", ".", flag).CombinedOutput()
	if err != nil {
		t.Fatalf("go run -C web/build . %s: %v\n%s", flag, err, out)
	}
	t.Logf("%s", out)
}

// look asks for the state of every file below dir, by which go test knows to
// run again when one has changed: the build's own reading it cannot see.
func look(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		_, err = os.Stat(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
