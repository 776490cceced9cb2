// Command pack puts the DevTools front end of the npm package into one zip, with its
// licence. The same files give the same bytes.
//
//	npm ci --prefix internal/devtools && go run ./internal/devtools/pack
package main

import (
	"archive/zip"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const (
	source = "internal/devtools/node_modules/@react-native/debugger-frontend/dist/third-party"
	target = "internal/devtools/dist/frontend.zip"
)

func main() {
	if err := packFrontEnd(); err != nil {
		fmt.Fprintln(os.Stderr, "pack:", err)
		os.Exit(1)
	}
}

func packFrontEnd() error {
	// The file is renamed when it is whole: a build that fails leaves the old one.
	// A build meanwhile embeds the folder, but not files whose names begin with a dot.
	out, err := os.Create(filepath.Join(filepath.Dir(target), ".frontend.zip.new"))
	if err != nil {
		return err
	}
	defer out.Close()
	z := zip.NewWriter(out)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestCompression)
	})
	front := os.DirFS(filepath.Join(source, "front_end"))
	err = fs.WalkDir(front, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return addFile(z, front, name)
	})
	if err == nil {
		err = addFile(z, os.DirFS(source), "LICENSE")
	}
	if err == nil {
		err = addAs(z, "embedder-static/embedderScript.js", os.DirFS("internal/devtools"), "embedder.js")
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return err
	}
	return os.Rename(out.Name(), target)
}

func addFile(z *zip.Writer, from fs.FS, name string) error { return addAs(z, name, from, name) }

// addAs writes a file under another name and without its time, which differs between
// installations: the same files give the same bytes.
func addAs(z *zip.Writer, as string, from fs.FS, name string) error {
	text, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	w, err := z.Create(as)
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}
