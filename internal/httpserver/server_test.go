package httpserver

import (
	"context"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/logging"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// starved is a listener that runs out of descriptors for a while, as often as
// it is asked.
type starved struct {
	conns  chan net.Conn
	closed chan struct{}
	close  func()

	mu    sync.Mutex
	until time.Time
	fails int
}

func newStarved(until time.Time) *starved {
	l := &starved{conns: make(chan net.Conn), closed: make(chan struct{}), until: until}
	l.close = sync.OnceFunc(func() { close(l.closed) })
	return l
}

func (l *starved) Accept() (net.Conn, error) {
	l.mu.Lock()
	if time.Now().Before(l.until) {
		l.fails++
		l.mu.Unlock()
		return nil, &net.OpError{Op: "accept", Net: "tcp", Err: syscall.EMFILE}
	}
	l.mu.Unlock()
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *starved) Close() error   { l.close(); return nil }
func (l *starved) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)} }

// TestR69OutOfDescriptors lets accept fail for ten minutes, with a connection
// that works on, and wants one line a minute and connections after that.
func TestR69OutOfDescriptors(t *testing.T) {
	var out logtest.Buffer
	synctest.Test(t, func(t *testing.T) {
		l := logtest.Open(t, &out)
		ln := newStarved(time.Time{})
		hs := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") }), OwnRate, l.Logger)
		ended := make(chan error, 1)
		go func() { ended <- hs.Serve(ln) }()
		ask := func() (*http.Client, func() error) {
			c := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
				ours, theirs := net.Pipe()
				ln.conns <- theirs
				return ours, nil
			}}}
			return c, func() error {
				resp, err := c.Get("http://127.0.0.1/")
				if err != nil {
					return err
				}
				defer resp.Body.Close()
				_, err = io.ReadAll(resp.Body)
				return err
			}
		}
		before, askBefore := ask()
		defer before.CloseIdleConnections()
		if err := askBefore(); err != nil {
			t.Fatal(err)
		}
		ln.mu.Lock()
		ln.until = time.Now().Add(10 * time.Minute)
		ln.mu.Unlock()
		late, askLate := ask()
		defer late.CloseIdleConnections()
		if err := askLate(); err != nil { // accepted by the call that was under way
			t.Fatal(err)
		}
		for range 19 { // longer than that it would not be kept alive
			time.Sleep(30 * time.Second)
			if err := askBefore(); err != nil {
				t.Fatalf("an existing connection: %v", err)
			}
		}
		after, askAfter := ask()
		defer after.CloseIdleConnections()
		if err := askAfter(); err != nil {
			t.Errorf("when there are descriptors again: %v", err)
		}
		if ln.fails < 100 {
			t.Errorf("accept was tried %d times only", ln.fails)
		}
		hs.Close()
		<-ended
		time.Sleep(2 * time.Minute) // what the log has to tell is told
		lines, counted := logtest.Read(t, out.String()), 0
		for _, line := range lines {
			if line.Msg != logging.AcceptFailed || line.Logger != "http" {
				t.Errorf("a line of another kind: %+v", line)
			}
			counted += max(line.LeftOut, 1)
		}
		if len(lines) < 9 || len(lines) > 12 {
			t.Errorf("%d lines in ten minutes, want one a minute", len(lines))
		}
		if counted != ln.fails {
			t.Errorf("%d failures were logged or counted, want %d", counted, ln.fails)
		}
	})
}
