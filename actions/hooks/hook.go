package hooks

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// The scopes of hooks. No scope includes another one.
const (
	read  = "browser:read"
	write = "browser:write"
	eval  = "browser:eval"
)

// hook is a row of the table.
type hook struct {
	scope string
	late  string // the error when time runs out
	run   func(ctx context.Context, c *call, params json.RawMessage) (any, error)
}

// Hooks lists the names of all hooks, each with the scope that a token needs for it.
// Tests of other packages use it.
func Hooks() map[string]string {
	list := make(map[string]string, len(hooks))
	for name, h := range hooks {
		list[name] = h.scope
	}
	return list
}

// call is one use of a hook.
type call struct {
	caller actions.Caller
	b      *actions.Browser
	page   *actions.Page // nil of browser.list
	lasts  bool          // b stays after the call
}

// onBrowser are the parameters of all hooks except browser.list.
type onBrowser struct {
	BrowserID  string `json:"browserId"`
	ResourceID string `json:"resourceId"` // the same
}

func (o onBrowser) browser() string {
	return cmp.Or(o.BrowserID, o.ResourceID)
}

// defineHook makes the row of a hook on a page. It reads the parameters, finds the page,
// and only then runs the hook.
func defineHook[P interface{ browser() string }](scope, late string, do func(context.Context, *call, P) (any, error)) hook {
	return hook{scope, late, func(ctx context.Context, c *call, params json.RawMessage) (any, error) {
		var p P
		if err := actions.Decode(params, &p); err != nil {
			return nil, err
		}
		if p.browser() == "" {
			return nil, invalidParam("missing field `browserId`")
		}
		var err error
		if c.page, err = c.b.Page(p.browser()); err != nil {
			return nil, err
		}
		return do(ctx, c, p)
	}}
}

// missingParam is the error for a parameter that is not there.
func missingParam(name string) error { return invalidParam("missing field `" + name + "`") }

// The times that hooks may take, where timeoutMs says nothing else.
const (
	loadWithin = 30 * time.Second
	actWithin  = 10 * time.Second
	evalWithin = 5 * time.Second
)

// withTimeoutMs bounds a hook by its parameter timeoutMs, in milliseconds;
// actions.MaxTimeout at most.
func withTimeoutMs(ctx context.Context, ms *float64, byDefault time.Duration) (context.Context, context.CancelFunc, error) {
	var d time.Duration
	if ms != nil {
		if *ms <= 0 {
			return nil, nil, invalidParam("timeoutMs must be above 0")
		}
		d = time.Duration(min(*ms, float64(actions.MaxTimeout.Milliseconds())) * float64(time.Millisecond))
	}
	ctx, cancel := actions.WithTimeout(ctx, d, byDefault)
	return ctx, cancel, nil
}

// opener gives the Browser of a call: one for the call, or that of the WebSocket.
type opener struct {
	open  func() (*actions.Browser, error)
	lasts bool // it stays after the call
}

// invokeHook carries out one hook for a caller. It checks the scope before everything
// else, so that a caller without it learns nothing. Its error is a *failure.
func invokeHook(ctx context.Context, c actions.Caller, o opener, name string, params json.RawMessage) (any, error) {
	h, known := hooks[name]
	if !known {
		return nil, failureOf(actions.UnknownName("unknown hook: ", name, maps.Keys(hooks)), "")
	}
	if !slices.Contains(c.Capabilities, h.scope) {
		return nil, scopeDenied(h.scope)
	}
	// A snapshot is reading, whatever hook returns it.
	if returnsSnapshot(params) && h.scope == write && !slices.Contains(c.Capabilities, read) {
		return nil, scopeDenied(read)
	}
	if err := c.Permit(name, h.scope == read); err != nil {
		return nil, failureOf(err, "")
	}
	b, err := o.open()
	if err != nil {
		return nil, failureOf(err, "")
	}
	result, err := h.run(ctx, &call{caller: c, b: b, lasts: o.lasts}, params)
	if err != nil {
		return nil, failureOf(err, h.late)
	}
	return result, nil
}

func scopeDenied(scope string) *failure {
	return failureOf(newError(actions.PermissionDenied, "permission denied: the hook needs the scope "+scope), "")
}

// returnsSnapshot reports whether a call of an input hook wants a snapshot, too.
func returnsSnapshot(params json.RawMessage) bool {
	var p struct{ ReturnSnapshot wanted }
	return json.Unmarshal(params, &p) == nil && p.ReturnSnapshot.gives()
}
