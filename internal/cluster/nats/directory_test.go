package natsdir

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// within is how long a directory may take on a slow machine. No test expects it.
const within = time.Minute

// startServers starts servers that are one directory.
func startServers(t testing.TB, n int) (list []*Server) {
	t.Helper()
	addrs := hubtest.FreeAddrs(t, n)
	routes := addrs
	if n == 1 {
		routes = nil
	}
	for i, addr := range addrs {
		s, err := StartServer(ServerOptions{Name: fmt.Sprint("s", i), Addr: addr, Routes: routes, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		list = append(list, s)
	}
	return list
}

func open(t testing.TB, s *Server, name string, change func(*Options)) *Directory {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), within)
	defer cancel()
	o := Options{Server: s, Node: cluster.Node{Name: name, Peer: "peer-" + name}}
	if change != nil {
		change(&o)
	}
	d, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		d.Close(ctx)
	})
	return d
}

// twoNodes opens the directory of one server for two nodes.
func twoNodes(t testing.TB) (a, b *Directory) {
	t.Helper()
	s := startServers(t, 1)[0]
	alone := func(o *Options) { o.Lease, o.Replicas = within, 1 }
	return open(t, s, "a", alone), open(t, s, "b", alone)
}

// openAll opens a directory at each of three servers.
func openAll(t testing.TB) (servers []*Server, dirs []*Directory) {
	t.Helper()
	servers = startServers(t, 3)
	for i, s := range servers {
		dirs = append(dirs, open(t, s, string(rune('a'+i)), nil))
	}
	return servers, dirs
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	eventuallyWithin(t, what, within, holds)
}

func eventuallyWithin(t *testing.T, what string, within time.Duration, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(within); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never came to this: %s", what)
		}
	}
}

func isLost(c cluster.Claim) bool {
	select {
	case <-c.Lost():
		return true
	default:
		return false
	}
}

func TestClaims(t *testing.T) {
	begun := time.Now()
	_, dirs := openAll(t)
	t.Logf("three nodes are one directory after %v", time.Since(begun))
	ctx := t.Context()
	a, b, c := dirs[0], dirs[1], dirs[2]
	if _, err := a.Owner(ctx, "x"); !errors.Is(err, cluster.ErrNoOwner) {
		t.Fatal(err)
	}
	first, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	o, err := c.Owner(ctx, "x")
	if err != nil || o.Node.Name != "a" || o.Node.Peer != "peer-a" || o.Epoch != first.Epoch() {
		t.Fatalf("%+v, %v", o, err)
	}
	if _, err := b.Claim(ctx, "x", 0); !errors.Is(err, cluster.ErrTaken) {
		t.Fatalf("a claim after an old epoch: %v", err)
	}
	if err := first.Certain(ctx); err != nil {
		t.Fatal(err)
	}
	begun = time.Now()
	second, err := b.Claim(ctx, "x", o.Epoch)
	if err != nil || second.Epoch() <= first.Epoch() {
		t.Fatal(err)
	}
	<-first.Lost()
	t.Logf("taken over and told after %v", time.Since(begun))
	if err := first.Certain(ctx); !errors.Is(err, cluster.ErrTaken) || isLost(second) {
		t.Errorf("the old claim: %v; the new one is lost: %v", err, isLost(second))
	}
	if err := first.Release(ctx); err != nil {
		t.Error(err)
	}
	c.Forget("x")
	if o, err := c.Owner(ctx, "x"); err != nil || o.Node.Name != "b" {
		t.Errorf("%+v, %v", o, err)
	}
	if err := second.Release(ctx); err != nil {
		t.Fatal(err)
	}
	c.Forget("x")
	if o, err = c.Owner(ctx, "x"); !errors.Is(err, cluster.ErrNoOwner) || isLost(second) {
		t.Errorf("after a release: %+v, %v", o, err)
	}
	if third, err := c.Claim(ctx, "x", o.Epoch); err != nil || third.Epoch() <= second.Epoch() {
		t.Errorf("a claim after a release: %v", err)
	}
	eventually(t, "each knows all three nodes", func() bool {
		return len(a.Nodes()) == 3 && len(b.Nodes()) == 3 && len(c.Nodes()) == 3
	})
	for _, waits := range []*cluster.Waits{{Until: time.Unix(2e9, 0).UTC(), Clients: 2}, nil} {
		if err := a.Drain(ctx, waits); err != nil {
			t.Error(err)
		}
		eventually(t, "the others see that it drains, and for what it waits", func() bool {
			n := b.Nodes()[0]
			return n.Draining && reflect.DeepEqual(n.Waits, waits)
		})
	}
	if err := a.Close(ctx); err != nil {
		t.Error(err)
	}
	eventually(t, "a closed node is gone", func() bool { return len(b.Nodes()) == 2 })
	if _, err := a.Claim(ctx, "y", 0); !errors.Is(err, cluster.ErrClosed) {
		t.Errorf("a claim of a closed node: %v", err)
	}
}

// S-03: of many claims after the same epoch, one succeeds.
func TestS03OneClaimOfManySucceeds(t *testing.T) {
	_, dirs := openAll(t)
	ctx := t.Context()
	after := cluster.Epoch(0)
	for round := range 20 {
		var mu sync.Mutex
		var won []cluster.Claim
		var all sync.WaitGroup
		for i := range 12 {
			all.Go(func() {
				c, err := dirs[i%3].Claim(ctx, "x", after)
				if err != nil && !errors.Is(err, cluster.ErrTaken) {
					t.Error(err)
				}
				if err == nil {
					mu.Lock()
					won = append(won, c)
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if len(won) != 1 || won[0].Epoch() <= after || isLost(won[0]) {
			t.Fatalf("round %d: %d claims after epoch %d succeeded, want one with a greater epoch", round, len(won), after)
		}
		after = won[0].Epoch()
	}
}

// A node that has just come is one of those that are alive as soon as a hub of it is found:
// what is passed on to other nodes is cut.
func TestNewNodesAreAlive(t *testing.T) {
	s := startServers(t, 1)[0]
	slow := func(o *Options) { o.Lease, o.Replicas = time.Hour, 1 } // the list is read again in a quarter of it
	a := open(t, s, "a", slow)
	b := open(t, s, "b", slow)
	if _, err := b.Claim(t.Context(), "x", 0); err != nil {
		t.Fatal(err)
	}
	o, err := a.Owner(t.Context(), "x")
	if err != nil || o.Node.Name != "b" {
		t.Fatal(o, err)
	}
	if n := len(a.Nodes()); n != 2 {
		t.Errorf("it knows %d nodes, want 2", n)
	}
}

// A node that ends without a word has no hubs when its lease is over.
func TestLeaseEnds(t *testing.T) {
	servers := startServers(t, 1)
	short := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	a, b := open(t, servers[0], "a", short), open(t, servers[0], "b", short)
	ctx := t.Context()
	claim, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	a.ended() // it does not renew its lease
	a.done.Wait()
	eventually(t, "it does not trust its claims any more", func() bool { return errors.Is(claim.Certain(ctx), cluster.ErrUncertain) })
	if _, err := a.Claim(ctx, "y", 0); !errors.Is(err, cluster.ErrUncertain) {
		t.Errorf("its new claim: %v", err)
	}
	var o cluster.Owner
	eventually(t, "the hub is free", func() bool {
		b.Forget("x")
		o, err = b.Owner(ctx, "x")
		return errors.Is(err, cluster.ErrNoOwner)
	})
	if isLost(claim) {
		t.Error("a claim is lost without another")
	}
	if _, err := b.Claim(ctx, "x", o.Epoch); err != nil {
		t.Fatal(err)
	}
	<-claim.Lost()
}

// S-04: a server of the directory ends, with the leaders that it had.
func TestS04DirectoryServerEnds(t *testing.T) {
	servers, dirs := openAll(t)
	ctx := t.Context()
	var claims []cluster.Claim
	for i := range 32 { // in all buckets
		c, err := dirs[1].Claim(ctx, fmt.Sprint("kept", i), 0)
		if err != nil {
			t.Fatal(err)
		}
		claims = append(claims, c)
	}
	begun := time.Now()
	servers[0].Close()
	for i := range 32 {
		ctx, cancel := context.WithTimeout(ctx, within)
		if _, err := dirs[2].Claim(ctx, fmt.Sprint("new", i), 0); err != nil {
			t.Fatal(err)
		}
		cancel()
	}
	t.Logf("claims of every bucket after %v", time.Since(begun))
	for i, c := range claims {
		if isLost(c) {
			t.Errorf("claim %d is lost", i)
		}
		if o, err := dirs[2].Owner(ctx, fmt.Sprint("kept", i)); err != nil || o.Node.Name != "b" || o.Epoch != c.Epoch() {
			t.Errorf("claim %d: %+v, %v", i, o, err)
		}
	}
}

// A directory that was lost, and made anew, gives greater epochs than before.
func TestEpochsOutliveTheDirectory(t *testing.T) {
	var last cluster.Epoch
	for range 2 {
		s := startServers(t, 1)[0]
		d := open(t, s, "a", func(o *Options) { o.Replicas = 1 })
		for range 3 {
			c, err := d.Claim(t.Context(), "x", 0)
			if err != nil {
				t.Fatal(err)
			}
			if c.Epoch() <= last {
				t.Errorf("epoch %d after %d", c.Epoch(), last)
			}
			last = c.Epoch()
			if err := c.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
			o, _ := d.Owner(t.Context(), "x")
			if c, err = d.Claim(t.Context(), "x", o.Epoch); err != nil || c.Epoch() <= last {
				t.Errorf("%v: epoch after %d", err, last)
			}
			last = c.Epoch()
			b, key := d.place("x")
			if err := b.remove(t.Context(), key); err != nil {
				t.Fatal(err)
			}
			eventuallyGone(t, d)
		}
	}
}

// eventuallyGone waits until nothing is left of hub x.
func eventuallyGone(t *testing.T, d *Directory) {
	t.Helper()
	b, key := d.place("x")
	if err := b.stream.Purge(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the hub is forgotten", func() bool {
		_, ok, err := b.last(t.Context(), key)
		return err == nil && !ok
	})
}

func TestNoDirectory(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	_, err := Open(ctx, Options{URL: "nats://" + hubtest.FreeAddr(t)})
	if err == nil {
		t.Fatal("a directory that is not there can be opened")
	}
	t.Log(err)
	for _, addr := range []string{"x", "127.0.0.1:x"} {
		if _, err := StartServer(ServerOptions{Name: "a", Addr: addr}); err == nil {
			t.Errorf("a server at %q starts", addr)
		}
	}
}
