package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// licenses writes the licence texts of all modules that are in the program on
// any system, which most of these licences want to be with each copy.
func licenses(w io.Writer) error {
	dirs := map[string]string{} // by module and version
	for _, system := range []string{"linux", "darwin", "windows"} {
		const format = "{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}}\t{{.Dir}}{{end}}{{end}}"
		cmd := exec.Command("go", "list", "-deps", "-f", format, "./cmd/cdphub")
		cmd.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(out)) {
			if module, dir, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
				dirs[module] = dir
			}
		}
	}
	fmt.Fprint(w, "Third-party Go modules in cdphub. web/dist/NOTICE.txt of the source has the JavaScript; cdphub serves it at /NOTICE.txt.\n")
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	dirs["The Go standard library"] = strings.TrimSpace(string(goroot))
	for _, module := range slices.Sorted(maps.Keys(dirs)) {
		if err := license(w, module, dirs[module]); err != nil {
			return err
		}
	}
	return nil
}

// license writes the texts of one module.
func license(w io.Writer, module, dir string) error {
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
