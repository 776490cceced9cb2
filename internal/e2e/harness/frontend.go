package harness

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// FrontEnd is the zip of the DevTools front end that make devtools packs, made now if
// it is not there.
func FrontEnd(t testing.TB) string {
	t.Helper()
	zip := filepath.Join(Repository(), "internal", "devtools", "dist", "frontend.zip")
	if _, err := os.Stat(zip); err == nil {
		return zip
	}
	cmd := exec.CommandContext(t.Context(), "make", "devtools")
	cmd.Dir = Repository()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("make devtools: %v\n%s", err, out)
	}
	return zip
}
