package web

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestTypeScript runs the tests of web/src that need no browser, under Node. That the
// committed bundles are what the sources make is checked by make fresh.
func TestTypeScript(t *testing.T) {
	for _, dir := range []string{"src", "build", "package-lock.json"} {
		look(t, dir)
	}
	out, err := exec.Command("go", "run", "-C", "build", ".", "-test").CombinedOutput()
	if err != nil {
		t.Fatalf("go run -C web/build . -test: %v\n%s", err, out)
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
