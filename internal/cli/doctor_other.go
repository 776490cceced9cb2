//go:build !linux

package cli

// freeSpace is not known on this system.
func freeSpace(string) (bytes uint64, known bool) { return 0, false }

// clockSynchronized is not known on this system.
func clockSynchronized() (is, known bool) { return false, false }
