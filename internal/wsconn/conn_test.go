package wsconn

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// pair serves one end of a pipe with an echo and returns the other end.
func pair(t *testing.T, l Limits) (peer net.Conn, c *Conn, ended <-chan Reason) {
	t.Helper()
	ours, peer := net.Pipe()
	t.Cleanup(func() { peer.Close() })
	l = l.withDefaults()
	c = newConn(ours, &l)
	done := make(chan Reason, 1)
	go func() {
		done <- c.Serve(t.Context(), func(m []byte) { c.Deliver(wire.Frame{Body: m}) })
	}()
	return peer, c, done
}

// got reads frames until the peer's end is closed: messages, then the code
// of the close frame, 0 without one.
func got(t *testing.T, peer net.Conn) (messages []string, code uint16) {
	t.Helper()
	for {
		f, err := ws.ReadFrame(peer)
		if err != nil {
			return messages, code
		}
		switch f.Header.OpCode {
		case ws.OpText:
			messages = append(messages, string(f.Payload))
		case ws.OpClose:
			code = 1005
			if len(f.Payload) >= 2 {
				code = binary.BigEndian.Uint16(f.Payload)
			}
			peer.Close()
			return messages, code
		}
	}
}

func TestPong(t *testing.T) {
	peer, _, _ := pair(t, Limits{})
	go peer.Write(raw(true, ws.OpPing, "payload"))
	f, err := ws.ReadFrame(peer)
	if err != nil || f.Header.OpCode != ws.OpPong || string(f.Payload) != "payload" {
		t.Errorf("a ping was answered with %v %q, %v", f.Header, f.Payload, err)
	}
}

// TestManyPings sends more pings than the queue holds pongs, and reads those
// late.
func TestManyPings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pings = 100
		peer, _, _ := pair(t, Limits{MaxQueued: 8})
		go peer.Write(bytes.Repeat(ping("p"), pings))
		time.Sleep(time.Second)
		for i := range pings {
			if f, err := ws.ReadFrame(peer); err != nil || f.Header.OpCode != ws.OpPong {
				t.Fatalf("after %d pongs: %v, %v", i, f.Header, err)
			}
		}
	})
}

func TestF06SilentPeer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		peer, _, ended := pair(t, Limits{})
		for i := 1; i <= 3; i++ { // it lives as long as it answers
			f, err := ws.ReadFrame(peer)
			if err != nil || f.Header.OpCode != ws.OpPing {
				t.Fatalf("want a ping, got %v, %v", f.Header, err)
			}
			if d := time.Since(start); d != time.Duration(i)*25*time.Second {
				t.Errorf("ping %d after %v, want %v", i, d, time.Duration(i)*25*time.Second)
			}
			peer.Write(raw(true, ws.OpPong, ""))
		}
		if f, err := ws.ReadFrame(peer); err != nil || f.Header.OpCode != ws.OpPing {
			t.Fatalf("want a ping, got %v, %v", f.Header, err)
		}
		if r := <-ended; r != ReasonDead || time.Since(start) != 110*time.Second {
			t.Errorf("a silent peer ended with %v after %v, want %v after 1m50s", r, time.Since(start), ReasonDead)
		}
	})
}

// TestF06SilentServer is the same for a connection that was dialled: of a client
// to a hub, of a hub to its browser.
func TestF06SilentServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		ours, peer := net.Pipe()
		defer peer.Close()
		l := Limits{}.withDefaults()
		c := newConn(ours, &l)
		c.client = true
		ended := make(chan Reason, 1)
		go func() { ended <- c.Serve(t.Context(), func([]byte) {}) }()
		for i := 1; i <= 2; i++ {
			f, err := ws.ReadFrame(peer)
			if err != nil || f.Header.OpCode != ws.OpPing || !f.Header.Masked || time.Since(start) != time.Duration(i)*25*time.Second {
				t.Fatalf("want ping %d, masked, got %v, %v after %v", i, f.Header, err, time.Since(start))
			}
			if i == 1 {
				peer.Write(ws.MustCompileFrame(ws.NewPongFrame(nil)))
			}
		}
		if r := <-ended; r != ReasonDead || time.Since(start) != time.Minute {
			t.Errorf("a silent server ended with %v after %v, want %v after 1m0s", r, time.Since(start), ReasonDead)
		}
	})
}

// TestR45SlowMessageDefault sends a fragment and a pong every 9 s: only the
// message as a whole is late.
func TestR45SlowMessageDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		peer, _, ended := pair(t, Limits{})
		go io.Copy(io.Discard, peer)
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			for f := raw(false, ws.OpText, "a"); ; f = raw(false, ws.OpContinuation, "a") {
				if _, err := peer.Write(join(f, raw(true, ws.OpPong, ""))); err != nil {
					return
				}
				time.Sleep(9 * time.Second)
			}
		}()
		r := <-ended
		if d := time.Since(start); r != ReasonTooSlow || d < time.Minute || d > time.Minute+time.Second {
			t.Errorf("ended with %v after %v, want %v after 1m", r, d, ReasonTooSlow)
		}
		peer.Close()
		<-sent
	})
}

func TestR60StuckWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, c, ended := pair(t, Limits{PingEvery: time.Hour})
		c.Deliver(wire.Frame{Body: []byte("nobody reads this")})
		if r := <-ended; r != ReasonSlowConsumer {
			t.Errorf("ended with %v, want %v", r, ReasonSlowConsumer)
		}
		if d := time.Since(start); d < 10*time.Second || d > 13*time.Second {
			t.Errorf("ended after %v, want 10 s to 13 s", d)
		}
	})
}

// TestSlowWrite reads a little every 6 s: slow, but it moves.
func TestSlowWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer, c, _ := pair(t, Limits{PingEvery: time.Hour})
		want := strings.Repeat("abcdefghij", 30)
		c.Deliver(wire.Frame{Body: []byte(want)})
		var in []byte
		for len(in) < len(want)+4 {
			time.Sleep(6 * time.Second)
			b := make([]byte, 50)
			n, err := peer.Read(b)
			if err != nil {
				t.Fatalf("after %d bytes: %v", len(in), err)
			}
			in = append(in, b[:n]...)
		}
		if string(in[4:]) != want {
			t.Errorf("got %q, want %q", in[4:], want)
		}
	})
}

func TestR60FullQueue(t *testing.T) {
	tests := []struct {
		name   string
		limits Limits
		size   int
		want   int // frames taken behind the one being written
	}{
		{"bytes", Limits{MaxPending: 1000}, 96, 11}, // each with a header of 2 bytes, the next to be written not counted
		{"frames", Limits{MaxQueued: 7}, 96, 7},
		{"one larger than the queue", Limits{MaxPending: 10}, 96, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				peer, c, ended := pair(t, tt.limits)
				f := wire.Frame{Body: bytes.Repeat([]byte("a"), tt.size)}
				c.Deliver(f)
				synctest.Wait() // the writer is stuck with the first
				n := 0
				for c.Offer(f) {
					n++
				}
				if n != tt.want {
					t.Errorf("%d frames were queued, want %d", n, tt.want)
				}
				if p := c.Pending(); p != tt.want*(tt.size+2) {
					t.Errorf("Pending is %d, want %d", p, tt.want*(tt.size+2))
				}
				c.Deliver(f)
				messages, code := got(t, peer)
				if r := <-ended; r != ReasonSlowConsumer || code != 1013 {
					t.Errorf("ended with %v, close %d, want %v", r, code, ReasonSlowConsumer)
				}
				if len(messages) != 1 {
					t.Errorf("%d frames were read, want the one under way", len(messages))
				}
			})
		})
	}
}

// A result larger than the whole queue does not end the Client for the events
// that come while it is written.
func TestF09R63SmallBehindLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer, c, ended := pair(t, Limits{MaxPending: 1000})
		c.Deliver(wire.Frame{Body: bytes.Repeat([]byte("a"), 100_000)})
		for range 3 {
			c.Deliver(wire.Frame{Body: []byte("small")})
		}
		c.Close(ReasonShutdown)
		messages, code := got(t, peer)
		if r := <-ended; r != ReasonShutdown || code != 1001 || len(messages) != 4 {
			t.Errorf("ended with %v, close %d, after %d messages, want %v after 4", r, code, len(messages), ReasonShutdown)
		}
	})
}

func TestWaitBelow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		peer, c, _ := pair(t, Limits{})
		f := wire.Frame{Body: bytes.Repeat([]byte("a"), 100)}
		c.Deliver(f)
		synctest.Wait()
		c.Deliver(f)
		start := time.Now()
		c.WaitBelow(102, time.Second)
		if d := time.Since(start); d != 0 {
			t.Errorf("waited %v though the queue was short", d)
		}
		c.WaitBelow(101, 10*time.Millisecond)
		if d := time.Since(start); d != 10*time.Millisecond {
			t.Errorf("waited %v, want 10 ms", d)
		}
		go func() {
			time.Sleep(time.Second)
			io.CopyN(io.Discard, peer, 150)
		}()
		start = time.Now()
		c.WaitBelow(101, time.Minute)
		if d := time.Since(start); d != time.Second {
			t.Errorf("waited %v, want 1 s", d)
		}
	})
}

func TestCancel(t *testing.T) {
	tests := []struct {
		name  string
		cause error
		want  Reason
	}{
		{"plain", nil, ReasonShutdown},
		{"with a reason", ReasonReplaced, ReasonReplaced},
		{"with another error", errors.New("x"), ReasonShutdown},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			ours, peer := net.Pipe()
			l := Limits{}.withDefaults()
			c := newConn(ours, &l)
			ctx, cancel := context.WithCancelCause(t.Context())
			ended := make(chan Reason, 1)
			go func() { ended <- c.Serve(ctx, nil) }()
			c.Deliver(wire.Frame{Body: []byte("last words")})
			cancel(tt.cause)
			messages, code := got(t, peer)
			if len(messages) != 1 || code != tt.want.Code {
				t.Errorf("the peer read %q, close %d; want one message, close %d", messages, code, tt.want.Code)
			}
			if r := <-ended; r != tt.want {
				t.Errorf("Serve returned %v, want %v", r, tt.want)
			}
		})
	}
}

func TestPanicCloses(t *testing.T) {
	ours, peer := net.Pipe()
	l := Limits{}.withDefaults()
	c := newConn(ours, &l)
	panicked := make(chan any, 1)
	go func() {
		defer func() { panicked <- recover() }()
		c.Serve(t.Context(), func([]byte) { panic("handler") })
	}()
	go peer.Write(text("a"))
	if _, code := got(t, peer); code != 1011 {
		t.Errorf("close %d, want 1011", code)
	}
	if p := <-panicked; p != "handler" {
		t.Errorf("Serve panicked with %v, want what the handler did", p)
	}
}

// Chromium sends large messages in frames of 128 KiB; their bytes are not
// copied again for each.
func TestFramesOfOneMessage(t *testing.T) {
	const frame, frames = 128 << 10, 400
	var m message
	copied := 0
	for i := range frames {
		for left := frame; left > 0; {
			before := cap(m.data)
			n := len(m.space(left, i == frames-1))
			if cap(m.data) != before {
				copied += len(m.data)
			}
			m.data, left = m.data[:len(m.data)+n], left-n
		}
	}
	if limit := 3 * frame * frames; copied > limit {
		t.Errorf("%d MiB were copied for %d MiB, want at most %d", copied>>20, frame*frames>>20, limit>>20)
	}
}
