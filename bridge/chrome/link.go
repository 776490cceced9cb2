package chrome

import (
	"errors"
	"io"
	"os"
	"path/filepath"
)

var errRelative = errors.New("the path of the folder is not absolute")

// link gives a file another name, in a folder that is there. What had that
// name before is replaced, as Chromium does. On another file system the file
// is copied.
func link(from, to string) error {
	if !filepath.IsAbs(to) {
		return errRelative
	}
	root, err := os.OpenRoot(filepath.Dir(to))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(to)
	part := name + ".part"
	_ = root.Remove(part) // most likely it is not there
	if err = os.Link(from, filepath.Join(root.Name(), part)); err != nil {
		err = copyTo(root, from, part)
	}
	if err == nil {
		err = root.Rename(part, name)
	}
	if err != nil {
		_ = root.Remove(part) // the first error counts
	}
	return err
}

func copyTo(root *os.Root, from, name string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
