package dashboard

import (
	"context"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/live"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
)

// viewsKey is where a hub keeps its views.
type viewsKey struct{}

// serveView makes a WebSocket a viewer of one target. The target must exist: a look
// starts no browser. docs/dashboard.md describes the messages.
func (d *Dashboard) serveView(w http.ResponseWriter, r *http.Request) {
	at, pass, id := front.RouteOf(r), auth.PassOf(r), r.URL.Query().Get("target")
	hub, leave, ok := d.enterView(w, r, id)
	if !ok {
		return
	}
	who := d.o.Access.Peer("viewer", r)
	limits := d.o.Limits
	limits.MaxMessage = min(limits.MaxMessage, live.MaxMessage)
	limits.MaxPending, limits.MaxQueued = maxViewPending, maxViewQueued
	d.o.Serve(w, r, who, wsconn.Options{Limits: limits}, leave, func(ctx context.Context, conn *wsconn.Conn) wsconn.Reason {
		v := d.viewer(r, hub, id, who, conn)
		viewer := viewsOf(hub).Watch(viewKey(id, pass), d.viewOf(hub, at.Hub, id, pass), v)
		who.Audit("view begins", id)
		defer func() { who.Audit("view ends", id, zap.Duration("duration", time.Since(who.Since))) }()
		defer viewer.Leave()
		return conn.Serve(ctx, viewer.Receive)
	})
}

// enterView takes the place of a viewer, or answers why there is none.
func (d *Dashboard) enterView(w http.ResponseWriter, r *http.Request, target string) (hub *relay.Hub, leave func(), ok bool) {
	if d.o.Sandboxes.Refuses(w, front.RouteOf(r).Hub) {
		return nil, nil, false
	}
	hub, release := d.o.Hubs.Peek(front.RouteOf(r).Hub)
	if _, known := hub.Control().WatchedTarget(front.WatcherOf(r), target); !known {
		release()
		http.Error(w, "The target does not exist on this hub: set ?target=ID to an id of /ui/api/state.", http.StatusNotFound)
		return nil, nil, false
	}
	left, err := d.o.Quotas.Take(quota.Viewers, front.PayerOf(r), 1)
	if err != nil {
		release()
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error()+".", http.StatusTooManyRequests)
		return nil, nil, false
	}
	return hub, func() { release(); left() }, true
}

// explainView answers a page as the handshake of its view would be, since a browser does not tell a page how that
// was answered. 204 says that the hub does not refuse the view: something on the way does. It is
// for POST, which has an Origin as a handshake has; a GET of the page's own origin has none (Fetch standard).
func (d *Dashboard) explainView(w http.ResponseWriter, r *http.Request) {
	if _, leave, ok := d.enterView(w, r, r.URL.Query().Get("target")); ok {
		leave()
		w.WriteHeader(http.StatusNoContent)
	}
}

// A viewer has two pictures on their way at most, and some small messages.
const (
	maxViewPending = 16 << 20
	maxViewQueued  = 256
)

// viewsOf are the live views of a hub, made with the first viewer.
func viewsOf(hub *relay.Hub) *live.Views {
	return hub.Control().Value(viewsKey{}, func() any { return new(live.Views) }).(*live.Views)
}

// viewKey tells the views of a target apart. Viewers who may not see pages of files
// have a view of their own, whose Client has a policy without files: it ends before a
// picture of a file is shown. Viewers with privileged tokens have one that goes on during a
// handoff.
func viewKey(target string, pass auth.Pass) string {
	switch {
	case isPrivileged(pass):
		return "privileged " + target
	case front.PolicyOf(pass) == nil || front.PolicyOf(pass).Files():
		return "files " + target
	}
	return "web " + target
}

// isPrivileged reports whether somebody has a token of scope privileged.
func isPrivileged(pass auth.Pass) bool {
	return pass.Bearer() != "" && front.PolicyOf(pass) != nil && front.PolicyOf(pass).Files()
}

// privilegedViews is the account of the Clients of views for privileged tokens. It is no
// token's, so that it has asked for no handoff: a view tells by itself which of its viewers may
// see what (live.ViewerOptions.Reads).
const privilegedViews = "views"

// viewOf is a view of a target, for all viewers with the same key. Its Client may do
// what scope full allows, or everything where the viewers may see pages of files.
func (d *Dashboard) viewOf(hub *relay.Hub, name, target string, pass auth.Pass) live.Options {
	var p relay.Policy
	if mine := front.PolicyOf(pass); mine != nil && !mine.Files() {
		p = scope.Full
	}
	o := relay.ClientOptions{Policy: p, Payer: pass.Payer(), PrivateOf: target}
	if isPrivileged(pass) {
		o.Account = privilegedViews
	}
	return live.Options{
		TargetID: target,
		Join: func(event func(sessionID, method string, params []byte)) (live.Client, error) {
			return d.viewClient(hub, name, target, relay.LocalOptions{ClientOptions: o, Event: event})
		},
		Info: func() (live.Info, bool) {
			t, ok := hub.Control().WatchedTarget(relay.Watcher{Policy: p, Only: target, Whole: true}, target)
			return live.Info{Title: t.Title, URL: t.URL, Drawn: hub.Control().Emulated(target)}, ok
		},
		Holder:  func() (relay.Holding, bool) { return hub.Control().Holder(target) },
		Quieted: func() (relay.Holding, bool) { return hub.Control().Quieted(target) },
		Watch:   func(changed func()) (stop func()) { return hub.Control().WatchLeases(func(string) { changed() }) },
		Lease:   relay.LeaseOptions{Wait: d.o.TakeoverWait},
		Asked: func() bool {
			_, asked := hub.Control().HandoffOf(target)
			return asked
		},
		Log: d.o.Log,
	}
}

// viewClient makes the Client of a view, which ends with its hub, if the hub is a
// sandbox. It keeps the browser alive that it shows. For a frame of a Host page it
// starts no browser.
func (d *Dashboard) viewClient(hub *relay.Hub, name, target string, o relay.LocalOptions) (live.Client, error) {
	acquire := func(ctx context.Context) (*relay.Hub, func(), error) { return d.o.Acquire(ctx, name) }
	if hub.Control().Emulated(target) {
		acquire = func(context.Context) (*relay.Hub, func(), error) { return d.o.Hubs.Acquire(name) }
	}
	c, err := browsers.Join(quota.NewContext(context.Background(), o.Payer), acquire, o)
	if err != nil {
		return nil, err
	}
	// In a goroutine: join calls it under its lock, which Leave needs.
	c.OnLeave(d.o.Sandboxes.Join(name, func() { go c.Leave() }))
	return c, nil
}

// person is who sends a request to the dashboard.
type person struct {
	// key is the same for all connections of one person, so that a lease survives a reload of
	// the page: the guest of a handoff, on any device, or a token at one address.
	key          string
	guest, token bool
}

func personOf(r *http.Request) person {
	if guest := front.GuestOf(r); guest.Key != "" {
		return person{key: "guest " + guest.Key, guest: true}
	}
	bearer := auth.PassOf(r).Bearer()
	return person{key: bearer + " " + front.HostOf(r.RemoteAddr), token: bearer != ""}
}

// has reports whether a lease is this person's. An address alone may be that of several people.
// An agent may have the token of a person, and must not get a page that is quiet: only a guest is
// known for certain.
func (p person) has(held relay.Holding) bool {
	return held.Key == p.key && (p.guest || p.token && !held.Quiet)
}

// viewer is the one who looks at a target through a connection.
func (d *Dashboard) viewer(r *http.Request, hub *relay.Hub, target string, who front.Peer, conn *wsconn.Conn) live.ViewerOptions {
	pass := auth.PassOf(r)
	w, me := front.WatcherOf(r), personOf(r)
	o := live.ViewerOptions{
		Name: front.ViewerName(r, pass), Key: me.key, Is: me.has,
		Handoff: front.GuestOf(r).ID, Account: d.handoffAccount(r),
		Reads: func(held relay.Holding) bool {
			return me.has(held) || held.Readable(isPrivileged(pass), pass.Account())
		},
		Control: pass.Grant.Scope == 0 || !pass.Grant.Scope.ReadOnly(),
		Sees: func() bool {
			_, ok := hub.Control().WatchedTarget(w, target)
			return ok && front.GuestOf(r).Stays(hub)
		},
		Send: func(message, picture []byte) bool {
			if !conn.Deliver(wsconn.Frame{Head: message}) {
				return false
			}
			return picture == nil || conn.DeliverBinary(wsconn.Frame{Head: picture})
		},
		Gone: func() { conn.Close(wsconn.ReasonTargetClosed) },
		Leased: func() (ended func(relay.LeaseEnd)) {
			since := time.Now()
			who.Audit("page taken over", target)
			return func(why relay.LeaseEnd) {
				who.Audit("page handed back", target, zap.String("why", string(why)), zap.Duration("duration", time.Since(since)))
			}
		},
	}
	if o.Control {
		o.Answer = func(done bool) error { return answerHandoff(hub, target, o.Account, done) }
	}
	return o
}
