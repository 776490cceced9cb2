package server

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/cdphub/cdphub/bridge"
)

// downloads writes files of frames, only below one directory.
type downloads struct{ root string }

// newDownloads returns the function for relay.Options; nil, which writes no files,
// without a directory.
func newDownloads(dir string) (func(folder, name string, contents []byte) error, error) {
	if dir == "" {
		return nil, nil
	}
	root, err := resolveDir(dir)
	if err != nil {
		return nil, fmt.Errorf("download directory: %w", err)
	}
	return downloads{root}.save, nil
}

// resolveDir returns the absolute path of a directory without symbolic links.
func resolveDir(dir string) (string, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(path)
}

// maxNames is how many names are tried for a file, as in Chromium.
const maxNames = 100

// save writes a new file. If there is one of this name, the new one is "f (1).txt".
func (d downloads) save(folder, name string, contents []byte) error {
	path, err := resolveDir(folder)
	if err != nil {
		return err
	}
	// filepath.Rel alone would take "../x" for an answer; IsLocal refuses what leads
	// upwards.
	below, err := filepath.Rel(d.root, path)
	if err != nil || !filepath.IsLocal(below) || !filepath.IsAbs(folder) {
		return fmt.Errorf("%s is not below the hub's download directory", folder)
	}
	if !bridge.IsFileName(name) { // it comes from a page
		return fmt.Errorf("%q is not a file name", name)
	}
	root, err := os.OpenRoot(d.root) // what is opened cannot lead outside, even if links change meanwhile
	if err != nil {
		return err
	}
	defer root.Close()
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := range maxNames {
		if n > 0 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		// O_EXCL fails for a file that exists and for a symbolic link (open(2)), so
		// nothing is overwritten.
		f, err := root.OpenFile(filepath.Join(below, name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		_, err = f.Write(contents)
		return errors.Join(err, f.Close())
	}
	return fs.ErrExist
}
