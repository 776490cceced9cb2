package server

import (
	"context"
	"crypto/tls"
	"errors"
	"hash/maphash"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay"
)

// strangersAtPeers is how many connections to the listener for other nodes an address
// may have that is not the address of a node.
const strangersAtPeers = 64

// maxPeerHeader is for the headers of a request and its verdict, in bytes.
const maxPeerHeader = 64 << 10

// makeCluster joins the cluster.
func (s *Server) makeCluster() error {
	c := s.o.Cluster
	if c == nil {
		return nil
	}
	if err := c.check(); err != nil {
		return err
	}
	id := c.Directory.Self().ID
	s.cluster = &membership{
		dir: c.Directory, id: id, hubs: s.hubs, log: s.log.Named("cluster"), seed: maphash.MakeSeed(),
		forwards: newForwards(c), signer: verdicts{self: id, key: c.Key}, held: make(map[string]*holding),
		restore: s.readNote, dropped: s.named.Drop, pool: s.browsers, most: c.MaxBrowsers,
	}
	for _, at := range slices.Concat(c.Own, []net.Addr{c.Listener.Addr()}) {
		s.fence.Listens(at)
	}
	s.named.Watch()
	if b := s.o.Browsers; b != nil {
		s.cluster.patience = b.Queue
	}
	s.cluster.tellBrowsers()
	return nil
}

// peerListener is where the other nodes connect. A peer without a certificate of the
// cluster gets no further than the TLS handshake.
func (s *Server) peerListener() endpoint {
	c := s.o.Cluster
	ln := httpserver.Listen(c.Listener, httpserver.ListenerOptions{
		Connections: strangersAtPeers, Exempt: s.cluster.isNode, Silent: true, Log: s.log,
	})
	return endpoint{tls.NewListener(ln, c.tls()), http.HandlerFunc(s.servePeer)}
}

// isNode reports whether a node has that address. An IPv4 address may come as an IPv6
// one (::ffff:10.0.0.1, RFC 4291, section 2.5.5.2), hence Unmap.
func (m *membership) isNode(a netip.Addr) bool {
	return slices.ContainsFunc(m.dir.Nodes(), func(n cluster.Node) bool {
		at, err := netip.ParseAddrPort(n.Peer)
		return err == nil && at.Addr().Unmap() == a.Unmap()
	})
}

// newPeerServer serves the listener for other nodes.
func (s *Server) newPeerServer(h http.Handler) *http.Server {
	hs := httpserver.New(h, s.o.rates.own, s.log)
	hs.MaxHeaderBytes = maxPeerHeader
	return hs
}

// servePeer serves a request that another node passes on. That node has checked the
// Host header, the Origin and the token, and says so in the verdict. This one checks
// the verdict, and that it owns the hub with the epoch that the other node knows.
func (s *Server) servePeer(w http.ResponseWriter, r *http.Request) {
	m := s.cluster
	v, err := m.signer.read(r)
	if err != nil {
		s.metrics.peerRefused.Inc()
		m.log.Warn("a request of another node is refused", zap.String("peer", r.RemoteAddr), zap.Error(err))
		if errors.Is(err, errVerdictEnded) {
			w.Header().Set(staleHeader, nodeEnded)
		}
		http.Error(w, err.Error(), http.StatusForbidden)
		return
	}
	// The other node tries again, and finds the next owner.
	if s.draining.Load() {
		refuseCluster(w, errNotServing)
		return
	}
	if v.Node {
		if serve := s.nodeOrder(r, v); serve != nil {
			serve(w, r)
			return
		}
		notFound(w, r)
		return
	}
	// The path says which hub is meant; a verdict for one hub must not open another.
	at, known := s.route(r)
	if asked, _ := relay.CutShare(v.Hub); known && at.hub != v.Hub && at.hub != asked {
		http.Error(w, errVerdictOthers.Error(), http.StatusForbidden)
		return
	}
	if known {
		at.hub = v.Hub // or the hub of a share behind the address
	}
	switch {
	case known && (at.path == linkPath || isSandboxPath(at)): // which is this node's, whoever owns the hub of its path
	case v.Claim:
		err = m.here(r.Context(), v.Hub)
	default:
		err = m.holds(r.Context(), v.Hub, v.Epoch)
	}
	if errors.Is(err, errElsewhere) {
		w.Header().Set(staleHeader, "1")
		http.Error(w, err.Error(), http.StatusConflict)
		return
	} else if err != nil {
		refuseCluster(w, err)
		return
	}
	// A shared listener serves both, and so is neither "hosts" nor "clients".
	at.on, at.passed = audience{v.Listener != "hosts", v.Listener != "clients", v.Exposed}, true
	r = r.WithContext(context.WithValue(r.Context(), routeKey{}, at))
	// From here on the request looks as if it had come to this node: with the address
	// of its Client, and with TLS or without.
	r.RemoteAddr, r.TLS = v.From.String(), nil
	if v.TLS {
		r.TLS = new(tls.ConnectionState)
	}
	e := entry{serve: notFound}
	if known {
		e = s.find(e, r)
	}
	s.enterFromPeer(w, r, e, v)
}

// enterFromPeer is enter for a request that another node has let in. It checks no
// page and no token again, except the token of a sandbox, which is known here alone.
func (s *Server) enterFromPeer(w http.ResponseWriter, r *http.Request, e entry, v *verdict) {
	if e.ws {
		e.serve = onlyHandshakes(e.serve)
	}
	switch {
	case v.Pass != nil && e.role != "":
		pass := s.gate.PassFrom(*v.Pass, v.From.Addr(), e.ask(r))
		// This node has the browser, and so the last word on who shares it.
		if asked, _ := s.route(r); !e.undivided() && pass.Login == nil && s.hubFor(asked.hub, pass) != v.Hub {
			refuseCluster(w, errSharesDiffer)
			return
		}
		e.serve(w, auth.WithPass(r, pass))
	case e.role == "":
		e.serve(w, r)
	case isSandbox(v.Hub): // its token is known here alone
		s.gate.Require(e.ask, e.serve).ServeHTTP(w, r)
	default:
		http.Error(w, errVerdictOthers.Error(), http.StatusForbidden)
	}
}

// watchCluster looks after the hubs of this node until stop is called, which waits.
func (s *Server) watchCluster() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.cluster.sweep(ctx) })
	done.Go(func() { s.keepNotes(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}

// collectors are the metrics of this node as one of the cluster.
func (m *membership) collectors() []prometheus.Collector {
	gauge := func(name, help string, value func(clusterStatus) float64) prometheus.Collector {
		return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 { return value(m.status()) })
	}
	return []prometheus.Collector{
		nodeCollector{m},
		gauge("cdphub_cluster_nodes", "Nodes of the cluster that are alive, this one included.", func(c clusterStatus) float64 { return float64(len(c.Nodes)) }),
		gauge("cdphub_cluster_hubs", "Hubs that this node owns.", func(clusterStatus) float64 { return float64(m.dir.Self().Hubs) }),
		gauge("cdphub_cluster_links", "Requests and WebSockets that other nodes serve for this one now.", func(c clusterStatus) float64 { return float64(c.Links) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_cluster_hubs_lost_total", Help: "Hubs of this node that another node has taken, because it did not reach this one.",
		}, func() float64 { return float64(m.status().Lost) }),
	}
}
