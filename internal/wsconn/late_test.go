package wsconn

import (
	"context"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// lateConn learns of some deadlines as in a process that did not run: late,
// and with what the peer has done meanwhile still to be seen.
type lateConn struct {
	net.Conn

	mu          sync.Mutex // guards everything below
	read, write late
}

// late is one direction.
type late struct {
	due   time.Time     // its deadline
	soon  int           // calls that do as they should, and then
	stuck int           // calls that find nothing to do until their deadline,
	by    time.Duration // of which the last ends so much later
}

// call waits out a call that is to be stuck.
func (l *late) call(mu *sync.Mutex) (stuck bool) {
	mu.Lock()
	defer mu.Unlock()
	if l.soon--; l.soon >= 0 || l.stuck == 0 {
		return false
	}
	until := l.due
	if l.stuck--; l.stuck == 0 {
		until = until.Add(l.by)
	}
	mu.Unlock()
	time.Sleep(time.Until(until))
	mu.Lock()
	return true
}

func (c *lateConn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.read.due = t
	return c.Conn.SetReadDeadline(t)
}

func (c *lateConn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.write.due = t
	return c.Conn.SetWriteDeadline(t)
}

func (c *lateConn) Read(p []byte) (int, error) {
	if c.read.call(&c.mu) {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Read(p)
}

func (c *lateConn) Write(p []byte) (int, error) {
	if c.write.call(&c.mu) {
		return 0, os.ErrDeadlineExceeded
	}
	return c.Conn.Write(p)
}

// F-19: a process that did not run when its peer answered a ping, or read
// what it was sent, must not take the peer for dead, or slow.
func TestF19TimeThatPassedUnnoticed(t *testing.T) {
	for name, how := range map[string]struct{ read, write late }{
		"reading": {read: late{soon: 1, stuck: 1, by: time.Minute}},
		"writing": {write: late{stuck: 3, by: 9 * time.Second}}, // 7.5 s of 10, and 9 more
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				near, far := Pipe(Limits{}, Limits{PingEvery: time.Hour, WriteTimeout: time.Hour})
				near.nc = &lateConn{Conn: near.nc, read: how.read, write: how.write}
				got := make(chan string, 1)
				done := make(chan Reason, 2)
				go func() { done <- near.Serve(context.Background(), func([]byte) {}) }()
				go func() { done <- far.Serve(context.Background(), func(m []byte) { got <- string(m) }) }()
				if name == "reading" {
					time.Sleep(2 * time.Minute) // a ping at 25 s, the next look at 95 s
				}
				near.Deliver(wire.Frame{Body: []byte("hello")})
				select {
				case <-got:
				case r := <-done:
					t.Fatalf("the connection ended with %v", r)
				}
				near.Close(ReasonNormal)
				<-done
				<-done
			})
		})
	}
}

// standingClock is a connection whose clock stands for some time before each of its
// deadlines.
type standingClock struct {
	net.Conn
	by time.Duration
}

func (c standingClock) SetReadDeadline(t time.Time) error {
	if time.Now().Before(t) {
		t = t.Add(c.by)
	}
	return c.Conn.SetReadDeadline(t)
}

// TestClockStandsWithinAMessage lets a clock stand for longer than a message may take.
func TestClockStandsWithinAMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ours, theirs := net.Pipe()
		l := Limits{}.withDefaults()
		c := newConn(standingClock{ours, 5 * time.Minute}, &l)
		got, done := make(chan string, 1), make(chan Reason, 1)
		go func() { done <- c.Serve(context.Background(), func(m []byte) { got <- string(m) }) }()
		go io.Copy(io.Discard, theirs)
		theirs.Write([]byte{0x81, 0x85, 0, 0, 0, 0, 'h', 'e'}) // a mask of zeros
		time.Sleep(5*time.Minute + l.PingEvery + 5*time.Second)
		select {
		case r := <-done:
			t.Fatalf("the connection ended with %v", r)
		default:
		}
		theirs.Write([]byte("llo"))
		if m := <-got; m != "hello" {
			t.Errorf("%q came", m)
		}
		theirs.Close()
		<-done
	})
}
