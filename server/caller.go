package server

import (
	"context"
	"net/http"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/browsers"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/relay"
)

// caller is who asks, to the action APIs. The hub is nil, and nothing can be
// joined, before a login.
func (s *Server) caller(r *http.Request, hub *relay.Hub, pass auth.Pass) actions.Caller {
	at := routeOf(r)
	c := actions.Caller{
		Options: actions.Options{Log: s.log, URLs: s.urls, Names: s.names, Limits: s.o.Actions.limits()},
		ID:      pass.Bearer(), Hub: at.hub, Version: version.Current().Version, Endpoint: socketURL(r, r.Host, at.prefix+"/devtools/browser"),
		Expires: pass.Grant.Expires, Ending: s.ending,
		Capabilities: pass.Grant.HooksOr(s.o.Actions.HookScopes), Consents: s.consents,
		Hold: func(end func()) (release func()) { return s.gate.Hold(pass, func(error) { end() }) },
	}
	if pass.Grant.Scope != 0 {
		c.Scope = pass.Grant.Scope.String()
	}
	if hub == nil {
		return c
	}
	c.Options.Shared = hub.Value(sharedKey{}, func() any { return new(actions.Shared) }).(*actions.Shared)
	c.Options.Lacking = hub.Lacking
	name := clientName(r, pass)
	c.Join = s.clientsOf(at.hub, relay.ClientOptions{Policy: policy(pass), Name: name, Account: pass.Bearer()})
	if pass.Grant.Scope != 0 {
		c.Reader = s.clientsOf(at.hub, relay.ClientOptions{
			Policy: inTabs(pass, onlooker{max(pass.Grant.Scope, auth.ScopeStandard)}), Name: name, Account: pass.Bearer(),
		})
	}
	return c
}

// onlooker is the policy of a connection that is for reading alone, by whatever
// commands that takes: the dialogs of the pages are others' to answer.
type onlooker struct{ auth.Scope }

// ReadOnly implements relay.ReadOnly.
func (onlooker) ReadOnly() bool { return true }

// clientsOf makes Clients of a hub. They end with the hub, if it is a sandbox.
func (s *Server) clientsOf(hub string, o relay.ClientOptions) actions.Join {
	acquire := func(ctx context.Context) (*relay.Hub, func(), error) { return s.Hub(ctx, hub) }
	return func(event actions.EventFunc) (actions.Client, error) {
		c, err := browsers.Join(context.Background(), acquire, relay.LocalOptions{ClientOptions: o, Event: event})
		if err != nil {
			return nil, err
		}
		c.OnLeave(s.sandboxes.join(hub, func() { go c.Leave() }))
		return c, nil
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
