package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// usedPackages adds to packages the folder, such as
// node_modules/aria-query, of each third-party file that a bundle holds.
func usedPackages(metafile string, packages map[string]bool) error {
	var meta struct {
		Inputs map[string]struct{} `json:"inputs"`
	}
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return fmt.Errorf("esbuild's metafile: %w", err)
	}
	for file := range meta.Inputs {
		if dir := packageDir(file); dir != "" {
			packages[dir] = true
		}
	}
	return nil
}

// packageDir is the folder of the package that holds a file, "" for the
// project's own files. A package may be nested in another and may be scoped.
func packageDir(file string) string {
	const modules = "node_modules/"
	i := strings.LastIndex(file, modules)
	if i < 0 {
		return ""
	}
	i += len(modules)
	parts := strings.SplitN(file[i:], "/", 3)
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = 2
	}
	if len(parts) <= n {
		return ""
	}
	return file[:i] + strings.Join(parts[:n], "/")
}

// collectNotices collects the licence texts of the packages, sorted by name.
func collectNotices(root string, packages map[string]bool) ([]byte, error) {
	var out bytes.Buffer
	out.WriteString("Third-party software inside the bundles of this folder.\n")
	if len(packages) == 0 {
		out.WriteString("\nNone.\n")
	}
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		if err := appendNotice(&out, filepath.Join(root, filepath.FromSlash(dir))); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// appendNotice appends one package's name, version, licence and licence text.
func appendNotice(out *bytes.Buffer, dir string) error {
	data, err := os.ReadFile(filepath.Join(dir, "package.json"))
	if err != nil {
		return err
	}
	var p struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		License string `json:"license"`
	}
	if err := json.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("%s/package.json: %w", dir, err)
	}
	text, err := licenceText(dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%s\n%s %s (%s)\n\n%s\n", strings.Repeat("-", 72), p.Name, p.Version, p.License, text)
	return nil
}

// licenceText reads the licence file of a package. A package without one may
// not be bundled.
func licenceText(dir string) (string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			return strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n")), err
		}
	}
	return "", fmt.Errorf("%s has no licence file", dir)
}
