package main

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
)

// caller is who asks, to the action APIs. The hub is nil, and nothing can be
// joined, before a login.
func (s *server) caller(r *http.Request, hub *relay.Hub, pass auth.Pass) actions.Caller {
	at := routeOf(r)
	c := actions.Caller{
		Options: actions.Options{Log: s.log, URLs: s.urls, Names: s.names, Limits: s.flags.limits()},
		ID:      pass.Bearer(), Hub: at.hub, Version: version(), Endpoint: socketURL(r, r.Host, at.prefix+"/devtools/browser"),
		Expires: pass.Grant.Expires, Ending: s.ending,
		Capabilities: s.flags.HookScope, Consents: s.consents,
		Hold: func(end func()) (release func()) { return s.gate.Hold(pass, func(error) { end() }) },
	}
	if pass.Grant.Scope != 0 {
		c.Scope = pass.Grant.Scope.String()
		if pass.Grant.Scope < auth.ScopeStandard {
			c.Capabilities = slices.DeleteFunc(slices.Clone(c.Capabilities), func(scope string) bool { return scope != "browser:read" })
		}
	}
	if hub == nil {
		return c
	}
	c.Options.Shared = hub.Value(sharedKey{}, func() any { return new(actions.Shared) }).(*actions.Shared)
	c.Join = s.clientsOf(at.hub, policy(pass))
	if pass.Grant.Scope != 0 {
		c.Reader = s.clientsOf(at.hub, onlooker{max(pass.Grant.Scope, auth.ScopeStandard)})
	}
	return c
}

// onlooker is the policy of a connection that is for reading alone, by whatever
// commands that takes: the dialogs of the pages are others' to answer.
type onlooker struct{ auth.Scope }

// ReadOnly implements relay.ReadOnly.
func (onlooker) ReadOnly() bool { return true }

// clientsOf makes Clients of a hub. They end with it, if it is a sandbox.
func (s *server) clientsOf(name string, p relay.Policy) actions.Join {
	ready := func(ctx context.Context) (*relay.Hub, func(), error) { return s.readyHub(ctx, name) }
	return func(event actions.EventFunc) (actions.Client, error) {
		k, err := joinHub(context.Background(), ready, relay.LocalOptions{Policy: p, Event: event})
		if err != nil {
			return nil, err
		}
		left := s.sandboxes.join(name, func() { go k.Leave() })
		return &keeper{k.Local, func() { k.letGo(); left() }}, nil
	}
}

// sharedKey is where a hub keeps what its callers share.
type sharedKey struct{}

// socketURL is the URL of a WebSocket as the asking client can reach it.
func socketURL(r *http.Request, host, path string) string {
	if r.TLS != nil {
		return "wss://" + host + path
	}
	return "ws://" + host + path
}

// rejoining is how long a hub's browser may take to come back for a caller
// whose session has outlived it.
const rejoining = time.Minute

// joinHub makes a Client within the process, which keeps its hub and the
// browser of that for as long as it stays.
func joinHub(ctx context.Context, ready func(context.Context) (*relay.Hub, func(), error), o relay.LocalOptions) (*keeper, error) {
	ctx, cancel := context.WithTimeout(ctx, rejoining)
	defer cancel()
	hub, release, err := ready(ctx)
	if err != nil {
		return nil, err
	}
	l, err := hub.JoinLocal(o)
	if err != nil {
		release()
		return nil, err
	}
	return &keeper{l, sync.OnceFunc(release)}, nil
}

// keeper is a Client that lets go of its hub when it leaves.
type keeper struct {
	*relay.Local
	letGo func()
}

// Leave implements actions.Client.
func (k *keeper) Leave() {
	k.Local.Leave()
	k.letGo()
}
