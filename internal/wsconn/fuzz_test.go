package wsconn

import (
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
)

// FuzzFrames compares the reader, fed in two ways, with itself: how bytes
// are cut into reads must not matter.
func FuzzFrames(f *testing.F) {
	f.Add(join(text("hello"), raw(false, ws.OpText, "a"), raw(true, ws.OpPing, "p"), raw(true, ws.OpContinuation, "é")), 3)
	f.Add([]byte{0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2, 3, 4, 5}, 1)
	f.Add(raw(true, ws.OpClose, "\x03\xe8bye"), 2)
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		run := func(step int) (messages []string, why Reason) {
			l := Limits{MaxMessage: 1 << 16}.withDefaults()
			c := newConn(&replay{in: in, step: step}, &l)
			why = c.read(func(m []byte) { messages = append(messages, string(m)) })
			return messages, why
		}
		whole, why := run(len(in) + 1)
		cut, whyCut := run(min(max(step, 1), 64))
		if strings.Join(whole, "\x00") != strings.Join(cut, "\x00") || why != whyCut {
			t.Fatalf("at once: %q, %v; in steps: %q, %v", whole, why, cut, whyCut)
		}
		total := 0
		for _, m := range whole {
			total += len(m)
		}
		if total > len(in) {
			t.Fatalf("%d bytes came out of %d", total, len(in))
		}
	})
}

// replay is a socket that yields given bytes a few at a time.
type replay struct {
	net.Conn
	in   []byte
	step int
}

func (r *replay) Read(p []byte) (int, error) {
	if len(r.in) == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.in[:min(r.step, len(r.in))])
	r.in = r.in[n:]
	return n, nil
}

func (r *replay) SetReadDeadline(time.Time) error  { return nil }
func (r *replay) SetWriteDeadline(time.Time) error { return nil }
