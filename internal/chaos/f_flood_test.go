package chaos

import (
	"strings"
	"testing"

	"github.com/cdphub/cdphub/server"
)

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
