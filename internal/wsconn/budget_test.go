package wsconn

import (
	"bytes"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"

	"github.com/cdphub/cdphub/internal/wire"
)

// budgeted serves one end of a pipe, which nobody has read from yet.
func budgeted(t *testing.T, b *Budget) (c *Conn, peer net.Conn, ended <-chan Reason) {
	t.Helper()
	ours, peer := net.Pipe()
	t.Cleanup(func() { peer.Close() })
	l := Limits{WriteTimeout: time.Hour, PingEvery: time.Hour, MaxPending: 1 << 30}.withDefaults()
	c = newConn(ours, &l)
	c.memory.budget = b
	done := make(chan Reason, 1)
	go func() { done <- c.Serve(t.Context(), func([]byte) {}) }()
	return c, peer, done
}

func ofSize(n int) wire.Frame { return wire.Frame{Body: bytes.Repeat([]byte("a"), n)} }

// TestR93WhoLetGoCostsNobody passes the budget by what somebody has let go of
// meanwhile.
func TestR93WhoLetGoCostsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(4 << 20)
		c, _, _ := budgeted(t, b)
		b.used.Add(3 << 20) // as it was before
		c.Deliver(ofSize(2 << 20))
		if why := c.closing(); why.Code != 0 {
			t.Errorf("closed with %v, and holds half of what there is", why)
		}
		c.Close(ReasonGone)
	})
}

// TestR93LargestQueueIsCutFirst queues 1 to 6 MiB for peers that do not read,
// and then passes the budget twice.
func TestR93LargestQueueIsCutFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const m = 1 << 20
		b := NewBudget(22 * m)
		var conns []*Conn
		var peers []net.Conn
		var ends []<-chan Reason
		for i := range 6 {
			c, peer, ended := budgeted(t, b)
			c.Deliver(ofSize((i + 1) * m))
			conns, peers, ends = append(conns, c), append(peers, peer), append(ends, ended)
		}
		synctest.Wait() // 21 MiB fit
		alive := func(want ...bool) {
			t.Helper()
			for i, c := range conns {
				if is := c.closing().Code == 0; is != want[i] {
					t.Errorf("connection %d, of 1 to 6: alive %v, want %v", i+1, is, want[i])
				}
			}
		}
		alive(true, true, true, true, true, true)
		conns[0].Deliver(ofSize(2 * m)) // 23
		alive(true, true, true, true, true, false)
		conns[1].Deliver(ofSize(6 * m)) // 23 again, and itself the largest with 8
		alive(true, false, true, true, true, false)
		for _, i := range []int{1, 5} {
			if r := <-ends[i]; r != ReasonMemory {
				t.Errorf("connection %d ended with %v, want %v", i+1, r, ReasonMemory)
			}
		}
		for _, i := range []int{0, 2, 3, 4} {
			conns[i].Close(ReasonNormal)
			messages, closed := got(t, peers[i])
			read := 0
			for _, s := range messages {
				read += len(s)
			}
			want := (i + 1) * m
			if i == 0 {
				want = 3 * m
			}
			if read != want || closed != 1000 {
				t.Errorf("connection %d: read %d bytes, close %d; want %d, 1000", i+1, read, closed, want)
			}
			<-ends[i]
		}
		if b.Used() != 0 || len(b.accounts) != 0 {
			t.Errorf("%d bytes of %d connections still count", b.Used(), len(b.accounts))
		}
	})
}

// TestR93IncomingMessage wants large messages on their way in to count.
func TestR93IncomingMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(4 << 20)
		small, smallPeer, _ := budgeted(t, b)
		small.Deliver(ofSize(1 << 20))
		large, peer, ended := budgeted(t, b)
		go io.Copy(io.Discard, peer)
		peer.Write(announce(true, ws.OpText, 16<<20))
		for piece := bytes.Repeat([]byte("a"), 64<<10); large.closing().Code == 0; {
			peer.Write(piece)
		}
		if r := <-ended; r != ReasonMemory {
			t.Errorf("ended with %v, want %v", r, ReasonMemory)
		}
		small.Close(ReasonNormal)
		if messages, closed := got(t, smallPeer); len(messages) != 1 || closed != 1000 {
			t.Errorf("the small one read %d messages, close %d", len(messages), closed)
		}
	})
}

// TestR93MessagesEnd wants messages no longer to count when they have been
// handled and written.
func TestR93MessagesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBudget(1 << 30)
		peer, c, _ := pair(t, Limits{PingEvery: time.Hour})
		c.memory.budget, c.deflate = b, true
		for _, size := range []int{10, 4 << 10, 5 << 10, 100 << 10, 3 << 20} {
			m := string(bytes.Repeat([]byte("a"), size))
			for _, in := range [][]byte{text(m), packed(t, m)} {
				go peer.Write(in)
				if _, err := ws.ReadFrame(peer); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if b.Used() != 0 {
					t.Errorf("%d bytes count after a message of %d", b.Used(), size)
				}
			}
		}
		if len(b.accounts) != 1 {
			t.Errorf("the budget knows %d connections, want the one that has counted", len(b.accounts))
		}
	})
}

// TestF20MemoryPressure sends a lot to peers that do not read, over sockets,
// and a little to one that does: the budget holds, and that one misses
// nothing.
func TestF20MemoryPressure(t *testing.T) {
	const limit, slow = 8 << 20, 12
	b := NewBudget(limit)
	conns, peers, ended := audience(t, slow+1, Options{Budget: b})
	var reading sync.WaitGroup
	var read int
	reading.Go(func() { read, _ = peers[slow].prefix() })
	large := ofSize(64 << 10)
	closed := 0
	sent := 0
	for ; closed < slow; sent++ {
		closed = 0
		for i, c := range conns[:slow] {
			for range i + 1 {
				c.Deliver(large)
			}
			if c.closing().Code != 0 {
				closed++
			}
		}
		if used := b.Used(); used > 3*limit {
			t.Fatalf("%d MiB are held, with a budget of %d", used>>20, limit>>20)
		}
		if sent > 10_000 {
			t.Fatalf("only %d of %d slow readers were closed", closed, slow)
		}
		conns[slow].WaitBelow(1<<20, patience)
		conns[slow].Deliver(event(sent))
		if closed == slow-1 && b.Used() < limit/2 {
			break // one alone fits
		}
	}
	for range closed {
		if r := <-ended; r != ReasonMemory {
			t.Errorf("a slow reader ended with %v, want %v", r, ReasonMemory)
		}
	}
	conns[slow].Close(ReasonNormal)
	reading.Wait()
	if read != sent && read != sent+1 {
		t.Errorf("the small one read %d of %d events", read, sent)
	}
}
