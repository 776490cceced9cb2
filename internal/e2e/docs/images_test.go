package docs

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/cdphub/cdphub/internal/e2e/harness"
	"github.com/cdphub/cdphub/internal/journal"
)

var images = flag.String("images", "", "folder that the pictures of the documentation are written to; empty: a temporary one")

// largest is the size of a picture that a page may ask of a reader.
const largest = 300 << 10

// TestImages makes the pictures of the documentation from the real demo. They are
// not compared: make docs-images writes them.
func TestImages(t *testing.T) {
	p := freePorts(t, "0")
	dir, folder := t.TempDir(), *images
	if folder == "" {
		folder = t.TempDir()
	} else {
		p["9222"] = "9222" // a picture shows what a reader sees
	}
	chromium, err := harness.Chromium()
	if err != nil {
		t.Fatal(err)
	}
	// The demo's own browser, with a port for who takes the pictures.
	viewer := filepath.Join(dir, "viewer")
	script := fmt.Sprintf("#!/bin/sh\nexec %q --remote-debugging-port=%s --hide-scrollbars \"$@\"\n", chromium, p["8080"])
	if err := os.WriteFile(viewer, []byte(script), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
	recordings := filepath.Join(dir, "recordings")
	demo := start(t, p, command(t, dir, "cdphub", "demo", "--browser-path", viewer, "--record", recordings, "--devtools", harness.FrontEnd(t)))
	takePictures(t, dir, "demo", "http://127.0.0.1:"+p["9222"], "http://127.0.0.1:"+p["8080"], folder)
	demo.stop(t)
	played := start(t, ports{"9222": p["9225"]}, command(t, dir, "cdphub", "replay", longest(t, recordings), "--addr", "127.0.0.1:"+p["9225"]))
	page := regexp.MustCompile(`http://\S+#token=\S+`).FindString(played.said.String())
	takePictures(t, dir, "recording", page, chromium, folder)
	played.stop(t)
	for _, name := range []string{"demo", "dashboard", "handoff", "devtools", "recording"} {
		for _, file := range []string{name + ".png", name + "-dark.png"} {
			info, err := os.Stat(filepath.Join(folder, file))
			if err != nil {
				t.Fatal(err)
			}
			if info.Size() == 0 || info.Size() > largest {
				t.Errorf("%s has %d bytes, want 1 to %d", file, info.Size(), largest)
			}
		}
	}
}

// takePictures runs images.mjs.
func takePictures(t *testing.T, dir string, args ...string) {
	t.Helper()
	source, err := os.ReadFile("images.mjs")
	if err != nil {
		t.Fatal(err)
	}
	program := (&run{dir: dir}).file(t, "images.mjs", string(source))
	if out, err := command(t, dir, "node", append([]string{program}, args...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// longest is the recording with most entries.
func longest(t *testing.T, dir string) (name string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*"+journal.Extension))
	if err != nil {
		t.Fatal(err)
	}
	most := 0
	for _, file := range files {
		r, err := journal.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Entries) > most {
			name, most = file, len(r.Entries)
		}
	}
	if name == "" {
		t.Fatalf("nothing was recorded: %v", files)
	}
	return name
}
