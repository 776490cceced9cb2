package wsconn

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Poller watches idle connections, so that they need no goroutine. It is one
// epoll set, which reports the sockets that have something to read. The stack
// of its goroutine is the largest part of what an idle connection costs.
//
// A connection is parked while the Poller watches it: see Conn.park.
type Poller struct {
	idleAfter time.Duration // silence after which a connection is parked

	epoll int      // descriptor of the epoll set
	file  *os.File // the same descriptor, watched by the Go runtime
	raw   syscall.RawConn
	done  chan struct{} // closed when run has ended

	mu    sync.Mutex      // guards conns; nothing else is locked under it
	conns map[int32]*Conn `held:"parked connections"` // by descriptor
}

// NewPoller starts a Poller for connections that were silent for the given
// time; 0 is half a second. It returns nil when the system has no epoll. With
// a nil Poller each connection keeps its goroutine.
func NewPoller(after time.Duration) *Poller {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd) //nolint:errcheck // it is useless
		return nil
	}
	p := &Poller{
		idleAfter: orDefault(after, 500*time.Millisecond),
		epoll:     fd,
		// A descriptor that is non-blocking is registered with the runtime's poller:
		// SyscallConn can then wait for it.
		file:  os.NewFile(uintptr(fd), "epoll"),
		done:  make(chan struct{}),
		conns: make(map[int32]*Conn),
	}
	if p.raw, err = p.file.SyscallConn(); err != nil {
		p.file.Close()
		return nil
	}
	go p.run()
	return p
}

// Close stops the Poller. Its connections must have ended.
func (p *Poller) Close() {
	if p != nil {
		p.file.Close()
		<-p.done
	}
}

// run wakes connections until the Poller is closed. RawConn.Read waits in the Go runtime's
// own poller until the epoll descriptor is readable, and then asks it without waiting
// (timeout 0). So this goroutine blocks no thread.
func (p *Poller) run() {
	defer close(p.done)
	events := make([]unix.EpollEvent, 128)
	for {
		var n int
		err := p.raw.Read(func(fd uintptr) bool {
			var err error
			n, err = unix.EpollWait(int(fd), events, 0)
			return n > 0 || err != nil && err != unix.EINTR
		})
		if err != nil || n < 0 {
			return
		}
		for _, e := range events[:n] {
			p.mu.Lock()
			// The descriptor may belong to a newer connection by now. That one
			// finds nothing to read, and parks again.
			c := p.conns[e.Fd]
			p.mu.Unlock()
			if c != nil {
				c.wake()
			}
		}
	}
}

// add watches a connection until it has something to read (EPOLLONESHOT). It
// reports false for a connection that has no descriptor, such as a pipe. EPOLL_CTL_MOD arms
// the descriptor again after its one report (epoll_ctl(2)). EPOLLRDHUP reports a peer that
// has closed its side.
func (p *Poller) add(c *Conn) bool {
	sc, ok := c.nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var armed error
	err = raw.Control(func(fd uintptr) {
		op := unix.EPOLL_CTL_MOD
		if c.fd == 0 {
			op = unix.EPOLL_CTL_ADD
		}
		c.fd = int32(fd)
		armed = unix.EpollCtl(p.epoll, op, int(fd), &unix.EpollEvent{
			Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: int32(fd),
		})
	})
	if err != nil || armed != nil {
		return false
	}
	p.conns[c.fd] = c
	return true
}

// remove forgets a connection that was woken. The descriptor stays in the epoll set,
// disarmed, until the socket is closed.
func (p *Poller) remove(c *Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conns[c.fd] == c {
		delete(p.conns, c.fd)
	}
}
