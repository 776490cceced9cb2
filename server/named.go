package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// named is the options of the named sessions. What a session keeps must fit into the
// queue of one connection with room for what comes meanwhile, hence half of it. A
// Client could never come back to all of it otherwise.
func (l Limits) named(log *zap.Logger) named.Options {
	queue := l.client()
	o := named.Options{
		Log:     log,
		Longest: l.NamedGrace, Sessions: l.MaxNamed, Bytes: int(l.NamedMemory),
		TotalBytes: l.namedMemory(),
	}
	if o.Bytes == 0 {
		o.Bytes = defaultNamedMemory
	}
	if n := queue.MaxPending / 2; n > 0 {
		o.Bytes = min(o.Bytes, n)
	}
	if n := queue.MaxQueued / 2; n > 0 {
		o.Messages = n
	}
	return o
}

// defaultNamedMemory is Limits.NamedMemory where that is not set.
const defaultNamedMemory = 8 << 20

// namedMemory is what all named sessions may keep: a part of the memory budget.
func (l Limits) namedMemory() int64 { return l.memory() / 8 }

// owner is whose names of sessions the asker can use: those of the same token at the
// same hub.
func (s *Server) owner(r *http.Request) named.Owner {
	return named.Owner{Hub: routeOf(r).hub, Bearer: auth.PassOf(r).Bearer()}
}

// serveClient makes a WebSocket a Client of its hub, with a named session if the URL
// or the token asks for one.
func (s *Server) serveClient(w http.ResponseWriter, r *http.Request) {
	grant := auth.PassOf(r).Grant
	wish, err := s.named.Read(r.URL.Query(), named.Granted{Name: grant.Session, Longest: grant.Grace})
	switch {
	case err != nil:
		http.Error(w, err.Error()+".", http.StatusBadRequest)
		return
	case wish.Name != "":
		s.serveNamed(w, r, &wish)
		return
	}
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	s.upgradeClient(w, r, hub, release, "", func(client *relay.Client, conn *wsconn.Conn) error {
		client.Connect(newClientPeer(conn))
		return nil
	})
}

// serveNamed gives a WebSocket its named session. The session holds the hub and its
// place there until it ends, not until the connection does.
func (s *Server) serveNamed(w http.ResponseWriter, r *http.Request, wish *named.Request) {
	key := named.Key{Owner: s.owner(r), Name: wish.Name}
	if err := s.named.Check(key, wish); err != nil { // before a browser is started
		refuseNamed(w, err)
		return
	}
	var begin *named.Begin
	// A connection that resumes brings nothing of its own: it uses the hub and the
	// rights that the session has.
	if !wish.Resumes() {
		var ok bool
		if begin, ok = s.beginNamed(w, r, key, wish); !ok {
			return
		}
	}
	// giveBack undoes beginNamed where the session did not take it.
	giveBack := func() {
		if begin != nil {
			begin.Client.Leave()
			begin.Release()
		}
	}
	who := s.peer("client", r)
	hub, letGo := s.hubs.Peek(key.Hub)
	o := wsconn.Options{AnyKey: true, Limits: s.o.Limits.client(), Share: s.share(hub)}
	letGo()
	came := s.upgrade(w, r, who, s.clients, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		// Join may fail although Check did not: another connection was faster. The
		// handshake is answered by now, so the connection is closed with the reason.
		link, err := s.named.Join(key, wish, conn, begin)
		if err != nil {
			giveBack()
			conn.Close(closeNamed(err))
		}
		receive := func(m []byte) {
			defer who.survive(conn)
			if link != nil {
				link.Receive(m)
			}
		}
		conn.Start(ctx, receive, func(why wsconn.Reason) {
			if link != nil {
				link.Left()
			}
			who.left(why)
			ended()
		})
	})
	if !came {
		giveBack()
	}
}

// beginNamed makes what a connection brings that does not resume: the hub, and a
// place for a Client there. It answers when it fails.
func (s *Server) beginNamed(w http.ResponseWriter, r *http.Request, key named.Key, wish *named.Request) (*named.Begin, bool) {
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return nil, false
	}
	pass := auth.PassOf(r)
	// A session that begins anew under its name sees the tabs that it had, if its
	// connections see only their own.
	if tabs := s.named.Tabs(key); tabs != "" && pass.Owner != "" && !wish.Fresh {
		pass.Owner = tabs
	}
	client, err := hub.Admit(relay.ClientOptions{Policy: policyOf(pass), Name: clientName(r, pass), Account: pass.Account(), Payer: pass.Payer()})
	if err != nil {
		release()
		tooManyClients(w, err)
		return nil, false
	}
	return s.begins(client, pass, key.Hub, release), true
}

// refuseNamed answers why a connection does not get its named session: 403 for a name
// that another token has begun, 400 for a wrong number, 503 for too many sessions and
// from a server that ends, and 410 for one that has ended.
func refuseNamed(w http.ResponseWriter, why error) {
	status := http.StatusGone
	switch {
	case errors.Is(why, named.ErrUnknown):
		status = http.StatusForbidden
	case errors.Is(why, named.ErrNumber):
		status = http.StatusBadRequest
	case errors.Is(why, named.ErrTooMany), errors.Is(why, named.ErrClosed):
		status = http.StatusServiceUnavailable
	}
	http.Error(w, why.Error()+".", status)
}

// closeNamed is the close code for a session that has ended since Check: 1013 when
// there are too many, that of a server that ends, else 4505, after which a Client must not
// try again as it did.
func closeNamed(why error) wsconn.Reason {
	switch {
	case errors.Is(why, named.ErrTooMany):
		return wsconn.ReasonTryAgain
	case errors.Is(why, named.ErrClosed):
		return wsconn.ReasonShutdown
	}
	return wsconn.ReasonSessionEnded
}

// sessionsPath is before the names of sessions.
const sessionsPath = "/sessions/"

// listNamed lists the named sessions of the asker's token:
//
//	GET /sessions    {"sessions":[…]}
func (s *Server) listNamed(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, http.StatusOK, map[string]any{"sessions": s.namedOf(s.owner(r))})
}

// endOwnNamed ends a named session of the asker's token: DELETE /sessions/NAME.
func (s *Server) endOwnNamed(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(routeOf(r).path, sessionsPath)
	endNamed(w, func() bool { return s.named.End(named.Key{Owner: s.owner(r), Name: name}) })
}

// namedOf lists the named sessions of an owner.
func (s *Server) namedOf(owner named.Owner) []named.Info {
	return s.named.List(func(o named.Owner) bool { return o == owner })
}

// uiNamedOf translates the sessions for the dashboard. It never returns nil: the page
// wants a list.
func uiNamedOf(list []named.Info) []uiwire.Named {
	of := []uiwire.Named{}
	for _, i := range list {
		u := uiwire.Named{Name: i.Name, Client: i.Client, GraceMs: i.GraceMs, Kept: i.Kept}
		if i.AwaySince != nil {
			u.AwaySince = i.AwaySince.UnixMilli()
		}
		of = append(of, u)
	}
	return of
}

// endNamed answers 204 when end has ended a session, else 404.
func endNamed(w http.ResponseWriter, end func() bool) {
	if !end() {
		http.Error(w, "The named session does not exist (it may have ended).", http.StatusNotFound)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// operatorInfo is a named session as operators see it: of whatever token.
type operatorInfo struct {
	Hub string `json:"hub"`
	named.Info
}

func (s *Server) allNamed() []operatorInfo {
	list := []operatorInfo{}
	for _, i := range s.named.List(func(named.Owner) bool { return true }) {
		list = append(list, operatorInfo{i.Hub, i})
	}
	return list
}

// namedMetrics are the numbers of named sessions, read at each scrape.
func (s *Server) namedMetrics() []prometheus.Collector {
	const sessions, help = "cdphub_named_sessions", "Named sessions that have a connection (connected), and that wait for one (away)."
	state := func(state string, n func(named.Numbers) int) prometheus.Collector {
		o := prometheus.GaugeOpts{Name: sessions, Help: help, ConstLabels: prometheus.Labels{"state": state}}
		return prometheus.NewGaugeFunc(o, func() float64 { return float64(n(s.named.Numbers())) })
	}
	return []prometheus.Collector{
		state("connected", func(n named.Numbers) int { return n.Connected }),
		state("away", func(n named.Numbers) int { return n.Away }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "cdphub_named_session_bytes", Help: "Bytes of messages that named sessions keep for Clients that resume them.",
		}, func() float64 { return float64(s.named.Numbers().Bytes) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_named_sessions_returned_total", Help: "Connections that have come back to a named session.",
		}, func() float64 { return float64(s.named.Numbers().Returned) }),
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "cdphub_named_sessions_expired_total", Help: "Named sessions that have ended since no connection came back within the grace time.",
		}, func() float64 { return float64(s.named.Numbers().Expired) }),
	}
}
