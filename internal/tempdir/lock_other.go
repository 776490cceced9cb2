//go:build !unix

package tempdir

import (
	"io/fs"
	"os"
)

// lockFolder holds nothing.
func lockFolder(string) (lock *os.File, held bool, err error) { return nil, true, nil }

// holdFile holds nothing.
func holdFile(*os.File) bool { return true }

// removeLeft removes nothing: whether another process uses it is not known.
func removeLeft(string) {}

// IsMine knows of no file that it belongs to the user of this process.
func IsMine(fs.FileInfo) bool { return false }
