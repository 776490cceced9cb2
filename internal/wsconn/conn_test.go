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

// raw is a frame as a client sends it.
func raw(fin bool, op ws.OpCode, payload string) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(op, fin, []byte(payload))))
}

func text(payload string) []byte { return raw(true, ws.OpText, payload) }

func join(frames ...[]byte) []byte { return bytes.Join(frames, nil) }

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

func TestFrames(t *testing.T) {
	long := strings.Repeat("0123456789", 7000)
	cont := func(fin bool, s string) []byte { return raw(fin, ws.OpContinuation, s) }
	begin := func(s string) []byte { return raw(false, ws.OpText, s) }
	closing := func(s string) []byte { return raw(true, ws.OpClose, s) }
	end := closing("\x03\xe8")
	tests := []struct {
		name string
		in   []byte
		want string // messages, joined by |
		code uint16
	}{
		{"text", join(text("hello"), end), "hello", 1000},
		{"empty text", join(text(""), text("x"), end), "|x", 1000},
		{"two in one write", join(text("a"), text("b"), end), "a|b", 1000},
		{"longer than the buffers", join(text(long), text("b"), end), long + "|b", 1000},
		{"126 bytes", join(text(long[:126]), end), long[:126], 1000},
		{"65,536 bytes", join(text(long[:65536]), end), long[:65536], 1000},
		{"fragments", join(begin("a"), cont(false, ""), cont(true, "b"), end), "ab", 1000},
		{"ping inside a message", join(begin("a"), raw(true, ws.OpPing, "p"), cont(true, "b"), end), "ab", 1000},
		{"unasked pong", join(raw(true, ws.OpPong, "p"), text("a"), end), "a", 1000},
		{"character split over fragments", join(begin("\xe2\x82"), cont(true, "\xac"), end), "€", 1000},
		{"empty close", closing(""), "", 1005},
		{"close with an application's code", closing("\x0b\xb8why"), "", 3000},
		{"unmasked", ws.MustCompileFrame(ws.NewTextFrame([]byte("a"))), "", 1002},
		{"RSV1", []byte{0xc1, 0x80, 0, 0, 0, 0}, "", 1002},
		{"RSV3", []byte{0x91, 0x80, 0, 0, 0, 0}, "", 1002},
		{"reserved opcode 3", []byte{0x83, 0x80, 0, 0, 0, 0}, "", 1002},
		{"reserved opcode 11", []byte{0x8b, 0x80, 0, 0, 0, 0}, "", 1002},
		{"fragmented ping", raw(false, ws.OpPing, ""), "", 1002},
		{"long ping", raw(true, ws.OpPing, long[:126]), "", 1002},
		{"text inside a message", join(begin("a"), text("b")), "", 1002},
		{"stray continuation", cont(true, "a"), "", 1002},
		{"top bit of the length", []byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "", 1002},
		{"16-bit length below 126", []byte{0x81, 0xfe, 0, 5, 0, 0, 0, 0}, "", 1002},
		{"64-bit length below 65,536", []byte{0x81, 0xff, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 0, 0, 0}, "", 1002},
		{"close with one byte", closing("\x03"), "", 1002},
		{"close with 999", closing("\x03\xe7"), "", 1002},
		{"close with 1004", closing("\x03\xec"), "", 1002},
		{"close with 1005", closing("\x03\xed"), "", 1002},
		{"close with 2999", closing("\x0b\xb7"), "", 1002},
		{"close with invalid UTF-8", closing("\x03\xe8\xff"), "", 1002},
		{"invalid UTF-8", text("a\xff"), "", 1007},
		{"surrogate", text("\xed\xa0\x80"), "", 1007},
		{"beyond U+10FFFF, message unfinished", begin("\xf4\x90"), "", 1007},
		{"invalid UTF-8 over fragments", join(begin("\xe2\x82"), cont(true, "a")), "", 1007},
		{"half a character", text("\xe2\x82"), "", 1007},
		{"half a character in a fragment", join(begin("a"), cont(true, "\xe2")), "", 1007},
		{"binary", raw(true, ws.OpBinary, "a"), "", 1003},
		{"8 GiB announced", []byte{0x81, 0xff, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0}, "", 1009},
		{"2^62 announced", []byte{0x81, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, "", 1009},
		{"one byte too many", text(strings.Repeat("a", 1<<20+1)), "", 1009},
		{"one byte too many over fragments", join(begin(strings.Repeat("a", 1<<20)), cont(true, "a")), "", 1009},
		{"too many fragments", join(begin("a"), bytes.Repeat(cont(false, ""), 100)), "", 1008},
		{"what came before a violation is answered", join(text("a"), raw(true, ws.OpBinary, "")), "a", 1003},
	}
	for _, step := range []int{1 << 20, 1000, 1} {
		for _, tt := range tests {
			if step == 1 && len(tt.in) > 1<<10 {
				continue // said by the shorter ones
			}
			t.Run(tt.name, func(t *testing.T) {
				peer, _, ended := pair(t, Limits{MaxMessage: 1 << 20, MaxFragments: 100})
				go func() {
					for in := tt.in; len(in) > 0; {
						n, err := peer.Write(in[:min(step, len(in))])
						if err != nil {
							return
						}
						in = in[n:]
					}
				}()
				messages, code := got(t, peer)
				if m := strings.Join(messages, "|"); m != tt.want || code != tt.code {
					t.Errorf("in steps of %d: got %.80q, close %d; want %.80q, close %d", step, m, code, tt.want, tt.code)
				}
				if r := <-ended; r.Code != tt.code {
					t.Errorf("Serve returned %v, want code %d", r, tt.code)
				}
			})
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

func TestPings(t *testing.T) {
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

// TestMessageTimeout sends a fragment and a pong every 9 s: only the message
// as a whole is late.
func TestMessageTimeout(t *testing.T) {
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

func TestStuckWrite(t *testing.T) {
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

func TestFullQueue(t *testing.T) {
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
func TestSmallBehindLarge(t *testing.T) {
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
