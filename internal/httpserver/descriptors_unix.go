//go:build unix

package httpserver

import "golang.org/x/sys/unix"

// maxDescriptors is how many files and connections the process may have open; 0
// when that is unknown.
func maxDescriptors() int {
	var l unix.Rlimit
	// A larger limit, such as RLIM_INFINITY, is none.
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil || l.Cur > 1<<30 {
		return 0
	}
	return int(l.Cur)
}
