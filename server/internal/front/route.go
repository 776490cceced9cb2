package front

import (
	"context"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
)

// Route is which hub a request is for, and the path below it.
type Route struct {
	Hub       string
	Prefix    string // of the hub's paths: "" or "/hub/NAME"
	Path      string
	Forwarded bool // on, by another node
	Live      bool // only a hub that there is, or that the options name, is meant: a session's

	On Audience // of the listener that the request came to
}

type routeKey struct{}

// With is a request that has the route.
func (at Route) With(r *http.Request) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), routeKey{}, at))
}

// RouteOf is the route of a request.
func RouteOf(r *http.Request) Route { return r.Context().Value(routeKey{}).(Route) }

// Audience is whom a listener serves.
type Audience struct {
	Clients, Hosts bool
	Exposed        bool // other machines can reach it
}

// Name is what the log and the metrics call a listener.
func (a Audience) Name() string {
	switch {
	case !a.Hosts:
		return "clients"
	case !a.Clients:
		return "hosts"
	}
	return "shared"
}

// PathFor is a path of this server as the asker names it, with the prefix of its own address.
// Pages and redirects must have it.
func PathFor(r *http.Request, path string) string { return auth.OwnAddressOf(r).Prefix + path }

// KeyPrefix is the prefix of addresses that carry a key in place of a token: nothing but
// the address then says which hub is meant.
func (at Route) KeyPrefix() string {
	if _, share := relay.CutShare(at.Hub); share != "" {
		return HubPrefix(at.Hub)
	}
	return at.Prefix
}

// HubPrefix is the path under which a listener serves a hub.
func HubPrefix(name string) string {
	if name == relay.DefaultHub {
		return ""
	}
	return "/hub/" + name
}

// NamesNoHub reports whether a request is for the hub at the root.
func NamesNoHub(r *http.Request) bool { return RouteOf(r).Hub == relay.DefaultHub }

// NamedHub is a hub and the path before its paths, as PathFor has it.
type NamedHub struct{ Name, Path string }

// SandboxPrefix and sandboxRandom are what the name of a sandbox consists of: the
// prefix, and 26 random characters of base32 in lower case (RFC 4648, section 6), 130
// bits, so that nobody can guess one. No other hub may have such a name: a Client
// that comes back to a sandbox that has ended makes no new hub.
const (
	SandboxPrefix = "sandbox-"
	SandboxRandom = 26
)

// IsSandbox reports whether a hub's name is that of a sandbox, which there may
// be or not.
func IsSandbox(name string) bool {
	random, ok := strings.CutPrefix(name, SandboxPrefix)
	return ok && len(random) == SandboxRandom && strings.Trim(random, "abcdefghijklmnopqrstuvwxyz234567") == ""
}

// GuestPrefix begins the keys of guests, which take the place of a token.
const GuestPrefix = "handoff."
