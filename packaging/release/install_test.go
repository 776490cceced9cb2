package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

const repository = "../.."

// clone is another folder with the last commit.
func clone(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "clone")
	output(t, "git", "clone", "-q", repository, dir)
	return dir
}

// TestGoInstall installs the program by its module path from a tag, as it will
// be when the tag is public: only what the module's zip file has is there.
func TestGoInstall(t *testing.T) {
	built(t)
	const tag = "v0.0.1-test"
	proxy, bin := t.TempDir(), t.TempDir()
	folder := filepath.Join(proxy, filepath.FromSlash("github.com/cdphub/cdphub/@v"))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(repository, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"list": []byte(tag + "\n"), tag + ".info": []byte(`{"Version":"` + tag + `","Time":"2026-01-02T03:04:05Z"}`), tag + ".mod": mod,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	f, err := os.Create(filepath.Join(folder, tag+".zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := zip.CreateFromVCS(f, module.Version{Path: "github.com/cdphub/cdphub", Version: tag}, clone(t), "HEAD", ""); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir() // a module cache of its own: the tag is no true version
	cmd := exec.CommandContext(t.Context(), "go", "install", "-modcacherw", "github.com/cdphub/cdphub/cmd/cdphub@latest")
	cmd.Dir = t.TempDir()
	settings := strings.Fields(output(t, "go", "env", "GOMODCACHE", "GOPROXY"))
	cmd.Env = append(os.Environ(), "GOPROXY=file://"+proxy+",file://"+settings[0]+"/cache/download,"+settings[1],
		"GOBIN="+bin, "GOMODCACHE="+cache, "GONOSUMDB=github.com/cdphub/cdphub", "GOFLAGS=-trimpath") // -trimpath, to share make release's build cache
	outputOf(t, cmd)
	if got := output(t, filepath.Join(bin, "cdphub"), "--version"); !strings.HasPrefix(got, "cdphub 0.0.1-test (go") {
		t.Errorf("cdphub --version: %q", got)
	}
}

// TestSameBytes makes the release once more, from a clone in another folder.
func TestSameBytes(t *testing.T) {
	r := built(t)
	clone := clone(t)
	output(t, "git", "-C", clone, "checkout", "-q", r.Commit)
	cmd := exec.CommandContext(t.Context(), "make", "release", "GORELEASER="+os.Getenv("GORELEASER"))
	cmd.Dir = clone
	outputOf(t, cmd)
	first, err := os.ReadFile(filepath.Join(*dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(filepath.Join(clone, "dist", "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if string(first) != string(second) {
		t.Errorf("two builds differ (if Debian has published updates in between, only the images may):\n%s\n%s", first, second)
	}
}
