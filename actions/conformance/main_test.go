package conformance

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/internal/browsertest"
)

// folder is where program is built.
var folder string

func TestMain(m *testing.M) {
	// Tests that run side by side wait more than they compute. -parallel says
	// otherwise.
	flag.Set("test.parallel", "4")
	var err error
	if folder, err = os.MkdirTemp("", "conformance"); err != nil {
		panic(err)
	}
	status := browsertest.Main(m)
	os.RemoveAll(folder)
	os.Exit(status)
}

// program is the path of cdphub, built once.
var program = sync.OnceValues(func() (string, error) {
	path := filepath.Join(folder, "cdphub")
	out, err := exec.Command("go", "build", "-o", path, "github.com/cdphub/cdphub/cmd/cdphub").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build cdphub: %w\n%s", err, out)
	}
	return path, nil
})
