package server

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/relay"
)

// handler serves one listener: the paths of Clients, of Hosts, or both. It is
// exposed when other machines can reach it.
//
//	/devtools/browser[/ANY]       Client WebSocket
//	/devtools/page/ID             the same for one Target
//	/devtools/ui/                 DevTools for people, see devtools.go
//	/json/…, /icdp/status, /health
//	/sessions[/NAME]                the Client's named sessions, see named.go
//	/icdp/host                    Host WebSocket
//	/agent.js, /agent.mjs, /host.js, /host.mjs, /shell
//	/, /home.js, /home.json, /favicon.ico   the home page, see home.go
//	/dialog, /eval/KEY.js         what Frame Agents ask
//	/ndjson, /ws, …               the action APIs, see actionapis.go
//	/cdp                          Client WebSocket beside /ndjson
//	/hub/NAME/…                   the same for the hub of that name
//	/session/NAME/rpc, …/cdp      /ndjson and /cdp of that hub; "default" is the one at the root
//	/browser-sandboxes[/NAME]     hubs made on request, see sandboxes.go
//	/link                         WebSocket of a link, see links.go
func (s *Server) handler(clients, hosts, exposed bool) http.Handler {
	return s.serve(audience{clients, hosts, exposed})
}

func (s *Server) serve(on audience) http.Handler {
	return webpage.ForPeople(s.logRefusals(s.rules.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
			http.Error(w, "The hub is shutting down.", http.StatusServiceUnavailable)
			return
		}
		at, ok := s.route(r)
		at.listener = listenerName(on.clients, on.hosts)
		r = r.WithContext(context.WithValue(r.Context(), routeKey{}, at))
		e := entry{role: auth.RoleClient, serve: notFound}
		if !on.clients {
			e.role, e.serve = auth.RoleHost, http.NotFound
		}
		e.serve = orMisplaced(at, ok, on, e.serve)
		if ok {
			e = s.find(e, r, on)
		}
		s.enter(w, r, e, on)
	}))), s.homePath)
}

// find is what a path leads to; nowhere is what no path leads to.
func (s *Server) find(nowhere entry, r *http.Request, on audience) entry {
	clients, path, actions := on.clients, routeOf(r).path, on.clients && !s.o.Actions.Off
	if path == "/health" {
		return entry{serve: s.serveHealth}
	}
	if e, ok := s.homeEntry(r, on); ok {
		return e
	}
	if e, ok := s.uiEntry(r, on); ok {
		return e
	}
	if on.hosts {
		if path == "/icdp/host" {
			return entry{pages: hostPages, role: auth.RoleHost, ws: true, hub: true, serve: s.serveHost}
		}
		if b, ok := bundles()[path]; ok {
			return entry{pages: allPages, serve: b.serve}
		}
		if serve := s.frameEndpoint(path); serve != nil {
			return entry{pages: allPages, hub: true, serve: serve}
		}
	}
	if clients {
		if e, ok := s.devtoolsEntry(r); ok {
			return e
		}
		if e, ok := s.namedEntry(path); ok {
			return e
		}
	}
	switch {
	case actions && isSandboxPath(routeOf(r)):
		return entry{role: auth.RoleClient, every: true, serve: withJSON(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			s.serveSandboxes(w, r, on)
		})).ServeHTTP}
	case clients && browserSocket(path) && (actions || path != "/cdp"):
		return entry{role: auth.RoleClient, ws: true, hub: true, serve: s.serveClient}
	case clients && path == linkPath:
		return entry{role: auth.RoleClient, ws: true, plain: true, serve: func(w http.ResponseWriter, r *http.Request) { s.serveLink(w, r, on) }}
	case clients && s.timelineAPI(path) != nil:
		return entry{pages: dashboardPages, role: auth.RoleClient, hub: true, serve: s.timelineAPI(path)}
	case clients && strings.HasPrefix(path, pageSocketPath):
		return entry{role: auth.RoleClient, ws: true, hub: true, serve: s.servePage}
	case actions && path == "/rp.js":
		return entry{pages: allPages, serve: serveHookScript}
	case actions:
		if e, ok := s.actionEntry(r, path); ok {
			return e
		}
	}
	if clients && httpdiscovery.Serves(path) {
		return entry{role: auth.RoleClient, hub: true, serve: s.serveDiscovery}
	}
	return nowhere
}

// route is which hub a request is for, and the path below it.
type route struct {
	hub    string
	prefix string // of the hub's paths: "" or "/hub/NAME"
	path   string
	passed bool // on, by another node
	live   bool // only a hub that there is, or that the options name, is meant: a session's

	listener string // that the request came to: clients, hosts, or shared
}

// listenerName is what the log and the metrics call a listener.
func listenerName(clients, hosts bool) string {
	switch {
	case !hosts:
		return "clients"
	case !clients:
		return "hosts"
	}
	return "shared"
}

type routeKey struct{}

func routeOf(r *http.Request) route { return r.Context().Value(routeKey{}).(route) }

// route finds the hub by path, /hub/NAME/…, by host, NAME.BASEDOMAIN, or by the
// address of the link that has carried the request.
func (s *Server) route(r *http.Request) (route, bool) {
	path := r.URL.Path
	if rest, named := strings.CutPrefix(path, "/hub/"); named {
		name, below, _ := strings.Cut(rest, "/")
		hub, share := relay.CutShare(name)
		return route{hub: name, prefix: "/hub/" + name, path: "/" + below}, name != "" && relay.ValidHub(name) && (share == "" || s.divides(hub))
	}
	if rest, named := strings.CutPrefix(path, "/session/"); named {
		return sessionRoute(rest)
	}
	if s.o.BaseDomain != "" {
		host, _ := auth.HostName(r.Host)
		if n, below := strings.CutSuffix(host, "."+s.o.BaseDomain); below {
			return route{hub: n, path: path}, relay.ValidName(n)
		}
	}
	return route{hub: linkOf(r).hub, path: path}, true
}

// sessionRoute finds the hub of /session/NAME/rpc and /session/NAME/cdp.
func sessionRoute(rest string) (route, bool) {
	name, below, _ := strings.Cut(rest, "/")
	path, ok := map[string]string{"rpc": "/ndjson", "cdp": "/cdp"}[below]
	if name == "default" {
		return route{hub: relay.DefaultHub, path: path}, ok
	}
	return route{hub: name, prefix: "/hub/" + name, path: path, live: true}, ok && relay.ValidName(name)
}

// acquire finds the hub of a request; it answers when there is none to have.
func (s *Server) acquire(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	name := routeOf(r).hub
	err := s.sandboxes.check(name)
	if err == nil {
		err = s.cluster.here(r.Context(), name)
	}
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	hub, release, err := s.hubs.AcquireFor(payer(r), name)
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	return hub, release, true
}

// retryFull is after how many seconds a Client may try again that has found no
// browser free.
const retryFull = "5"

// refuse answers that there is no hub to have: 404 for a sandbox that has ended, else
// 503, with Retry-After where a later try can succeed (RFC 9110, section 10.2.3).
func refuse(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	switch {
	case errors.Is(why, errNoSandbox):
		status = http.StatusNotFound
	case browsers.IsFull(why):
		w.Header().Set("Retry-After", retryFull)
	case errors.Is(why, errElsewhere), errors.Is(why, cluster.ErrTaken), errors.Is(why, cluster.ErrUncertain):
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, why.Error(), status)
}

// acquireReady is acquire for a Client: where the hub is to have a browser it
// waits for that.
func (s *Server) acquireReady(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	at := routeOf(r)
	if at.live && !s.hubs.Has(at.hub) && !s.browsers.Names(at.hub) {
		http.Error(w, "session not found: "+at.hub, http.StatusNotFound)
		return nil, nil, false
	}
	hub, release, err := s.Hub(r.Context(), at.hub)
	if err != nil {
		refuse(w, err)
		return nil, nil, false
	}
	return hub, release, true
}
