package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// TestR03HTTPLimits sends too much, and too little, of a request.
func TestR03HTTPLimits(t *testing.T) {
	s := start(t, nil)
	many := http.Header{}
	for i := range 500 {
		many.Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 100))
	}
	for _, addr := range []string{s.addr(false), s.addr(true)} {
		if status, _ := s.get(t, addr, "/health", many); status != 431 {
			t.Errorf("500 headers: %d, want 431", status)
		}
	}
	for name, begin := range map[string]string{"half a request": "GET / HTTP/1.1\r\nHo", "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nc, err := net.Dial("tcp", s.addr(false))
			if err != nil {
				t.Fatal(err)
			}
			defer nc.Close()
			begun := time.Now()
			io.WriteString(nc, begin)
			nc.SetReadDeadline(begun.Add(time.Minute))
			if _, err := io.ReadAll(nc); err != nil {
				t.Errorf("it was not closed: %v", err)
			}
			if took := time.Since(begun); took < 4*time.Second {
				t.Errorf("closed after %v, want 5 s", took)
			}
		})
	}
}

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
	var out lockedBuffer
	synctest.Test(t, func(t *testing.T) {
		l := openLog(t, &out)
		ln := newStarved(time.Time{})
		hs := newHTTPServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "served") }), l.Logger)
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
		lines, counted := readLog(t, out.String()), 0
		for _, line := range lines {
			if line.Msg != acceptFailed || line.Logger != "http" {
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
