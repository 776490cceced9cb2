//go:build darwin || linux

package auth

import (
	"os"
	"syscall"
)

// lockFile waits until no other process has the file locked (flock(2)).
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

// unlockFile ends the lock.
func unlockFile(f *os.File) { syscall.Flock(int(f.Fd()), syscall.LOCK_UN) } //nolint:errcheck // closing it does so too
