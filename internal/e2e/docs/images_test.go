package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var images = flag.String("images", "", "folder that the pictures of the documentation are written to; empty: a temporary one")

// largest is the size of a picture that the README may ask of a reader.
const largest = 300 << 10

// TestImages makes the pictures of the documentation from the real demo. They are
// not compared: make docs-images writes them.
func TestImages(t *testing.T) {
	p, err := freePorts("0")
	if err != nil {
		t.Fatal(err)
	}
	dir, folder := t.TempDir(), *images
	if folder == "" {
		folder = t.TempDir()
	} else {
		p["9222"] = "9222" // a picture shows what a reader sees
	}
	chromium, err := harness.LookUp("CHROMIUM", "chromium", "chromium-browser", "google-chrome", "chrome")
	if err != nil {
		t.Fatal(err)
	}
	// The demo's own browser, with a port for who takes the pictures.
	viewer := filepath.Join(dir, "viewer")
	script := fmt.Sprintf("#!/bin/sh\nexec %q --remote-debugging-port=%s --hide-scrollbars \"$@\"\n", chromium, p["8080"])
	if err := os.WriteFile(viewer, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	demo := command(t, dir, "cdphub", "demo", "--browser-path", viewer)
	start(t, p, demo)
	source, err := os.ReadFile("images.mjs")
	if err != nil {
		t.Fatal(err)
	}
	r := &run{dir: dir, ports: p}
	program := r.file(t, "images.mjs", string(source))
	cmd := command(t, dir, "node", program, "http://127.0.0.1:"+p["9222"], "http://127.0.0.1:"+p["8080"], folder)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"demo.png", "demo-dark.png"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() == 0 || info.Size() > largest {
			t.Errorf("%s has %d bytes, want 1 to %d", name, info.Size(), largest)
		}
	}
}
