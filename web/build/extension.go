package main

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/evanw/esbuild/pkg/api"
)

// extensionBundles are what the browser extension is made of, beside the files of its folder that are no sources.
// Its code is short so that a person can read it before trusting it.
var extensionBundles = []bundle{
	{name: "worker.js", entry: "extension/worker.ts", format: api.FormatIIFE, max: 14 << 10},
	{name: "popup.js", entry: "extension/popup.ts", format: api.FormatIIFE, max: 4 << 10},
	{name: "popup.css", entry: "extension/popup.css", max: 6 << 10},
}

// extensionFiles makes all files of the extension, by name.
func extensionFiles(root string) (files []output, err error) {
	packages := map[string]bool{}
	for _, b := range extensionBundles {
		data, err := b.build(root, packages)
		if err != nil {
			return nil, err
		}
		if len(data) > b.max {
			return nil, fmt.Errorf("%s has %d bytes, more than the %d it may have", b.name, len(data), b.max)
		}
		files = append(files, output{b.name, data})
	}
	if len(packages) > 0 {
		return nil, errors.New("the extension has third-party code, and no notice for it")
	}
	folder := sourcePath(root, "extension")
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".ts") || strings.HasSuffix(path, ".css") {
			return err
		}
		data, err := os.ReadFile(path)
		name, relErr := filepath.Rel(folder, path)
		files = append(files, output{filepath.ToSlash(name), data})
		return errors.Join(err, relErr)
	})
	slices.SortFunc(files, func(a, b output) int { return strings.Compare(a.name, b.name) })
	return files, err
}

// packExtension is the zip that a store takes, the same bytes for the same files.
func packExtension(files []output) ([]byte, error) {
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range files {
		// 1980 is the first year that the format knows.
		to, err := w.CreateHeader(&zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			return nil, err
		}
		if _, err := to.Write(f.data); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return out.Bytes(), err
}

// buildExtension writes the extension into a folder: extension/ for a browser to load, and extension.zip.
func buildExtension(root, to string) error {
	files, err := extensionFiles(root)
	if err != nil {
		return err
	}
	packed, err := packExtension(files)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(filepath.Join(to, "extension")); err != nil {
		return err
	}
	for _, f := range files {
		path := filepath.Join(to, "extension", filepath.FromSlash(f.name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.data, 0o644)); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(to, "extension.zip"), packed, 0o644)
}
