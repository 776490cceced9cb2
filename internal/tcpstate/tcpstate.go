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
)

// Socket is the connection below TLS, or the connection itself. To close it does not wait for
// a write that is under way, as tls.Conn.Close does.
func Socket(nc net.Conn) net.Conn {
	if t, ok := nc.(*tls.Conn); ok {
		return t.NetConn()
	}
	return nc
}
