package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions/bap"
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// handler serves one listener: the paths of Clients, of Hosts, or both. It is
// exposed when other machines can reach it.
//
//	/devtools/browser[/ANY]       Client WebSocket
//	/devtools/page/ID             the same for one Target, with --page-sockets
//	/json/…, /icdp/status, /health
//	/icdp/host                    Host WebSocket
//	/agent.js, /agent.mjs, /host.js, /host.mjs, /shell
//	/dialog, /eval/KEY.js         what Frame Agents ask
//	/ndjson, /ws, …               the action APIs, see dialects.go
//	/cdp                          Client WebSocket beside /ndjson
//	/hub/NAME/…                   the same for the hub of that name
//	/session/NAME/rpc, …/cdp      /ndjson and /cdp of that hub; "default" is the one at the root
//	/browser-sandboxes[/NAME]     hubs made on request, see sandboxes.go
func (s *server) handler(clients, hosts, exposed bool) http.Handler {
	clientSocket := s.rules.Clients(s.admit(auth.RoleClient, s.serveClient))
	pageSocket := s.rules.Clients(s.admit(auth.RoleClient, s.servePage))
	discovery := s.rules.Clients(s.admit(auth.RoleClient, s.serveDiscovery))
	health := s.rules.Clients(http.HandlerFunc(s.serveHealth))
	hostSocket := s.rules.Hosts(s.namedHosts(exposed, s.admit(auth.RoleHost, s.serveHost)))
	role := auth.RoleClient
	if !clients {
		role = auth.RoleHost
	}
	nowhere := s.admit(role, http.NotFound)
	sandboxes := s.rules.Clients(s.gate.Require(func(r *http.Request) auth.Ask {
		return auth.Ask{Role: auth.RoleClient, Hub: auth.EveryHub, Path: r.URL.Path}
	}, withJSON(http.HandlerFunc(s.serveSandboxes))))
	return s.logRefusals(s.rules.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
			http.Error(w, "The hub is shutting down.", http.StatusServiceUnavailable)
			return
		}
		route, ok := s.route(r)
		r = r.WithContext(context.WithValue(r.Context(), routeKey{}, route))
		switch {
		case !ok:
			nowhere.ServeHTTP(w, r)
		case route.path == "/health":
			health.ServeHTTP(w, r)
		case hosts && route.path == "/icdp/host":
			hostSocket.ServeHTTP(w, r)
		case hosts && serveBundle(w, r, route.path):
		case hosts && s.serveFrames(w, r, route.path):
		case clients && s.flags.Actions && route.hub == relay.DefaultHub && (route.path == sandboxPath || strings.HasPrefix(route.path, sandboxPath+"/")):
			sandboxes.ServeHTTP(w, r)
		case clients && s.flags.Actions && route.path == "/cdp":
			clientSocket.ServeHTTP(w, r)
		case clients && (route.path == "/devtools/browser" || strings.HasPrefix(route.path, "/devtools/browser/")):
			clientSocket.ServeHTTP(w, r)
		case clients && s.flags.PageSockets && strings.HasPrefix(route.path, pageSocketPath):
			pageSocket.ServeHTTP(w, r)
		case clients && s.flags.Actions && route.path == "/rp.js":
			s.serveHookScript(w, r)
		case clients:
			if serve, ok := s.actionRoute(r, route.path); ok {
				s.rules.Clients(serve).ServeHTTP(w, r)
				return
			}
			discovery.ServeHTTP(w, r)
		default:
			nowhere.ServeHTTP(w, r)
		}
	})))
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
	if rest, named := strings.CutPrefix(path, "/session/"); named {
		return sessionRoute(rest)
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

// sessionRoute finds the hub of /session/NAME/rpc and /session/NAME/cdp.
func sessionRoute(rest string) (route, bool) {
	name, below, _ := strings.Cut(rest, "/")
	path, ok := map[string]string{"rpc": "/ndjson", "cdp": "/cdp"}[below]
	if name == "default" {
		return route{relay.DefaultHub, "", path}, ok
	}
	return route{name, "/hub/" + name, path}, ok && relay.ValidName(name)
}

// acquire finds the hub of a request; it answers when there is none to have.
func (s *server) acquire(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	name := routeOf(r).hub
	err := s.sandboxes.check(name)
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	hub, release, err := s.hubs.Acquire(name)
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	return hub, release, true
}

// refuse answers that there is no hub to have.
func refuse(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	if errors.Is(why, errNoSandbox) {
		status = http.StatusNotFound
	}
	http.Error(w, why.Error(), status)
}

// acquireReady is acquire for a Client: where the hub is to have a browser it
// waits for that.
func (s *server) acquireReady(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	hub, release, err := s.readyHub(r.Context(), routeOf(r).hub)
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	return hub, release, true
}

// readyHub finds a hub, with its browser. Its errors are for everybody to read.
func (s *server) readyHub(ctx context.Context, name string) (*relay.Hub, func(), error) {
	if err := s.sandboxes.check(name); err != nil {
		return nil, nil, err
	}
	done, err := s.pool.use(ctx, name)
	if err != nil {
		if s.guarded(true, false) && !errors.Is(err, errPoolFull) { // not everybody's business
			s.log.Info("client refused", zap.Error(err))
			err = errors.New("no browser can be had: the hub's log says why")
		}
		return nil, nil, err
	}
	hub, release, err := s.hubs.Acquire(name)
	if err != nil {
		done()
		return nil, nil, err
	}
	return hub, func() { release(); done() }, nil
}

func (s *server) serveDiscovery(w http.ResponseWriter, r *http.Request) {
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	defer release()
	pass := auth.PassOf(r)
	p := policy(pass)
	o := discoveryOptions(hub, routeOf(r).prefix, p)
	o.PageSockets = s.flags.PageSockets
	o.Query = pass.Query
	if p != nil {
		o.Refuse = p.Refuse
	}
	httpdiscovery.Handler(hub, o).ServeHTTP(w, r)
}

// serveHealth answers everybody, and so makes no hub.
func (s *server) serveHealth(w http.ResponseWriter, r *http.Request) {
	at := routeOf(r)
	o := httpdiscovery.Options{Prefix: at.prefix}
	if s.flags.Actions {
		o.Agents = bap.Version
	}
	hub, release := s.hubs.Peek(at.hub)
	defer release()
	httpdiscovery.Handler(hub, o).ServeHTTP(w, r)
}

// serveClient makes a WebSocket a Client of its hub.
func (s *server) serveClient(w http.ResponseWriter, r *http.Request) {
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	s.upgradeClient(w, r, hub, release, func(client *relay.Client, conn *wsconn.Conn) error {
		client.Connect(clientPeer{conn})
		return nil
	})
}

const pageSocketPath = "/devtools/page/"

// servePage makes a WebSocket a Client of one Target.
func (s *server) servePage(w http.ResponseWriter, r *http.Request) {
	id := strings.TrimPrefix(routeOf(r).path, pageSocketPath)
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	if _, known := hub.Target(id); !known {
		release()
		http.Error(w, "No such target id: "+id, http.StatusNotFound)
		return
	}
	s.upgradeClient(w, r, hub, release, func(client *relay.Client, conn *wsconn.Conn) error {
		return client.ConnectPage(clientPeer{conn}, id, func() { conn.Close(wsconn.ReasonTargetClosed) })
	})
}

// clientPeer is a Client's connection as its hub knows it.
type clientPeer struct{ *wsconn.Conn }

// Drained implements relay.Drained.
func (c clientPeer) Drained() { c.Close(wsconn.ReasonShutdown) }

// upgradeClient takes a WebSocket over for a Client, which connect joins to
// its hub; release is called when it has left. Its place there is taken
// before: a full hub refuses the handshake.
func (s *server) upgradeClient(w http.ResponseWriter, r *http.Request, hub *relay.Hub, release func(),
	connect func(*relay.Client, *wsconn.Conn) error,
) {
	who := s.peer("client", r)
	client, err := hub.Admit(policy(auth.PassOf(r)))
	if err != nil {
		release()
		http.Error(w, "Too many clients", http.StatusServiceUnavailable)
		return
	}
	o := wsconn.Options{AnyKey: true, Limits: s.flags.clientLimits()}
	came := s.upgrade(w, r, who, s.clients, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		if connect(client, conn) != nil { // the Target has just gone
			conn.Close(wsconn.ReasonTargetClosed)
		}
		receive := func(m []byte) {
			defer who.survive(conn)
			client.Receive(m)
		}
		conn.Start(ctx, receive, func(why wsconn.Reason) {
			client.Leave()
			who.left(why)
			release()
			ended()
		})
	})
	if !came {
		client.Leave()
		release()
	}
}

// serveHost makes a WebSocket the Host of its hub. Where there is one it must
// wait, the longer the more often the hub was taken over of late.
func (s *server) serveHost(w http.ResponseWriter, r *http.Request) {
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	if !awaitTakeover(r, hub) {
		release()
		return
	}
	who := s.peer("host", r)
	came := s.upgrade(w, r, who, s.hosts, wsconn.Options{Limits: s.flags.hostLimits()}, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		go func() {
			defer ended()
			defer release()
			defer who.survive(conn)
			why := wsconn.ReasonInternal
			defer func() { who.left(why) }()
			why = bridge.ServePage(ctx, conn, hub, s.log.With(who.fields()...))
		}()
	})
	if !came {
		release()
	}
}

// awaitTakeover waits for the Host's turn and reports whether it still wants
// it.
func awaitTakeover(r *http.Request, hub *relay.Hub) bool {
	wait := hub.TakeoverWait()
	if wait == 0 {
		return true
	}
	select {
	case <-time.After(wait):
		return true
	case <-r.Context().Done():
		return false
	}
}

// upgrade takes a WebSocket over and starts it. Drain waits until ended has
// been called. It reports false when it has refused the WebSocket, and answered.
func (s *server) upgrade(w http.ResponseWriter, r *http.Request, who peer, to *side, o wsconn.Options,
	start func(ctx context.Context, conn *wsconn.Conn, ended func()),
) bool {
	pass := auth.PassOf(r)
	o.Subprotocol = cmp.Or(pass.Protocol, o.Subprotocol)
	o.Compression, o.Budget, o.Lot = s.flags.Compression, s.budget, s.lot
	conn, err := wsconn.Upgrade(w, r, o)
	if err != nil {
		return false
	}
	s.log.Debug(who.side+" came", who.fields()...)
	letGo, left := s.hold(pass, conn), to.enter()
	apart := s.sandboxes.join(who.hub, func() { conn.Close(wsconn.ReasonDeleted) })
	start(to.ctx, conn, func() {
		letGo()
		apart()
		left()
	})
	return true
}
