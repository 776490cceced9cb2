package main

import (
	"context"
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
//	/json/…, /icdp/status, /health
//	/icdp/host                    Host WebSocket
//	/agent.js, /host.js, /host.mjs, /shell
//	/hub/NAME/…                   the same for the hub of that name
func (s *server) handler(clients, hosts bool) http.Handler {
	clientSocket := s.rules.Clients(http.HandlerFunc(s.serveClient))
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
		case clients && (route.path == "/devtools/browser" || strings.HasPrefix(route.path, "/devtools/browser/")):
			clientSocket.ServeHTTP(w, r)
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
	httpdiscovery.Handler(hub, discoveryOptions(hub, routeOf(r).prefix)).ServeHTTP(w, r)
}

// serveClient makes a WebSocket a Client of its hub.
func (s *server) serveClient(w http.ResponseWriter, r *http.Request) {
	s.upgrade(w, r, s.clients, wsconn.Options{AnyKey: true}, func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, log *zap.Logger) {
		client, err := hub.Join(conn)
		if err != nil {
			conn.Close(wsconn.ReasonTooMany)
			conn.Serve(ctx, func([]byte) {})
			log.Warn("client refused", zap.Error(err))
			return
		}
		defer client.Leave()
		log.Info("client connected")
		why := conn.Serve(ctx, client.Receive)
		log.Info("client disconnected", zap.Uint16("code", why.Code), zap.String("reason", why.Text))
	})
}

// serveHost makes a WebSocket the Host of its hub.
func (s *server) serveHost(w http.ResponseWriter, r *http.Request) {
	s.upgrade(w, r, s.hosts, wsconn.Options{Limits: bridge.PageLimits()}, func(ctx context.Context, hub *relay.Hub, conn *wsconn.Conn, log *zap.Logger) {
		why := bridge.ServePage(ctx, conn, hub, log)
		log.Info("host connection ended", zap.Uint16("code", why.Code), zap.String("reason", why.Text))
	})
}

// upgrade takes a WebSocket over and serves it in a goroutine of its own,
// which drain waits for.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request, to *side, o wsconn.Options,
	serve func(context.Context, *relay.Hub, *wsconn.Conn, *zap.Logger),
) {
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	conn, err := wsconn.Upgrade(w, r, o)
	log := s.log.With(zap.String("hub", routeOf(r).hub), zap.String("peer", r.RemoteAddr))
	if err != nil {
		release()
		log.Debug("handshake refused", zap.Error(err))
		return
	}
	to.start(func() {
		defer release()
		serve(to.ctx, hub, conn, log)
	})
}
