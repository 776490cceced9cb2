package natsdir

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// ownServers are NATS servers that are no part of a node, as --directory-url names them.
type ownServers struct {
	t       testing.TB
	options []*server.Options
	running []*server.Server
	addrs   []string // for clients
}

func startOwnServers(t *testing.T) *ownServers {
	const n = 3
	routes := hubtest.FreeAddrs(t, n)
	clients := hubtest.FreeAddrs(t, n)
	port := func(addr string) int {
		_, text, _ := strings.Cut(addr, ":")
		p, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	o := &ownServers{t: t}
	for i := range n {
		so := &server.Options{
			ServerName: "s" + strconv.Itoa(i), Host: "127.0.0.1", Port: port(clients[i]), NoSigs: true, NoLog: true,
			JetStream: true, StoreDir: t.TempDir(),
			Cluster: server.ClusterOpts{Name: "own", Host: "127.0.0.1", Port: port(routes[i])},
		}
		for _, r := range routes {
			so.Routes = append(so.Routes, &url.URL{Scheme: "nats-route", Host: r})
		}
		o.options = append(o.options, so)
		o.addrs = append(o.addrs, "nats://"+clients[i])
	}
	o.start()
	t.Cleanup(o.stop)
	return o
}

func (o *ownServers) start() {
	for _, so := range o.options {
		s, err := server.NewServer(so.Clone())
		if err != nil {
			o.t.Fatal(err)
		}
		go s.Start()
		o.running = append(o.running, s)
	}
}

func (o *ownServers) stop() {
	for _, s := range o.running {
		s.Shutdown()
		s.WaitForShutdown()
	}
	o.running = nil
}

// All servers of a directory start again, and have forgotten all claims. A hub that is claimed
// then has a greater epoch than before, or two nodes would have it.
func TestEpochsOutliveARestartOfAllServers(t *testing.T) {
	servers := startOwnServers(t)
	long := func(o *Options) {
		o.Server, o.URL, o.Lease = nil, strings.Join(servers.addrs, ","), 20*time.Second // longer than the restart takes
	}
	a, b := open(t, nil, "a", long), open(t, nil, "b", long)
	ctx := t.Context()
	for range 3 { // its bucket has had more claims than it will have soon after the restart
		other, err := a.Claim(ctx, "x", 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := other.Release(ctx); err != nil {
			t.Fatal(err)
		}
		in, key := a.place("x")
		if err := in.remove(ctx, key, jetstream.PurgeTTL(time.Second)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the hub is forgotten", func() bool {
			_, ok, err := in.last(ctx, key)
			return err == nil && !ok
		})
	}
	before, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	servers.stop()
	servers.start()
	var after cluster.Claim
	eventually(t, "the other node claims the hub", func() bool {
		ctx, cancel := context.WithTimeout(ctx, 10*time.Second) // servers that have not found each other answer nothing
		defer cancel()
		owner, err := b.ask(ctx, "x")
		if !errors.Is(err, cluster.ErrNoOwner) {
			return false
		}
		after, err = b.Claim(ctx, "x", owner.Epoch)
		return err == nil
	})
	if after.Epoch() <= before.Epoch() {
		t.Errorf("epoch %d after %d", after.Epoch(), before.Epoch())
	}
	// It asks by itself, after it has connected again.
	eventually(t, "the first node has lost it", func() bool { return isLost(before) })
	if err := after.Certain(ctx); err != nil || isLost(after) {
		t.Errorf("the hub has no owner: %v", err)
	}
}
