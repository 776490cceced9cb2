//go:build !linux

package server

import (
	"syscall"
	"time"
)

// giveUpAfter sets nothing here: the system's own time-out ends the connection.
func giveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
