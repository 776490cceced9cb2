// Package forward has the node that owns a hub answer the requests for it: it sends them there,
// and serves those that other nodes have sent here.
package forward

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

const (
	maxRewrites = 64 << 20 // bytes of an answer that is rewritten

	// ownerEnds is how long the owner has to end a connection whose token is no longer
	// good, with a close code. If it does not know of that yet, the connection is cut.
	ownerEnds = 2 * time.Second
)

// Options are of New. All fields are needed.
type Options struct {
	Member *membership.Member
	Gate   *auth.Gate
	Log    *zap.Logger

	Front        Front
	PeerRequests map[string]PeerRequest // by path
}

// Forwarder sends requests to other nodes, and serves theirs. A nil Forwarder is that of a server
// without a cluster, which serves every hub itself.
type Forwarder struct {
	Options   `stays:"configuration"`
	Requests  *front.ConnGroup   // that other nodes serve now
	forwarded prometheus.Counter // requests
	refused   prometheus.Counter // requests of other nodes
	clients   atomic.Int64       `held:"forwarded clients"` // whose WebSockets other nodes serve now
}

// Clients is how many Clients are connected to this node that other nodes serve.
func (f *Forwarder) Clients() int { return int(f.clients.Load()) }

// New makes a Forwarder.
func New(o Options) *Forwarder {
	return &Forwarder{
		Options: o, Requests: front.NewConnGroup(),
		forwarded: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cdphub_cluster_passed_on_total",
			Help: "Requests that this node has passed on to the node that owns their hub.",
		}),
		refused: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cdphub_cluster_verdicts_refused_total",
			Help: "Requests at the listener for other nodes that were refused: they had no verdict, or one that was not good.",
		}),
	}
}

// Collectors are the metrics of forwarded requests.
func (f *Forwarder) Collectors() []prometheus.Collector {
	return []prometheus.Collector{f.forwarded, f.refused}
}

// AtOwner is what serves a request for a hub: this node, or the one that owns the
// hub. A request without a role has not been checked here, so it claims no hub: a
// stranger could bring hubs to any node.
func (f *Forwarder) AtOwner(e front.Entry) http.HandlerFunc {
	if f == nil || !e.Hub {
		return e.Serve
	}
	return func(w http.ResponseWriter, r *http.Request) {
		hub := front.RouteOf(r).Hub
		if e.Role == "" {
			if o, elsewhere := f.Member.OwnerElsewhere(r.Context(), hub); elsewhere {
				f.Forward(w, r, e, o)
				return
			}
			e.Serve(w, r)
			return
		}
		if err := f.Member.Refuses(hub); e.WS && err != nil {
			front.RefuseForNow(w, err)
			return
		}
		if node, elsewhere := f.Member.PlaceUnowned(r.Context(), hub); elsewhere {
			e.Claim = true
			f.Forward(w, r, e, node)
			return
		}
		owner, here, err := f.Member.Locate(r.Context(), hub)
		switch {
		case err != nil:
			front.RefuseForNow(w, err)
		case here:
			e.Serve(w, r)
		default:
			f.Forward(w, r, e, owner)
		}
	}
}

// Forward has the owner of a hub answer a request. For a WebSocket it then copies
// between both connections until one of them ends. When the owner cannot be reached,
// handleFailure decides whether this node takes the hub over.
func (f *Forwarder) Forward(w http.ResponseWriter, r *http.Request, e front.Entry, owner cluster.Owner) {
	// cut ends the request at the owner and here. The sweep, the gate and drain call
	// it.
	m, pass := f.Member, auth.PassOf(r)
	ctx, cut := context.WithCancel(r.Context())
	defer cut()
	defer m.Forwards.Add(owner.Node.ID, cut)()
	// The owner ends the connection first, with a close code that says why.
	defer f.Gate.Hold(pass, func(error) { time.AfterFunc(ownerEnds, cut) })()
	defer context.AfterFunc(f.Requests.Context, cut)()
	defer f.Requests.Enter()()
	if e.WS && e.Role == auth.RoleClient && e.On != front.ForPeople {
		f.clients.Add(1)
		defer f.clients.Add(-1)
	}
	f.forwarded.Inc()
	var failed error
	trip := &membership.Forward{Member: m, Assertion: f.assertionFor(r, e, owner.Epoch), Owner: owner, Hub: front.RouteOf(r).Hub}
	mark := trip.SetPass(pass)
	proxy := httputil.ReverseProxy{
		Transport: trip,
		// Each write is forwarded at once: an event of a stream must not wait for the
		// next (httputil.ReverseProxy).
		FlushInterval: -1, // server-sent events
		ErrorLog:      zap.NewStdLog(f.Log.Named("cluster")),
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
			if mark != "" && strings.HasPrefix(front.RouteOf(r).Path, "/json") {
				return restoreToken(answer, mark, strings.TrimPrefix(pass.Query, "?token="))
			}
			return nil
		},
		// It only notes the error: the answer depends on whether the connection was
		// taken over.
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
	}
	answer := &hijackedAnswer{ResponseWriter: w, cut: ctx.Done(), done: make(chan struct{})}
	defer close(answer.done)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { answer.owner = i.Conn }})
	proxy.ServeHTTP(answer, r.WithContext(ctx))
	if failed != nil && !answer.taken {
		f.handleFailure(w, r, e, trip.Owner, failed)
	}
}

// handleFailure decides what happens when the owner of a hub cannot be reached. For a
// Host, this node takes the hub over: the Host is new, and the one that may be left
// at the owner is worth less. For all others it does so only if the owner is known to
// have ended: its port refuses connections, or another node has its address.
// Otherwise they are asked to try again.
func (f *Forwarder) handleFailure(w http.ResponseWriter, r *http.Request, e front.Entry, owner cluster.Owner, failed error) {
	if r.Context().Err() != nil {
		return
	}
	ended := errors.Is(failed, syscall.ECONNREFUSED) || errors.Is(failed, membership.ErrEnded)
	if e.Claim && !errors.Is(failed, membership.ErrStale) { // the next try goes to another
		f.Member.Placements.Avoid(owner.Node.ID)
	}
	// The body of a request was sent to the owner already, and cannot be read again.
	bodyless := r.Body == nil || r.Body == http.NoBody
	if e.Hub && !e.Claim && (e.Role == auth.RoleHost && !errors.Is(failed, membership.ErrStale) || ended) && bodyless {
		err := f.Member.TakeOver(r.Context(), front.RouteOf(r).Hub, owner)
		if err == nil {
			e.Serve(w, r)
			return
		}
		failed = err
	}
	f.Log.Info("a request could not be passed on", zap.String("hub", front.RouteOf(r).Hub), zap.String("node", owner.Node.Name), zap.Error(failed))
	front.RefuseForNow(w, errors.New("the node that has this hub cannot be reached: try again"))
}

// assertionFor says how a request was let in. Its Pass is filled in by membership.Forward.SetPass.
func (f *Forwarder) assertionFor(r *http.Request, e front.Entry, epoch cluster.Epoch) *membership.Assertion {
	at, own := front.RouteOf(r), auth.OwnAddressOf(r)
	v := &membership.Assertion{
		Method: r.Method, Host: r.Host, Hub: at.Hub, Epoch: epoch, Listener: at.On.Name(), Exposed: at.On.Exposed,
		From: netip.AddrPortFrom(f.Gate.Address(r), portOf(r.RemoteAddr)), TLS: own.Secure, Own: &own, Claim: e.Claim,
	}
	if e.Role != "" {
		v.Pass = new(auth.Verdict)
	}
	return v
}

func portOf(addr string) uint16 {
	_, text, _ := net.SplitHostPort(addr)
	port, _ := strconv.ParseUint(text, 10, 16) // 0 is good enough for the log
	return uint16(port)
}

// removeTokens leaves tokens out of what is forwarded: the assertion takes their place, and
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
	return strings.HasPrefix(token, front.GuestPrefix) || front.IsSandbox(front.RouteOf(r).Hub) && auth.PassOf(r).Grant.Role == ""
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

// Ask asks another node with GET, in the name of the bearer that has sent r, and decodes the answer.
// It makes a request of its own, since r may have a body and other headers.
func (f *Forwarder) Ask(r *http.Request, n cluster.Node, path string, answer any) error {
	ctx, cancel := context.WithTimeout(r.Context(), membership.PeerTimeout)
	defer cancel()
	out, err := http.NewRequestWithContext(ctx, http.MethodGet, path, http.NoBody)
	if err != nil {
		return err
	}
	out.Host, out.URL = r.Host, &url.URL{Path: path}
	trip := &membership.Forward{Member: f.Member, Assertion: f.assertionFor(r, front.Entry{Role: auth.RoleClient}, 0), Owner: cluster.Owner{Node: n}}
	trip.SetPass(auth.PassOf(r))
	got, err := trip.Send(out)
	if err != nil {
		return err
	}
	defer got.Body.Close()
	if got.StatusCode != http.StatusOK {
		return fmt.Errorf("it answered %d", got.StatusCode)
	}
	return json.NewDecoder(io.LimitReader(got.Body, maxRewrites)).Decode(answer)
}
