package chaos

import (
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// F-06: the connections of a Client and of a Host become half-open: nothing
// comes any more, and nothing says so.
func TestF06HalfOpenConnections(t *testing.T) {
	b := newBooks(t)
	in := startInside(t, server.Limits{PingEvery: 200 * time.Millisecond, PongWithin: 3 * time.Second})
	cut := hubtest.NewNetwork(t, in.clients)
	beyond := place{cut.Addr, cut.Addr}
	h := startHost(t, b, in.place, "a", "H", 1)
	lost := startHost(t, b, beyond, "b", "", 1)
	lost.holdAnswers(true)

	stays, goes := startClient(t, b, in.place, "a", "stays"), startClient(t, b, beyond, "a", "goes")
	orphan := startClient(t, b, in.place, "b", "orphan")
	mine, his, orphans := stays.mustAttach(t, h.target(0)), goes.mustAttach(t, h.target(0)), orphan.mustAttach(t, lost.target(0))
	orphan.echoes(orphans, 10)
	eventually(t, "that the Host has the commands", func() bool { return lost.commands() == 10 })
	t.Cleanup(cut.Silence())

	eventually(t, "that the lost Client's session has ended", func() bool { return h.detached(his) == 1 })
	orphan.quiet(t)
	if n := b.causedBy("Host disconnected"); n != 10 {
		t.Errorf("%d commands failed with the lost Host, want 10: %v", n, b.causes)
	}
	eventually(t, "that the lost Host's session has ended", func() bool { return !orphan.has(orphans) })
	h.event(0, 10)
	stays.echoes(mine, 10)
	stays.quiet(t)
	stays.sawAll(t, h)
}

// F-07: a Client reads nothing while a lot of events come. It is closed, with
// a gapless beginning of its events; the others miss none.
func TestF07SlowReaders(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 2)
	c, d := startClient(t, b, p.place, "a", "c"), startClient(t, b, p.place, "a", "d")
	slow, pauses := startClient(t, b, p.place, "a", "slow"), startClient(t, b, p.place, "a", "pauses")
	var id string // of c, on the second
	for i := range 2 {
		for _, who := range []*client{slow, d, c} {
			id = who.mustAttach(t, h.target(i))
		}
	}
	pauses.mustAttach(t, h.target(0))
	h.event(0, 1)
	h.event(1, 1)
	slow.sawAll(t, h)

	slow.gate.Lock() // reads at most one more
	pauses.gate.Lock()
	const size = 64 << 10
	for range 10 {
		h.paddedEvent(0, 10, strings.Repeat("x", size))
	}
	pauses.gate.Unlock() // 6.4 MB later
	for range 100 {
		h.paddedEvent(1, 10, strings.Repeat("x", size))
		c.echoes(id, 1) // to be in step with the Host
		c.quiet(t)
		if closedSlow(p) {
			break
		}
	}
	eventually(t, "that the hub closes the slow one", func() bool { return closedSlow(p) })
	slow.gate.Unlock()
	<-slow.gone
	h.event(0, 10)
	h.event(1, 10)
	for _, who := range []*client{c, d, pauses} {
		who.sawAll(t, h)
		if err := who.ended(); err != nil {
			t.Errorf("%s was closed, too: %v", who.name, err)
		}
	}
}

func closedSlow(p *hub) bool { return strings.Contains(p.said(), `"slow consumer"`) }
