package chrome

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

func frame(s string) wire.Frame { return wire.Frame{Body: []byte(s)} }

// ends makes a pipe and the browser's ends of it.
func ends(t testing.TB) (p *pipe, in, out *os.File) {
	t.Helper()
	ours, theirs, err := makePipes()
	if err != nil {
		t.Fatal(err)
	}
	p = newPipe(ours[0], ours[1], maxMessage)
	t.Cleanup(func() {
		p.close()
		theirs[0].Close()
		theirs[1].Close()
	})
	return p, theirs[0], theirs[1]
}

// TestPipe echoes messages of many sizes.
func TestPipe(t *testing.T) {
	p, in, out := ends(t)
	go func() {
		io.Copy(out, in)
		out.Close()
	}()
	var want []string
	for _, size := range []int{2, 300, firstBuffer - 2, firstBuffer - 1, firstBuffer, firstBuffer + 1, keptBuffer, 3, 32 << 20, 5} {
		want = append(want, strings.Repeat("x", size))
	}
	got := make(chan string, len(want))
	ended := make(chan error, 1)
	go func() { ended <- p.serve(receiver{receive: func(m []byte) { p.Handled(); got <- string(m) }}) }()
	var l lane
	for _, m := range want {
		if err := p.Offer(&l, wire.Frame{Head: []byte(m[:1]), Body: []byte(m[1 : len(m)/2]), Tail: []byte(m[len(m)/2:])}); err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range want {
		select {
		case g := <-got:
			if g != m {
				t.Fatalf("message %d, of %d bytes, came back with %d or others", i, len(m), len(g))
			}
		case <-time.After(patience):
			t.Fatalf("message %d never came back", i)
		}
	}
	p.close()
	if err := <-ended; !errors.Is(err, os.ErrClosed) {
		t.Errorf("serve returned %v", err)
	}
	if p.OfferOwn(nil, frame("{}")) == nil {
		t.Error("a message was taken by a closed pipe")
	}
}

// TestPipeReads writes in pieces, as they may come.
func TestPipeReads(t *testing.T) {
	p, _, out := ends(t)
	text := "{\"a\":1}\x00\x00{}\x00{\"long\":\"" + strings.Repeat("é", 100) + "\"}\x00[1]\x00cut short"
	go func() {
		defer out.Close()
		for piece := range slices.Chunk([]byte(text), 3) {
			out.Write(piece)
		}
	}()
	var got []string
	if err := p.serve(receiver{receive: func(m []byte) { got = append(got, string(m)) }}); !errors.Is(err, io.EOF) {
		t.Errorf("serve returned %v", err)
	}
	want := []string{`{"a":1}`, "{}", `{"long":"` + strings.Repeat("é", 100) + `"}`, "[1]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestR240PipeDiscardsWhatIsTooLong wants the ends of a message above the limit, and all
// messages around it.
func TestR240PipeDiscardsWhatIsTooLong(t *testing.T) {
	p, _, out := ends(t)
	p.limit = 1 << 20
	long := "first" + strings.Repeat("x", 5*p.limit) + "last"
	go func() {
		defer out.Close()
		fits := strings.Repeat("y", p.limit-1)
		io.WriteString(out, fits+"\x00"+long+"\x00a\x00"+fits+"y\x00"+fits+"\x00b\x00")
	}()
	var got []string
	largest := 0
	err := p.serve(receiver{
		func(m []byte) {
			largest = max(largest, cap(m))
			got = append(got, fmt.Sprintf("%c %d", m[0], len(m)))
		},
		func(c *wire.Cut) {
			got = append(got, fmt.Sprintf("cut %.5s…%s %d", c.Head, c.Tail[len(c.Tail)-4:], c.Size))
		},
	})
	if !errors.Is(err, io.EOF) {
		t.Errorf("serve returned %v", err)
	}
	want := []string{"y 1048575", fmt.Sprint("cut first…last ", len(long)), "a 1", "cut yyyyy…yyyy 1048576", "y 1048575", "b 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if largest > p.limit {
		t.Errorf("a buffer has %d bytes, want at most %d", largest, p.limit)
	}
}

// FuzzPipe splits what a browser writes anywhere: what comes is what was between the NULs,
// and of what is too long the ends.
func FuzzPipe(f *testing.F) {
	f.Add([]byte("{}\x00{\"a\":1}\x00"), uint16(3), uint16(100))
	f.Add([]byte("\x00\x00abc\x00rest"), uint16(1), uint16(2))
	f.Add(append(bytes.Repeat([]byte("z"), 5000), 0, 'a', 0), uint16(700), uint16(600))
	f.Fuzz(func(t *testing.T, in []byte, piece, limit uint16) {
		most := int(limit) + firstBuffer
		in = bytes.ReplaceAll(in, []byte("z"), bytes.Repeat([]byte("z"), 64)) // some are too long
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer reader.Close()
		go func() {
			defer writer.Close()
			for part := range slices.Chunk(in, int(piece)*8+64) {
				writer.Write(part)
			}
		}()
		var want, got []string
		if end := bytes.LastIndexByte(in, 0); end >= 0 {
			for m := range bytes.SplitSeq(in[:end], []byte{0}) {
				switch {
				case len(m) >= most:
					want = append(want, fmt.Sprintf("cut %d %s %s", len(m), m[:1<<10], m[len(m)-1<<10:]))
				case len(m) > 0:
					want = append(want, string(m))
				}
			}
		}
		p := &pipe{in: reader, limit: most}
		err = p.serve(receiver{
			func(m []byte) { got = append(got, string(m)) },
			func(c *wire.Cut) { got = append(got, fmt.Sprintf("cut %d %s %s", c.Size, c.Head, c.Tail)) },
		})
		if !errors.Is(err, io.EOF) || !slices.Equal(got, want) {
			t.Fatalf("%v, %d messages, want %d; limit %d", err, len(got), len(want), most)
		}
	})
}

// TestPipeRefusesNUL wants no message to become two.
func TestPipeRefusesNUL(t *testing.T) {
	p, in, _ := ends(t)
	nul := []byte("{}\x00{}")
	for _, f := range []wire.Frame{{Head: nul}, {Body: nul}, {Tail: nul}} {
		if err := p.Offer(new(lane), f); !errors.Is(err, errNUL) {
			t.Errorf("%q: %v, want %v", f, err, errNUL)
		}
	}
	p.OfferOwn(nil, frame("{}"))
	got := make([]byte, 10)
	if n, err := in.Read(got); err != nil || string(got[:n]) != "{}\x00" {
		t.Errorf("the browser read %q, %v", got[:n], err)
	}
}

// TestPipeOfABrowserThatDies has one that reads nothing.
func TestPipeOfABrowserThatDies(t *testing.T) {
	p, in, _ := ends(t)
	p.Offer(new(lane), frame(strings.Repeat("x", 8<<20)))
	in.Close()
	<-p.written
	if p.Offer(new(lane), frame("{}")) == nil {
		t.Error("a message was taken for a browser that has died")
	}
}

// TestPipeForgetsLargeBuffers has a large message each way, and then a small one.
func TestPipeForgetsLargeBuffers(t *testing.T) {
	if b := fitBuffer(make([]byte, 2*keptBuffer), 0, maxMessage); len(b) != firstBuffer {
		t.Errorf("an empty buffer keeps %d bytes", len(b))
	}
	p, in, _ := ends(t)
	go io.Copy(io.Discard, in)
	p.OfferOwn(nil, frame(strings.Repeat("x", 2*keptBuffer)))
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		p.OfferOwn(nil, frame("{}"))
		p.mu.Lock()
		kept := cap(p.batch)
		p.mu.Unlock()
		if kept <= keptBuffer {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("the queue keeps %d bytes", kept)
		}
	}
}

// echoed returns a function that sends a message and waits for its echo.
func echoed(t testing.TB, size int) func() {
	t.Helper()
	p, in, out := ends(t)
	go io.Copy(out, in)
	back := make(chan struct{})
	go p.serve(receiver{receive: func([]byte) { back <- struct{}{} }})
	f := frame(strings.Repeat("x", size))
	var l lane
	return func() {
		if err := p.Offer(&l, f); err != nil {
			t.Error(err)
		}
		<-back
		p.Handled()
	}
}

func TestPipeAllocates(t *testing.T) {
	for _, size := range []int{300, 256 << 10} {
		roundTrip := echoed(t, size)
		for range 10 {
			roundTrip()
		}
		if n := testing.AllocsPerRun(100, roundTrip); n > 0 {
			t.Errorf("%d bytes there and back allocate %v times, want 0", size, n)
		}
	}
}

func BenchmarkPipe(b *testing.B) {
	for _, size := range []int{300, 4 << 10, 256 << 10, 8 << 20} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			roundTrip := echoed(b, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				roundTrip()
			}
		})
	}
}
