package chaos

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/server"
)

// F-08: a Client floods a Host that answers nothing, and a Host floods Targets
// that nobody is attached to.
func TestF08Floods(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "", 2)
	h.holdAnswers(true)
	c := startClient(t, b, p.place, "a", "c")
	id := c.mustAttach(t, h.target(0))
	const all, limit = 20_000, 4096
	c.echoes(id, all)
	if !c.wait(patience, func() bool { return c.waiting == limit }) {
		t.Fatalf("%d commands are without an answer, want %d", c.waiting, limit)
	}
	h.crash()
	c.quiet(t)
	if busy, lost := b.causedBy("Too many commands in flight"), b.causedBy("Host disconnected"); busy != all-limit || lost != limit {
		t.Errorf("%d commands were too many and %d lost with the Host, want %d and %d", busy, lost, all-limit, limit)
	}

	h = startHost(t, b, p.place, "a", "", 2)
	id = c.mustAttach(t, h.target(0))
	before := p.resident()
	for range 200 {
		h.event(1, 250)
		c.echoes(id, 10)
		c.quiet(t)
	}
	if grown := p.resident() - before; grown > 64<<20 {
		t.Errorf("50,000 events for nobody made the hub grow by %d bytes", grown)
	}
}

// F-09: frames too large to be taken, and such as are only just not.
func TestF09GiantFrames(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 1)
	c := startClient(t, b, p.place, "a", "c")
	id := c.mustAttach(t, h.target(0))
	t.Run("declared", func(t *testing.T) {
		for _, size := range []uint64{100<<20 + 1, 8 << 30, 1 << 40, 1 << 62} {
			s, err := dial(p.clients, "/hub/a/devtools/browser")
			if err != nil {
				t.Fatal(err)
			}
			s.w.Write(frameHead(opText, size))
			s.flush()
			if _, err := s.next(); !errors.Is(err, closed{1009, "message too big"}) {
				t.Errorf("a frame of %d bytes: %v, want 1009", size, err)
			}
			s.tcp.Close()
		}
	})
	t.Run("declared by many", func(t *testing.T) {
		before := p.resident()
		const n = 200
		for range n {
			s, err := dial(p.clients, "/hub/a/devtools/browser")
			if err != nil {
				t.Fatal(err)
			}
			defer s.reset()
			s.w.Write(frameHead(opText, 99<<20))
			s.flush()
		}
		if grown := p.resident() - before; grown > n*256<<10 {
			t.Errorf("%d frames that did not come made the hub grow by %d bytes", n, grown)
		}
	})
	c.echoes(id, 10)
	h.event(0, 10)
	c.quiet(t)
	c.sawAll(t, h)
}

// F-09: messages larger than all that may wait for a peer, while small ones
// wait for it, too. One such message may wait at a time.
func TestF09MessagesBeyondTheQueue(t *testing.T) {
	const most = 64 << 10
	b := newBooks(t)
	in := startInside(t, server.Limits{MaxClientQueue: most, MaxHostQueue: most})
	h := startHost(t, b, in.place, "a", "H", 2)
	c, d := startClient(t, b, in.place, "a", "c"), startClient(t, b, in.place, "a", "d")
	one, two := c.mustAttach(t, h.target(0)), d.mustAttach(t, h.target(1))
	before := b.failed.Load() // attaching to what the hub had not heard of
	for range 20 {
		d.mu.Lock()
		d.echoLocked(d.seq+1, two, strings.Repeat("x", 3*most))
		d.mu.Unlock()
		d.s.flush()
		h.paddedEvent(0, 1, strings.Repeat("x", 3*most))
		for sent := 0; sent == 0 || d.inAir() > 0; sent++ {
			c.echoes(one, 10)                     // before and behind it in the Host's queue
			c.ask("Target.getTargets", `{}`, nil) // and in the Client's
			c.s.flush()
			c.wait(patience, func() bool { return c.waiting < 20 })
		}
		c.sawAll(t, h)
	}
	c.quiet(t)
	d.quiet(t)
	if b.failed.Load() > before {
		t.Errorf("commands have failed: %v", b.causes)
	}
}
