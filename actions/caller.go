package actions

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// Caller is a client that acts on a hub through one of the adapters.
type Caller struct {
	Join    Join    // gives a connection to the hub
	Options Options // of every Browser opened for it
	// Scope is what its token allows: "readonly", "standard", "full" or
	// "privileged"; "" where there are no tokens, which allows everything. The hub
	// holds it for each CDP command by itself; this is for what an adapter
	// names in words of its own.
	Scope string
	// Reader is Join for a caller of scope "readonly", which adapters hold to
	// reading by Permit or a table of their own: it lets the page script run,
	// without which nothing of a page can be read. Nil where there is no need
	// for it.
	Reader Join
	// ID tells callers apart: it is the same for the same token, and "" where
	// there are none.
	ID string
	// Payer is for whom the requests of the caller count in Quotas.
	Payer  quota.Payer
	Quotas *quota.Ledger // nil refuses nothing
	// Hold calls end, once, as soon as the token is no longer good; end must not
	// wait. nil where that never happens.
	Hold    func(end func()) (release func())
	Hub     string // the name of the hub; "" is the default hub
	Version string // of the program
	// Endpoint is the WebSocket URL at which it could speak CDP to the hub, by the
	// name that it has used for it.
	Endpoint string
	Expires  time.Time // of its token; zero for never
	// Ending is closed when the process shuts down: a connection finishes what
	// it has begun, and ends. Nil never is.
	Ending <-chan struct{}
	// Capabilities are the scopes of browser hooks that the caller has:
	// "browser:read", "browser:write", "browser:eval".
	Capabilities []string
	Consents     *Consents // for scripts of hooks; nil denies them
	// Configs take what callers choose of their hub's browser; nil where the operator does
	// not allow it.
	Configs *BrowserConfigs
	// Snapshots is what its connection shows of the page after an action, where a call says nothing else; the
	// zero value is the default of the API.
	Snapshots SnapshotMode
	// Downloads are the files that its Browsers have downloaded; nil where it may have none.
	Downloads Downloads
	// Login is there while the caller has shown no token and needs one: it
	// returns the caller that a token makes of it.
	Login func(token string) (Caller, error)
}

// Open makes a Browser for the caller. Close ends it. A caller that may only read
// leaves dialogs to others, and gets a Reader's connection if there is one.
func (c Caller) Open(ctx context.Context) (*Browser, error) {
	join := c.Join
	if c.reads() {
		c.Options.Dialogs, c.Options.Reads = LeaveDialogs, true
		if c.Reader != nil {
			join = c.Reader
		}
	}
	return Open(ctx, join, c.Options)
}

// reads reports whether the caller may only read.
func (c Caller) reads() bool { return c.Scope == scopeReadonly }

// The scopes of tokens that adapters tell apart.
const (
	scopeReadonly = "readonly"
	scopeStandard = "standard"
	scopeFull     = "full"
)

// Permit refuses a verb to a caller that may only read, unless reading is true. Every
// adapter asks it before any work: the connection of such a caller is a Reader's,
// which the hub lets do more. The error has the kind PermissionDenied and names the
// scope that is needed.
func (c Caller) Permit(verb string, reading bool) error {
	if reading || !c.reads() {
		return nil
	}
	return c.deny(verb, scopeStandard)
}

// PermitFull refuses a verb to a caller whose scope is less than "full". The CDP
// commands behind the verb need that scope, such as those for cookies of all sites.
func (c Caller) PermitFull(verb string) error {
	if c.Scope == scopeReadonly || c.Scope == scopeStandard {
		return c.deny(verb, scopeFull)
	}
	return nil
}

func (c Caller) deny(verb, scope string) error {
	e := newError(PermissionDenied, "permission denied: %s needs scope %s", verb, scope)
	e.Details.Scope = scope
	return e
}

// Metered is the caller with the Meter that all requests with the same token to the
// same hub have in common. It is for adapters without connections, whose requests
// could not be counted otherwise.
func (c Caller) Metered() Caller {
	if c.Options.Meter == nil && c.Options.Shared != nil {
		c.Options.Meter = c.Options.Shared.meters.get(c.ID, c.Options.Limits)
	}
	return c
}

// Begin counts a request until end is called: by the Meter, and for the caller's part of
// quota.ActionCalls. Every adapter calls it before a request waits or runs. The error has
// the kind RateLimited.
func (c Caller) Begin() (end func(), err error) {
	if m := c.Options.Meter; m != nil {
		if err := m.Request(); err != nil {
			return nil, err
		}
	}
	if end, err = c.Quotas.Take(quota.ActionCalls, c.Payer, 1); err != nil {
		e := newError(RateLimited, "rate limited: %v", err)
		e.Details.RetryAfter = busy
		return nil, e
	}
	return end, nil
}
