package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/httpserver"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
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
		Log: s.log.Named("cluster"), Restore: s.readNote, Dropped: s.named.Drop,
	}
	if b := s.o.Browsers; b != nil {
		o.Queue = b.Queue
	}
	s.cluster = membership.New(o)
	return nil
}

// peerListener is where the other nodes connect. A peer without a certificate of the
// cluster gets no further than the TLS handshake.
func (s *Server) peerListener() endpoint {
	c := s.o.Cluster
	ln := httpserver.Listen(c.Listener, httpserver.ListenerOptions{
		Connections: strangersAtPeers, Exempt: s.cluster.HasAddress, Silent: true, Log: s.log,
	})
	return endpoint{tls.NewListener(ln, c.tls()), http.HandlerFunc(s.servePeer)}
}

// newPeerServer serves the listener for other nodes.
func (s *Server) newPeerServer(h http.Handler) *http.Server {
	hs := httpserver.New(h, s.o.rates.own, s.log)
	hs.MaxHeaderBytes = maxPeerHeader
	return hs
}

// servePeer serves a request that another node passes on. That node has checked the
// Host header, the Origin and the token, and says so in the assertion. This one checks
// the assertion, and that it owns the hub with the epoch that the other node knows.
func (s *Server) servePeer(w http.ResponseWriter, r *http.Request) {
	m := s.cluster
	v, err := m.Signer.Verify(r)
	if err != nil {
		s.metrics.peerRefused.Inc()
		m.Log.Warn("a request of another node is refused", zap.String("peer", r.RemoteAddr), zap.Error(err))
		if errors.Is(err, membership.ErrOtherProcess) {
			w.Header().Set(membership.StaleHeader, membership.NodeEnded)
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
		if serve := s.findPeerRequest(r, v); serve != nil {
			serve(w, r)
			return
		}
		front.NotFound(w, r)
		return
	}
	// The path says which hub is meant; an assertion for one hub must not open another.
	at, known := s.route(r)
	if asked, _ := relay.CutShare(v.Hub); known && at.Hub != v.Hub && at.Hub != asked {
		http.Error(w, membership.ErrOtherRequest.Error(), http.StatusForbidden)
		return
	}
	if known {
		at.Hub = v.Hub // or the hub of a share behind the address
	}
	switch {
	case known && (at.Path == linkPath || isSandboxPath(at)): // which is this node's, whoever owns the hub of its path
	case v.Claim:
		err = m.ClaimHere(r.Context(), v.Hub)
	default:
		err = m.CheckOwned(r.Context(), v.Hub, v.Epoch)
	}
	if errors.Is(err, membership.ErrElsewhere) {
		w.Header().Set(membership.StaleHeader, "1")
		http.Error(w, err.Error(), http.StatusConflict)
		return
	} else if err != nil {
		refuseCluster(w, err)
		return
	}
	// A shared listener serves both, and so is neither "hosts" nor "clients".
	at.On, at.Forwarded = front.Audience{Clients: v.Listener != "hosts", Hosts: v.Listener != "clients", Exposed: v.Exposed}, true
	r = at.With(r)
	// From here on the request looks as if it had come to this node: with the address
	// of its Client, and with TLS or without.
	r.RemoteAddr, r.TLS = v.From.String(), nil
	if v.TLS {
		r.TLS = new(tls.ConnectionState)
	}
	e := front.Entry{Serve: front.NotFound}
	if known {
		e = s.find(e, r)
	}
	s.enterFromPeer(w, r, e, v)
}

// enterFromPeer is enter for a request that another node has let in. It checks no
// page and no token again, except the token of a sandbox, which is known here alone.
func (s *Server) enterFromPeer(w http.ResponseWriter, r *http.Request, e front.Entry, v *membership.Assertion) {
	if e.WS {
		e.Serve = front.OnlyHandshakes(e.Serve)
	}
	switch {
	case v.Pass != nil && e.Role != "":
		pass := s.gate.PassFrom(*v.Pass, v.From.Addr(), e.Ask(r))
		// This node has the browser, and so the last word on who shares it.
		if asked, _ := s.route(r); !e.Undivided() && pass.Login == nil && s.hubFor(asked.Hub, pass) != v.Hub {
			refuseCluster(w, errSharesDiffer)
			return
		}
		e.Serve(w, auth.WithPass(r, pass))
	case e.Role == "":
		e.Serve(w, r)
	case front.IsSandbox(v.Hub): // its token is known here alone
		s.gate.Require(e.Ask, e.Serve).ServeHTTP(w, r)
	default:
		http.Error(w, membership.ErrOtherRequest.Error(), http.StatusForbidden)
	}
}

// watchCluster looks after the hubs of this node until stop is called, which waits.
func (s *Server) watchCluster() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.cluster.Sweep(ctx) })
	done.Go(func() { s.keepNotes(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}

// findPeerRequest finds what serves a peer request; nil for a request that is none.
func (s *Server) findPeerRequest(r *http.Request, v *membership.Assertion) http.HandlerFunc {
	if r.Method != http.MethodPost {
		return nil
	}
	return map[string]http.HandlerFunc{
		membership.EvictPath: s.serveEvict,
		drainPath:            s.servePeerDrain,
		handoverPath:         func(w http.ResponseWriter, r *http.Request) { s.takeHandover(w, r, v) },
	}[r.URL.Path]
}

// serveEvict ends one idle browser of this node.
func (s *Server) serveEvict(w http.ResponseWriter, _ *http.Request) {
	if !s.browsers.Evict() {
		http.Error(w, "No browser of this node is idle.", http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
