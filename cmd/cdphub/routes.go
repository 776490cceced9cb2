package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// handler serves one listener: the paths of Clients, of Hosts, or both.
//
//	/devtools/browser[/ANY]       Client WebSocket
//	/devtools/page/ID             the same for one Target, with --page-sockets
//	/json/…, /icdp/status, /health
//	/icdp/host                    Host WebSocket
//	/agent.js, /agent.mjs, /host.js, /host.mjs, /shell
//	/dialog, /eval/KEY.js         what Frame Agents ask
//	/hub/NAME/…                   the same for the hub of that name
func (s *server) handler(clients, hosts bool) http.Handler {
	clientSocket := s.rules.Clients(http.HandlerFunc(s.serveClient))
	pageSocket := s.rules.Clients(http.HandlerFunc(s.servePage))
	discovery := s.rules.Clients(http.HandlerFunc(s.serveDiscovery))
	hostSocket := s.rules.Hosts(http.HandlerFunc(s.serveHost))
	return s.rules.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		route, ok := s.route(r)
		if !ok {
			http.NotFound(w, r)
			return
		}
		r = r.WithContext(context.WithValue(r.Context(), routeKey{}, route))
		switch {
		case hosts && route.path == "/icdp/host":
			hostSocket.ServeHTTP(w, r)
		case hosts && serveBundle(w, r, route.path):
		case hosts && s.serveFrames(w, r, route.path):
		case clients && (route.path == "/devtools/browser" || strings.HasPrefix(route.path, "/devtools/browser/")):
			clientSocket.ServeHTTP(w, r)
		case clients && s.flags.PageSockets && strings.HasPrefix(route.path, pageSocketPath):
			pageSocket.ServeHTTP(w, r)
		case clients || route.path == "/health":
			discovery.ServeHTTP(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
}

// route is which hub a request is for, and the path below it.
type route struct {
	hub    string
	prefix string // of the hub's paths: "" or "/hub/NAME"
	path   string
}

type routeKey struct{}

func routeOf(r *http.Request) route { return r.Context().Value(routeKey{}).(route) }

// route finds the hub by path, /hub/NAME/…, or by host, NAME.BASEDOMAIN.
func (s *server) route(r *http.Request) (route, bool) {
	path := r.URL.Path
	if rest, named := strings.CutPrefix(path, "/hub/"); named {
		name, below, _ := strings.Cut(rest, "/")
		return route{name, "/hub/" + name, "/" + below}, relay.ValidName(name)
	}
	name := relay.DefaultHub
	if s.flags.BaseDomain != "" {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if n, below := strings.CutSuffix(strings.ToLower(host), "."+strings.ToLower(s.flags.BaseDomain)); below {
			if name = n; !relay.ValidName(name) {
				return route{}, false
			}
		}
	}
	return route{name, "", path}, true
}

// acquire finds the hub of a request; it answers when there is none to have.
func (s *server) acquire(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	hub, release, err := s.hubs.Acquire(routeOf(r).hub)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return nil, nil, false
	}
	return hub, release, true
}

func (s *server) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	defer release()
	o := discoveryOptions(hub, routeOf(r).prefix)
	o.PageSockets = s.flags.PageSockets
	httpdiscovery.Handler(hub, o).ServeHTTP(w, r)
}

// serveClient makes a WebSocket a Client of its hub.
func (s *server) serveClient(w http.ResponseWriter, r *http.Request) {
	who := peer{s.log, "client", routeOf(r).hub, r.RemoteAddr}
	s.upgrade(w, r, who, s.clients, wsconn.Options{AnyKey: true, Limits: s.flags.clientLimits()}, func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, ended func()) {
		client, err := hub.Join(conn)
		who.serve(ctx, conn, client, err, ended)
	})
}

const pageSocketPath = "/devtools/page/"

// servePage makes a WebSocket a Client of one Target.
func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	at := routeOf(r)
	who := peer{s.log, "client", at.hub, r.RemoteAddr}
	id := strings.TrimPrefix(at.path, pageSocketPath)
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	defer release()
	if _, known := hub.Target(id); !known {
		http.Error(w, "No such target id: "+id, http.StatusNotFound)
		return
	}
	s.upgrade(w, r, who, s.clients, wsconn.Options{AnyKey: true, Limits: s.flags.clientLimits()}, func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, ended func()) {
		client, err := hub.JoinPage(conn, id, func() { conn.Close(wsconn.ReasonTargetClosed) })
		who.serve(ctx, conn, client, err, ended)
	})
}

// serve starts a Client, or refuses it; it calls ended when that has left.
func (p peer) serve(ctx context.Context, conn *wsconn.Conn, client *relay.Client, err error, ended func()) {
	if err != nil {
		why := wsconn.ReasonTooMany
		if errors.Is(err, relay.ErrNoTarget) {
			why = wsconn.ReasonTargetClosed
		}
		conn.Close(why)
		conn.Start(ctx, func([]byte) {}, func(wsconn.Reason) { ended() })
		p.log.Warn("client refused", p.fields(zap.Error(err))...)
		return
	}
	conn.Start(ctx, client.Receive, func(why wsconn.Reason) {
		client.Leave()
		p.left(why)
		ended()
	})
}

// serveHost makes a WebSocket the Host of its hub.
func (s *server) serveHost(w http.ResponseWriter, r *http.Request) {
	who := peer{s.log, "host", routeOf(r).hub, r.RemoteAddr}
	s.upgrade(w, r, who, s.hosts, wsconn.Options{Limits: s.flags.hostLimits()}, func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, ended func()) {
		go func() {
			defer ended()
			who.left(bridge.ServePage(ctx, conn, hub, s.log.With(who.fields()...)))
		}()
	})
}

// peer is who a connection is, for the log. A logger made with these fields
// would hold a kilobyte for as long as the connection lives.
type peer struct {
	log             *zap.Logger
	side, hub, addr string
}

func (p peer) fields(more ...zap.Field) []zap.Field {
	return append(more, zap.String("hub", p.hub), zap.String("peer", p.addr))
}

func (p peer) left(why wsconn.Reason) {
	p.log.Info(p.side+" left", p.fields(zap.Uint16("code", why.Code), zap.String("reason", why.Text))...)
}

// upgrade takes a WebSocket over and starts it. Drain waits until ended has
// been called.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request, who peer, to *side, o wsconn.Options,
	start func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, ended func()),
) {
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	o.Compression, o.Budget, o.Lot = s.flags.Compression, s.budget, s.lot
	conn, err := wsconn.Upgrade(w, r, o)
	if err != nil {
		release()
		s.log.Debug("handshake refused", who.fields(zap.Error(err))...)
		return
	}
	s.log.Info(who.side+" came", who.fields()...)
	left := to.enter()
	start(to.ctx, hub, conn, func() {
		release()
		left()
	})
}
