package auth

import (
	"fmt"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/scope"
)

// Role is what the bearer of a token may be. The roles do not include one
// another.
type Role string

// The roles.
const (
	RoleClient Role = "client" // drives Targets
	RoleHost   Role = "host"   // offers Targets
	RoleAdmin  Role = "admin"  // looks after the process
)

// Scope is how much a Client may do.
type Scope = scope.Scope

// The scopes.
const (
	ScopeReadonly   = scope.Readonly
	ScopeStandard   = scope.Standard
	ScopeFull       = scope.Full
	ScopePrivileged = scope.Privileged
)

// In place of a hub's name stands EveryHub for all of them, and NoHub for one
// that cannot be.
const (
	EveryHub = "*"
	NoHub    = "?"
)

// Grant is what a token allows.
type Grant struct {
	Role    Role
	Hub     string // its name; "" is the default hub, EveryHub all of them
	Scope   Scope  // of a Client
	Name    string // of the bearer, for people
	ID      string // by which a signed token is revoked
	Expires time.Time
}

// spec is a Grant as files and claims spell it.
type spec struct {
	name, id, role, hub, scope string
	expires                    time.Time
}

// grant reads a spec. Without a scope it is "standard". Without a hub it is the
// default one, and every hub for the role admin, which is never for less: the
// listener for operators shows all hubs. The role must be named.
func (s spec) grant() (Grant, error) {
	g := Grant{Role: Role(s.role), Hub: s.hub, Scope: ScopeStandard, Name: s.name, ID: s.id, Expires: s.expires}
	if g.Role != RoleClient && g.Role != RoleHost && g.Role != RoleAdmin {
		return Grant{}, fmt.Errorf("role is %q: say client, host or admin", s.role)
	}
	if g.Role == RoleAdmin && g.Hub == "" {
		g.Hub = EveryHub
	}
	if g.Role == RoleAdmin && g.Hub != EveryHub {
		return Grant{}, fmt.Errorf("hub is %q: a token of role admin is for every hub: leave the hub out, or say \"*\"", s.hub)
	}
	if g.Hub != "" && g.Hub != EveryHub && !validHub(g.Hub) {
		return Grant{}, fmt.Errorf("hub is %q: say a name of [a-z0-9-]{1,63}, nothing for the default hub, or \"*\" for every one", s.hub)
	}
	if s.scope != "" {
		known := false
		if g.Scope, known = scope.Parse(s.scope); !known {
			return Grant{}, fmt.Errorf("scope is %q: say %s", s.scope, strings.Join(scope.Names, ", "))
		}
	}
	return g, nil
}

func validHub(name string) bool {
	return len(name) <= 63 && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// Refuses returns why the grant is not for that role on that hub, or nil.
func (g Grant) Refuses(r Role, hub string) error {
	switch {
	case g.Role != r:
		return errOtherRole
	case g.Hub != EveryHub && g.Hub != hub:
		return errOtherHub
	}
	return nil
}

// covers reports whether the grant allows all that an older one did, so that
// a connection may stay.
func (g Grant) covers(old Grant) bool {
	return g.Role == old.Role && g.Scope >= old.Scope && (g.Hub == old.Hub || g.Hub == EveryHub)
}

// expired reports whether the grant is over at that time.
func (g Grant) expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }
