// Package downloads is what Browser.setDownloadBehavior means, for every kind of Host: who
// has asked for the files of downloads and for their events, and where each gets a file.
package downloads

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cdphub/cdphub/bridge"
)

var (
	errRelative   = errors.New("the path of the folder is not absolute")
	errNotRegular = errors.New("what the browser has saved is not a regular file")
)

// maxNames is how many names are tried for a file. Chromium tries as many.
const maxNames = 100

// SaveAs gives a file another name, in a folder that is there, and returns it.
// An existing file of that name stays, and the new one is called "f (1).txt". To
// another file system the file is copied. A hard link takes no time and no room, and fails
// if the name is taken; os.Rename would replace the file.
func SaveAs(from, to string) (saved string, err error) {
	if !filepath.IsAbs(to) {
		return to, errRelative
	}
	// A browser that is not the hub's own could name a link, or a pipe.
	if info, err := os.Lstat(from); err != nil || !info.Mode().IsRegular() {
		return to, cmp.Or(err, errNotRegular)
	}
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return to, err
	}
	defer root.Close()
	name, err := saveNumbered(filepath.Base(to), func(name string) error {
		if err := os.Link(from, filepath.Join(root.Name(), name)); err == nil || errors.Is(err, fs.ErrExist) {
			return err
		}
		return copyTo(root, from, name, 0o666)
	})
	if errors.Is(err, fs.ErrExist) {
		return to, err
	}
	return filepath.Join(root.Name(), name), err
}

// saveNumbered saves a file under its name or, while there is another one of that name, as
// "f (1).txt" and so on: save fails with fs.ErrExist then. It returns the last name that it has tried.
func saveNumbered(name string, save func(name string) error) (last string, err error) {
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := range maxNames {
		if n > 0 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		if err = save(name); !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return name, err
}

// WriteNumbered writes a file to a folder, under its name or, while there is another one of that name,
// as "f (1).txt" and so on, and returns its path.
func WriteNumbered(folder *os.Root, name string, from io.Reader) (path string, err error) {
	if !bridge.IsFileName(name) {
		return "", fmt.Errorf("%q is not a file name", name)
	}
	name, err = saveNumbered(name, func(name string) error { return writeNew(folder, from, name, 0o600) })
	return filepath.Join(folder.Name(), name), err
}

// copyTo copies a file to one that must not be there yet.
func copyTo(root *os.Root, from, name string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return writeNew(root, in, name, mode)
}

// writeNew writes a file that must not be there yet.
func writeNew(root *os.Root, from io.Reader, name string, mode fs.FileMode) error {
	// O_EXCL: no file is replaced, and no symbolic link followed (open(2)).
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, from)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = root.Remove(name) // the first error counts
	}
	return err
}
