//go:build !linux

package membership

import (
	"syscall"
	"time"
)

// giveUpAfter sets nothing: TCP_USER_TIMEOUT is an option of Linux. The system's own
// time-out ends the connection here.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
