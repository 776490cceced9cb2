package wsconn

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

// suiteCase is a case of the Autobahn suite, by its number there.
type suiteCase struct {
	number string
	frames [][]byte
	step   int      // bytes a write; 0 for all at once, frameWise for a write each
	want   []string // frames in answer: a kind and the payload
	code   uint16   // of the close frame in answer
}

const frameWise = -1

const hello = "Hello, world!"

var binaryBytes = "\x00\xff\xfe\xfd\xfc\xfb\x00\xff"

// The kinds of frames in suiteCase.want.
var kinds = map[ws.OpCode]string{ws.OpText: "text ", ws.OpBinary: "binary ", ws.OpPong: "pong "}

// echoed is a case in which all is well and the peer closes at the end.
func echoed(number string, step int, want []string, frames ...[]byte) suiteCase {
	return suiteCase{number, append(frames, raw(true, ws.OpClose, "\x03\xe8")), step, want, 1000}
}

// failed is a case that the hub must end.
func failed(number string, step int, code uint16, want []string, frames ...[]byte) suiteCase {
	return suiteCase{number, frames, step, want, code}
}

// cut cuts a payload into frames of some bytes; 0 makes one frame.
func cut(op ws.OpCode, payload string, size int) [][]byte {
	if size == 0 {
		return [][]byte{raw(true, op, payload)}
	}
	var frames [][]byte
	for i := 0; i < len(payload); i += size {
		frames = append(frames, raw(i+size >= len(payload), op, payload[i:min(i+size, len(payload))]))
		op = ws.OpContinuation
	}
	return frames
}

// fragment is a frame with RSV bits, or an opcode, that may have no meaning.
func fragment(fin bool, op ws.OpCode, rsv byte, payload string) []byte {
	f := raw(fin, op, payload)
	f[0] |= rsv << 4
	return f
}

func reserved(op ws.OpCode, rsv byte, payload string) []byte { return fragment(true, op, rsv, payload) }

func say(kind string, payloads ...string) []string {
	said := make([]string, len(payloads))
	for i, p := range payloads {
		said[i] = kind + " " + p
	}
	return said
}

func ping(payload string) []byte { return raw(true, ws.OpPing, payload) }

func pong(payload string) []byte { return raw(true, ws.OpPong, payload) }

// run plays a case and compares.
func (s suiteCase) run(t *testing.T, addr string) {
	p, _ := dialRaw(t, addr, "", nil)
	go func() {
		all := join(s.frames...)
		switch s.step {
		case 0:
			p.Write(all)
		case frameWise:
			for _, f := range s.frames {
				p.Write(f)
			}
		default:
			writeIn(p, all, s.step)
		}
	}()
	var got []string
	for {
		f, ok := p.frame()
		if !ok {
			t.Fatalf("got %.200q and no close frame, want close %d", got, s.code)
		}
		if f.Header.OpCode == ws.OpClose {
			if c := code(f); c != s.code {
				t.Errorf("closed with %d, want %d", c, s.code)
			}
			break
		}
		got = append(got, kinds[f.Header.OpCode]+string(f.Payload))
	}
	if !slices.Equal(got, s.want) {
		t.Errorf("got %.200q, want %.200q", got, s.want)
	}
}

// TestR40Autobahn plays the cases 1 to 7, 9.1 to 9.8 and 10 of the Autobahn
// suite over sockets. In three of them the suite leaves the answer to the
// server: this one answers what came before a close frame (7.1.6), and takes
// codes beyond 4999 for errors (7.13).
func TestR40Autobahn(t *testing.T) {
	addr, _ := echo(t, Options{}, true)
	cases := slices.Concat(framingCases(), pingCases(), reservedCases(), fragmentCases(), utf8Cases(), closeCases(), largeCases(), autoFragmentCases())
	trips := roundTripCases()
	if n := len(cases) + len(trips); n != 301 {
		t.Errorf("%d cases, want 301", n)
	}
	for _, s := range cases {
		t.Run(s.number, func(t *testing.T) { s.run(t, addr) })
	}
	for _, s := range trips {
		t.Run(s.number, func(t *testing.T) { s.run(t, addr) })
	}
}

// framingCases are text and binary messages of sizes around those at which
// the header changes.
func framingCases() (cases []suiteCase) {
	sizes := []int{0, 125, 126, 127, 128, 65535, 65536, 65536}
	for i, size := range sizes {
		step := 0
		if i == len(sizes)-1 {
			step = 997
		}
		for j, kind := range []string{"text", "binary"} {
			op, unit := ws.OpText, "*"
			if kind == "binary" {
				op, unit = ws.OpBinary, "\xfe"
			}
			p := strings.Repeat(unit, size)
			cases = append(cases, echoed(fmt.Sprintf("1.%d.%d", j+1, i+1), step, say(kind, p), raw(true, op, p)))
		}
	}
	return cases
}

func pingCases() []suiteCase {
	long := strings.Repeat("\xfe", 125)
	var ten [][]byte
	var tenPongs []string
	for i := range 10 {
		p := fmt.Sprintf("payload-%d", i)
		ten = append(ten, ping(p))
		tenPongs = append(tenPongs, "pong "+p)
	}
	return []suiteCase{
		echoed("2.1", 0, say("pong", ""), ping("")),
		echoed("2.2", 0, say("pong", hello), ping(hello)),
		echoed("2.3", 0, say("pong", binaryBytes), ping(binaryBytes)),
		echoed("2.4", 0, say("pong", long), ping(long)),
		failed("2.5", 0, 1002, nil, ping(long+"\xfe")),
		echoed("2.6", 1, say("pong", long), ping(long)),
		echoed("2.7", 0, nil, pong("")),
		echoed("2.8", 0, nil, pong("nobody asked")),
		echoed("2.9", 0, say("pong", "asked"), pong("nobody asked"), ping("asked")),
		echoed("2.10", 0, tenPongs, ten...),
		echoed("2.11", 1, tenPongs, ten...),
	}
}

// reservedCases set RSV bits and use opcodes without a meaning; what comes
// before is answered, what comes behind is not.
func reservedCases() []suiteCase {
	first := say("text", hello)
	cases := []suiteCase{
		failed("3.1", 0, 1002, nil, reserved(ws.OpText, 1, hello)),
		failed("3.2", 0, 1002, first, text(hello), reserved(ws.OpText, 2, hello), ping("")),
		failed("3.3", frameWise, 1002, first, text(hello), reserved(ws.OpText, 3, hello), ping("")),
		failed("3.4", 1, 1002, first, text(hello), reserved(ws.OpText, 4, hello), ping("")),
		failed("3.5", 0, 1002, nil, reserved(ws.OpBinary, 5, binaryBytes)),
		failed("3.6", 0, 1002, nil, reserved(ws.OpPing, 6, hello)),
		failed("3.7", 0, 1002, nil, reserved(ws.OpClose, 7, "")),
	}
	for i, first8 := range []ws.OpCode{3, 11} {
		n := fmt.Sprintf("4.%d.", i+1)
		cases = append(cases,
			failed(n+"1", 0, 1002, nil, reserved(first8, 0, "")),
			failed(n+"2", 0, 1002, nil, reserved(first8+1, 0, "of no meaning")),
			failed(n+"3", 0, 1002, first, text(hello), reserved(first8+2, 0, ""), ping("")),
			failed(n+"4", 0, 1002, first, text(hello), reserved(first8+3, 0, hello), ping("")),
			failed(n+"5", 1, 1002, first, text(hello), reserved(first8+4, 0, hello), ping("")))
	}
	return cases
}

// fragmentCases cut messages into frames, with control frames between them,
// and continue messages that do not exist.
func fragmentCases() (cases []suiteCase) {
	begin := func(p string) []byte { return raw(false, ws.OpText, p) }
	more := func(p string) []byte { return raw(false, ws.OpContinuation, p) }
	end := func(p string) []byte { return raw(true, ws.OpContinuation, p) }
	number := 0
	add := func(c suiteCase) {
		number++
		c.number = fmt.Sprintf("5.%d", number)
		cases = append(cases, c)
	}
	steps := []int{0, frameWise, 1}
	add(failed("", 0, 1002, nil, raw(false, ws.OpPing, "one"), end("two")))
	add(failed("", 0, 1002, nil, raw(false, ws.OpPong, "one"), end("two")))
	for _, step := range steps {
		add(echoed("", step, say("text", "onetwo"), begin("one"), end("two")))
	}
	for _, step := range steps {
		add(echoed("", step, []string{"pong p", "text onetwo"}, begin("one"), ping("p"), end("two")))
	}
	for _, stray := range [][]byte{end("stray"), more("stray")} {
		for _, step := range steps {
			add(failed("", step, 1002, nil, stray, text(hello)))
		}
	}
	add(failed("", 0, 1002, say("text", "onetwo"), begin("one"), end("two"), more("stray"), text(hello)))
	for _, stray := range [][]byte{more("stray"), end("stray")} {
		add(failed("", 0, 1002, nil, stray, begin("one"), end("two"), stray, begin("one"), end("two")))
	}
	add(failed("", 0, 1002, nil, begin("one"), text("two")))
	for _, step := range []int{0, frameWise} {
		add(echoed("", step, []string{"pong p", "pong q", "text 12345"},
			begin("1"), more("2"), ping("p"), more("3"), more("4"), ping("q"), end("5")))
	}
	return cases
}
