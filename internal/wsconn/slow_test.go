package wsconn

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// audience is connections of a server that nobody has read from yet, and
// their far ends.
func audience(t *testing.T, n int, o Options) (conns []*Conn, peers []*rawPeer, ended chan Reason) {
	t.Helper()
	o.Limits.FlushTimeout = patience
	made := make(chan *Conn, 1)
	addr, ended := server(t, o, func(c *Conn) func([]byte) {
		made <- c
		return func([]byte) {}
	})
	for range n {
		p, _ := dialRaw(t, addr, "", nil)
		conns, peers = append(conns, <-made), append(peers, p)
	}
	return conns, peers, ended
}

var padding = bytes.Repeat([]byte("."), 4<<10-8)

// event is the i-th message of a stream, of 4 KiB.
func event(i int) wire.Frame { return wire.Frame{Head: fmt.Appendf(nil, "%8d", i), Body: padding} }

// prefix reads a stream of events until it ends, wants it to be without a
// hole, and returns its length and the code of the close frame.
func (p *rawPeer) prefix() (n int, closed uint16) {
	p.t.Helper()
	for {
		f, ok := p.frame()
		switch {
		case !ok:
			return n, 0
		case f.Header.OpCode == ws.OpClose:
			return n, code(f)
		case f.Header.OpCode == ws.OpText:
			if want := event(n); len(f.Payload) != want.Len() || !bytes.HasPrefix(f.Payload, want.Head) {
				p.t.Fatalf("event %d is %.8q… with %d bytes", n, f.Payload, len(f.Payload))
			}
			n++
		}
	}
}

// TestF07R60SlowReader sends the same events to ten peers, of which one does not
// read. It is closed at the limit, and others miss nothing; what it had read
// when it was closed has no hole, and its queue is gone.
func TestF07R60SlowReader(t *testing.T) {
	const limit = 4 << 20
	before := heap()
	conns, peers, ended := audience(t, 10, Options{Limits: Limits{MaxPending: limit}})
	slow := conns[0]
	var readers sync.WaitGroup
	counts := make([]int, len(peers))
	for i, p := range peers[1:] {
		readers.Go(func() { counts[i+1], _ = p.prefix() })
	}
	sent := 0
	for ; slow.closing().Code == 0; sent++ {
		e := event(sent)
		for i, c := range conns {
			if i > 0 {
				c.WaitBelow(limit/2, patience) // these do read
			}
			c.Deliver(e)
		}
	}
	if r := slow.closing(); r != ReasonSlowConsumer {
		t.Errorf("who does not read was closed with %v, want %v", r, ReasonSlowConsumer)
	}
	if n := slow.Pending(); n != 0 {
		t.Errorf("%d bytes are still queued for it", n)
	}
	for _, c := range conns[1:] {
		c.Close(ReasonNormal)
	}
	readers.Wait()
	for i, n := range counts[1:] {
		if n != sent {
			t.Errorf("reader %d got %d of %d events", i+1, n, sent)
		}
	}
	for range conns {
		<-ended
	}
	if grown := heap() - before; grown > 16<<20 {
		t.Errorf("%d MiB are held afterwards, want at most 16", grown>>20)
	}
}

// TestR61SlowReaderResumes pauses for less than the limits: nothing is lost.
func TestR61SlowReaderResumes(t *testing.T) {
	conns, peers, _ := audience(t, 1, Options{})
	const events = 4000 // 16 MiB: more than the kernel takes, less than the queue
	for i := range events {
		conns[0].Deliver(event(i))
	}
	time.Sleep(100 * time.Millisecond) // the writer has come to a halt, or will
	conns[0].Close(ReasonNormal)
	if n, closed := peers[0].prefix(); n != events || closed != 1000 {
		t.Errorf("got %d of %d events, close %d", n, events, closed)
	}
}

// TestR62GaplessPrefix lets a peer read all that was on its way when it was
// found too slow.
func TestR62GaplessPrefix(t *testing.T) {
	conns, peers, ended := audience(t, 1, Options{Limits: Limits{MaxPending: 1 << 20, DrainTimeout: patience}})
	const first = 10
	sent := 0
	for ; conns[0].closing().Code == 0; sent++ {
		if sent == first {
			conns[0].WaitBelow(0, patience) // the writer has these
		}
		conns[0].Deliver(event(sent))
	}
	n, closed := peers[0].prefix()
	if closed != 1013 || n < first || n >= sent {
		t.Errorf("read %d of %d events, close %d; want at least %d, but not all, and close 1013", n, sent, closed, first)
	}
	peers[0].Close()
	wantReason(t, ended, ReasonSlowConsumer)
}

// TestR63LargeResult sends 200 MiB, much more than the queue holds, and small
// messages behind it.
func TestR63LargeResult(t *testing.T) {
	conns, peers, _ := audience(t, 1, Options{})
	const size, piece = 200 << 20, 1 << 20
	large := make([]byte, size)
	for i := 0; i < size; i += piece {
		binary.BigEndian.PutUint32(large[i:], uint32(i))
	}
	conns[0].Deliver(wire.Frame{Body: large})
	for i := range 10 {
		conns[0].Deliver(event(i))
	}
	p := peers[0]
	if h, err := ws.ReadHeader(p.br); err != nil || h.Length != size {
		t.Fatalf("got %d bytes, %v; want %d", h.Length, err, size)
	}
	in := make([]byte, piece)
	for i := 0; i < size; i += piece {
		p.SetReadDeadline(time.Now().Add(patience))
		if _, err := io.ReadFull(p.br, in); err != nil || !bytes.Equal(in, large[i:i+piece]) {
			t.Fatalf("not what was sent, from %d on: %v", i, err)
		}
	}
	conns[0].Close(ReasonNormal)
	if n, closed := p.prefix(); n != 10 || closed != 1000 {
		t.Errorf("then %d messages of 10, close %d", n, closed)
	}
}

// TestR67StuckHost offers commands of 20 senders to a Host that does not read:
// they are refused when its queue is full, nothing beyond it is held, and the
// Host is closed when the write under way makes no progress.
func TestR67StuckHost(t *testing.T) {
	const limit, senders = 2 << 20, 20
	conns, _, ended := audience(t, 1, Options{Limits: Limits{MaxPending: limit, WriteTimeout: 500 * time.Millisecond}})
	host := conns[0]
	var refused atomic.Int32
	var sending sync.WaitGroup
	for range senders {
		sending.Go(func() {
			for host.closing().Code == 0 {
				if !host.Offer(event(0)) && host.closing().Code == 0 {
					refused.Add(1)
				}
				if n, most := host.Pending(), limit+8<<10; n > most {
					t.Errorf("%d bytes are queued, want at most %d", n, most)
				}
				host.WaitBelow(limit/2, 10*time.Millisecond)
			}
		})
	}
	sending.Wait()
	if refused.Load() == 0 {
		t.Error("no command was refused before the Host was closed")
	}
	wantReason(t, ended, ReasonSlowConsumer)
	if host.Offer(event(0)) {
		t.Error("a closed Host took a command")
	}
}
