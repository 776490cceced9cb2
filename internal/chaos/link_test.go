package chaos

import (
	"net"
	"sync"
	"testing"
)

// link is a TCP forwarder that can stop to forward and still close nothing, as
// a network does that has lost its middle.
type link struct {
	addr string
	gate sync.RWMutex // held for writing while nothing passes
}

func startLink(t testing.TB, to string) *link {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{addr: ln.Addr().String()}
	var all sync.WaitGroup
	var mu sync.Mutex
	var open []net.Conn
	all.Go(func() {
		for {
			near, err := ln.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				near.Close()
				continue
			}
			mu.Lock()
			open = append(open, near, far)
			mu.Unlock()
			all.Go(func() { l.forward(far, near) })
			all.Go(func() { l.forward(near, far) })
		}
	})
	t.Cleanup(func() {
		ln.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		all.Wait()
	})
	return l
}

func (l *link) forward(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		l.gate.RLock()
		if err == nil {
			_, err = to.Write(buf[:n])
		} else {
			to.Close()
		}
		l.gate.RUnlock()
		if err != nil {
			return
		}
	}
}

// freeze stops all forwarding until the test ends.
func (l *link) freeze(t testing.TB) {
	l.gate.Lock()
	t.Cleanup(l.gate.Unlock)
}
