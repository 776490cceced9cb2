// Package membership is what a server does as one node of a cluster: it owns hubs, places them at
// nodes with room for a browser, and sends requests to the nodes that own the others. Each request
// carries a signed assertion of how this node has let it in.
//
// A nil Member is a server without a cluster: every hub is its own.
package membership

import (
	"context"
	"crypto/tls"
	"errors"
	"hash/maphash"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"reflect"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Options are of New. All fields are needed, but for MaxBrowsers and Queue.
type Options struct {
	Directory   cluster.Directory
	TLS         *tls.Config // of connections to other nodes
	Key         []byte      // of the assertions
	Hubs        interface{ Has(hub string) bool }
	Browsers    *browsers.Pool
	MaxBrowsers int           // of all nodes together; 0: there is no limit
	Queue       time.Duration // how long a request waits for one of them
	Log         *zap.Logger

	Restore func(ctx context.Context, hub string) // what its last owner has left; before the hub is served
	Dropped func(hub string)                      // another node has it
}

// Member is this server as one node of a cluster.
type Member struct {
	Options   `stays:"configuration"`
	ID        string            // of this node
	Signer    *Signer           // of assertions to other nodes, and of theirs
	Transport http.RoundTripper // to other nodes

	Forwards   forwards `held:"*"`
	Placements placements
	stats      forwardStats

	seed   maphash.Seed
	claims [256]sync.Mutex // by hash of the hub: one claim of a hub at a time

	mu    sync.Mutex           // guards everything below
	ends  bool                 // it claims no hub any more
	owned map[string]*ownedHub `held:"hubs of this node"`
	lost  uint64               `stays:"counts what has been"` // claims that other nodes have taken
	// leaving are Hosts of hubs that no other node has taken from this one.
	leaving Hosts `held:"hubs that move"`
}

// New joins a cluster, and has the other nodes know of the browsers of this one.
func New(o Options) *Member {
	id := o.Directory.Self().ID
	m := &Member{
		Options: o, ID: id, Signer: NewSigner(id, o.Key), Transport: newTransport(o.TLS),
		seed: maphash.MakeSeed(), owned: make(map[string]*ownedHub),
	}
	m.TellBrowsers()
	return m
}

// Status is the answer of /cluster of the listener for operators.
type Status struct {
	Self  string         `json:"self"` // the id of this node
	Nodes []cluster.Node `json:"nodes"`
	Links int            `json:"links"` // connections that this node forwards
	Lost  uint64         `json:"lost"`  // hubs that other nodes have taken
}

// Status takes the lock only for lost: the directory and the forwards have locks of
// their own.
func (m *Member) Status() Status {
	m.mu.Lock()
	lost := m.lost
	m.mu.Unlock()
	return Status{m.ID, m.Directory.Nodes(), m.Forwards.Len(), lost}
}

// HasAddress reports whether a node has that address. An IPv4 address may come as an IPv6
// one (::ffff:10.0.0.1, RFC 4291, section 2.5.5.2), hence Unmap.
func (m *Member) HasAddress(a netip.Addr) bool {
	return slices.ContainsFunc(m.Directory.Nodes(), func(n cluster.Node) bool {
		at, err := netip.ParseAddrPort(n.Peer)
		return err == nil && at.Addr().Unmap() == a.Unmap()
	})
}

// Successors are the nodes that can take hubs, in random order, so that the hubs of a
// node that ends are spread over all of them.
func (m *Member) Successors() (list []cluster.Node) {
	for _, n := range m.Directory.Nodes() {
		if n.ID != m.ID && !n.Draining {
			list = append(list, n)
		}
	}
	rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

const (
	// leaveTimeout is how long the directory may take to note that this node ends.
	leaveTimeout = 1500 * time.Millisecond
	// drainRate is how many Hosts a node sends away in a second when it ends: they all
	// come to other nodes, which claim their hubs.
	drainRate = 5000
	// drainSpread is how long it may take to send them all away.
	drainSpread = 10 * time.Second
)

// Drain has this node claim no more hubs, and tells the other nodes that it ends, after
// what it waits for, so that they place no browser here. An error is only logged: the
// node ends all the same.
func (m *Member) Drain(w *cluster.Waits) {
	if m == nil {
		return
	}
	m.mu.Lock()
	m.ends = true
	m.mu.Unlock()
	if told := m.Directory.Self(); told.Draining && reflect.DeepEqual(told.Waits, w) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := m.Directory.Drain(ctx, w); err != nil {
		m.Log.Warn("the other nodes could not be told that this node ends", zap.Error(err))
	}
}

// ErrEnds says that a node takes nothing new.
var ErrEnds = errors.New("this node of the cluster is being drained, and serves only the hubs that are in use at it: connect again, to another node")

// Ends reports whether this node is being drained.
func (m *Member) Ends() bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ends
}

// Refuses is the reason why a connection to a hub may not begin here; nil: it may.
func (m *Member) Refuses(hub string) error {
	if m.Ends() && !m.owns(hub) {
		return ErrEnds
	}
	return nil
}

// isQuiet reports whether only Hosts are connected to a hub, or nobody is, and nobody has asked for
// it within the last sweeps.
func (h *ownedHub) isQuiet() bool {
	return len(h.hosts()) == len(h.users) && time.Since(h.used) > 2*sweepEvery
}

// Quiet lists the hubs of this node that no Client is connected to.
func (m *Member) Quiet() (list []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for hub, h := range m.owned {
		if h.isQuiet() {
			list = append(list, hub)
		}
	}
	return list
}

// GiveBack gives a hub back if it is quiet still, and then sends its Hosts away, which find
// another node.
func (m *Member) GiveBack(ctx context.Context, hub string) {
	m.mu.Lock()
	h := m.owned[hub]
	if h == nil || !h.isQuiet() {
		m.mu.Unlock()
		return
	}
	delete(m.owned, hub)
	close(h.done)
	hosts := h.hosts()
	m.mu.Unlock()
	if err := h.claim.Release(ctx); err != nil {
		m.Log.Debug("a claim could not be given back: it ends with this node", zap.Error(err))
	}
	hosts.End(wsconn.ReasonShutdown)
}

// Leave gives all hubs back, and then sends their Hosts away, which find a node that
// is free to claim them.
func (m *Member) Leave() {
	if m == nil {
		return
	}
	// Not a context of the server: those have ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	m.mu.Lock()
	hosts := m.leaving
	m.leaving = nil
	for hub, h := range m.owned {
		hosts = append(hosts, h.hosts()...)
		delete(m.owned, hub)
		close(h.done)
	}
	m.mu.Unlock()
	if err := m.Directory.Close(ctx); err != nil {
		m.Log.Warn("the hubs of this node could not be given back: other nodes wait for the end of its lease", zap.Error(err))
	}
	// With few Hosts the pause is that of drainRate. With many it shrinks, so that
	// all have gone within drainSpread.
	pause := min(time.Second/drainRate, drainSpread/time.Duration(max(len(hosts), 1)))
	// A pause for each Host would be 0.2 ms, less than timers keep to.
	const atOnce = 50
	for i, u := range hosts {
		if i > 0 && i%atOnce == 0 {
			time.Sleep(atOnce * pause)
		}
		u.end(wsconn.ReasonShutdown)
	}
}
