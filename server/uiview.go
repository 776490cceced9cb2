package server

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
)

// viewsKey is where a hub keeps its views.
type viewsKey struct{}

// serveView makes a WebSocket a viewer of one target. The target must exist: a look
// starts no browser. docs/dashboard.md describes the messages.
func (s *Server) serveView(w http.ResponseWriter, r *http.Request) {
	at, pass := routeOf(r), auth.PassOf(r)
	if err := s.sandboxes.check(at.hub); err != nil {
		refuseHub(w, err)
		return
	}
	hub, release := s.hubs.Peek(at.hub)
	id := r.URL.Query().Get("target")
	if _, known := hub.Control().WatchedTarget(watcherOf(r), id); !known {
		release()
		http.Error(w, "The target does not exist on this hub: set ?target=ID to an id of /ui/api/state.", http.StatusNotFound)
		return
	}
	left, err := s.quotas.Take(quota.Viewers, payerOf(r), 1)
	if err != nil {
		release()
		w.Header().Set("Retry-After", "1")
		http.Error(w, err.Error()+".", http.StatusTooManyRequests)
		return
	}
	who := s.peer("viewer", r)
	limits := s.o.Limits.action(live.MaxMessage)
	limits.MaxPending, limits.MaxQueued = maxViewPending, maxViewQueued
	s.serveSocket(w, r, who, s.clients, wsconn.Options{Limits: limits}, func() { release(); left() }, func(ctx context.Context, conn *wsconn.Conn) wsconn.Reason {
		v := s.viewer(r, hub, id, who, conn)
		viewer := viewsOf(hub).Watch(viewKey(id, pass), s.viewOf(hub, at.hub, id, pass), v)
		s.audit(who, "view begins", id)
		defer func() { s.audit(who, "view ends", id, zap.Duration("duration", time.Since(who.since))) }()
		defer viewer.Leave()
		return conn.Serve(ctx, viewer.Receive)
	})
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
	case policyOf(pass) == nil || policyOf(pass).Files():
		return "files " + target
	}
	return "web " + target
}

// isPrivileged reports whether somebody has a token of scope privileged.
func isPrivileged(pass auth.Pass) bool {
	return pass.Bearer() != "" && policyOf(pass) != nil && policyOf(pass).Files()
}

// privilegedViews is the account of the Clients of views for privileged tokens. It is no
// token's, so that it has asked for no handoff: a view tells by itself which of its viewers may
// see what (live.ViewerOptions.Reads).
const privilegedViews = "views"

// viewOf is a view of a target, for all viewers with the same key. Its Client may do
// what scope full allows, or everything where the viewers may see pages of files.
func (s *Server) viewOf(hub *relay.Hub, name, target string, pass auth.Pass) live.Options {
	var p relay.Policy
	if mine := policyOf(pass); mine != nil && !mine.Files() {
		p = scope.Full
	}
	o := relay.ClientOptions{Policy: p, Payer: pass.Payer(), PrivateOf: target}
	if isPrivileged(pass) {
		o.Account = privilegedViews
	}
	return live.Options{
		TargetID: target,
		Join: func(event func(sessionID, method string, params []byte)) (live.Client, error) {
			return s.viewClient(hub, name, target, relay.LocalOptions{ClientOptions: o, Event: event})
		},
		Info: func() (live.Info, bool) {
			t, ok := hub.Control().WatchedTarget(relay.Watcher{Policy: p, Only: target, Whole: true}, target)
			return live.Info{Title: t.Title, URL: t.URL, Drawn: hub.Control().Emulated(target)}, ok
		},
		Holder:  func() (relay.Holding, bool) { return hub.Control().Holder(target) },
		Quieted: func() (relay.Holding, bool) { return hub.Control().Quieted(target) },
		Watch:   func(changed func()) (stop func()) { return hub.Control().WatchLeases(func(string) { changed() }) },
		Lease:   relay.LeaseOptions{Wait: s.o.TakeoverWait},
		Asked: func() bool {
			_, asked := hub.Control().HandoffOf(target)
			return asked
		},
		Log: s.log,
	}
}

// viewClient makes the Client of a view, which ends with its hub, if the hub is a
// sandbox. It keeps the browser alive that it shows. For a frame of a Host page it
// starts no browser.
func (s *Server) viewClient(hub *relay.Hub, name, target string, o relay.LocalOptions) (live.Client, error) {
	acquire := func(ctx context.Context) (*relay.Hub, func(), error) { return s.Hub(ctx, name) }
	if hub.Control().Emulated(target) {
		acquire = func(context.Context) (*relay.Hub, func(), error) { return s.hubs.Acquire(name) }
	}
	c, err := browsers.Join(quota.NewContext(context.Background(), o.Payer), acquire, o)
	if err != nil {
		return nil, err
	}
	// In a goroutine: join calls it under its lock, which Leave needs.
	c.OnLeave(s.sandboxes.join(name, func() { go c.Leave() }))
	return c, nil
}

// viewer is the one who looks at a target through a connection. Its key is the same
// for all connections of one person from one address, so that a lease survives a
// reload of the page.
func (s *Server) viewer(r *http.Request, hub *relay.Hub, target string, who peer, conn *wsconn.Conn) live.ViewerOptions {
	pass := auth.PassOf(r)
	w := watcherOf(r)
	o := live.ViewerOptions{
		Name: viewerName(r, pass), Key: pass.Bearer() + guestOf(r).key + " " + hostOf(r.RemoteAddr),
		Handoff: guestOf(r).ID, Account: s.handoffAccount(r),
		Reads:   func(held relay.Holding) bool { return held.Readable(isPrivileged(pass), pass.Account()) },
		Control: pass.Grant.Scope == 0 || !pass.Grant.Scope.ReadOnly(),
		Sees: func() bool {
			_, ok := hub.Control().WatchedTarget(w, target)
			return ok && guestOf(r).stays(hub)
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
			s.audit(who, "page taken over", target)
			return func(why relay.LeaseEnd) {
				s.audit(who, "page handed back", target, zap.String("why", string(why)), zap.Duration("duration", time.Since(since)))
			}
		},
	}
	if o.Control {
		o.Answer = func(done bool) error { return answerHandoff(hub, target, o.Account, done) }
	}
	return o
}

// audit writes one line of the audit log: who does what to which target. It has no
// text of pages.
//
//	{"logger":"audit","msg":"page taken over","target":"T1","bearer":"ann","hub":"","peer":"127.0.0.1:5"}
func (s *Server) audit(who peer, what, target string, more ...zap.Field) {
	s.log.Named("audit").Info(what, who.fields(append([]zap.Field{zap.String("target", cutWords(target))}, more...)...)...)
}
