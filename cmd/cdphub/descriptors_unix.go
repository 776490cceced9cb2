//go:build unix

package main

import "golang.org/x/sys/unix"

// mayOpen is how many files and connections the process may have open; 0
// when that is unknown.
func mayOpen() int {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil || l.Cur > 1<<30 {
		return 0
	}
	return int(l.Cur)
}
