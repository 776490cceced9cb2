package chaos

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server"
)

// TestI1I2I3LedgerAgrees lets peers work and Targets come and go, while nobody
// loses a connection: then what the hub has counted is to the last message
// what its peers have.
func TestI1I2I3LedgerAgrees(t *testing.T) {
	b := newBooks(t)
	in := startInside(t, server.Limits{})
	h := startHost(t, b, in.place, "a", "H", 4)
	var all sync.WaitGroup
	var clients []*client
	for i := range 4 {
		c := startClient(t, b, in.place, "a", fmt.Sprintf("c%d", i))
		if _, err := c.call("Target.setAutoAttach", `{"autoAttach":true,"flatten":true,"waitForDebuggerOnStart":false}`); err != nil {
			t.Fatal(err)
		}
		clients = append(clients, c)
		all.Go(func() {
			for range 100 {
				for _, id := range c.some(rand.IntN(4)) {
					c.echoes(id, rand.IntN(10))
				}
				c.malformed("nonsense")
				c.s.flush()
				c.wait(patience, func() bool { return c.waiting < 50 })
			}
		})
	}
	for i := range 100 {
		h.event(rand.IntN(4), rand.IntN(20))
		if i%10 == 0 {
			h.destroy(rand.IntN(4))
			h.create()
		}
		if s := in.Stats(); !closes(s) {
			t.Errorf("the hub's ledger does not close: %+v", s)
		}
	}
	all.Wait()
	for i := range 4 {
		h.event(i, 1)
	}
	for _, c := range clients {
		c.quiet(t)
		c.sawAll(t, h)
	}
	s := in.Stats()
	want := relay.Stats{
		Received:         uint64(b.sent.Load()),
		AnsweredByHost:   uint64(b.echoed.Load()),
		AnsweredByHub:    uint64(b.sent.Load() - b.echoed.Load()),
		EventsIn:         uint64(b.numbered.Load()),
		Sent:             uint64(b.events.Load()),
		AnswersDuplicate: s.AnswersDuplicate, // of commands that their Target's end has failed
		Latency:          s.Latency,          // no count of messages
		Hubs:             1, Hosts: 1, Clients: 4, Sessions: 16, Targets: 4,
	}
	if s != want {
		t.Errorf("the hub has counted\n%+v, its peers\n%+v", s, want)
	}
}

// some is up to n of the Client's sessions.
func (c *client) some(n int) (ids []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id := range c.sessions {
		if len(ids) < n {
			ids = append(ids, id)
		}
	}
	return ids
}
