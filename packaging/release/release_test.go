// These tests try what `make release` has made as its users would. They need
// root on Debian, and take some minutes: `make release-test` runs them.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

var dist = flag.String("dist", "", "folder that make release has filled; without it no test runs")

// built is what goreleaser says of the release under test.
func built(t *testing.T) (r release) {
	t.Helper()
	if *dist == "" {
		t.Skip("give -dist, as make release-test does")
	}
	raw, err := os.ReadFile(filepath.Join(*dist, "metadata.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// output runs a program, and fails the test with what it has printed.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	return outputOf(t, exec.CommandContext(t.Context(), name, args...))
}

func outputOf(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, out)
	}
	return string(out)
}

func TestChecksums(t *testing.T) {
	r := built(t)
	sums, err := os.ReadFile(filepath.Join(*dist, "checksums.txt"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sha256sum", "--check", "--strict", "--quiet", "checksums.txt")
	cmd.Dir = *dist
	outputOf(t, cmd)
	var want []string
	for program := range licensesOf {
		for _, system := range []string{"linux", "darwin", "windows"} {
			for _, arch := range []string{"amd64", "arm64"} {
				kind := "tar.gz"
				if system == "windows" {
					kind = "zip"
				}
				name := program + "_" + r.Version + "_" + system + "_" + arch
				want = append(want, name+"."+kind, name+".cdx.json")
			}
		}
		want = append(want, program+"_"+r.Version+"_linux_amd64.docker.tar", program+"_"+r.Version+"_linux_arm64.docker.tar", program+"_"+r.Version+"_linux.oci.tar")
	}
	want = append(want,
		"cdphub-chromium_"+r.Version+"_linux_"+runtime.GOARCH+".docker.tar", "cdphub-chromium_"+r.Version+"_linux.oci.tar",
		"cdphub-chromium_"+r.Version+"_linux_"+runtime.GOARCH+".cdx.json")
	var got []string
	for line := range strings.Lines(string(sums)) {
		got = append(got, strings.Fields(line)[1])
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("checksums.txt does not have %s", name)
		}
	}
	for kind, n := range map[string]int{".deb": 4, ".rpm": 4} {
		found := 0
		for _, name := range got {
			if strings.HasSuffix(name, kind) {
				found++
			}
		}
		if found != n {
			t.Errorf("there are %d files %s, want %d", found, kind, n)
		}
	}
}

// TestArchives unpacks each archive, and runs the program that this machine can.
func TestArchives(t *testing.T) {
	r := built(t)
	for name := range licensesOf {
		t.Run(name, func(t *testing.T) { testArchives(t, r, name) })
	}
}

func testArchives(t *testing.T, r release, name string) {
	archives, _ := filepath.Glob(filepath.Join(*dist, name+"_*.tar.gz"))
	zips, _ := filepath.Glob(filepath.Join(*dist, name+"_*.zip"))
	for _, archive := range append(archives, zips...) {
		files := unpack(t, archive)
		folder := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(archive), ".tar.gz"), ".zip")
		program := name
		if strings.Contains(folder, "windows") {
			program += ".exe"
		}
		for _, name := range []string{program, "LICENSE", "NOTICE", "THIRD-PARTY.txt", "README.md", "docs/config.md", "docs/install.md", "docs/cluster.md"} {
			if len(files[folder+"/"+name]) == 0 {
				t.Errorf("%s has no %s", archive, name)
			}
		}
		if !strings.HasSuffix(folder, "_linux_"+runtime.GOARCH) {
			continue
		}
		path := filepath.Join(t.TempDir(), program)
		if err := os.WriteFile(path, files[folder+"/"+program], 0o700); err != nil { //nolint:gosec // it is run
			t.Fatal(err)
		}
		want := regexp.QuoteMeta(program+" "+r.Version+" (commit "+r.Commit[:12]) + `, 20\d\d-\d\d-\d\dT\S+Z, go\S+, linux/` + runtime.GOARCH + `\)`
		if got := output(t, path, "--version"); !regexp.MustCompile(`^` + want + `\n$`).MatchString(got) {
			t.Errorf("%s --version: %q, want %s", program, got, want)
		}
	}
	if len(archives) != 4 || len(zips) != 2 {
		t.Errorf("there are %d archives and %d zips, want 4 and 2", len(archives), len(zips))
	}
}

// unpack returns the files of an archive.
func unpack(t *testing.T, archive string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	add := func(name string, r io.Reader) {
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = data
	}
	raw, err := os.ReadFile(archive)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(archive, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(raw), int64(len(raw)))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			add(f.Name, in)
		}
		return files
	}
	gz, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(gz); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Uname != "root" {
			t.Errorf("%s of %s belongs to %s", h.Name, archive, h.Uname)
		}
		add(h.Name, r)
	}
}

func TestSBOM(t *testing.T) {
	built(t)
	found, _ := filepath.Glob(filepath.Join(*dist, "*.cdx.json"))
	for _, name := range found {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var bom struct {
			BOMFormat  string
			Components []struct{ Name, Version, PURL string }
		}
		if err := json.Unmarshal(raw, &bom); err != nil {
			t.Fatal(err)
		}
		// Of the programs, only cdphub-cluster may hold NATS.
		const directory = "github.com/nats-io/nats-server/v2"
		part, isNode := "github.com/gobwas/ws", strings.Contains(name, "cdphub-cluster")
		if strings.Contains(name, "chromium") {
			part = "chromium"
		}
		has, hasDirectory := false, false
		for _, c := range bom.Components {
			has, hasDirectory = has || c.Name == part, hasDirectory || c.Name == directory
			if c.Version == "" || !strings.HasPrefix(c.PURL, "pkg:") {
				t.Errorf("%s: %+v", name, c)
			}
		}
		if hasDirectory != isNode {
			t.Errorf("%s names %s: %v, want %v", name, directory, hasDirectory, isNode)
		}
		if bom.BOMFormat != "CycloneDX" || !has {
			t.Errorf("%s is %s and does not name %s", name, bom.BOMFormat, part)
		}
	}
	if len(found) != 13 {
		t.Errorf("there are %d SBOMs, want 13", len(found))
	}
}
