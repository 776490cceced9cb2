package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/relay/quota"
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
	// Hooks are what a Client may do by browser hooks, of HookScopes. Nil leaves
	// it to the hub; empty is nothing.
	Hooks []string
	// OwnTabs says that a Client sees only the tabs that Clients with this token
	// have opened, that were given to them, and that those have opened.
	OwnTabs bool
	// Session is the named session of a Client that names none in its URL; "" for
	// none. Grace is the longest grace time of its named sessions; 0 for that of the
	// hub.
	Session string
	Grace   time.Duration
	// Payer is whose part of the limits the bearer uses; the zero value is the bearer's
	// own. It is set for tokens that the process makes on behalf of another.
	Payer quota.Payer
	// Share names the tokens that use one browser together, see Pass.Share; "" for
	// none. Own says that the token is the operator's own: that of an option, or one
	// that the process has made.
	Share string
	Own   bool
	// Limits are what the bearer may have at most; "" for no limits of its own.
	Limits quota.Limits
}

// HookScopes are all scopes of browser hooks. None includes another.
var HookScopes = []string{"browser:read", "browser:write", "browser:eval"}

// hookRead is the only scope of browser hooks that changes nothing.
const hookRead = "browser:read"

// ownTabs is what files, claims and URLs say for Grant.OwnTabs.
const ownTabs = "own"

// Grant is what the entry allows a bearer of its token. Without a scope it is "standard".
// Without a hub it is the default one, and every hub for the role admin, which is never for
// less: the listener for operators shows all hubs. The role must be named.
func (e FileEntry) Grant() (Grant, error) {
	g := Grant{Role: Role(e.Role), Hub: e.Hub, Scope: ScopeStandard, Name: e.Name, Hooks: e.Hooks}
	if e.Expires != nil {
		g.Expires = *e.Expires
	}
	if g.Role != RoleClient && g.Role != RoleHost && g.Role != RoleAdmin {
		return Grant{}, fmt.Errorf("role is %q: set client, host or admin", e.Role)
	}
	if g.Role == RoleAdmin && g.Hub == "" {
		g.Hub = EveryHub
	}
	if g.Role == RoleAdmin && g.Hub != EveryHub {
		return Grant{}, fmt.Errorf("hub is %q, but a token of role admin is for every hub: leave the hub out, or set \"*\"", e.Hub)
	}
	if g.Hub != "" && g.Hub != EveryHub && !validHub(g.Hub) {
		return Grant{}, fmt.Errorf("hub is %q: set a name of [a-z0-9-]{1,63}, leave it empty for the default hub, or set \"*\" for every hub", e.Hub)
	}
	if e.Scope != "" {
		known := false
		if g.Scope, known = scope.Parse(e.Scope); !known {
			return Grant{}, fmt.Errorf("scope is %q: set %s", e.Scope, strings.Join(scope.Names, ", "))
		}
	}
	if e.Tabs != "" && e.Tabs != ownTabs {
		return Grant{}, fmt.Errorf("tabs is %q: set %s, or leave it out for all tabs", e.Tabs, ownTabs)
	}
	if g.OwnTabs = e.Tabs == ownTabs; g.OwnTabs && g.Role != RoleClient {
		return Grant{}, fmt.Errorf("tabs are for a token of role client, and its role is %s: leave tabs out", g.Role)
	}
	if err := errors.Join(g.checkHooks(), g.readSession(e), g.readShare(e.Share), g.readLimits(e.Limits)); err != nil {
		return Grant{}, err
	}
	return g, nil
}

// readSession reads what an entry says of named sessions.
func (g *Grant) readSession(e FileEntry) (err error) {
	switch {
	case e.Session == "" && e.Grace == "":
		return nil
	case g.Role != RoleClient:
		return fmt.Errorf("session and grace are for a token of role client, and its role is %s: leave them out", g.Role)
	case e.Session != "" && (len(e.Session) > maxSession || strings.Trim(e.Session, sessionLetters) != ""):
		return fmt.Errorf("session is %q: set a name of [A-Za-z0-9._-]{1,64}", e.Session)
	}
	g.Session = e.Session
	if e.Grace == "" {
		return nil
	}
	if g.Grace, err = time.ParseDuration(e.Grace); err != nil || g.Grace <= 0 {
		return fmt.Errorf("grace is %q: set a duration above 0, such as 10m", e.Grace)
	}
	return nil
}

// What names of named sessions consist of, as package named has it.
const (
	maxSession     = 64
	sessionLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
)

// readLimits reads what an entry says of the bearer's own limits.
func (g *Grant) readLimits(named map[string]int64) (err error) {
	if named != nil && g.Role == RoleAdmin {
		return fmt.Errorf("limits are for a token of role client or host, and its role is %s: leave limits out", g.Role)
	}
	g.Limits, err = quota.ReadLimits(named)
	return err
}

// GraceText is how files and claims spell Grace.
func (g Grant) GraceText() string {
	if g.Grace == 0 {
		return ""
	}
	return g.Grace.String()
}

// Tabs is how files and claims spell OwnTabs.
func (g Grant) Tabs() string {
	if g.OwnTabs {
		return ownTabs
	}
	return ""
}

// checkHooks fails for a token that has hooks and is not a Client's.
func (g Grant) checkHooks() error {
	if g.Hooks != nil && g.Role != RoleClient {
		return fmt.Errorf("hooks are for a token of role client, and its role is %s: leave hooks out", g.Role)
	}
	for _, h := range g.Hooks {
		switch {
		case !slices.Contains(HookScopes, h):
			return fmt.Errorf("hooks has %q: use only %s", h, strings.Join(HookScopes, ", "))
		case h != hookRead && g.Scope < ScopeStandard:
			return fmt.Errorf("hooks has %q, and a token of scope %s may only read: leave it out, or give the token a higher scope", h, g.Scope)
		}
	}
	return nil
}

// HooksOr are what the bearer may do by browser hooks, where a hub allows those
// to every token that does not say it itself.
func (g Grant) HooksOr(byDefault []string) []string {
	switch {
	case g.Hooks != nil:
		return g.Hooks
	case g.Scope == ScopeReadonly && slices.Contains(byDefault, hookRead):
		return []string{hookRead}
	case g.Scope == ScopeReadonly:
		return nil
	}
	return byDefault
}

// maxHub is the longest name of a hub, in bytes: that of a DNS label (RFC 1035, section 2.3.4).
const maxHub = 63

// validHub is relay.ValidName, but for the default hub, whose name is "". This package must
// not import relay.
func validHub(name string) bool {
	return len(name) <= maxHub && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
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

// Includes reports whether a Client with this Grant may do what needs a scope. A Grant without a scope
// allows everything.
func (g Grant) Includes(s Scope) bool { return g.Scope == 0 || g.Scope >= s }

// covers reports whether the grant allows all that an older one did, so that a connection
// may stay. It is asked when a tokens file was changed. If the new grant allows less,
// connections with the old one end: what a connection may do never changes while it lasts.
func (g Grant) covers(old Grant) bool {
	return g.Role == old.Role && g.Scope >= old.Scope && (g.Hub == old.Hub || g.Hub == EveryHub) && g.coversHooks(old) && (!g.OwnTabs || old.OwnTabs) && (g.Grace == old.Grace || g.Grace == 0) && g.Share == old.Share && g.Limits.Covers(old.Limits)
}

// coversHooks is covers for browser hooks. What the hub allows by itself is
// neither more nor less than a list, as it is not known here.
func (g Grant) coversHooks(old Grant) bool {
	missing := func(h string) bool { return !slices.Contains(g.Hooks, h) }
	return (g.Hooks == nil) == (old.Hooks == nil) && !slices.ContainsFunc(old.Hooks, missing)
}

// expired reports whether the grant is over at that time.
func (g Grant) expired(now time.Time) bool { return !g.Expires.IsZero() && !now.Before(g.Expires) }
