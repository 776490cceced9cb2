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
	ours, theirs, err := pipes()
	if err != nil {
		t.Fatal(err)
	}
	p = newPipe(ours[0], ours[1])
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
	for _, size := range []int{2, 300, firstBuffer - 2, firstBuffer - 1, firstBuffer, firstBuffer + 1, keptBuffer, 3, 64 << 20, 5} {
		want = append(want, strings.Repeat("x", size))
	}
	got := make(chan string, len(want))
	ended := make(chan error, 1)
	go func() { ended <- p.serve(func(m []byte) { got <- string(m) }) }()
	for _, m := range want {
		for !p.Offer(wire.Frame{Head: []byte(m[:1]), Body: []byte(m[1 : len(m)/2]), Tail: []byte(m[len(m)/2:])}) {
			time.Sleep(time.Millisecond)
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
	if p.Offer(frame("{}")) {
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
	if err := p.serve(func(m []byte) { got = append(got, string(m)) }); !errors.Is(err, io.EOF) {
		t.Errorf("serve returned %v", err)
	}
	want := []string{`{"a":1}`, "{}", `{"long":"` + strings.Repeat("é", 100) + `"}`, "[1]"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPipeRefusesTooLong(t *testing.T) {
	p, _, out := ends(t)
	p.limit = 1 << 20
	go func() {
		whole := append(bytes.Repeat([]byte("x"), p.limit-1), 0)
		out.Write(whole)
		out.Write(whole)
		out.Write(bytes.Repeat([]byte("x"), p.limit))
	}()
	var sizes []int
	err := p.serve(func(m []byte) { sizes = append(sizes, len(m)) })
	if want := tooLong(1 << 20); !errors.Is(err, want) || !strings.Contains(err.Error(), "1 MiB") {
		t.Errorf("serve returned %v, want %v", err, want)
	}
	if want := []int{p.limit - 1, p.limit - 1}; !slices.Equal(sizes, want) {
		t.Errorf("messages of %d bytes came, want %d", sizes, want)
	}
}

// TestPipeRefusesNUL wants no message to become two.
func TestPipeRefusesNUL(t *testing.T) {
	p, in, _ := ends(t)
	nul := []byte("{}\x00{}")
	for _, f := range []wire.Frame{{Head: nul}, {Body: nul}, {Tail: nul}} {
		if p.Offer(f) {
			t.Errorf("%q was taken", f)
		}
	}
	p.Offer(frame("{}"))
	got := make([]byte, 10)
	if n, err := in.Read(got); err != nil || string(got[:n]) != "{}\x00" {
		t.Errorf("the browser read %q, %v", got[:n], err)
	}
}

// TestPipeIsFull has a browser that reads nothing.
func TestPipeIsFull(t *testing.T) {
	p, in, _ := ends(t)
	large := frame(strings.Repeat("x", 8<<20))
	taken := 0
	for p.Offer(large) {
		if taken++; taken > 100 {
			t.Fatal("nothing bounds the queue")
		}
	}
	p.mu.Lock()
	pending := len(p.pending)
	p.mu.Unlock()
	if pending > maxPending || pending < maxPending-large.Len()-taken {
		t.Errorf("%d bytes wait when the pipe is full, want nearly %d", pending, maxPending)
	}
	in.Close() // it dies
	<-p.written
	if p.Offer(frame("{}")) {
		t.Error("a message was taken for a browser that has died")
	}
}

// TestPipeForgetsLargeBuffers has a large message each way, and then a small one.
func TestPipeForgetsLargeBuffers(t *testing.T) {
	if b := fit(make([]byte, 2*keptBuffer), 0, maxMessage); len(b) != firstBuffer {
		t.Errorf("an empty buffer keeps %d bytes", len(b))
	}
	p, in, _ := ends(t)
	go io.Copy(io.Discard, in)
	p.Offer(frame(strings.Repeat("x", 2*keptBuffer)))
	for end := time.Now().Add(patience); ; time.Sleep(time.Millisecond) {
		p.Offer(frame("{}"))
		p.mu.Lock()
		kept := cap(p.pending)
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
	go p.serve(func([]byte) { back <- struct{}{} })
	f := frame(strings.Repeat("x", size))
	return func() {
		p.Offer(f)
		<-back
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
