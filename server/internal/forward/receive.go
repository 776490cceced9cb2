package forward

import (
	"crypto/tls"
	"errors"
	"net/http"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// Front is what the front of a server does for a request of another node.
type Front struct {
	Ends   func() bool // the server takes no more requests
	Route  func(*http.Request) (at front.Route, known bool)
	Find   func(nowhere front.Entry, r *http.Request) front.Entry
	HubFor func(name string, pass auth.Pass) (hub string) // that serves a pass at a hub of this name
}

// PeerRequest serves a request that a node sends in its own name.
type PeerRequest func(w http.ResponseWriter, r *http.Request, a *membership.Assertion)

// errSharesDiffer is answered by a node that would serve a request in another hub
// than the node that has forwarded it.
var errSharesDiffer = errors.New("the nodes of the cluster do not agree on whose hub this is: start all of them with the same --browser-share and --browser-hub, and try again")

// ServeHTTP serves a request of another node. That node has checked the Host header, the Origin
// and the token, and says so in the assertion. This one verifies the assertion, and that it owns
// the hub with the epoch that the other node knows.
func (f *Forwarder) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a, err := f.Member.Signer.Verify(r)
	switch {
	case err != nil:
		f.refused.Inc()
		f.Member.Log.Warn("a request of another node is refused", zap.String("peer", r.RemoteAddr), zap.Error(err))
		if errors.Is(err, membership.ErrOtherProcess) {
			w.Header().Set(membership.StaleHeader, membership.NodeEnded)
		}
		http.Error(w, err.Error(), http.StatusForbidden)
	// The other node tries again, and finds the next owner.
	case f.Front.Ends():
		front.RefuseForNow(w, front.ErrEnds)
	case !a.Node:
		f.serveClient(w, r, a)
	default:
		serve := f.PeerRequests[r.URL.Path]
		if serve == nil || r.Method != http.MethodPost {
			front.NotFound(w, r)
			return
		}
		serve(w, r, a)
	}
}

// serveClient serves a request of a Client, a Host or a person that another node has forwarded.
func (f *Forwarder) serveClient(w http.ResponseWriter, r *http.Request, a *membership.Assertion) {
	if a.Own != nil {
		r = auth.WithOwnAddress(r, *a.Own)
	}
	// The path says which hub is meant; an assertion for one hub must not open another.
	at, known := f.Front.Route(r)
	asked := at.Hub
	if hub, _ := relay.CutShare(a.Hub); known && asked != a.Hub && asked != hub {
		http.Error(w, membership.ErrOtherRequest.Error(), http.StatusForbidden)
		return
	}
	// A shared listener serves both, and so is neither "hosts" nor "clients".
	at.On, at.Forwarded = front.Audience{Clients: a.Listener != "hosts", Hosts: a.Listener != "clients", Exposed: a.Exposed}, true
	if known {
		at.Hub = a.Hub // or the hub of a share behind the address
	}
	r = at.With(r)
	e := front.Entry{Hub: true, Serve: front.NotFound}
	if known {
		e = f.Front.Find(e, r)
	}
	if err := f.checkHub(r, e, a); errors.Is(err, membership.ErrElsewhere) {
		w.Header().Set(membership.StaleHeader, "1")
		http.Error(w, err.Error(), http.StatusConflict)
		return
	} else if err != nil {
		front.RefuseForNow(w, err)
		return
	}
	// From here on the request looks as if it had come to this node: with the address
	// of its Client, and with TLS or without.
	r.RemoteAddr, r.TLS = a.From.String(), nil
	if a.TLS {
		r.TLS = new(tls.ConnectionState)
	}
	f.enter(w, r, e, a, asked)
}

// checkHub fails unless this node owns the hub of a request, or may claim it. What is not about a
// hub, such as a link, is at this node whoever owns the hub of its path.
func (f *Forwarder) checkHub(r *http.Request, e front.Entry, a *membership.Assertion) error {
	switch {
	case !e.Hub:
		return nil
	case a.Claim:
		return f.Member.ClaimHere(r.Context(), a.Hub)
	}
	return f.Member.CheckOwned(r.Context(), a.Hub, a.Epoch)
}

// enter serves a request that another node has let in. It checks no page and no token again,
// except the token of a sandbox, which is known here alone. asked is the hub that the path names.
func (f *Forwarder) enter(w http.ResponseWriter, r *http.Request, e front.Entry, a *membership.Assertion, asked string) {
	if e.WS {
		e.Serve = front.OnlyHandshakes(e.Serve)
	}
	switch {
	case a.Pass != nil && e.Role != "":
		pass := f.Gate.PassFrom(*a.Pass, a.From.Addr(), e.Ask(r))
		// This node has the browser, and so the last word on who shares it.
		if !e.Undivided() && pass.Login == nil && f.Front.HubFor(asked, pass) != a.Hub {
			front.RefuseForNow(w, errSharesDiffer)
			return
		}
		e.Serve(w, auth.WithPass(r, pass))
	case e.Role == "":
		e.Serve(w, r)
	case front.IsSandbox(a.Hub): // its token is known here alone
		f.Gate.Require(e.Ask, e.Serve).ServeHTTP(w, r)
	default:
		http.Error(w, membership.ErrOtherRequest.Error(), http.StatusForbidden)
	}
}
