package tcptest

import (
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Deafen has the system drop every packet that comes for a connection, before it is
// acknowledged: a filter that takes 0 bytes of each (socket(7), SO_ATTACH_FILTER).
func Deafen(t testing.TB, c *net.TCPConn) {
	t.Helper()
	raw, err := c.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	drop := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K}
	var set error
	if err := raw.Control(func(fd uintptr) {
		set = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: 1, Filter: &drop})
	}); err != nil || set != nil {
		t.Fatal(err, set)
	}
}

// Pair makes both ends of a TCP connection.
func Pair(t testing.TB) (ours, theirs *net.TCPConn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dialed, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dialed.Close(); accepted.Close() })
	return accepted.(*net.TCPConn), dialed.(*net.TCPConn)
}

// Fill writes until the peer's system has no room for more.
func Fill(t testing.TB, c *net.TCPConn) {
	t.Helper()
	b := make([]byte, 1<<20)
	for {
		c.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)) //nolint:errcheck // the write tells
		if n, err := c.Write(b); err != nil && n == 0 {
			return
		}
	}
}
