package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/dashboard"
	"github.com/cdphub/cdphub/server/internal/forward"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/handover"
	"github.com/cdphub/cdphub/server/internal/membership"
	"github.com/cdphub/cdphub/server/internal/operators"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// strangersAtPeers is how many connections to the listener for other nodes an address
// may have that is not the address of a node.
const strangersAtPeers = 64

// maxPeerHeader is for the headers of a request and its assertion, in bytes.
const maxPeerHeader = 64 << 10

// makeCluster joins the cluster.
func (s *Server) makeCluster() error {
	c := s.o.Cluster
	s.drainer = handover.Drainer{SeesAll: s.seesAll, End: s.end, Access: s.access, Log: s.log}
	if c == nil {
		return nil
	}
	if err := c.check(); err != nil {
		return err
	}
	for _, at := range slices.Concat(c.Own, []net.Addr{c.Listener.Addr()}) {
		s.fence.Listens(at)
	}
	s.named.Watch()
	o := membership.Options{
		Directory: c.Directory, TLS: c.tls(), Key: c.Key, Hubs: s.hubs, Browsers: s.browsers, MaxBrowsers: c.MaxBrowsers,
		Log: s.log.Named("cluster"), Restore: func(ctx context.Context, hub string) { s.handover.Restore(ctx, hub) }, Dropped: s.named.Drop,
	}
	if b := s.o.Browsers; b != nil {
		o.Queue = b.Queue
	}
	s.cluster = membership.New(o)
	s.drainer.Member = s.cluster
	s.handover = handover.New(handover.Options{Member: s.cluster, Hubs: s.hubs, Browsers: s.browsers, Named: s.named, Log: s.log, Begin: s.restoreSession})
	s.forward = forward.New(forward.Options{
		Member: s.cluster, Gate: s.gate, Log: s.log,
		Front: forward.Front{Ends: s.draining.Load, Route: s.route, Find: s.find, HubFor: s.hubFor},
		PeerRequests: map[string]forward.PeerRequest{
			membership.EvictPath: s.serveEvict, handover.DrainPath: s.drainer.ServePeer, handover.Path: s.handover.Receive,
		},
	})
	return nil
}

// makeRooms makes what is behind the front.
func (s *Server) makeRooms() error {
	s.sandboxes = sandboxes.New(sandboxes.Options{
		Idle: s.o.Actions.SandboxIdle, BaseDomain: s.o.BaseDomain, Quotas: s.quotas, Browsers: s.browsers, Tokens: s.tokens,
		Member: s.cluster, Forward: s.forward, Log: s.log, Acquire: s.Hub, Ended: s.kept.DropHub,
	})
	s.dashboard = dashboard.New(dashboard.Options{
		Hubs: s.hubs, Browsers: s.browsers, Named: s.named, Journal: s.journal, Quotas: s.quotas, Gate: s.gate, Sandboxes: s.sandboxes,
		Drainer: s.drainer, Access: s.access, Log: s.log, Limits: s.o.Limits.client(), TakeoverWait: s.o.TakeoverWait,
		HandoffByLink: s.o.HandoffByLink, DevTools: s.o.DevTools != nil, Ending: s.ending, Acquire: s.Hub, HubsFor: s.hubsFor,
		Serve: func(w http.ResponseWriter, r *http.Request, who front.Peer, o wsconn.Options, release func(), serve func(context.Context, *wsconn.Conn) wsconn.Reason) {
			s.serveSocket(w, r, who, s.clients, o, release, serve)
		},
	})
	s.operators = operators.Operators{
		Hubs: s.hubs, Browsers: s.browsers, Named: s.named, Quotas: s.quotas, Access: s.access, Drainer: s.drainer,
		Ready: s.ready, LogLevel: s.o.LogLevel, Collectors: s.collectors(), Log: s.log,
	}
	return nil
}

// makePeers opens the listener to which the other nodes connect, and the server of it. A peer without a
// certificate of the cluster gets no further than the TLS handshake.
func (s *Server) makePeers() (net.Listener, *http.Server) {
	c := s.o.Cluster
	ln := httpserver.Listen(c.Listener, httpserver.ListenerOptions{
		Connections: strangersAtPeers, Exempt: s.cluster.HasAddress, Silent: true, Log: s.log,
	})
	hs := httpserver.New(s.forward, s.o.rates.own, s.log)
	hs.MaxHeaderBytes = maxPeerHeader
	return tls.NewListener(ln, c.tls()), hs
}

// serveEvict ends one idle browser of this node.
func (s *Server) serveEvict(w http.ResponseWriter, _ *http.Request, _ *membership.Assertion) {
	if !s.browsers.Evict() {
		http.Error(w, "No browser of this node is idle.", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
