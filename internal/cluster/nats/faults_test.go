package natsdir

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// url is where the clients of a server connect.
func (s *Server) url(addr string) string {
	return fmt.Sprintf("nats://%s:%s@%s", s.user, s.secret, addr)
}

// S-05: a node is cut off from the directory, one of its hubs is taken, and it comes back.
func TestS05NodeIsCutOff(t *testing.T) {
	s := startServers(t, 1)[0]
	w := hubtest.NewNetwork(t, s.s.Addr().String())
	short := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	b := open(t, s, "b", short)
	a := open(t, nil, "a", func(o *Options) {
		short(o)
		o.Server, o.URL = nil, s.url(w.Addr)
	})
	ctx := t.Context()
	kept, err := a.Claim(ctx, "kept", 0)
	if err != nil {
		t.Fatal(err)
	}
	taken, err := a.Claim(ctx, "taken", 0)
	if err != nil {
		t.Fatal(err)
	}
	eventually(t, "they know each other", func() bool { return len(a.Nodes()) == 2 && len(b.Nodes()) == 2 })
	if _, err := b.Claim(ctx, "other", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Owner(ctx, "other"); err != nil {
		t.Fatal(err)
	}
	w.Refuse(true)
	w.Cut()
	eventually(t, "it trusts no claim", func() bool { return errors.Is(kept.Certain(ctx), cluster.ErrUncertain) })
	if o, err := a.Owner(ctx, "other"); err != nil || o.Node.Name != "b" {
		t.Errorf("an owner that it knew: %+v, %v", o, err)
	}
	if _, err := a.Owner(ctx, "unknown"); !errors.Is(err, cluster.ErrUncertain) {
		t.Errorf("an owner that it did not know: %v", err)
	}
	var o cluster.Owner
	eventually(t, "its lease is over", func() bool {
		b.Forget("taken")
		o, err = b.Owner(ctx, "taken")
		return errors.Is(err, cluster.ErrNoOwner)
	})
	newer, err := b.Claim(ctx, "taken", o.Epoch)
	if err != nil || newer.Epoch() <= taken.Epoch() {
		t.Fatalf("%v: epoch %v after %v", err, newer, taken.Epoch())
	}
	if isLost(taken) || isLost(kept) {
		t.Error("a claim is lost before the node can know")
	}
	w.Refuse(false)
	<-taken.Lost()
	eventually(t, "it trusts the other claim", func() bool { return kept.Certain(ctx) == nil })
	if isLost(kept) {
		t.Error("a claim is lost, and no other node has taken it")
	}
}

// A node that only seems to have lost a hub keeps it.
func TestEvictionIsNotBelieved(t *testing.T) {
	s := startServers(t, 1)[0]
	alone := func(o *Options) { o.Replicas = 1 }
	a, b := open(t, s, "a", alone), open(t, s, "b", alone)
	c, err := a.Claim(t.Context(), "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.conn.Publish(fmt.Sprintf(evictSubject, a.o.Node.ID), fmt.Appendf(nil, "%d x", c.Epoch()+1)); err != nil {
		t.Fatal(err)
	}
	if err := b.conn.Publish(fmt.Sprintf(evictSubject, a.o.Node.ID), fmt.Appendf(nil, "%d none", c.Epoch()+1)); err != nil {
		t.Fatal(err)
	}
	a.mu.Lock()
	a.held["x"].checked = time.Time{}
	a.mu.Unlock()
	eventually(t, "it has looked", func() bool {
		a.mu.Lock()
		defer a.mu.Unlock()
		return !a.held["x"].checked.IsZero()
	})
	if isLost(c) || c.Certain(t.Context()) != nil {
		t.Error("the claim is lost")
	}
}

// S-09: claims are given back, and those of a dead node are taken out: the directory has
// its memory back.
func TestS09ClaimsLeaveNothing(t *testing.T) {
	s := startServers(t, 1)[0]
	short := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	a, b := open(t, s, "a", short), open(t, s, "b", short)
	ctx := t.Context()
	hubs := hubtest.Amount(2000, 100_000)
	other, err := b.Claim(ctx, "other", 0)
	if err != nil {
		t.Fatal(err)
	}
	before := b.bytes(ctx, t)
	claims := make([]cluster.Claim, hubs)
	var all sync.WaitGroup
	turns := make(chan struct{}, 16)
	begun := time.Now()
	for i := range claims {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			c, err := a.Claim(ctx, fmt.Sprint("h", i), 0)
			if err != nil {
				t.Error(err)
				return
			}
			claims[i] = c
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	t.Logf("%d claims, 16 at a time, in %v", hubs, time.Since(begun))
	for _, c := range claims[:hubs/2] {
		if err := c.Release(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if n := a.Self().Hubs; n != hubs/2 {
		t.Errorf("the node has %d hubs, want %d", n, hubs/2)
	}
	a.ended() // it dies
	a.done.Wait()
	eventually(t, "it is known to be dead", func() bool { b.readNodes(ctx); return len(b.Nodes()) == 1 })
	sweep := sweeper{d: b}
	sweep.round(ctx)
	if n := b.entries(ctx); n != hubs/2+1 {
		t.Errorf("after one round there are %d claims, want all %d of the dead node, and one", n, hubs/2)
	}
	sweep.round(ctx)
	if n := b.entries(ctx); n != 1 {
		t.Errorf("%d claims are left, want that of the other node", n)
	}
	if isLost(other) || other.Certain(ctx) != nil || len(b.Nodes()) != 1 {
		t.Error("the claim of the node that is alive is lost, or its lease")
	}
	if os.Getenv("CDPHUB_LONG") != "" { // the marks are kept for a minute
		eventuallyWithin(t, "the directory has its memory back", 2*markerKept, func() bool { return b.bytes(ctx, t) <= before })
	}
	runtime.KeepAlive(claims)
}

// bytes are those of all claims in the directory, with their marks.
func (d *Directory) bytes(ctx context.Context, t *testing.T) (n uint64) {
	t.Helper()
	for _, b := range d.owners {
		info, err := b.stream.Info(ctx)
		if err != nil {
			t.Fatal(err)
		}
		n += info.State.Bytes
	}
	return n
}

// entries counts the claims in the directory, without the marks of buckets and of those given back.
func (d *Directory) entries(ctx context.Context) (n int) {
	for _, b := range d.owners {
		keys, err := b.kv.Keys(ctx)
		if err == nil {
			n += len(keys) - 1
		}
	}
	return n
}

// BenchmarkClaim claims a hub of a directory with three servers, and gives it back.
func BenchmarkClaim(b *testing.B) {
	_, dirs := openAll(b)
	ctx := b.Context()
	n := 0
	for b.Loop() {
		n++
		if _, err := dirs[0].Claim(ctx, fmt.Sprint("h", n), 0); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOwner asks for an owner that is not remembered.
func BenchmarkOwner(b *testing.B) {
	_, dirs := openAll(b)
	ctx := b.Context()
	if _, err := dirs[0].Claim(ctx, "x", 0); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		dirs[1].Forget("x")
		if _, err := dirs[1].Owner(ctx, "x"); err != nil {
			b.Fatal(err)
		}
	}
}
