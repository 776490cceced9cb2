//go:build !linux

package tcpstate

import (
	"net"
	"syscall"
	"time"
)

// Acknowledges is true: the state of a socket is asked on Linux alone. Elsewhere the keep-alives
// and time-outs of the system end a connection whose peer is gone.
func Acknowledges(net.Conn, time.Duration) bool { return true }

// Closed is false: it is known on Linux alone.
func Closed(net.Conn) bool { return false }

// GiveUpAfter sets nothing: TCP_USER_TIMEOUT is an option of Linux.
func GiveUpAfter(time.Duration) func(network, address string, c syscall.RawConn) error { return nil }
