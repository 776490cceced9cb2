package server

import (
	"cmp"
	"context"
	"net/http"
	"path/filepath"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
)

// caller is who asks, as the action APIs know it. Before a login, hub is nil, and the
// caller can join nothing.
func (s *Server) caller(r *http.Request, hub *relay.Hub, pass auth.Pass) actions.Caller {
	at := front.RouteOf(r)
	c := actions.Caller{
		Options: actions.Options{Log: s.log, URLs: s.urls, Names: s.names, Limits: s.o.Actions.limits()},
		ID:      pass.Bearer(), Payer: pass.Payer(), Quotas: s.quotas, Hub: at.Hub, Version: version.Current().Version, Endpoint: auth.OwnAddressOf(r).WebSocket() + at.Prefix + "/devtools/browser",
		Expires: pass.Grant.Expires, Ending: s.ending,
		Capabilities: pass.Grant.HooksOr(s.o.Actions.HookScopes), Consents: s.consents,
		Hold: func(end func()) (release func()) { return s.gate.Hold(pass, func(error) { end() }) },
	}
	c.Snapshots, _ = actions.ParseSnapshotMode(r.URL.Query().Get(snapshotParam)) // which checkMode has read
	if s.o.Actions.BrowserConfig {
		c.Configs = &s.configs
	}
	if pass.Grant.Scope != 0 {
		c.Scope = pass.Grant.Scope.String()
	}
	if hub == nil {
		return c
	}
	// All callers of a hub share it, so that they find pages that another one has
	// opened.
	c.Options.Shared = hub.Control().Value(sharedKey{}, func() any { return new(actions.Shared) }).(*actions.Shared)
	c.Options.Lacking = hub.Lacking
	o := s.clientOptions(r, pass)
	c.Join = s.clientsOf(at.Hub, o)
	if pass.Grant.Includes(auth.ScopeFull) {
		c.Downloads = s.boxOf(r, pass)
	}
	// A readonly token reads pages by commands that its own scope has not. Its Reader
	// may send them, and the hub holds it to reading.
	if pass.Grant.Scope != 0 {
		o.Policy = front.InTabs(pass, onlooker{max(pass.Grant.Scope, auth.ScopeStandard)})
		c.Reader = s.clientsOf(at.Hub, o)
	}
	return c
}

// onlooker is the policy of a connection that only reads, by whatever commands that
// takes. It leaves dialogs to other Clients: an open dialog of a page is theirs to
// answer.
type onlooker struct{ auth.Scope }

// ReadOnly implements relay.ReadOnly.
func (onlooker) ReadOnly() bool { return true }

// clientsOf makes Clients of a hub. They end with the hub, if it is a sandbox. Each
// Client keeps the browser of its hub until it leaves.
func (s *Server) clientsOf(hub string, o relay.ClientOptions) actions.Join {
	acquire := func(ctx context.Context) (*relay.Hub, func(), error) { return s.Hub(ctx, hub) }
	return func(event actions.EventFunc) (actions.Client, error) {
		// Not the context of the request: the Client outlives the call that makes it.
		c, err := browsers.Join(quota.NewContext(context.Background(), o.Payer), acquire, relay.LocalOptions{ClientOptions: o, Event: event})
		if err != nil {
			return nil, err
		}
		// sandboxes.join calls this under its lock, which Leave may need.
		c.OnLeave(s.sandboxes.Join(hub, func() { go c.Leave() }))
		return c, nil
	}
}

// sharedKey is the key of relay.Control.Value for what all callers of a hub share.
type sharedKey struct{}

// adjustBrowser applies what callers have chosen of the browser of a hub.
func (s *Server) adjustBrowser(hub string, o *chrome.Options) {
	chosen := s.configs.Of(hub)
	if chosen.Headless != "" {
		o.Headed = chosen.Headless == "false"
	}
	if chosen.Found {
		o.URL, o.Path = "", ""
	}
	if dir := s.o.Browsers.Profiles; dir != "" && o.URL == "" && !front.IsSandbox(hub) {
		o.Profile = filepath.Join(dir, cmp.Or(hub, defaultProfile))
	}
}

// defaultProfile is the folder of the default hub's browser in Browsers.Profiles. No hub and no share
// has such a name.
const defaultProfile = "_"
