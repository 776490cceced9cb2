// Package dashboard is the API of the dashboard, which docs/dashboard.md describes: the state of
// hubs, live views of targets, handoffs, tabs and timelines.
package dashboard

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/journal"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/handover"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

// Options are of New. All fields are needed, but for the flags and Journal.
type Options struct {
	Hubs      *relay.Hubs
	Browsers  *browsers.Pool
	Named     *named.Sessions
	Journal   *journal.Journal // nil: there are no timelines
	Quotas    *quota.Ledger
	Gate      *auth.Gate
	Sandboxes *sandboxes.Table
	Drainer   handover.Drainer
	Access    *front.AccessLog
	Log       *zap.Logger

	Limits        wsconn.Limits // of a Client
	TakeoverWait  time.Duration // of commands for a page that a person has taken over
	HandoffByLink bool          // the link of a handoff needs no token
	DevTools      bool          // there is a front end of DevTools
	Ending        <-chan struct{}

	// Acquire finds or makes a hub with its browser. HubsFor are the hubs that a person may know of.
	// Serve takes a WebSocket over, and serves it until it ends or is refused; then it calls release.
	Acquire func(ctx context.Context, name string) (*relay.Hub, func(), error)
	HubsFor func(*http.Request) []front.NamedHub
	Serve   func(w http.ResponseWriter, r *http.Request, who front.Peer, o wsconn.Options, release func(), serve func(context.Context, *wsconn.Conn) wsconn.Reason)
}

// Dashboard serves people.
type Dashboard struct {
	o       Options             `stays:"configuration"`
	streams *front.AddressPools `held:"*"` // of the state, by address
}

// New makes a Dashboard.
func New(o Options) *Dashboard {
	return &Dashboard{o: o, streams: front.NewAddressPools(o.Quotas, quota.EventStreams, 0)}
}

// Rows are of the route table.
func (d *Dashboard) Rows() []front.Entry {
	const client, people, own = auth.RoleClient, front.ForPeople, front.DashboardPages
	opener, post, off := client, []string{http.MethodPost}, d.o.Journal == nil
	if d.o.HandoffByLink {
		opener = ""
	}
	return []front.Entry{
		{Path: "/ui/api/handoff", On: people, Pages: own, Role: opener, Hub: true, Serve: d.serveHandoff},
		{Path: "/ui/api/grant", On: people, Pages: own, Role: client, Hub: true, Methods: post, Serve: d.serveTabs},
		{Path: "/ui/api/revoke", On: people, Pages: own, Role: client, Hub: true, Methods: post, Serve: d.serveTabs},
		{Path: "/ui/api/state", On: people, Pages: own, Role: client, Guests: true, Hub: true, Serve: d.serveState},
		{Path: "/ui/api/events", On: people, Pages: own, Role: client, Guests: true, Hub: true, Serve: d.serveEvents},
		{Path: "/ui/api/view/why", On: people, Pages: own, Role: client, Guests: true, Hub: true, Methods: post, Serve: d.explainView},
		{Path: "/ui/api/view", On: people, Pages: own, Role: client, Guests: true, WS: true, Hub: true, Serve: d.serveView},
		{Path: "/ui/api/timeline", On: front.ForClients, Off: off, Pages: own, Role: client, Hub: true, Serve: d.serveTimeline},
		{Path: "/ui/api/picture", On: front.ForClients, Off: off, Pages: own, Role: client, Hub: true, Serve: d.servePicture},
	}
}
