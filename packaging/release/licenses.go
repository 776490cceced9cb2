package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// own begins the paths of this repository's modules.
const own = "github.com/cdphub/cdphub"

// writeLicenses writes the licence texts of all modules that are in a program on
// any system, which most of these licences want to be with each copy. The
// program is a package of the module in the working directory.
func writeLicenses(w io.Writer, program string) error {
	dirs := map[string]string{} // by module and version
	for _, system := range []string{"linux", "darwin", "windows"} {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
		cmd := exec.Command("go", "list", "-deps", "-f", format, program)
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok && !strings.HasPrefix(module, own) {
				dirs[module] = dir
			}
		}
	}
	fmt.Fprintf(w, "Third-party Go modules in %s. web/dist/NOTICE.txt of the source has the JavaScript; the program serves it at /NOTICE.txt.\n", path.Base(program))
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	dirs["The Go standard library"] = strings.TrimSpace(string(goroot))
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		if err := writeLicense(w, module, dirs[module]); err != nil {
			return err
		}
	}
	return nil
}

// writeLicense writes the licence texts of one module. A module without any is an error:
// it must not be shipped.
func writeLicense(w io.Writer, module, dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	found := false
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		if f.IsDir() || !strings.HasPrefix(name, "LICEN") && !strings.HasPrefix(name, "COPYING") && !strings.HasPrefix(name, "NOTICE") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(w, "\n%s\n%s, %s\n\n%s\n", strings.Repeat("-", 72), module, f.Name(), strings.TrimSpace(string(text)))
	}
	if !found {
		return fmt.Errorf("%s has no licence text in %s", module, dir)
	}
	return nil
}
