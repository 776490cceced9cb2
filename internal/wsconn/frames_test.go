package wsconn

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
)

// sides are the kinds of sockets that the hub serves.
var sides = []struct {
	name string
	opts Options
}{{"client", Options{AnyKey: true}}, {"host", Options{}}}

// TestR41CloseCodes sends frames good and bad over a socket, cut into writes
// in three ways, and wants the messages back and then the close code. Another
// connection does not notice.
func TestR41CloseCodes(t *testing.T) {
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
		{"too many fragments", join(begin("a"), bytes.Repeat(cont(false, ""), 100)), "", 4503},
		{"what came before a violation is answered", join(text("a"), raw(true, ws.OpBinary, "")), "a", 1003},
	}
	for _, side := range sides {
		o := side.opts
		o.Limits = Limits{MaxMessage: 1 << 20, MaxFragments: 100}
		addr, ended := echo(t, o, false)
		bystander, _ := dialRaw(t, addr, "", nil)
		for _, step := range []int{1 << 20, 1000, 1} {
			for _, tt := range tests {
				if step == 1 && len(tt.in) > 1<<10 {
					continue // said by the shorter ones
				}
				t.Run(fmt.Sprintf("%s, %s, in steps of %d", side.name, tt.name, step), func(t *testing.T) {
					p, _ := dialRaw(t, addr, "", nil)
					go writeIn(p, tt.in, step)
					messages, closed := p.untilClose()
					if m := strings.Join(messages, "|"); m != tt.want || closed != tt.code {
						t.Errorf("got %.80q, close %d; want %.80q, close %d", m, closed, tt.want, tt.code)
					}
					p.Close()
					if r := <-ended; r.Code != tt.code {
						t.Errorf("Serve returned %v, want code %d", r, tt.code)
					}
				})
			}
		}
		bystander.wantEcho("still here")
	}
}

// TestF09R42AnnouncedLengths wants no memory for what a header says.
func TestF09R42AnnouncedLengths(t *testing.T) {
	for _, length := range []uint64{8 << 30, 1 << 40, 1 << 62} {
		t.Run(fmt.Sprintf("%d GiB end at once", length>>30), func(t *testing.T) {
			addr, ended := echo(t, Options{}, false)
			p, _ := dialRaw(t, addr, "", announce(true, ws.OpText, length))
			if _, closed := p.untilClose(); closed != 1009 {
				t.Errorf("closed with %d, want 1009", closed)
			}
			p.Close()
			wantReason(t, ended, ReasonTooBig)
		})
	}
	t.Run("1,000 sockets that announce 99 MiB", func(t *testing.T) {
		const conns = 1000
		addr, _ := echo(t, Options{}, false)
		before := heap()
		for i := range conns {
			early := announce(true, ws.OpText, 99<<20)
			if i%2 == 0 {
				early = append(early, 'a') // and then nothing
			}
			dialRaw(t, addr, "", early)
		}
		if each := (heap() - before) / conns; each > 32<<10 {
			t.Errorf("%d bytes a connection, want less than 32 KiB", each)
		}
	})
}

// TestR43MessageLimit passes the default limit of 100 MiB by one byte.
func TestR43MessageLimit(t *testing.T) {
	const limit, piece = 100 << 20, 10 << 20
	addr, ended := echo(t, Options{}, false)
	t.Run("in one frame", func(t *testing.T) {
		p, _ := dialRaw(t, addr, "", announce(true, ws.OpText, limit+1))
		if _, closed := p.untilClose(); closed != 1009 {
			t.Errorf("closed with %d, want 1009", closed)
		}
		p.Close()
		wantReason(t, ended, ReasonTooBig)
	})
	t.Run("in fragments of 10 MiB", func(t *testing.T) {
		p, _ := dialRaw(t, addr, "", nil)
		payload := bytes.Repeat([]byte("a"), piece)
		op := ws.OpText
		for range limit / piece {
			p.Write(announce(false, op, piece))
			p.Write(payload)
			op = ws.OpContinuation
		}
		p.Write(raw(true, op, "a"))
		if _, closed := p.untilClose(); closed != 1009 {
			t.Errorf("closed with %d, want 1009", closed)
		}
		p.Close()
		wantReason(t, ended, ReasonTooBig)
	})
}

// TestR44EmptyFragments sends empty continuation frames without end, and a
// ping between every two. The peer is held back by the pongs that it does not
// read yet, not ended for them.
func TestR44EmptyFragments(t *testing.T) {
	const frames = 1_000_000
	addr, ended := echo(t, Options{}, false)
	p, _ := dialRaw(t, addr, "", raw(false, ws.OpText, "a"))
	before := cpuTime(t)
	go func() {
		some := bytes.Repeat(join(ping(""), raw(false, ws.OpContinuation, "")), 1000)
		writeIn(p, bytes.Repeat(some, frames/1000), len(some))
	}()
	pongs := 0
	for {
		f, ok := p.frame()
		if !ok {
			t.Fatal("no close frame")
		}
		if f.Header.OpCode == ws.OpClose {
			if c := code(f); c != 4503 {
				t.Errorf("closed with %d, want 4503", c)
			}
			break
		}
		pongs++
	}
	if pongs != 65536 {
		t.Errorf("%d pongs, want one for each ping before the 65,537th frame", pongs)
	}
	p.Close()
	wantReason(t, ended, ReasonFragments)
	if used := cpuTime(t) - before; used > 2*time.Second {
		t.Errorf("%v of CPU time were used by both ends, want less than 2 s", used)
	}
}

func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestR45SlowMessage sends fragments and answers pings without end: control
// frames do not move the deadline of a message. TestR45SlowMessageDefault has
// the default of a minute, on a fake clock.
func TestR45SlowMessage(t *testing.T) {
	const timeout = 500 * time.Millisecond
	addr, ended := echo(t, Options{Limits: Limits{MessageTimeout: timeout, PingEvery: 50 * time.Millisecond}}, false)
	p, _ := dialRaw(t, addr, "", nil)
	start := time.Now()
	p.Write(raw(false, ws.OpText, "a"))
	for {
		f, ok := p.frame()
		if !ok {
			t.Fatal("no close frame")
		}
		if f.Header.OpCode == ws.OpClose {
			if c := code(f); c != 4100 {
				t.Errorf("closed with %d, want 4100", c)
			}
			break
		}
		p.Write(join(pong(string(f.Payload)), raw(false, ws.OpContinuation, "a")))
	}
	if d := time.Since(start); d < timeout {
		t.Errorf("closed after %v, want at least %v", d, timeout)
	}
	p.Close()
	wantReason(t, ended, ReasonTooSlow)
}

// TestR46EarlyFrame sends the first frames in the segment of the handshake.
func TestR46EarlyFrame(t *testing.T) {
	for _, side := range sides {
		addr, _ := echo(t, side.opts, false)
		for _, size := range []int{0, 5, 600, 3000, 100_000} {
			t.Run(fmt.Sprintf("%s, %d bytes", side.name, size), func(t *testing.T) {
				early := strings.Repeat("e", size)
				p, _ := dialRaw(t, addr, "", text(early))
				if f, ok := p.frame(); !ok || string(f.Payload) != early {
					t.Errorf("the early frame was answered with %.20q (%v)", f.Payload, ok)
				}
				p.wantEcho("next")
			})
		}
	}
}

// heap is what the process holds in live memory and stacks.
func heap() int64 {
	time.Sleep(50 * time.Millisecond) // for goroutines to come to rest
	var m runtime.MemStats
	for range 4 { // pools give up over two collections, stacks shrink over more
		runtime.GC()
	}
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc + m.StackInuse)
}
