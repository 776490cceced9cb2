package server

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// giveUpAfter has a connection end when what was sent is not acknowledged for that
// long (tcp(7), TCP_USER_TIMEOUT): keep-alives do not run meanwhile.
func giveUpAfter(d time.Duration) func(network, address string, c syscall.RawConn) error {
	return func(_, _ string, c syscall.RawConn) error {
		var set error
		if err := c.Control(func(fd uintptr) {
			set = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(d.Milliseconds()))
		}); err != nil {
			return err
		}
		return set
	}
}
