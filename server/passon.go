package server

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"strconv"
	"strings"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
)

// staleHeader is in the answer of a node that does not own the hub with the epoch
// that the entry node knows.
const staleHeader = "Cdphub-Stale"

// nodeEnded is its value where the node that was asked is another one: the process that
// had its address has ended.
const nodeEnded = "ended"

const (
	maxRewrites = 64 << 20 // bytes of an answer that is rewritten

	// ownerEnds is how long the owner has to end a connection whose token is no longer
	// good, with a close code. If it does not know of that yet, the connection is cut.
	ownerEnds = 2 * time.Second
	// writePatience is Limits.WriteTimeout where it is not given.
	writePatience = 10 * time.Second
)

var (
	errStale = errors.New("the other node no longer owns the hub")
	errEnded = errors.New("another node has the address of the owner, which has ended")
)

// clustered is what serves a request for a hub: this node, or the one that owns the
// hub. A request without a role has not been checked here, so it claims no hub: a
// stranger could bring hubs to any node.
func (s *Server) clustered(e entry) http.HandlerFunc {
	if s.cluster == nil || !e.hub {
		return e.serve
	}
	return func(w http.ResponseWriter, r *http.Request) {
		hub := routeOf(r).hub
		if e.role == "" {
			if o, elsewhere := s.cluster.elsewhere(r.Context(), hub); elsewhere {
				s.passOn(w, r, e, o)
				return
			}
			e.serve(w, r)
			return
		}
		if node, elsewhere := s.cluster.placed(r.Context(), hub); elsewhere {
			e.claim = true
			s.passOn(w, r, e, node)
			return
		}
		owner, here, err := s.cluster.own(r.Context(), hub)
		switch {
		case err != nil:
			refuseCluster(w, err)
		case here:
			e.serve(w, r)
		default:
			s.passOn(w, r, e, owner)
		}
	}
}

// refuseCluster answers 503: no node can serve the request now. A client may try
// again after a second.
func refuseCluster(w http.ResponseWriter, why error) {
	w.Header().Set("Retry-After", "1")
	http.Error(w, why.Error(), http.StatusServiceUnavailable)
}

// passOn has the owner of a hub answer a request. For a WebSocket it then copies
// between both connections until one of them ends. When the owner cannot be reached,
// notPassedOn decides whether this node takes the hub over.
func (s *Server) passOn(w http.ResponseWriter, r *http.Request, e entry, owner cluster.Owner) {
	// cut ends the request at the owner and here. The sweep, the gate and drain call
	// it.
	m, pass := s.cluster, auth.PassOf(r)
	ctx, cut := context.WithCancel(r.Context())
	defer cut()
	defer m.forwards.add(owner.Node.ID, cut)()
	// The owner ends the connection first, with a close code that says why.
	defer s.gate.Hold(pass, func(error) { time.AfterFunc(ownerEnds, cut) })()
	defer context.AfterFunc(s.forwarded.ctx, cut)()
	defer s.forwarded.enter()()
	s.metrics.passedOn.Inc()
	var failed error
	trip := &peerTrip{server: s, v: s.verdictFor(r, e, owner.Epoch), owner: owner, hub: routeOf(r).hub}
	mark := trip.mark(pass)
	proxy := httputil.ReverseProxy{
		Transport: trip,
		// Each write is passed on at once: an event of a stream must not wait for the
		// next (httputil.ReverseProxy).
		FlushInterval: -1, // server-sent events
		ErrorLog:      zap.NewStdLog(s.log.Named("cluster")),
		Rewrite:       removeTokens,
		ModifyResponse: func(answer *http.Response) error {
			for name := range answer.Header { // httputil adds, where the owner has overwritten
				w.Header().Del(name)
			}
			// The owner has not seen the token that came as a subprotocol, and cannot
			// answer with it (RFC 6455, section 4.2.2).
			if answer.StatusCode == http.StatusSwitchingProtocols && pass.Protocol != "" {
				answer.Header.Set("Sec-WebSocket-Protocol", pass.Protocol)
			}
			if mark != "" && strings.HasPrefix(routeOf(r).path, "/json") {
				return restoreToken(answer, mark, strings.TrimPrefix(pass.Query, "?token="))
			}
			return nil
		},
		// It only notes the error: the answer depends on whether the connection was
		// taken over.
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
	}
	answer := &joined{ResponseWriter: w, patience: cmp.Or(s.o.Limits.WriteTimeout, writePatience)}
	proxy.ServeHTTP(answer, r.WithContext(ctx))
	if failed != nil && !answer.taken {
		s.notPassedOn(w, r, e, trip.owner, failed)
	}
}

// notPassedOn decides what happens when the owner of a hub cannot be reached. For a
// Host, this node takes the hub over: the Host is new, and the one that may be left
// at the owner is worth less. For all others it does so only if the owner is known to
// have ended: its port refuses connections, or another node has its address.
// Otherwise they are asked to try again.
func (s *Server) notPassedOn(w http.ResponseWriter, r *http.Request, e entry, owner cluster.Owner, failed error) {
	if r.Context().Err() != nil {
		return
	}
	ended := errors.Is(failed, syscall.ECONNREFUSED) || errors.Is(failed, errEnded)
	if e.claim && !errors.Is(failed, errStale) { // the next try goes to another
		s.cluster.placements.avoid(owner.Node.ID)
	}
	// The body of a request was sent to the owner already, and cannot be read again.
	bodyless := r.Body == nil || r.Body == http.NoBody
	if e.hub && !e.claim && (e.role == auth.RoleHost && !errors.Is(failed, errStale) || ended) && bodyless {
		err := s.cluster.takeOver(r.Context(), routeOf(r).hub, owner)
		if err == nil {
			e.serve(w, r)
			return
		}
		failed = err
	}
	s.log.Info("a request could not be passed on", zap.String("hub", routeOf(r).hub), zap.String("node", owner.Node.Name), zap.Error(failed))
	refuseCluster(w, errors.New("the node that has this hub cannot be reached: try again"))
}

// verdictFor says how a request was let in. Its Pass is filled in by peerTrip.mark.
func (s *Server) verdictFor(r *http.Request, e entry, epoch cluster.Epoch) *verdict {
	at := routeOf(r)
	v := &verdict{
		Method: r.Method, Host: r.Host, Hub: at.hub, Epoch: epoch, Listener: at.on.name(), Exposed: at.on.exposed,
		From: netip.AddrPortFrom(s.gate.Address(r), portOf(r.RemoteAddr)), TLS: r.TLS != nil, Claim: e.claim,
	}
	if e.role != "" {
		v.Pass = new(auth.Verdict)
	}
	return v
}

func portOf(addr string) uint16 {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.ParseUint(text, 10, 16) // 0 is good enough for the log
	return uint16(port)
}

// removeTokens leaves tokens out of what is passed on: the verdict takes their place, and
// the other node need not know the token.
func removeTokens(p *httputil.ProxyRequest) {
	p.Out.Host = p.In.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery // as it is: of /json/new it is an address
	// A guest's key and a sandbox's token are known to the owner alone, which checks
	// them itself.
	if !ownersKey(p.In) {
		auth.Strip(p.Out.Header)
	}
}

// ownersKey reports whether a request may bring a key that the owner of its hub has made,
// and no other node knows: that of a guest, or the token of a sandbox.
func ownersKey(r *http.Request) bool {
	token, _, _ := auth.Bearer(r)
	return strings.HasPrefix(token, guestPrefix) || isSandbox(routeOf(r).hub) && auth.PassOf(r).Grant.Role == ""
}

// restoreToken puts the token of the asker into the URLs of an answer, in the place of the
// mark that the owner has put there. It reads maxRewrites bytes at most.
func restoreToken(answer *http.Response, mark, token string) error {
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxRewrites))
	answer.Body.Close()
	if err != nil {
		return err
	}
	body = bytes.ReplaceAll(body, []byte(mark), []byte(token))
	answer.Body, answer.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	answer.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}

// peerTrip sends one request to the owner of its hub, and once more to the new owner
// when the first says that it is not the owner any more. It is for one request and
// one goroutine.
type peerTrip struct {
	server *Server
	v      *verdict
	hub    string
	owner  cluster.Owner
}

// mark fills in the Pass of the verdict. It returns the random word that stands for
// the token in URLs of the answer, so that the owner never sees the token; "" when
// URLs need none.
func (t *peerTrip) mark(pass auth.Pass) (mark string) {
	if t.v.Pass == nil {
		return ""
	}
	mark = rand.Text()
	*t.v.Pass = pass.Verdict(mark)
	if pass.Query == "" {
		return ""
	}
	return mark
}

// RoundTrip implements http.RoundTripper. It returns errStale when the hub is this
// node's by now, or when the body was sent and cannot be sent again.
func (t *peerTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := t.send(r)
	if !errors.Is(err, errStale) {
		return answer, err
	}
	m := t.server.cluster
	m.dir.Forget(t.hub)
	owner, here, err := m.own(r.Context(), t.hub)
	switch {
	case err != nil:
		return nil, err
	case here, r.Body != nil && r.Body != http.NoBody: // the body has been sent
		return nil, errStale
	}
	t.owner, t.v.Epoch, t.v.Claim = owner, owner.Epoch, false
	return t.send(r)
}

// send makes a new verdict each time: one is good for one node and one request.
func (t *peerTrip) send(r *http.Request) (*http.Response, error) {
	m := t.server.cluster
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host = "https", t.owner.Node.Peer
	t.v.URI = out.URL.RequestURI()
	text, err := m.signer.sign(t.v, t.owner.Node.ID)
	if err != nil {
		return nil, err
	}
	out.Header.Set(verdictHeader, text)
	begun := time.Now()
	answer, err := m.forwards.transport.RoundTrip(out)
	// The owner sets staleHeader only in answers of its own, before it serves
	// anything.
	if err != nil || answer.Header.Get(staleHeader) == "" {
		if r.Context().Err() == nil { // else whoever asked has left
			m.links.add(t.owner.Node.Name, time.Since(begun), err)
		}
		return answer, err
	}
	m.links.add(t.owner.Node.Name, 0, errStale)
	answer.Body.Close()
	if answer.Header.Get(staleHeader) == nodeEnded {
		return nil, errEnded
	}
	return nil, errStale
}
