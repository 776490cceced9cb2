package natsdir

import (
	"os"

	"github.com/cdphub/cdphub/internal/tempdir"
)

// inMemory is a folder in memory: on Linux /dev/shm, shm_overview(7). A server writes each
// vote to its folder before it sends that, and waits for the disk (nats-server 2.15.2,
// raft.go, writeTermVote): 60 to 300 ms on a busy one, in which the other server becomes a
// candidate as well, so that neither has a majority. In memory it takes no time.
const inMemory = "/dev/shm"

// newFolder makes a folder for what no later server needs, and removes those of servers that
// were killed.
func newFolder() (dir *tempdir.Dir, err error) {
	if info, none := os.Stat(inMemory); none == nil && info.IsDir() {
		tempdir.Sweep(inMemory)
		if dir, err = tempdir.Make(inMemory, tempdir.Directory); err == nil {
			return dir, nil
		}
	}
	tempdir.Sweep(os.TempDir())
	return tempdir.Make(os.TempDir(), tempdir.Directory)
}
