package httpserver

import (
	"cmp"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/logging"
)

// DefaultConnections is --max-connections where it is not given.
const DefaultConnections = 4096

// Connections is how many connections one address may have to one listener:
// the number that is wanted, or the default for 0, but at most a quarter of
// the files that the process may open, so that other addresses get some too.
func Connections(wanted int) int {
	most := cmp.Or(wanted, DefaultConnections)
	if all := maxDescriptors(); all > 0 {
		most = min(most, max(all/4, 1))
	}
	return most
}

// ListenerOptions say what one address may do.
type ListenerOptions struct {
	Connections int                   // of one address, or of one /64 network, at a time
	Exempt      func(netip.Addr) bool // trusted proxies, whose connections are those of others; nil: none
	Silent      bool                  // refused peers get no answer: they expect TLS
	Log         *zap.Logger
}

// Listen limits a listener: one address has only so many connections to it at
// a time.
func Listen(ln net.Listener, o ListenerOptions) net.Listener {
	return &listener{Listener: ln, o: o}
}

type listener struct {
	net.Listener
	o    ListenerOptions // static
	from PerAddress
}

// Accept implements net.Listener. It refuses connections of an address that has too
// many, and waits for the next one.
func (l *listener) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, is := nc.(*net.TCPConn)
		at, err := netip.ParseAddrPort(nc.RemoteAddr().String())
		if !is || err != nil || l.o.Exempt != nil && l.o.Exempt(at.Addr()) {
			return nc, nil // a Unix socket has no address, for one
		}
		if left, ok := l.from.Enter(at.Addr(), l.o.Connections); ok {
			return &counted{TCPConn: tcp, left: left}, nil
		}
		l.o.Log.Warn(logging.TooManyConnections, zap.Stringer("peer", at), zap.Int("most", l.o.Connections))
		l.refuse(tcp)
	}
}

// refuse answers 429 and closes a connection. Nothing has been written to the
// connection before, so that the answer fits into its buffer and does not wait for
// the peer.
func (l *listener) refuse(nc *net.TCPConn) {
	defer nc.Close()
	if l.o.Silent {
		return
	}
	why := "Too many connections come from this address: close some of the " + strconv.Itoa(l.o.Connections) + ", or allow more with --max-connections."
	text := "HTTP/1.1 429 Too Many Requests\r\nConnection: close\r\nRetry-After: 1\r\nContent-Type: text/plain; charset=utf-8\r\n" +
		"Content-Length: " + strconv.Itoa(len(why)) + "\r\n\r\n" + why
	if err := nc.SetWriteDeadline(time.Now().Add(time.Second)); err == nil {
		io.WriteString(nc, text) //nolint:errcheck // a peer that is gone
	}
}

// counted is a connection that counts until it is closed.
type counted struct {
	*net.TCPConn
	left   func()
	closed atomic.Bool
}

// Close implements net.Conn.
func (c *counted) Close() error {
	if c.closed.CompareAndSwap(false, true) {
		c.left()
	}
	return c.TCPConn.Close()
}
