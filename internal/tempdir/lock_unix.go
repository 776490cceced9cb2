//go:build unix

package tempdir

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// lockFolder opens a folder and holds it. held is false if a Sweep has taken it.
func lockFolder(path string) (lock *os.File, held bool, err error) {
	lock, err = os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	if held = holdFile(lock); !held {
		lock.Close()
	}
	return lock, held, nil
}

// holdFile locks an open file, and reports whether it is still there. A file system without locks, such as
// NFS for folders, has nothing that could be swept.
func holdFile(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) && isAt(f)
}

// removeLeft removes what no process holds.
func removeLeft(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0) //nolint:gosec // one of our names
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil && isAt(f) {
		os.RemoveAll(path)
	}
}

// IsMine reports whether a file belongs to the user of this process.
func IsMine(info fs.FileInfo) bool {
	stat, is := info.Sys().(*syscall.Stat_t)
	return is && int(stat.Uid) == os.Geteuid()
}
