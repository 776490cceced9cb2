package front

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// PolicyOf is what a Client may do and see, by its token and its URL; nil allows
// everything. The result is a nil interface then, and not an interface with a nil in
// it.
func PolicyOf(p auth.Pass) relay.Policy {
	switch {
	case p.Owner != "":
		return InTabs(p, cmp.Or(p.Grant.Scope, auth.ScopePrivileged))
	case p.Grant.Scope == 0:
		return nil
	}
	return p.Grant.Scope
}

// InTabs limits a policy to the tabs that a Client has of its own, if its token or
// its URL says so.
func InTabs(pass auth.Pass, p relay.Policy) relay.Policy {
	if pass.Owner == "" {
		return p
	}
	return relay.OwnTabs{Policy: p, Owner: pass.Owner}
}

// WatcherOf is the one who looks at targets through the API of the dashboard. A guest
// sees one target.
func WatcherOf(r *http.Request) relay.Watcher {
	pass := auth.PassOf(r)
	w := relay.Watcher{Policy: PolicyOf(pass), Account: pass.Account()}
	// A guest is another person than the Client that has asked, which pays for both.
	if g := GuestOf(r); g.Key != "" {
		w.Account, w.Only, w.Handoff = "", g.TargetID, g.ID
	}
	return w
}

// Guest is a person who came by the link of a handoff. A guest has no token, sees one
// target, and stays until the handoff ends. The zero value is no guest.
type Guest struct {
	Key string
	relay.Handoff
}

type guestKey struct{}

// With is a request of the guest.
func (g Guest) With(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), guestKey{}, g))
}

// GuestOf is the guest who has sent a request.
func GuestOf(r *http.Request) Guest {
	g, _ := r.Context().Value(guestKey{}).(Guest)
	return g
}

// Stays reports whether the handoff of a guest is still open; without a guest it is true.
func (g Guest) Stays(hub *relay.Hub) bool {
	if g.Key == "" {
		return true
	}
	_, open := hub.Control().HandoffByKey(g.Key)
	return open
}

// ViewerName is what others call the person in front of the dashboard: the name of
// the token, or the address of the person.
func ViewerName(r *http.Request, pass auth.Pass) string {
	if name := TokenName(pass); name != "" {
		return name
	}
	return "somebody at " + HostOf(r.RemoteAddr)
}

// TokenName is the name of a token; "" for one of an option, which names nobody.
func TokenName(pass auth.Pass) string {
	if strings.HasPrefix(pass.Grant.Name, "--") {
		return ""
	}
	return pass.Grant.Name
}

// HostOf is the host of an address without its port; an address without a port stays.
func HostOf(addr string) string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	return host
}

// PayerOf is for whom what a request does counts.
func PayerOf(r *http.Request) quota.Payer { return quota.FromContext(r.Context()) }
