package server

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// entry is a row of the route table: what a path leads to, and who is let in: first by what a
// request says of the page that it comes from, then by its token.
type entry struct {
	path string                   // below the prefix of the hub; {name...} is the rest of the path
	on   listeners                // that serve it
	when func(*http.Request) bool // only such requests are meant; nil: all
	off  bool                     // the options leave it out

	methods []string  // that are answered; nil: serve sees to that
	json    bool      // a body must be JSON by its Content-Type, see withJSON
	pages   pages     // whose requests are heard
	role    auth.Role // whose token lets in; "" for what needs none
	every   bool      // a token for every hub is needed
	login   bool      // the token may come later
	guests  bool      // the key of a handoff's guest is as good as a token
	ws      bool      // it is a WebSocket: other requests are answered before there is a hub
	hub     bool      // it is about a hub: in a cluster, the node that owns the hub serves it
	plain   bool      // it carries requests that find their hubs themselves: it is in no share
	serve   http.HandlerFunc

	session   string // its name below /session/NAME/, which leads to a hub that there is; "" for none
	named     bool   // it has named sessions
	unnamed   string // what to do in place of a named session, where it has none
	elsewhere string // the answer of listeners that do not serve it

	claim bool // the hub has no owner yet: the node that it is passed on to claims it
}

// listeners are those that serve an entry.
type listeners int

const (
	allListeners listeners = iota
	forClients
	forHosts
	forPeople // those for Clients that have the dashboard, see hasUI
)

func (s *Server) isServed(e *entry, on audience) bool {
	switch e.on {
	case forClients:
		return on.clients
	case forHosts:
		return on.hosts
	case forPeople:
		return s.hasUI(on)
	}
	return true
}

// leadsFrom reports whether a path below the prefix of a hub is one of the entry's.
func (e *entry) leadsFrom(path string) bool {
	folder, _, below := strings.Cut(e.path, "{")
	return path == folder || below && strings.HasPrefix(path, folder)
}

const (
	toClients = "This is the listener for Hosts: Clients connect to the one of --client-addr, by default at port 9222."
	toHosts   = "This is the listener for Clients: Hosts connect to the one of --host-addr, by default at port 9223."

	pageUnnamed = "A page's socket has no state to keep, and the page stays open without it: to keep the session on the page and its messages, " +
		"connect to /devtools/browser?session=NAME and attach with Target.attachToTarget."
	actionUnnamed = "The pages that actions have opened stay in the hub when a connection ends: connect again, and use their ids."
)

// routeTable has all that listeners for Clients and for Hosts serve. The first entry that fits a
// request serves it. Before a path stands the prefix of its hub, see route.
func (s *Server) routeTable() []entry {
	const client, host, onlyPost = auth.RoleClient, auth.RoleHost, http.MethodPost
	post, noActions, noTimeline := []string{onlyPost}, s.o.Actions.Off, s.journal == nil
	opener := client // of the links of handoffs
	if s.o.HandoffByLink {
		opener = ""
	}
	table := []entry{
		{path: "/health", serve: s.serveHealth},

		// The home page, and the dashboard with what docs/dashboard.md describes for others, too.
		{path: "/", on: forPeople, when: webpage.WantsHTML, pages: allPages, serve: s.serveDashboard},
		{path: "/ui/app.js", on: forPeople, pages: allPages, serve: bundles()["/ui/app.js"].serve},
		{path: "/ui/app.css", on: forPeople, pages: allPages, serve: bundles()["/ui/app.css"].serve},
		{path: "/", when: webpage.WantsHTML, pages: allPages, serve: s.serveHome},
		{path: "/home.js", serve: bundles()["/home.js"].serve},
		{path: "/favicon.ico", serve: serveFavicon},
		{path: clientStatusPath, on: forClients, role: client, serve: s.serveHomeStatus},
		{path: hostStatusPath, on: forHosts, role: host, serve: s.serveHomeStatus},
		{path: "/ui/api/handoff", on: forPeople, pages: dashboardPages, role: opener, hub: true, serve: s.serveHandoff},
		{path: uiDrainPath, on: forPeople, pages: dashboardPages, role: client, every: true, methods: post, json: true, serve: s.serveUIDrain},
		{path: "/ui/api/grant", on: forPeople, pages: dashboardPages, role: client, hub: true, methods: post, serve: s.serveTabs},
		{path: "/ui/api/revoke", on: forPeople, pages: dashboardPages, role: client, hub: true, methods: post, serve: s.serveTabs},
		{path: "/ui/api/state", on: forPeople, pages: dashboardPages, role: client, guests: true, hub: true, serve: s.serveUIState},
		{path: "/ui/api/events", on: forPeople, pages: dashboardPages, role: client, guests: true, hub: true, serve: s.serveUIEvents},
		{path: "/ui/api/view", on: forPeople, pages: dashboardPages, role: client, guests: true, ws: true, hub: true, serve: s.serveView},
		{path: "/ui/api/timeline", on: forClients, off: noTimeline, pages: dashboardPages, role: client, hub: true, serve: s.serveTimeline},
		{path: "/ui/api/picture", on: forClients, off: noTimeline, pages: dashboardPages, role: client, hub: true, serve: s.servePicture},

		// Hosts, and Frame Agents.
		{path: "/icdp/host", on: forHosts, pages: hostPages, role: host, ws: true, hub: true, serve: s.serveHost, elsewhere: toHosts},
		{path: "/dialog", on: forHosts, pages: allPages, hub: true, serve: s.forFrames(serveDialog)},
		{path: scriptPath + "{key...}", on: forHosts, pages: allPages, hub: true, serve: s.forFrames(serveScript)},

		// DevTools: with a token to the front end, with a ticket for the target; the ticket stands in place of the token.
		{path: frontEndPath, on: forClients, role: client, hub: true, serve: s.openDevTools},
		{path: frontEndPath + "{file...}", on: forClients, serve: s.serveFrontEnd},
		{path: pageSocketPath + "{id...}", on: forClients, when: hasTicket, pages: ownPages, ws: true, hub: true, serve: s.servePageByTicket},

		// CDP.
		{path: "/devtools/browser", on: forClients, role: client, ws: true, hub: true, named: true, serve: s.serveClient, elsewhere: toClients},
		{path: "/devtools/browser/{any...}", on: forClients, role: client, ws: true, hub: true, named: true, serve: s.serveClient, elsewhere: toClients},
		{path: "/cdp", session: "cdp", on: forClients, off: noActions, role: client, ws: true, hub: true, named: true, serve: s.serveClient, elsewhere: toClients},
		{path: pageSocketPath + "{id...}", on: forClients, role: client, ws: true, hub: true, unnamed: pageUnnamed, serve: s.servePage, elsewhere: toClients},
		{path: "/json", on: forClients, role: client, hub: true, serve: s.serveDiscovery, elsewhere: toClients},
		{path: "/json/{command...}", on: forClients, role: client, hub: true, serve: s.serveDiscovery, elsewhere: toClients},
		{path: "/icdp/status", on: forClients, role: client, hub: true, serve: s.serveDiscovery, elsewhere: toClients},
		{path: "/icdp/status/", on: forClients, role: client, hub: true, serve: s.serveDiscovery, elsewhere: toClients},
		{path: "/health/", on: forClients, role: client, hub: true, serve: s.serveDiscovery, elsewhere: toClients},
		{path: "/sessions", on: forClients, pages: dashboardPages, role: client, hub: true, methods: []string{http.MethodGet}, serve: s.listNamed},
		{path: sessionsPath + "{name...}", on: forClients, pages: dashboardPages, role: client, hub: true, methods: []string{http.MethodDelete}, serve: s.endOwnNamed},
		{path: linkPath, on: forClients, role: client, ws: true, plain: true, serve: s.serveLink, elsewhere: toClients},

		// Action APIs. A WebSocket without a path is one of two protocols, see serveEither.
		{path: sandboxPath, on: forClients, when: namesNoHub, off: noActions, role: client, every: true, json: true, serve: s.serveSandboxes},
		{path: sandboxPath + "/{name...}", on: forClients, when: namesNoHub, off: noActions, role: client, every: true, json: true, serve: s.serveSandboxes},
		{path: "/rp.js", on: forClients, off: noActions, pages: allPages, serve: serveHookScript},
		{path: "/", on: forClients, when: auth.IsWebSocket, off: noActions, role: client, ws: true, hub: true, unnamed: actionUnnamed, serve: s.serveBAP(s.serveEither)},
		{path: "/bap", on: forClients, off: noActions, role: client, ws: true, hub: true, unnamed: actionUnnamed, serve: s.serveBAP(s.bap.Serve)},
		{path: "/ndjson", session: "rpc", on: forClients, off: noActions, role: client, ws: true, hub: true, unnamed: actionUnnamed, serve: s.serveAdapter(ndjson.Serve)},
		{path: "/ws", on: forClients, off: noActions, role: client, login: true, ws: true, hub: true, unnamed: actionUnnamed, serve: s.serveAdapter(jsonrpc.Serve)},
		{path: "/hooks", on: forClients, off: noActions, role: client, ws: true, hub: true, unnamed: actionUnnamed, serve: s.serveAdapter(hooks.Serve)},
		{path: "/hooks/invoke", on: forClients, off: noActions, role: client, hub: true, methods: post, json: true, serve: s.serveActions(hooks.Invoke)},
		{path: "/mcp", on: forClients, off: noActions, role: client, hub: true, methods: []string{onlyPost, http.MethodDelete}, json: true, serve: s.serveActions(s.mcp.ServeHTTP)},
	}
	for path, b := range bundles() {
		table = append(table, entry{path: path, on: forHosts, pages: allPages, serve: b.serve})
	}
	for i := range table {
		e := &table[i]
		if e.json {
			e.serve = withJSON(e.serve)
		}
		if e.methods != nil {
			e.serve = withMethods(e.serve, e.methods)
		}
	}
	return table
}

// namesNoHub reports whether a request is for the hub at the root.
func namesNoHub(r *http.Request) bool { return routeOf(r).hub == relay.DefaultHub }

// find is the entry that a request leads to; nowhere is what no path leads to.
func (s *Server) find(nowhere entry, r *http.Request) entry {
	at := routeOf(r)
	for i := range s.table {
		if e := &s.table[i]; !e.off && e.leadsFrom(at.path) && s.isServed(e, at.on) && (e.when == nil || e.when(r)) {
			if e.guests {
				return s.forGuests(r, *e)
			}
			return *e
		}
	}
	return nowhere
}

// audience is whom a listener serves.
type audience struct {
	clients, hosts bool
	exposed        bool // other machines can reach it
}

// name is what the log and the metrics call a listener.
func (a audience) name() string {
	switch {
	case !a.hosts:
		return "clients"
	case !a.clients:
		return "hosts"
	}
	return "shared"
}

// handler serves one listener: the paths of Clients, of Hosts, or both.
func (s *Server) handler(on audience) http.Handler {
	return webpage.ForPeople(s.logRefusals(s.rules.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
			http.Error(w, "The hub is shutting down.", http.StatusServiceUnavailable)
			return
		}
		at, ok := s.route(r)
		at.on = on
		r = r.WithContext(context.WithValue(r.Context(), routeKey{}, at))
		e := entry{role: auth.RoleClient, serve: notFound}
		if !on.clients {
			e.role, e.serve = auth.RoleHost, http.NotFound
		}
		e.serve = s.orMisplaced(at, ok, e.serve)
		if ok {
			e = s.find(e, r)
		}
		s.enter(w, r, e)
	}))), s.homePath)
}

// route is which hub a request is for, and the path below it.
type route struct {
	hub    string
	prefix string // of the hub's paths: "" or "/hub/NAME"
	path   string
	passed bool // on, by another node
	live   bool // only a hub that there is, or that the options name, is meant: a session's

	on audience // of the listener that the request came to
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
		return s.sessionRoute(rest)
	}
	if s.o.BaseDomain != "" {
		host, _ := auth.HostName(r.Host)
		if n, below := strings.CutSuffix(host, "."+s.o.BaseDomain); below {
			return route{hub: n, path: path}, relay.ValidName(n)
		}
	}
	return route{hub: linkOf(r).hub, path: path}, true
}

// sessionRoute finds the hub and the entry of /session/NAME/SESSION.
func (s *Server) sessionRoute(rest string) (at route, known bool) {
	name, session, _ := strings.Cut(rest, "/")
	at, known = route{hub: name, prefix: "/hub/" + name, live: true}, relay.ValidName(name)
	if name == "default" {
		at, known = route{hub: relay.DefaultHub}, true
	}
	i := slices.IndexFunc(s.table, func(e entry) bool { return session != "" && e.session == session })
	if i < 0 {
		return at, false
	}
	at.path = s.table[i].path
	return at, known
}

// acquire finds the hub of a request; it answers when there is none to have.
func (s *Server) acquire(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	name := routeOf(r).hub
	err := s.sandboxes.check(name)
	if err == nil {
		err = s.cluster.ClaimHere(r.Context(), name)
	}
	if err != nil {
		refuseHub(w, err)
		return nil, nil, false
	}
	hub, release, err := s.hubs.AcquireFor(payerOf(r), name)
	if err != nil {
		refuseHub(w, err)
		return nil, nil, false
	}
	return hub, release, true
}

// retryFull is after how many seconds a Client may try again that has found no
// browser free.
const retryFull = "5"

// refuseHub answers that there is no hub to have: 404 for a sandbox that has ended, else
// 503, with Retry-After where a later try can succeed (RFC 9110, section 10.2.3).
func refuseHub(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	switch {
	case errors.Is(why, errNoSandbox):
		status = http.StatusNotFound
	case browsers.IsFull(why):
		w.Header().Set("Retry-After", retryFull)
	case errors.Is(why, membership.ErrElsewhere), errors.Is(why, cluster.ErrTaken), errors.Is(why, cluster.ErrUncertain):
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
		refuseHub(w, err)
		return nil, nil, false
	}
	return hub, release, true
}
