package wsconn

import (
	"bytes"
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// parked is a server's connection that waits in a Poller, and its far end.
type parked struct {
	*Conn
	peer  *rawPeer
	ended <-chan Reason
}

// park connects and waits until there is nothing to do.
func park(t *testing.T, ctx context.Context, l Limits) parked {
	t.Helper()
	c := dialParking(t, ctx, l)
	c.wait(t)
	return c
}

// dialParking connects to a server that parks its connection soon.
func dialParking(t *testing.T, ctx context.Context, l Limits) parked {
	t.Helper()
	poller := NewPoller(time.Millisecond)
	if poller == nil {
		t.Fatal("there is no epoll set")
	}
	t.Cleanup(poller.Close)
	ended := make(chan Reason, 1)
	conns := make(chan *Conn, 1)
	addr := upgradeServer(t, Options{Limits: l, Poller: poller}, func(c *Conn) {
		c.Start(ctx, func(m []byte) { c.Deliver(wire.Frame{Body: m}) }, func(r Reason) { ended <- r })
		conns <- c
	})
	p, _ := dialRaw(t, addr, "", nil)
	return parked{<-conns, p, ended}
}

// wait waits until the connection has no reader.
func (c parked) wait(t *testing.T) {
	t.Helper()
	for deadline := time.Now().Add(patience); !c.isParked(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("a silent connection keeps its goroutine")
		}
	}
}

func (c *Conn) isParked() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.parked
}

// TestLotWakes wants whatever happens to a parked connection to have its
// effect.
func TestLotWakes(t *testing.T) {
	t.Run("messages, again and again", func(t *testing.T) {
		c := park(t, t.Context(), Limits{})
		for range 5 {
			c.peer.wantEcho("hello")
			c.wait(t)
		}
	})
	t.Run("half a header, and later the rest", func(t *testing.T) {
		c := park(t, t.Context(), Limits{})
		m := text("hello")
		for _, b := range m {
			c.peer.Write([]byte{b})
			time.Sleep(5 * time.Millisecond) // longer than the poller's silence
		}
		if f, ok := c.peer.frame(); !ok || string(f.Payload) != "hello" {
			t.Errorf("the echo is %q (%v)", f.Payload, ok)
		}
	})
	t.Run("what is delivered", func(t *testing.T) {
		c := park(t, t.Context(), Limits{})
		c.Deliver(wire.Frame{Body: []byte("event")})
		if f, ok := c.peer.frame(); !ok || string(f.Payload) != "event" {
			t.Errorf("got %q (%v)", f.Payload, ok)
		}
		if !c.isParked() {
			t.Error("to write it took a reader")
		}
	})
	ends := []struct {
		name string
		end  func(c parked, cancel context.CancelCauseFunc)
		want Reason
	}{
		{"Close", func(c parked, _ context.CancelCauseFunc) { c.Close(ReasonTargetClosed) }, ReasonTargetClosed},
		{"its context", func(_ parked, cancel context.CancelCauseFunc) { cancel(ReasonReplaced) }, ReasonReplaced},
		{"the peer's close frame", func(c parked, _ context.CancelCauseFunc) { c.peer.Write(raw(true, ws.OpClose, "\x03\xe8")) }, ReasonNormal},
		{"the peer's end", func(c parked, _ context.CancelCauseFunc) { c.peer.Close() }, ReasonGone},
		{"a reset", func(c parked, _ context.CancelCauseFunc) {
			c.peer.Conn.(*net.TCPConn).SetLinger(0)
			c.peer.Close()
		}, ReasonGone},
		{"bad bytes", func(c parked, _ context.CancelCauseFunc) { c.peer.Write([]byte("GET / HTTP/1.1\r\n")) }, ReasonProtocol},
	}
	for _, tt := range ends {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			c := park(t, ctx, Limits{})
			tt.end(c, cancel)
			if closed := tt.want.Code; closed != 1006 {
				if _, got := c.peer.untilClose(); got != closed {
					t.Errorf("closed with %d, want %d", got, closed)
				}
			}
			c.peer.Close()
			wantReason(t, c.ended, tt.want)
			if n := c.poller.waiting(); n != 0 {
				t.Errorf("%d connections are still in the poller", n)
			}
		})
	}
}

func (p *Poller) waiting() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.conns)
}

// TestF06ParkedPeer wants parked connections to be asked whether they live. One
// peer answers, for which a busy machine has time enough. The other does not
// answer, and its connection ends soon. TestF06SilentPeer has the exact times.
func TestF06ParkedPeer(t *testing.T) {
	c := park(t, t.Context(), Limits{PingEvery: 10 * time.Millisecond, PongWithin: patience})
	if f, ok := c.peer.frame(); !ok || f.Header.OpCode != ws.OpPing {
		t.Fatalf("want a ping, got %v (%v)", f.Header, ok)
	}
	c.peer.Write(pong(""))
	c.wait(t)
	c.peer.wantEcho("hello")
	silent := dialParking(t, t.Context(), Limits{PingEvery: 10 * time.Millisecond, PongWithin: 50 * time.Millisecond})
	io.Copy(io.Discard, silent.peer.br)
	wantReason(t, silent.ended, ReasonDead)
}

// TestParkedMemory measures one end of idle connections that have been busy,
// and the socket of the other.
func TestParkedMemory(t *testing.T) {
	const conns = 200
	poller := NewPoller(time.Millisecond)
	defer poller.Close()
	var all []*Conn
	made := make(chan *Conn, 1)
	addr := upgradeServer(t, Options{Poller: poller}, func(c *Conn) {
		c.Start(context.Background(), func(m []byte) { c.Deliver(wire.Frame{Body: m}) }, func(Reason) {})
		made <- c
	})
	answer := make([]byte, 1<<10)
	messages := [][]byte{text(strings.Repeat("a", 300)), text(strings.Repeat("a", 100<<10))}
	before := heap()
	for range conns {
		nc, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		io.WriteString(nc, request(""))
		for in := answer[:0]; !bytes.HasSuffix(in, []byte("\r\n\r\n")); {
			n, err := nc.Read(answer[len(in):])
			if err != nil {
				t.Fatal(err)
			}
			in = answer[:len(in)+n]
		}
		for _, m := range messages {
			nc.Write(m)
			if _, err := io.CopyN(io.Discard, nc, int64(len(m)-4)); err != nil { // the echo has no mask
				t.Fatal(err)
			}
		}
		all = append(all, <-made)
	}
	for _, c := range all {
		parked{Conn: c}.wait(t)
	}
	each := (heap() - before) / conns
	t.Logf("%d bytes a connection", each)
	if each > 3<<10 {
		t.Errorf("%d bytes a connection, want at most 3 KiB", each)
	}
}
