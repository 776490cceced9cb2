package wsconn

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsflate"

	"github.com/cdphub/cdphub/internal/wire"
)

const (
	offerLine = "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n"
	accepted  = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"
)

func deflated(t *testing.T, payload string) string {
	t.Helper()
	p, err := wsflate.DefaultHelper.Compress([]byte(payload))
	if err != nil {
		t.Fatal(err)
	}
	return string(p)
}

// packed is a compressed text message.
func packed(t *testing.T, payload string) []byte {
	t.Helper()
	return reserved(ws.OpText, rsv1, deflated(t, payload))
}

func TestR47Negotiation(t *testing.T) {
	on := Options{Compression: true}
	for _, tt := range []struct {
		name  string
		opts  Options
		offer string
		want  string
	}{
		{"off by default", Options{}, "permessage-deflate", ""},
		{"not offered", on, "", ""},
		{"offered", on, "permessage-deflate", accepted},
		{"as Chromium offers it", on, "permessage-deflate; client_max_window_bits", accepted},
		{"with everything the client can do without", on, "permessage-deflate; server_no_context_takeover; client_no_context_takeover; client_max_window_bits=10", accepted},
		{"a small window is asked for", on, "permessage-deflate; server_max_window_bits=10", ""},
		{"with a second choice", on, "permessage-deflate; server_max_window_bits=10, permessage-deflate", accepted},
		{"another extension first", on, "x-webkit-deflate-frame, permessage-deflate", accepted},
		{"unknown parameter", on, "permessage-deflate; x", ""},
		{"doubled parameter", on, "permessage-deflate; server_no_context_takeover; server_no_context_takeover", ""},
		{"no header field", on, "permessage-deflate; =", ""},
		{"another only", on, "x-webkit-deflate-frame", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, _ := echo(t, tt.opts, false)
			p, resp := dialRaw(t, addr, "Sec-WebSocket-Extensions: "+tt.offer+"\r\n", nil)
			if got := resp.Header.Get("Sec-WebSocket-Extensions"); got != tt.want {
				t.Errorf("%q was answered with %q, want %q", tt.offer, got, tt.want)
			}
			p.wantEcho("plain text goes either way")
		})
	}
}

// TestR47Messages sends messages compressed and not, and wants large ones
// back compressed where that makes them smaller.
func TestR47Messages(t *testing.T) {
	large := strings.Repeat(`{"method":"Network.dataReceived"}`, 10_000)
	noise := make([]byte, 20_000)
	for i := range noise {
		noise[i] = byte(0x20 + rand.IntN(0x5f))
	}
	half := len(deflated(t, large)) / 2
	for _, tt := range []struct {
		name       string
		in         []byte
		want       string
		compressed bool
	}{
		{"empty", packed(t, ""), "", false},
		{"small", packed(t, hello), hello, false},
		{"of 1,023 bytes", packed(t, large[:1023]), large[:1023], false},
		{"of 1,024 bytes", packed(t, large[:1024]), large[:1024], true},
		{"of 4,096 bytes", packed(t, large[:4096]), large[:4096], true},
		{"large", packed(t, large), large, true},
		{"not compressed", text(large), large, true},
		{"two, the writer's batch", join(text(hello), packed(t, large)), hello + large, true},
		{"noise in a small alphabet", text(string(noise)), string(noise), true},
		{
			"in fragments, with a ping between",
			join(fragment(false, ws.OpText, rsv1, deflated(t, large)[:half]), ping(""), fragment(true, ws.OpContinuation, 0, deflated(t, large)[half:])),
			large, true,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, _ := echo(t, Options{Compression: true}, false)
			p, _ := dialRaw(t, addr, offerLine, nil)
			go p.Write(join(tt.in, raw(true, ws.OpClose, "\x03\xe8")))
			var got strings.Builder
			wasCompressed := false
			for {
				f, ok := p.frame()
				if !ok || f.Header.OpCode == ws.OpClose {
					break
				}
				if f.Header.OpCode != ws.OpText {
					continue
				}
				if f.Header.Rsv == rsv1 {
					wasCompressed = true
					var err error
					if f.Payload, err = wsflate.DefaultHelper.Decompress(f.Payload); err != nil {
						t.Fatal(err)
					}
				}
				got.Write(f.Payload)
			}
			if got.String() != tt.want || wasCompressed != tt.compressed {
				t.Errorf("got %d bytes, compressed %v; want %d, %v", got.Len(), wasCompressed, len(tt.want), tt.compressed)
			}
		})
	}
}

func TestR47Violations(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []byte
		want Reason
	}{
		{"RSV1 in a continuation", join(fragment(false, ws.OpText, rsv1, ""), fragment(true, ws.OpContinuation, rsv1, "")), ReasonProtocol},
		{"RSV1 in a ping", reserved(ws.OpPing, rsv1, ""), ReasonProtocol},
		{"RSV2", reserved(ws.OpText, 2, ""), ReasonProtocol},
		{"RSV1 and RSV3", reserved(ws.OpText, rsv1|1, ""), ReasonProtocol},
		{"not deflated", reserved(ws.OpText, rsv1, "\xff\xff\xff\xff"), ReasonBadDeflate},
		{"invalid UTF-8 inside", packed(t, "a\xff"), ReasonInvalidUTF8},
		{"larger than allowed", packed(t, strings.Repeat("a", 10_001)), ReasonTooBig},
		{"binary", reserved(ws.OpBinary, rsv1, deflated(t, "a")), ReasonBinary},
	} {
		t.Run(tt.name, func(t *testing.T) {
			addr, ended := echo(t, Options{Compression: true, Limits: Limits{MaxMessage: 10_000}}, false)
			p, _ := dialRaw(t, addr, offerLine, nil)
			p.Write(packed(t, strings.Repeat("b", 10_000)))
			p.Write(tt.in)
			if _, closed := p.untilClose(); closed != tt.want.Code {
				t.Errorf("closed with %d, want %d", closed, tt.want.Code)
			}
			p.Close()
			wantReason(t, ended, tt.want)
		})
	}
}

// TestR47Bomb sends half a megabyte that stands for 512 MiB. All that is
// allocated meanwhile counts, so that no collection can hide it.
func TestR47Bomb(t *testing.T) {
	var b bytes.Buffer
	w := wsflate.NewWriter(&b, wsflate.DefaultHelper.Compressor)
	zeros := make([]byte, 1<<20)
	w.Write(zeros)
	w.Flush()
	first := b.Len()
	w.Write(zeros)
	w.Flush()
	next := b.String()[first:] // like every further MiB
	bomb := reserved(ws.OpText, rsv1, b.String()[:first]+strings.Repeat(next, 511))
	addr, ended := echo(t, Options{Compression: true}, false)
	p, _ := dialRaw(t, addr, offerLine, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	p.Write(bomb)
	if _, closed := p.untilClose(); closed != 1009 {
		t.Errorf("closed with %d, want 1009", closed)
	}
	p.Close()
	wantReason(t, ended, ReasonTooBig)
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 16<<20 {
		t.Errorf("a message of %d bytes took %d MiB, want at most 16", len(bomb), took>>20)
	}
}

// TestIncompressible wants what compression would make longer as it is.
func TestIncompressible(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // to be repeated
	random := make([]byte, 100_000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	var o outbox
	o.addFrame(ws.OpText, wire.Frame{Body: random}, false)
	o.addFrame(ws.OpText, wire.Frame{Body: make([]byte, len(random))}, false)
	in := bytes.NewReader(bytes.Join(compressBatch(o.take(nil)), nil))
	for i, packed := range []bool{false, true} {
		f, err := ws.ReadFrame(in)
		if err != nil || (f.Header.Rsv == rsv1) != packed || f.Header.Length > int64(len(random)) {
			t.Errorf("message %d: %v, %v; compressed must be %v", i, f.Header, err, packed)
		}
	}
}

// TestCompressedBatch wants what the writer makes of a batch to be the same
// messages, whatever the sizes and wherever chunks end.
func TestCompressedBatch(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 0)) //nolint:gosec // to be repeated
		var o outbox
		var want []string
		for range 1 + r.IntN(20) {
			m := strings.Repeat(fmt.Sprint(r.IntN(1000), " "), r.IntN(1+r.IntN(40_000)))
			want = append(want, m)
			o.addFrame(ws.OpText, wire.Frame{Head: []byte(m[:len(m)/2]), Tail: []byte(m[len(m)/2:])}, false)
		}
		in := bytes.NewReader(bytes.Join(compressBatch(o.take(nil)), nil))
		for i, m := range want {
			f, err := ws.ReadFrame(in)
			if err == nil && f.Header.Rsv == rsv1 {
				f.Payload, err = wsflate.DefaultHelper.Decompress(f.Payload)
			}
			if err != nil || string(f.Payload) != m {
				t.Fatalf("seed %d, message %d of %d: got %d bytes, %v; want %d", seed, i, len(want), len(f.Payload), err, len(m))
			}
		}
		if in.Len() != 0 {
			t.Errorf("seed %d: %d bytes too many", seed, in.Len())
		}
	}
}
