package chaos

import (
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
