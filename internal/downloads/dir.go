package downloads

import (
	"crypto/rand"
	"errors"
	"fmt"
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
	root *os.Root // what is opened cannot lead outside, even if links change meanwhile
	name string
}

// Create makes the file of a download that begins.
func (d Dir) Create() (*File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	name := ".cdphub-" + rand.Text()
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return &File{f, root, name}, nil
}

// SaveTo gives the file another name, in a folder that is there. What is there stays, and the
// new file is called "f (1).txt". To another file system the file is copied.
func (f *File) SaveTo(folder, name string) error {
	path, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return err
	}
	// filepath.Rel alone would take "../x" for an answer; IsLocal refuses what leads
	// upwards.
	below, err := filepath.Rel(f.root.Name(), path)
	if err != nil || !filepath.IsLocal(below) || !filepath.IsAbs(folder) {
		return fmt.Errorf("%s is not below the hub's download directory", folder)
	}
	if !bridge.IsFileName(name) { // it comes from a page
		return fmt.Errorf("%q is not a file name", name)
	}
	return saveNumbered(name, func(name string) error {
		to := filepath.Join(below, name)
		if err := f.root.Link(f.name, to); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		return copyTo(f.root, f.Name(), to, 0o600)
	})
}

// Close removes the file. What it was saved as stays.
func (f *File) Close() error {
	return errors.Join(f.File.Close(), f.root.Remove(f.name), f.root.Close())
}
