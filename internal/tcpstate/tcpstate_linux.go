package tcpstate

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// tcpClosed is TCP_CLOSE of include/net/tcp_states.h of Linux, the state of a socket that was
// reset or has timed out.
const tcpClosed = 7

// Acknowledges reports whether the peer's system answers. It is false where the system
// has sent again what was not acknowledged for that long, or has asked a peer that has no
// room whether it has room, without an answer. Linux counts both (tcp(7), TCP_INFO): Retransmits
// and Probes are those since the last acknowledgement. It is true for what is no TCP socket.
func Acknowledges(nc net.Conn, within time.Duration) bool {
	info, ok := infoOf(nc)
	if !ok {
		return true
	}
	silent := time.Duration(info.Last_ack_recv) * time.Millisecond
	return info.State != tcpClosed && (silent < within || info.Retransmits < 2 && info.Probes < 2)
}

// Closed reports whether the connection was reset by the peer, or has timed out, also
// where bytes that have come before are still to be read.
func Closed(nc net.Conn) bool {
	info, ok := infoOf(nc)
	return ok && info.State == tcpClosed
}

// infoOf is TCP_INFO of the socket below a connection.
func infoOf(nc net.Conn) (info *unix.TCPInfo, ok bool) {
	sc, ok := Socket(nc).(syscall.Conn)
	if !ok { // such as a pipe
		return nil, false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil, false
	}
	if raw.Control(func(fd uintptr) { info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO) }) != nil || err != nil {
		return nil, false
	}
	return info, true
}

// GiveUpAfter is for net.Dialer.Control: the connection ends when what was sent is not
// acknowledged for that long, or a peer has no room for that long (tcp(7), TCP_USER_TIMEOUT). Linux sends no
// keep-alives while data waits for its acknowledgement, and would retry for 13 minutes or
// more (tcp_retries2).
func GiveUpAfter(d time.Duration) func(network, address string, c syscall.RawConn) error {
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
