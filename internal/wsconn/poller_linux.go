package wsconn

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Lot is where connections wait without a goroutine while nothing happens:
// one epoll set, which tells when there is something to read. Idle, a
// connection costs its goroutine's stack more than all else.
type Lot struct {
	after time.Duration // of silence

	set  int      // the epoll set's descriptor
	file *os.File // which the runtime watches in turn
	raw  syscall.RawConn
	done chan struct{} // closed when watch has ended

	mu    sync.Mutex // guards conns; nothing else is locked under it
	conns map[int32]*Conn
}

// NewLot makes a lot for connections that have been silent for a time; half
// a second where after is zero. It returns nil, for which connections keep their
// goroutines, where the system offers no such thing.
func NewLot(after time.Duration) *Lot {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd) //nolint:errcheck // it is useless
		return nil
	}
	l := &Lot{
		after: or(after, 500*time.Millisecond),
		set:   fd,
		file:  os.NewFile(uintptr(fd), "epoll"),
		done:  make(chan struct{}),
		conns: make(map[int32]*Conn),
	}
	if l.raw, err = l.file.SyscallConn(); err != nil {
		l.file.Close()
		return nil
	}
	go l.watch()
	return l
}

// Close ends a lot whose connections have ended.
func (l *Lot) Close() {
	if l != nil {
		l.file.Close()
		<-l.done
	}
}

// watch wakes connections until the lot is closed.
func (l *Lot) watch() {
	defer close(l.done)
	events := make([]unix.EpollEvent, 128)
	for {
		var n int
		err := l.raw.Read(func(fd uintptr) bool {
			var err error
			n, err = unix.EpollWait(int(fd), events, 0)
			return n > 0 || err != nil && err != unix.EINTR
		})
		if err != nil || n < 0 {
			return
		}
		for _, e := range events[:n] {
			l.mu.Lock()
			c := l.conns[e.Fd] // perhaps one that has the descriptor since: it looks, and waits on
			l.mu.Unlock()
			if c != nil {
				c.wake()
			}
		}
	}
}

// enter has the lot wake a connection when there is something to read.
func (l *Lot) enter(c *Conn) bool {
	sc, ok := c.nc.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var armed error
	err = raw.Control(func(fd uintptr) {
		op := unix.EPOLL_CTL_MOD
		if c.spot == 0 {
			op = unix.EPOLL_CTL_ADD
		}
		c.spot = int32(fd)
		armed = unix.EpollCtl(l.set, op, int(fd), &unix.EpollEvent{
			Events: unix.EPOLLIN | unix.EPOLLRDHUP | unix.EPOLLONESHOT, Fd: int32(fd),
		})
	})
	if err != nil || armed != nil {
		return false
	}
	l.conns[c.spot] = c
	return true
}

// leave forgets a connection that has been woken.
func (l *Lot) leave(c *Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conns[c.spot] == c {
		delete(l.conns, c.spot)
	}
}
