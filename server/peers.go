package server

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"slices"
	"sync"

	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/server/internal/forward"
	"github.com/cdphub/cdphub/server/internal/handover"
	"github.com/cdphub/cdphub/server/internal/membership"
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
	s.handover = handover.New(handover.Options{Member: s.cluster, Hubs: s.hubs, Browsers: s.browsers, Named: s.named, Log: s.log, Begin: s.beginAgain})
	s.forward = forward.New(forward.Options{
		Member: s.cluster, Gate: s.gate, WriteTimeout: s.o.Limits.WriteTimeout, Log: s.log,
		Front: forward.Front{Ends: s.draining.Load, Route: s.route, Find: s.find, HubFor: s.hubFor},
		PeerRequests: map[string]forward.PeerRequest{
			membership.EvictPath: s.serveEvict, handover.DrainPath: s.drainer.ServePeer, handover.Path: s.handover.Receive,
		},
	})
	return nil
}

// peerListener is where the other nodes connect. A peer without a certificate of the
// cluster gets no further than the TLS handshake.
func (s *Server) peerListener() endpoint {
	c := s.o.Cluster
	ln := httpserver.Listen(c.Listener, httpserver.ListenerOptions{
		Connections: strangersAtPeers, Exempt: s.cluster.HasAddress, Silent: true, Log: s.log,
	})
	return endpoint{tls.NewListener(ln, c.tls()), s.forward}
}

// newPeerServer serves the listener for other nodes.
func (s *Server) newPeerServer(h http.Handler) *http.Server {
	hs := httpserver.New(h, s.o.rates.own, s.log)
	hs.MaxHeaderBytes = maxPeerHeader
	return hs
}

// watchCluster looks after the hubs of this node until stop is called, which waits.
func (s *Server) watchCluster() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.cluster.Sweep(ctx) })
	done.Go(func() { s.handover.Replicate(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}

// serveEvict ends one idle browser of this node.
func (s *Server) serveEvict(w http.ResponseWriter, _ *http.Request, _ *membership.Assertion) {
	if !s.browsers.Evict() {
		http.Error(w, "No browser of this node is idle.", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
