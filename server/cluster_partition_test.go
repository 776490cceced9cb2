package server

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// partition cuts a node off from the directory and from the other nodes, in both
// directions, or joins it again.
type partition struct {
	node
	in  *hubtest.Network // to it
	out *atomic.Bool     // from it: refused
}

func (p partition) cut(on bool) {
	p.dir.Sever(on)
	p.out.Store(on)
	p.in.Refuse(on)
	if on {
		p.in.Cut()
	}
}

// behind is a directory that has another address of one of the nodes.
type behind struct {
	*cluster.MemoryNode
	name, addr string
}

// Owner implements cluster.Directory.
func (b behind) Owner(ctx context.Context, hub string) (cluster.Owner, error) {
	o, err := b.MemoryNode.Owner(ctx, hub)
	if o.Node.Name == b.name {
		o.Node.Peer = b.addr
	}
	return o, err
}

// refusing refuses what a node forwards while it is cut off.
type refusing struct {
	http.RoundTripper
	on *atomic.Bool
}

// RoundTrip implements http.RoundTripper.
func (r refusing) RoundTrip(req *http.Request) (*http.Response, error) {
	if r.on.Load() {
		return nil, errors.New("no route to host")
	}
	return r.RoundTripper.RoundTrip(req)
}

// S-05: the owner is cut off from the directory and from all other nodes. Each half works
// with what it has: the older owner takes no new Client, and the other half has the hub
// when its Host comes there. When the halves are one again, so is the owner.
func TestS05HalfAndHalf(t *testing.T) {
	all := new(cluster.Memory)
	var in *hubtest.Network
	nodes := startNodes(t, all, "abc", func(o *Options) {
		d := o.Cluster.Directory.(*cluster.MemoryNode)
		if d.Self().Name == "a" {
			in = hubtest.NewNetwork(t, d.Self().Peer)
		} else {
			o.Cluster.Directory = behind{d, "a", in.Addr}
		}
	})
	a, b, c := nodes[0], nodes[1], nodes[2]
	p := partition{a, in, new(atomic.Bool)}
	a.cluster.Transport = refusing{a.cluster.Transport, p.out}

	older := a.host(t)
	here, through := a.client(t), b.client(t)
	id := here.attach()
	drives(t, through, older)
	p.cut(true)
	if why := through.reason(); why.Code != wsconn.ReasonGone.Code {
		t.Errorf("a Client of the other half was closed with %v", why)
	}
	for range 3 {
		if status, body := a.get(t, a.addr(false), "/json/version", nil); status != 503 {
			t.Errorf("a new Client of the older owner: %d %s", status, body)
		}
	}
	newer := c.host(t)
	drives(t, b.client(t), newer)
	drives(t, c.client(t), newer)
	here.send(`{"id":8,"method":"Page.enable","sessionId":"` + id + `"}`) // what there is goes on
	older.until(`"Page.enable"`)

	p.cut(false)
	if why := here.reason(); why != wsconn.ReasonMoved {
		t.Errorf("the Client of the older owner was closed with %v, want %v", why, wsconn.ReasonMoved)
	}
	if why := older.reason(); why.Text != wsconn.ReasonReplaced.Text {
		t.Errorf("the older Host was closed with %v", why)
	}
	for _, n := range nodes {
		if o, err := n.dir.Owner(t.Context(), ""); err != nil || o.Node.Name != "c" {
			t.Errorf("node %s knows %v as the owner, %v", n.dir.Self().Name, o.Node.Name, err)
		}
		drives(t, n.client(t), newer)
	}
}
