// Package tcpstate asks the operating system about a TCP connection: whether the peer still
// acknowledges what is sent to it, which its system does also while its process stands still,
// as at a breakpoint of a debugger.
//
//	if !tcpstate.Acknowledges(conn, 10*time.Second) {
//		conn.Close() // the peer's machine, or the way to it, is gone
//	}
package tcpstate

import (
	"crypto/tls"
	"net"
	"syscall"
)

// rawConn is the socket below a connection, or below its TLS. It is nil for a connection
// without one, such as a pipe.
func rawConn(nc net.Conn) syscall.RawConn {
	if t, ok := nc.(interface{ NetConn() net.Conn }); ok { // tls.Conn, and what wraps one
		nc = t.NetConn()
	}
	sc, ok := nc.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

var _ interface{ NetConn() net.Conn } = (*tls.Conn)(nil)
