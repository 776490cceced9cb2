package natsdir

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// Nodes that take places at the same time have as many as there are, and those of a dead
// node are free.
func TestReservations(t *testing.T) {
	s := startServers(t, 1)[0]
	short := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	a, b := open(t, s, "a", short), open(t, s, "b", short)
	ctx := t.Context()
	const most = 5
	var all sync.WaitGroup
	var got [2]atomic.Int32
	for i := range 4 * most {
		all.Go(func() {
			switch err := []*Directory{a, b}[i%2].ReserveBrowser(ctx, most); {
			case err == nil:
				got[i%2].Add(1)
			case !errors.Is(err, cluster.ErrNoBrowser):
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := got[0].Load() + got[1].Load(); n != most {
		t.Fatalf("%d places are taken of %d", n, most)
	}
	if got[0].Load() == 0 { // one is a's to leave
		b.ReleaseBrowser()
		eventually(t, "a has a place", func() bool { return a.ReserveBrowser(ctx, most) == nil })
	}
	a.ReleaseBrowser()
	eventually(t, "the place is free", func() bool { return b.ReserveBrowser(ctx, most) == nil })
	if err := a.ReserveBrowser(ctx, most); !errors.Is(err, cluster.ErrNoBrowser) {
		t.Errorf("one more: %v", err)
	}
	b.ended() // it dies
	b.done.Wait()
	eventually(t, "the places of the dead node are free", func() bool { return a.ReserveBrowser(ctx, most) == nil })
	late, cancel := context.WithCancel(ctx)
	cancel()
	if err := a.ReserveBrowser(late, 100); err == nil {
		t.Error("a place is taken for who has left")
	}
}

// What a node says of its browsers is known to the others.
func TestTell(t *testing.T) {
	s := startServers(t, 1)[0]
	alone := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	a, b := open(t, s, "a", alone), open(t, s, "b", alone)
	a.Tell(&cluster.Browsers{Hubs: []string{"*"}, Max: 8, Running: 3, Idle: 1})
	eventually(t, "the other node knows", func() bool {
		for _, n := range b.Nodes() {
			if n.Name == "a" && n.Browsers != nil {
				return n.Browsers.Running == 3 && n.Browsers.Max == 8 && n.Browsers.Hubs[0] == "*"
			}
		}
		return false
	})
}

// A node that was thought to be dead, or whose directory has lost the record, is counted again
// once it has renewed its lease.
func TestReservationsOfANodeThatIsBack(t *testing.T) {
	a, b := twoNodes(t)
	ctx := t.Context()
	if err := a.ReserveBrowser(ctx, 2); err != nil {
		t.Fatal(err)
	}
	for name, forget := range map[string]func() error{
		"its lease was over": func() error {
			err := b.nodes.remove(ctx, a.o.Node.ID)
			b.mu.Lock()
			delete(b.alive, a.o.Node.ID)
			b.mu.Unlock()
			return err
		},
		"the record was lost": func() error { return b.shared.remove(ctx, reservedKey) },
	} {
		if err := forget(); err != nil {
			t.Fatal(err)
		}
		if err := b.ReserveBrowser(ctx, 1); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		a.Tell(nil) // renews the lease
		eventuallyWithin(t, name+", and it counts again", 5*time.Second, func() bool {
			m, ok, err := b.shared.last(ctx, reservedKey)
			return err == nil && ok && strings.Contains(string(m.Data), a.o.Node.ID)
		})
		b.ReleaseBrowser()
	}
}
