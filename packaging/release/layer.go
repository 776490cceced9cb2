package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// file is a file of a layer; one whose name ends in "/" is a directory.
type file struct {
	name string // without a slash in front
	mode int64
	data []byte
}

// layerOf makes a layer of files, which belong to root. Parent directories come
// before what is in them.
func layerOf(files []file, at time.Time) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	made := map[string]bool{}
	for _, f := range files {
		if err := addParents(w, f.name, made, at); err != nil {
			return nil, err
		}
		h := &tar.Header{Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: at, Typeflag: tar.TypeReg}
		if strings.HasSuffix(f.name, "/") {
			h.Typeflag, made[f.name] = tar.TypeDir, true
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.data); err != nil {
			return nil, err
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil })
}

// addParents writes the directories above a file, each once.
func addParents(w *tar.Writer, name string, made map[string]bool, at time.Time) error {
	dir := path.Dir(strings.TrimSuffix(name, "/"))
	if dir == "." || made[dir+"/"] {
		return nil
	}
	if err := addParents(w, dir, made, at); err != nil {
		return err
	}
	made[dir+"/"] = true
	return w.WriteHeader(&tar.Header{Name: dir + "/", Mode: 0o755, ModTime: at, Typeflag: tar.TypeDir})
}

// compressLayer writes a system's tar file as the layer of an image: without device
// nodes, which a container gets from its runtime, and without what only a
// package manager reads.
func compressLayer(from, to string) (v1.Layer, error) {
	in, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return nil, err
	}
	defer out.Close()
	zip := gzip.NewWriter(out)
	if err := copyTar(tar.NewWriter(zip), tar.NewReader(in)); err != nil {
		return nil, err
	}
	if err := errors.Join(zip.Close(), out.Close()); err != nil {
		return nil, err
	}
	return tarball.LayerFromFile(to)
}

// leftOut are folders whose contents an image does not need. The folders themselves
// stay.
var leftOut = []string{"dev/", "var/cache/apt/", "var/cache/debconf/", "var/cache/ldconfig/", "var/lib/apt/", "var/log/"}

func copyTar(w *tar.Writer, r *tar.Reader) error {
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return w.Close()
		}
		if err != nil {
			return err
		}
		h.Name = strings.TrimPrefix(h.Name, "./")
		if h.Name == "" || isInside(h.Name) {
			continue
		}
		h.Linkname = linkTarget(h)
		if err := w.WriteHeader(h); err != nil {
			return err
		}
		if _, err := io.Copy(w, r); err != nil {
			return err
		}
	}
}

// linkTarget is what a link leads to. That of a hard link is a name in the archive.
func linkTarget(h *tar.Header) string {
	if h.Typeflag == tar.TypeLink {
		return strings.TrimPrefix(h.Linkname, "./")
	}
	return h.Linkname
}

func isInside(name string) bool {
	return slices.ContainsFunc(leftOut, func(dir string) bool { return name != dir && strings.HasPrefix(name, dir) })
}
