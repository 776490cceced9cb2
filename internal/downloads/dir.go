package downloads

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/tempdir"
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

var errOutside = errors.New("the path is relative, or leads out of the directory")

// Locate is a path relative to d. The error is for one that does not exist, that is relative itself, or
// that leads out of d, also by symbolic links.
func (d Dir) Locate(path string) (below string, err error) {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	// filepath.Rel alone would take "../x" for an answer; IsLocal refuses what leads
	// upwards.
	below, err = filepath.Rel(string(d), resolved)
	if err != nil || !filepath.IsLocal(below) || !filepath.IsAbs(path) {
		return "", errOutside
	}
	return below, nil
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
	room   *room // for all files whose content comes
}

// create makes the file of a download that begins. inside says that Clients may name folders in d.
func (d Dir) create(inside bool, r *room) (*File, error) {
	root, err := os.OpenRoot(string(d))
	if err != nil {
		return nil, err
	}
	f, name, err := tempdir.CreateFile(root)
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
	below, err := Dir(f.root.Name()).Locate(folder)
	switch {
	case err == nil && !f.inside, errors.Is(err, errOutside):
		return "", fmt.Errorf("%s is not below the hub's download directory", folder)
	case err != nil:
		return "", err
	}
	name, err = saveNumbered(name, func(name string) error {
		to := filepath.Join(below, name)
		if err := f.root.Link(f.name, to); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		return copyTo(f.root, f.Name(), to, 0o600)
	})
	return filepath.Join(f.root.Name(), below, name), err
}

// Close removes the file. What it was saved as stays.
func (f *File) Close() error {
	f.room.give(f.size)
	return errors.Join(f.File.Close(), f.root.Remove(f.name), f.root.Close())
}

// ErrNoRoom refuses more of a file. Its text is for the Client.
var ErrNoRoom = errors.New("the hub has no room for more files at a time")

// room is how many bytes may be used.
type room struct {
	most int64 // static

	mu   sync.Mutex // guards used
	used int64      `held:"bytes of downloads that come"`
}

// take uses so many bytes, if there are as many.
func (r *room) take(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n > r.most-r.used {
		return false
	}
	r.used += n
	return true
}

// give gives bytes back.
func (r *room) give(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.used -= n
}

// madeFolder begins the names of the folders that Playwright makes for downloads, below the
// temporary directory (playwright-core 1.61, chromium.connectOverCDP).
const madeFolder = "playwright-artifacts-"

// IsClientFolder reports whether a Client that may not name files may have a file put into a folder:
// Playwright of this machine has made it for that, and only the user of the hub can open it.
func IsClientFolder(path string) bool {
	parent, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil || !filepath.IsAbs(path) || !strings.HasPrefix(filepath.Base(path), madeFolder) {
		return false
	}
	temporary, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil || parent != temporary {
		return false
	}
	info, err := os.Lstat(path)
	return err == nil && info.IsDir() && info.Mode().Perm() == 0o700 && tempdir.IsMine(info)
}
