package hubtest

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// Network is a TCP proxy on loopback that a test can make fail.
type Network struct {
	Addr string // where it listens

	to  string
	all sync.WaitGroup // what it runs

	rate   atomic.Int64 // bytes a second, in each direction of a connection; 0: no limit
	passed atomic.Int64 // bytes

	mu     sync.Mutex // guards everything below
	closed bool       // to new connections
	conns  map[*net.TCPConn]struct{}
	quiet  chan struct{} // closed while bytes pass
}

// NewNetwork starts one in front of an address. It ends with the test.
func NewNetwork(t testing.TB, to string) *Network {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	n := &Network{Addr: ln.Addr().String(), to: to, conns: make(map[*net.TCPConn]struct{}), quiet: make(chan struct{})}
	close(n.quiet)
	n.all.Go(func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			n.join(near.(*net.TCPConn))
		}
	})
	t.Cleanup(func() {
		ln.Close()
		n.Refuse(true)
		n.Cut()
		n.all.Wait()
	})
	return n
}

func (n *Network) join(near *net.TCPConn) {
	n.mu.Lock()
	defer n.mu.Unlock()
	far, err := net.Dial("tcp", n.to)
	if err == nil && n.closed {
		far.Close()
	}
	if err != nil || n.closed {
		resetConn(near)
		return
	}
	ends := [2]*net.TCPConn{near, far.(*net.TCPConn)}
	var both sync.WaitGroup
	for i, from := range ends {
		n.conns[from] = struct{}{}
		both.Go(func() { n.pass(ends[1-i], from) })
	}
	n.all.Go(func() {
		both.Wait()
		n.mu.Lock()
		defer n.mu.Unlock()
		for _, c := range ends {
			c.Close()
			delete(n.conns, c)
		}
	})
}

// pass copies bytes in one direction until it ends. A failure ends the other
// direction, too.
func (n *Network) pass(to, from *net.TCPConn) {
	b := make([]byte, 32<<10)
	for {
		m, err := from.Read(b)
		n.mu.Lock()
		quiet := n.quiet
		n.mu.Unlock()
		<-quiet
		if m > 0 {
			if _, failed := to.Write(b[:m]); failed != nil {
				from.Close()
				return
			}
			n.passed.Add(int64(m))
			if rate := n.rate.Load(); rate > 0 {
				time.Sleep(time.Duration(m) * time.Second / time.Duration(rate))
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			to.CloseWrite()
			return
		case err != nil:
			to.Close()
			return
		}
	}
}

// resetConn closes a connection with RST in place of FIN (SO_LINGER of 0, socket(7)).
func resetConn(c *net.TCPConn) {
	c.SetLinger(0)
	c.Close()
}

// Cut resets all connections. Others may be made at once.
func (n *Network) Cut() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := range n.conns {
		resetConn(c)
	}
	clear(n.conns)
}

// Refuse says whether new connections are refused. It keeps those that there are.
func (n *Network) Refuse(on bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed = on
}

// Slow lets so many bytes pass in a second, in each direction of a connection.
func (n *Network) Slow(rate int64) { n.rate.Store(rate) }

// Passed is how many bytes have passed, in both directions of all connections.
func (n *Network) Passed() int64 { return n.passed.Load() }

// Silence holds all bytes back until end is called, which must be before the test ends.
// No connection is closed.
func (n *Network) Silence() (end func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	quiet := make(chan struct{})
	n.quiet = quiet
	return sync.OnceFunc(func() { close(quiet) })
}
