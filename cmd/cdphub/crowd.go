package main

import (
	"cmp"
	"io"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// maxConnections is --max-connections where it is not given.
const maxConnections = 4096

// connections is how many connections one address may have to one listener: not
// so many that others get none.
func (f limitFlags) connections() int {
	most := cmp.Or(int(f.MaxConnections), maxConnections)
	if all := mayOpen(); all > 0 {
		most = min(most, max(all/4, 1))
	}
	return most
}

// crowd is a listener to which one address has only so many connections at a
// time. A trusted proxy may have as many as it likes: they are others'.
type crowd struct {
	net.Listener
	most   int // static, as is what follows
	exempt func(netip.Addr) bool
	silent bool // who is refused is told nothing: it expects TLS
	log    *zap.Logger
	from   addresses
}

// bound makes a listener one to which an address has only so many connections.
func (s *server) bound(ln net.Listener) net.Listener {
	return &crowd{Listener: ln, most: s.flags.connections(), exempt: s.gate.Trusts, log: s.log}
}

// tooCrowded is the log's message for connections that are refused.
const tooCrowded = "connection refused: its address has too many"

// Accept implements net.Listener.
func (l *crowd) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		tcp, is := nc.(*net.TCPConn)
		at, err := netip.ParseAddrPort(nc.RemoteAddr().String())
		if !is || err != nil || l.exempt(at.Addr()) {
			return nc, nil // a socket of this machine's files, for one
		}
		if left, ok := l.from.enter(at.Addr(), l.most); ok {
			return &counted{TCPConn: tcp, left: left}, nil
		}
		l.log.Warn(tooCrowded, zap.Stringer("peer", at), zap.Int("most", l.most))
		l.refuse(tcp)
	}
}

// refuse closes a connection. Nothing has been written to it, so that the
// answer does not wait for the peer.
func (l *crowd) refuse(nc *net.TCPConn) {
	defer nc.Close() //nolint:errcheck // it has had its answer
	if l.silent {
		return
	}
	why := "Too many connections come from this address: close some of the " + strconv.Itoa(l.most) + ", or allow more with --max-connections."
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
