//go:build unix

package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/tempdir"
)

// TestR352HubRemovesWhatOthersHaveLeft starts a hub where another was killed, beside one that lives: this process.
func TestR352HubRemovesWhatOthersHaveLeft(t *testing.T) {
	temporary, downloads, sockets := t.TempDir(), t.TempDir(), filepath.Dir(hubtest.AdminSocket(t)[len("unix:"):])
	lives, err := tempdir.Make(temporary, tempdir.Kept)
	if err != nil {
		t.Fatal(err)
	}
	defer lives.Remove()
	for parent, k := range map[string]tempdir.Kind{temporary: tempdir.Browser, downloads: tempdir.Hidden, sockets: tempdir.Hidden} {
		left, err := tempdir.Make(parent, k)
		if err != nil {
			t.Fatal(err)
		}
		os.WriteFile(filepath.Join(left.Path, "file"), nil, 0o600)
		left.Lock.Close() // as the kernel does when a process ends
	}
	os.WriteFile(filepath.Join(downloads, "report.pdf"), nil, 0o600)
	p := startProcess(t, func(c *exec.Cmd) { c.Env = append(c.Env, "TMPDIR="+temporary) }, "serve", "--client-addr", "127.0.0.1:0", "--host-addr", "127.0.0.1:0",
		"--admin-addr", "unix:"+filepath.Join(sockets, "s"), "--download-dir", downloads)
	p.await(`"listening"`)
	for parent, want := range map[string]string{temporary: filepath.Base(lives.Path), downloads: "report.pdf", sockets: "s"} {
		entries, err := os.ReadDir(parent)
		if err != nil || !slices.EqualFunc(entries, []string{want}, func(e os.DirEntry, name string) bool { return e.Name() == name }) {
			t.Errorf("%s has %v, %v; want %s alone", parent, entries, err, want)
		}
	}
}
