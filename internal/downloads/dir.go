package downloads

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/cdphub/cdphub/bridge"
)

// Dir is a directory, only below which files of frames are saved. It is an absolute path
// without symbolic links.
type Dir string

// ResolveDir returns the Dir of a path.
func ResolveDir(path string) (Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	path, err = filepath.EvalSymlinks(path)
	return Dir(path), err
}

// File is a download while its content comes: a hidden file in the directory itself, so that
// saving it is a matter of another name.
type File struct {
	*os.File
	root   *os.Root // what is opened cannot lead outside, even if links change meanwhile
	name   string
	inside bool // the directory is one for Clients, who may name folders in it
	sum    hash.Hash
	size   int64
	room   *room // for what comes; nil: there is enough
}

// create makes the file of a download that begins. inside says that Clients may name folders in d.
func (d Dir) create(inside bool, r *room) (*File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	name := ".cdphub-" + rand.Text()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &File{f, root, name, inside, sha256.New(), 0, r}, nil
}

// Write implements io.Writer. The hash is made meanwhile, so that the end takes no time. The error is
// ErrNoRoom when all files that come have too many bytes.
func (f *File) Write(part []byte) (int, error) {
	if !f.room.take(int64(len(part))) {
		return 0, ErrNoRoom
	}
	n, err := f.File.Write(part)
	f.sum.Write(part[:n])
	f.size += int64(n)
	f.room.give(int64(len(part) - n))
	return n, err
}

// Measure is the size of what was written, and its SHA-256 in hexadecimal.
func (f *File) Measure() (size int64, sum string) { return f.size, hex.EncodeToString(f.sum.Sum(nil)) }

// SaveTo gives the file another name, in a folder that is there, and returns it. What is there
// stays, and the new file is called "f (1).txt". To another file system the file is copied. The
// folder is in the hub's directory for downloads, or one that IsClientFolder takes.
func (f *File) SaveTo(folder, name string) (saved string, err error) {
	if !bridge.IsFileName(name) { // it comes from a page
		return "", fmt.Errorf("%q is not a file name", name)
	}
	if IsClientFolder(folder) {
		return SaveAs(f.Name(), filepath.Join(folder, name))
	}
	path, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return "", err
	}
	// filepath.Rel alone would take "../x" for an answer; IsLocal refuses what leads
	// upwards.
	below, err := filepath.Rel(f.root.Name(), path)
	if err != nil || !f.inside || !filepath.IsLocal(below) || !filepath.IsAbs(folder) {
		return "", fmt.Errorf("%s is not below the hub's download directory", folder)
	}
	return saved, saveNumbered(name, func(name string) error {
		to := filepath.Join(below, name)
		saved = filepath.Join(path, name)
		if err := f.root.Link(f.name, to); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		return copyTo(f.root, f.Name(), to, 0o600)
	})
}

// Close removes the file. What it was saved as stays.
func (f *File) Close() error {
	f.room.give(f.size)
	return errors.Join(f.File.Close(), f.root.Remove(f.name), f.root.Close())
}
