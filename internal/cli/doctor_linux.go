package cli

import "golang.org/x/sys/unix"

// freeSpace is how many bytes an unprivileged user may still write to the file system
// of a folder (statfs(2), f_bavail).
func freeSpace(folder string) (bytes uint64, known bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(folder, &s); err != nil {
		return 0, false
	}
	return s.Bavail * uint64(s.Bsize), true
}

// clockSynchronized asks the kernel whether something keeps the clock right
// (adjtimex(2)).
func clockSynchronized() (is, known bool) {
	state, err := unix.Adjtimex(new(unix.Timex))
	return state != unix.TIME_ERROR, err == nil
}
