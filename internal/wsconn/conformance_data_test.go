package wsconn

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobwas/ws"
)

const (
	greek     = "\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5"
	surrogate = "\xed\xa0\x80"
	tooHigh   = "\xf4\x90\x80\x80" // would be U+110000
	mixed     = "Hello-µ@ßöäüàá-UTF-8!!"
)

// utf8Groups are the cases 6.5 to 6.23, after Markus Kuhn's stress test of
// UTF-8 decoders: a message each, by spaces; all of a group are valid text or
// none, but for those behind a bar, which are not.
var utf8Groups = []string{
	"hello$world hello\u00a2world hello\u20acworld hello\U00024b62world " + greek,
	"", // all prefixes of greek: see utf8Cases
	"\x00 \u0080 \u0800 \U00010000",
	"| \xf8\x88\x80\x80\x80 \xfc\x84\x80\x80\x80\x80",
	"\x7f \u07ff \uffff \U0010ffff",
	"| \xf7\xbf\xbf\xbf \xfb\xbf\xbf\xbf\xbf \xfd\xbf\xbf\xbf\xbf\xbf",
	"\ud7ff \ue000 \ufffd \U0010ffff | " + tooHigh,
	"", // continuation bytes without a start
	"", // starts without continuation
	"| \xc0 \xe0\x80 \xf0\x80\x80 \xf8\x80\x80\x80 \xfc\x80\x80\x80\x80 \xdf \xef\xbf \xf7\xbf\xbf \xfb\xbf\xbf\xbf \xfd\xbf\xbf\xbf\xbf",
	"| \xc0\xe0\x80\xf0\x80\x80\xf8\x80\x80\x80\xfc\x80\x80\x80\x80\xdf\xef\xbf\xf7\xbf\xbf\xfb\xbf\xbf\xbf\xfd\xbf\xbf\xbf\xbf",
	"| \xfe \xff \xfe\xfe\xff\xff",
	"| \xc0\xaf \xe0\x80\xaf \xf0\x80\x80\xaf \xf8\x80\x80\x80\xaf \xfc\x80\x80\x80\x80\xaf",
	"| \xc1\xbf \xe0\x9f\xbf \xf0\x8f\xbf\xbf \xf8\x87\xbf\xbf\xbf \xfc\x83\xbf\xbf\xbf\xbf",
	"| \xc0\x80 \xe0\x80\x80 \xf0\x80\x80\x80 \xf8\x80\x80\x80\x80 \xfc\x80\x80\x80\x80\x80",
	"| \xed\xa0\x80 \xed\xad\xbf \xed\xae\x80 \xed\xaf\xbf \xed\xb0\x80 \xed\xbe\x80 \xed\xbf\xbf",
	"", // pairs of surrogates
	"", // characters that are none, but valid
	"\ufff9 \ufffa \ufffb \ufffc \ufffd \ufffe \uffff",
}

// utf8Group returns the messages of a group, the invalid ones apart.
func utf8Group(i int) (valid, invalid []string) {
	switch i {
	case 1:
		for n := 1; n <= len(greek); n++ {
			valid = append(valid, greek[:n]) // or not: utf8Cases asks
		}
	case 7:
		run := "\x80\xbf\x80\xbf\x80\xbf"
		invalid = []string{"\x80", "\xbf"}
		for n := 2; n <= len(run); n++ {
			invalid = append(invalid, run[:n])
		}
		var all []byte
		for b := byte(0x80); b < 0xbf; b++ {
			all = append(all, b)
		}
		invalid = append(invalid, string(all))
	case 8:
		for _, r := range [][2]byte{{0xc0, 0xdf}, {0xe0, 0xef}, {0xf0, 0xf7}, {0xf8, 0xfb}, {0xfc, 0xfd}} {
			var all []byte
			for b := r[0]; b < r[1]; b++ {
				all = append(all, b, ' ')
			}
			invalid = append(invalid, string(all))
		}
	case 16:
		for _, high := range []string{"\xed\xa0\x80", "\xed\xad\xbf", "\xed\xae\x80", "\xed\xaf\xbf"} {
			invalid = append(invalid, high+"\xed\xb0\x80", high+"\xed\xbf\xbf")
		}
	case 17:
		valid = []string{"\ufffe", "\uffff"}
		for plane := rune(1); plane <= 16; plane++ {
			valid = append(valid, string(plane<<16|0xfffe), string(plane<<16|0xffff))
		}
	default:
		good, bad, _ := strings.Cut(utf8Groups[i], "|")
		return strings.Fields(good), strings.Fields(bad)
	}
	return valid, invalid
}

func utf8Cases() []suiteCase {
	bad := greek + surrogate + "edited"
	late := greek + tooHigh + "edited"
	opened := func(size int, p string) []byte { // of a message that is never whole
		return append([]byte{0x81, 0x80 | byte(size), 0, 0, 0, 0}, p...)
	}
	empty := raw(false, ws.OpContinuation, "")
	cases := []suiteCase{
		echoed("6.1.1", 0, say("text", ""), text("")),
		echoed("6.1.2", 0, say("text", ""), raw(false, ws.OpText, ""), empty, raw(true, ws.OpContinuation, "")),
		echoed("6.1.3", 0, say("text", "middle"), raw(false, ws.OpText, ""), raw(false, ws.OpContinuation, "middle"), raw(true, ws.OpContinuation, "")),
		echoed("6.2.1", 0, say("text", mixed), text(mixed)),
		echoed("6.2.2", 0, say("text", mixed), raw(false, ws.OpText, mixed[:15]), raw(true, ws.OpContinuation, mixed[15:])),
		echoed("6.2.3", 0, say("text", mixed), cut(ws.OpText, mixed, 1)...),
		echoed("6.2.4", 0, say("text", greek), cut(ws.OpText, greek, 1)...),
		failed("6.3.1", 0, 1007, nil, text(bad)),
		failed("6.3.2", 0, 1007, nil, cut(ws.OpText, bad, 1)...),
		// The rest of these is never sent: the hub must not wait for it.
		failed("6.4.1", frameWise, 1007, nil, raw(false, ws.OpText, greek), raw(false, ws.OpContinuation, tooHigh)),
		failed("6.4.2", frameWise, 1007, nil, raw(false, ws.OpText, late[:12]), raw(false, ws.OpContinuation, late[12:13])),
		failed("6.4.3", frameWise, 1007, nil, opened(len(late), greek), []byte(tooHigh)),
		failed("6.4.4", frameWise, 1007, nil, opened(len(late), late[:12]), []byte(late[12:13])),
	}
	for i := range utf8Groups {
		valid, invalid := utf8Group(i)
		n := 0
		for _, p := range valid {
			n++
			number := fmt.Sprintf("6.%d.%d", i+5, n)
			if i == 1 && !slices.Contains([]int{2, 5, 7, 9, 11}, n) {
				cases = append(cases, failed(number, 0, 1007, nil, text(p))) // cut within a character
				continue
			}
			cases = append(cases, echoed(number, 0, say("text", p), text(p)))
		}
		for _, p := range invalid {
			n++
			cases = append(cases, failed(fmt.Sprintf("6.%d.%d", i+5, n), 0, 1007, nil, text(p)))
		}
	}
	return cases
}

func closeCases() []suiteCase {
	closing := func(p string) []byte { return raw(true, ws.OpClose, p) }
	coded := func(code uint16) []byte { return closing(string(binary.BigEndian.AppendUint16(nil, code))) }
	const normal = "\x03\xe8"
	long := strings.Repeat("BAsd7&jh23", 256<<10/10)
	cases := []suiteCase{
		echoed("7.1.1", 0, say("text", hello), text(hello)),
		failed("7.1.2", 0, 1000, nil, closing(normal), closing("")),
		failed("7.1.3", 0, 1000, nil, closing(normal), ping("")),
		failed("7.1.4", 0, 1000, nil, closing(normal), text(hello)),
		failed("7.1.5", 0, 1000, nil, raw(false, ws.OpText, "one"), closing(normal), raw(true, ws.OpContinuation, "two")),
		failed("7.1.6", 0, 1000, say("text", long, hello), text(long), text(hello), closing(normal), ping("")),
		failed("7.3.1", 0, 1005, nil, closing("")),
		failed("7.3.2", 0, 1002, nil, closing("a")),
		failed("7.3.3", 0, 1000, nil, closing(normal)),
		failed("7.3.4", 0, 1000, nil, closing(normal+hello)),
		failed("7.3.5", 0, 1000, nil, closing(normal+strings.Repeat("*", 123))),
		failed("7.3.6", 0, 1002, nil, closing(normal+strings.Repeat("*", 124))),
		failed("7.5.1", 0, 1002, nil, closing(normal+greek+surrogate+"edited")),
		failed("7.13.1", 0, 1002, nil, coded(5000)),
		failed("7.13.2", 0, 1002, nil, coded(65535)),
	}
	for i, c := range []uint16{1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999} {
		cases = append(cases, failed(fmt.Sprintf("7.7.%d", i+1), 0, c, nil, coded(c)))
	}
	for i, c := range []uint16{0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999} {
		cases = append(cases, failed(fmt.Sprintf("7.9.%d", i+1), 0, 1002, nil, coded(c)))
	}
	return cases
}

// largeCases are 9.1 to 9.6: large messages, whole, in frames, and in small
// writes; text and binary in turn.
func largeCases() (cases []suiteCase) {
	add := func(section, n, size, frame, step int) {
		for i, op := range []ws.OpCode{ws.OpText, ws.OpBinary} {
			kind, unit := "text", "BAsd7&jh23"
			if op == ws.OpBinary {
				kind, unit = "binary", "\x00\xfe\x23\xfa\xf0"
			}
			p := strings.Repeat(unit, size/len(unit)+1)[:size]
			cases = append(cases, echoed(fmt.Sprintf("9.%d.%d", section+i, n+1), step, say(kind, p), cut(op, p, frame)...))
		}
	}
	const k, m = 1 << 10, 1 << 20
	for i, size := range []int{64 * k, 256 * k, 1 * m, 4 * m, 8 * m, 16 * m} {
		add(1, i, size, 0, 0)
	}
	for i, frame := range []int{64, 256, 1 * k, 4 * k, 16 * k, 64 * k, 256 * k, 1 * m, 4 * m} {
		add(3, i, 4*m, frame, 0)
	}
	for i, step := range []int{64, 128, 256, 512, 1 * k, 2 * k} {
		add(5, i, 1*m, 0, step)
	}
	return cases
}

func autoFragmentCases() []suiteCase {
	p := strings.Repeat("*", 65536)
	return []suiteCase{echoed("10.1.1", 0, say("text", p), cut(ws.OpText, p, 1300)...)}
}

// roundTrips is a case of 9.7 and 9.8: messages one after the other, each
// answered before the next.
type roundTrips struct {
	number string
	op     ws.OpCode
	size   int
}

func roundTripCases() (cases []roundTrips) {
	for i, op := range []ws.OpCode{ws.OpText, ws.OpBinary} {
		for j, size := range []int{0, 16, 64, 256, 1024, 4096} {
			cases = append(cases, roundTrips{fmt.Sprintf("9.%d.%d", 7+i, j+1), op, size})
		}
	}
	return cases
}

func (s roundTrips) run(t *testing.T, addr string) {
	p, _ := dialRaw(t, addr, "", nil)
	payload := strings.Repeat("*", s.size)
	out := raw(true, s.op, payload)
	for i := range 1000 {
		p.Write(out)
		if f, ok := p.frame(); !ok || f.Header.OpCode != s.op || string(f.Payload) != payload {
			t.Fatalf("message %d came back as %v with %d bytes (%v)", i, f.Header.OpCode, len(f.Payload), ok)
		}
	}
	p.Write(raw(true, ws.OpClose, "\x03\xe8"))
	if _, closed := p.untilClose(); closed != 1000 {
		t.Errorf("closed with %d, want 1000", closed)
	}
}
