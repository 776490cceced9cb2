//go:build unix

package natsdir

import (
	"cmp"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// inMemory is a folder in memory: on Linux /dev/shm, shm_overview(7). A server writes each
// vote to its folder before it sends that, and waits for the disk (nats-server 2.15.2,
// raft.go, writeTermVote): 60 to 300 ms on a busy one, in which the other server becomes a
// candidate as well, so that neither has a majority. In memory it takes no time.
const inMemory = "/dev/shm"

// made is the age from which the folder of a server that lives is locked.
const made = time.Minute

// newFolder makes a folder for what no later server needs, and removes those of servers that
// were killed. It is locked until held is closed.
func newFolder() (dir string, held *os.File, err error) {
	parent := os.TempDir()
	if info, err := os.Stat(inMemory); err == nil && info.IsDir() {
		parent = inMemory
	}
	// A new folder is not locked yet for a moment, hence the age.
	old, _ := filepath.Glob(filepath.Join(parent, folderName+"*")) // the pattern is a good one
	for _, dir := range old {
		// Anybody may have made something else there: to open a named pipe would wait for its writer.
		if info, err := os.Lstat(dir); err == nil && info.IsDir() && time.Since(info.ModTime()) > made {
			removeIfLeft(dir)
		}
	}
	dir, err = os.MkdirTemp(parent, folderName)
	if err != nil && parent != os.TempDir() {
		dir, err = os.MkdirTemp("", folderName)
	}
	if err != nil {
		return "", nil, err
	}
	if held, err = os.Open(dir); err == nil {
		err = syscall.Flock(int(held.Fd()), syscall.LOCK_EX)
	}
	if err != nil {
		return "", nil, cmp.Or(os.RemoveAll(dir), err)
	}
	return dir, held, nil
}

// removeIfLeft removes a folder that no process has locked.
func removeIfLeft(dir string) {
	f, err := os.Open(dir) //nolint:gosec // a folder of that name
	if err != nil {
		return
	}
	defer f.Close()
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		os.RemoveAll(dir)
	}
}
