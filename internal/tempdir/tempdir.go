// Package tempdir makes temporary folders and files, and removes those of processes that were killed:
//
//	dir, err := tempdir.Make(os.TempDir(), tempdir.Kept)
//	defer dir.Remove()
//	tempdir.Sweep(os.TempDir()) // when a hub starts
//
// Each has a lock, flock(2), which the kernel releases when the last process that has the file ends.
// What has our name and no lock is left behind. On systems without flock nothing is swept.
package tempdir

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Kind begins the names of what is made for one purpose.
type Kind string

// The kinds. Sweep removes what is in this list alone.
const (
	Browser   Kind = "cdphub-browser-"   // the profile of a browser, and its temporary files
	Downloads Kind = "cdphub-downloads-" // what a browser downloads
	Kept      Kind = "cdphub-kept-"      // downloads that the hub keeps
	Video     Kind = "cdphub-video-"     // the pictures of a video
	Directory Kind = "cdphub-directory-" // the records of a cluster
	Hidden    Kind = ".cdphub-"          // in a folder of the user
)

var kinds = []Kind{Browser, Downloads, Kept, Video, Directory, Hidden}

// digits is how many characters of rand.Text end a name: 50 random bits. No user gives such a name by
// hand, and Chromium takes the path of its temporary files only while it is short.
const digits = 10

// attempts is how often a name is tried: a Sweep may take what has no lock yet.
const attempts = 100

var errTaken = errors.New("other processes keep removing temporary files here")

// Dir is a temporary folder that this process holds. Only its user can read it.
type Dir struct {
	Path string
	Lock *os.File // for processes that use the folder too: it is held until the last of them has ended; nil where there are no locks
}

// Make makes a folder.
func Make(parent string, k Kind) (*Dir, error) {
	for range attempts {
		path := filepath.Join(parent, newName(k))
		if err := os.Mkdir(path, 0o700); err != nil {
			return nil, err
		}
		lock, held, err := lockFolder(path)
		if err != nil {
			return nil, errors.Join(err, os.Remove(path))
		}
		if held {
			return &Dir{path, lock}, nil
		}
	}
	return nil, errTaken
}

// Remove removes the folder, and gives the lock back if nothing is left. A nil Dir is none.
func (d *Dir) Remove() error {
	if d == nil {
		return nil
	}
	err := os.RemoveAll(d.Path)
	if err == nil && d.Lock != nil {
		d.Lock.Close()
	}
	return err
}

// CreateFile makes a hidden file to write to, in a folder of the user. To close it gives the lock back.
func CreateFile(root *os.Root) (f *os.File, name string, err error) {
	for range attempts {
		name = newName(Hidden)
		if f, err = root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
			return nil, "", err
		}
		if holdFile(f) {
			return f, name, nil
		}
		f.Close()
	}
	return nil, "", errTaken
}

// patience is how long a Sweep takes at most. The next one removes the rest.
const patience = 5 * time.Second

// Sweep removes what processes of this user have left in a folder, and that no process holds.
func Sweep(parent string) {
	entries, _ := os.ReadDir(parent) // a folder that cannot be read has nothing of ours
	for end := time.Now().Add(patience); len(entries) > 0 && time.Now().Before(end); entries = entries[1:] {
		if !isName(entries[0].Name()) {
			continue
		}
		path := filepath.Join(parent, entries[0].Name())
		info, err := os.Lstat(path)
		// Other users may have made anything by such a name: to open a named pipe would wait for its writer.
		if err == nil && (info.IsDir() || info.Mode().IsRegular()) && IsMine(info) {
			removeLeft(path)
		}
	}
}

// newName makes a name that nothing has.
func newName(k Kind) string { return string(k) + rand.Text()[:digits] }

// isName reports whether newName may have made a name. The alphabet is that of rand.Text.
func isName(name string) bool {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	end := len(name) - digits
	return end > 0 && slices.Contains(kinds, Kind(name[:end])) && strings.Trim(name[end:], alphabet) == ""
}

// isAt reports whether a path is still that of an open file.
func isAt(f *os.File) bool {
	opened, err := f.Stat()
	var there fs.FileInfo
	if err == nil {
		there, err = os.Lstat(f.Name())
	}
	return err == nil && os.SameFile(opened, there)
}
