package membership

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// giveUpAfter has a connection end when what was sent is not acknowledged for that
// long (tcp(7), TCP_USER_TIMEOUT). Linux sends no keep-alives while data waits for
// its acknowledgement, and would retry for 13 minutes or more (tcp_retries2).
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
