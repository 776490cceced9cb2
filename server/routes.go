package server

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions/hooks"
	"github.com/cdphub/cdphub/actions/jsonrpc"
	"github.com/cdphub/cdphub/actions/ndjson"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
	"github.com/cdphub/cdphub/server/internal/sandboxes"
)

func (s *Server) isServed(e *front.Entry, on front.Audience) bool {
	switch e.On {
	case front.ForClients:
		return on.Clients
	case front.ForHosts:
		return on.Hosts
	case front.ForPeople:
		return s.hasUI(on)
	}
	return true
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
func (s *Server) routeTable() []front.Entry {
	const client, host, onlyPost = auth.RoleClient, auth.RoleHost, http.MethodPost
	post, noActions := []string{onlyPost}, s.o.Actions.Off
	table := []front.Entry{
		{Path: "/health", Serve: s.serveHealth},

		// The home page, and the dashboard.
		{Path: "/", On: front.ForPeople, When: webpage.WantsHTML, Pages: front.AllPages, Serve: s.serveDashboard},
		{Path: "/ui/app.js", On: front.ForPeople, Pages: front.AllPages, Serve: bundles()["/ui/app.js"].serve},
		{Path: "/ui/app.css", On: front.ForPeople, Pages: front.AllPages, Serve: bundles()["/ui/app.css"].serve},
		{Path: "/", When: webpage.WantsHTML, Pages: front.AllPages, Serve: s.serveHome},
		{Path: "/", When: isProgram, Serve: s.serveRoot},
		{Path: "/llms.txt", Serve: s.serveLLMs},
		{Path: "/home.js", Serve: bundles()["/home.js"].serve},
		{Path: "/favicon.ico", Serve: serveFavicon},
		{Path: clientStatusPath, On: front.ForClients, Role: client, Serve: s.serveHomeStatus},
		{Path: hostStatusPath, On: front.ForHosts, Role: host, Serve: s.serveHomeStatus},
		s.drainer.Row(),

		// Hosts, and Frame Agents.
		{Path: "/icdp/host", Speaks: protocolList(doors.Bridge), On: front.ForHosts, Pages: front.HostPages, Role: host, WS: true, Hub: true, Serve: s.serveHost, Elsewhere: toHosts},
		{Path: "/icdp/extension", On: front.ForHosts, Pages: front.ExtensionPages, Role: host, WS: true, Hub: true, Serve: s.serveExtension, Elsewhere: toHosts},
		{Path: "/dialog", On: front.ForHosts, Pages: front.AllPages, Hub: true, Serve: s.forFrames(serveDialog)},
		{Path: scriptPath + "{key...}", On: front.ForHosts, Pages: front.AllPages, Hub: true, Serve: s.forFrames(serveScript)},

		// DevTools: with a token to the front end, with a ticket for the target; the ticket stands in place of the token.
		{Path: frontEndPath, On: front.ForClients, Role: client, Hub: true, Serve: s.openDevTools},
		{Path: frontEndPath + "{file...}", On: front.ForClients, Serve: s.serveFrontEnd},
		{Path: pageSocketPath + "{id...}", Speaks: protocolList(doors.CDP), On: front.ForClients, When: hasTicket, Pages: front.OwnPages, WS: true, Hub: true, Serve: s.servePageByTicket},

		// CDP.
		{Path: "/devtools/browser", Speaks: protocolList(doors.CDP), On: front.ForClients, Role: client, WS: true, Hub: true, Named: true, Serve: s.serveClient, Elsewhere: toClients},
		{Path: "/devtools/browser/{any...}", Speaks: protocolList(doors.CDP), On: front.ForClients, Role: client, WS: true, Hub: true, Named: true, Serve: s.serveClient, Elsewhere: toClients},
		{Path: "/cdp", Speaks: protocolList(doors.CDP), Session: "cdp", On: front.ForClients, Off: noActions, Role: client, WS: true, Hub: true, Named: true, Serve: s.serveClient, Elsewhere: toClients},
		{Path: pageSocketPath + "{id...}", Speaks: protocolList(doors.CDP), On: front.ForClients, Role: client, WS: true, Hub: true, Unnamed: pageUnnamed, Serve: s.servePage, Elsewhere: toClients},
		{Path: "/json", On: front.ForClients, Role: client, Hub: true, Serve: s.serveDiscovery, Elsewhere: toClients},
		{Path: "/json/{command...}", On: front.ForClients, Role: client, Hub: true, Serve: s.serveDiscovery, Elsewhere: toClients},
		{Path: "/icdp/status", On: front.ForClients, Role: client, Hub: true, Serve: s.serveDiscovery, Elsewhere: toClients},
		{Path: "/sessions", On: front.ForClients, Pages: front.DashboardPages, Role: client, Hub: true, Resource: true, Methods: []string{http.MethodGet}, Serve: s.listNamed},
		{Path: sessionsPath + "{name...}", On: front.ForClients, Pages: front.DashboardPages, Role: client, Hub: true, Resource: true, Methods: []string{http.MethodDelete}, Serve: s.endOwnNamed},
		{Path: "/downloads", On: front.ForClients, Role: client, Hub: true, Resource: true, Methods: []string{http.MethodGet}, Serve: withFull(s.listDownloads), Elsewhere: toClients},
		{Path: relay.DownloadsPath + "{id...}", On: front.ForClients, Role: client, Hub: true, Resource: true, Methods: []string{http.MethodGet, http.MethodHead, http.MethodDelete}, Serve: withFull(s.serveDownload), Elsewhere: toClients},
		{Path: linkPath, On: front.ForClients, Role: client, WS: true, Plain: true, Serve: s.serveLink, Elsewhere: toClients},
		// Action APIs. A WebSocket without a path is one of two protocols, see serveEither.
		{Path: "/rp.js", On: front.ForClients, Off: noActions, Pages: front.AllPages, Serve: serveHookScript},
		{Path: "/", Speaks: protocolList(doors.BAP, doors.JSONRPC), On: front.ForClients, When: auth.IsWebSocket, Off: noActions, Role: client, WS: true, Hub: true, Unnamed: actionUnnamed, Serve: s.serveBAP(s.beginEither)},
		{Path: "/bap", Speaks: protocolList(doors.BAP), On: front.ForClients, Off: noActions, Role: client, WS: true, Hub: true, Unnamed: actionUnnamed, Serve: s.serveBAP(s.bap.Begin)},
		{Path: "/ndjson", Speaks: protocolList(doors.NDJSON), Session: "rpc", On: front.ForClients, Off: noActions, Role: client, WS: true, Hub: true, Unnamed: actionUnnamed, Serve: s.serveAdapter(ndjson.Begin)},
		{Path: "/ws", Speaks: protocolList(doors.JSONRPC), On: front.ForClients, Off: noActions, Role: client, Login: true, WS: true, Hub: true, Unnamed: actionUnnamed, Serve: s.serveAdapter(jsonrpc.Begin)},
		{Path: "/hooks", Speaks: protocolList(doors.Hooks), On: front.ForClients, Off: noActions, Role: client, WS: true, Hub: true, Unnamed: actionUnnamed, Serve: s.serveAdapter(hooks.Begin)},
		{Path: "/hooks/invoke", Speaks: protocolList(doors.Hooks), On: front.ForClients, Off: noActions, Role: client, Hub: true, Methods: post, JSON: true, Serve: s.serveActions(hooks.Invoke)},
		{Path: "/mcp", Speaks: protocolList(doors.MCP), On: front.ForClients, Off: noActions, Role: client, Hub: true, Methods: []string{onlyPost, http.MethodDelete}, JSON: true, Serve: s.serveActions(s.mcp.ServeHTTP)},
	}
	table = slices.Concat(table, s.dashboard.Rows(), s.sandboxes.Rows(noActions))
	for path, b := range bundles() {
		table = append(table, front.Entry{Path: path, On: front.ForHosts, Pages: front.AllPages, Serve: b.serve})
	}
	for i := range table {
		e := &table[i]
		if e.JSON {
			e.Serve = front.WithJSON(e.Serve)
		}
		if e.Methods != nil {
			e.Serve = front.WithMethods(e.Serve, e.Methods)
		}
	}
	return table
}

// protocolList is the protocols of an entry.
func protocolList(list ...doors.Protocol) []doors.Protocol { return list }

// find is the entry that a request leads to; nowhere is what no path leads to.
func (s *Server) find(nowhere front.Entry, r *http.Request) front.Entry {
	at := front.RouteOf(r)
	for i := range s.table {
		if e := &s.table[i]; !e.Off && e.LeadsFrom(at.Path) && s.isServed(e, at.On) && (e.When == nil || e.When(r)) {
			if e.Guests {
				return s.dashboard.LetGuestsIn(r, *e)
			}
			return *e
		}
	}
	return nowhere
}

// handler serves one listener: the paths of Clients, of Hosts, or both.
func (s *Server) handler(on front.Audience) http.Handler {
	return s.locate(webpage.ForPeople(s.access.LogRefusals(s.rules.Guard(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
			http.Error(w, "The hub is shutting down.", http.StatusServiceUnavailable)
			return
		}
		at, ok := s.route(r)
		at.On = on
		r = at.With(r)
		e := front.Entry{Role: auth.RoleClient, Serve: s.serveNowhere}
		if !on.Clients {
			e.Role, e.Serve = auth.RoleHost, s.notFound
		}
		e.Serve = s.orMisplaced(at, ok, e.Serve)
		if ok {
			e = s.find(e, r)
		}
		s.enter(w, r, e)
	})), s.route), s.homePath), s.publicURL)
}

// locate finds out where the client of a request reaches this server. public is the address of the
// listener for people, or nil.
func (s *Server) locate(next http.Handler, public *url.URL) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(w, auth.WithOwnAddress(r, s.gate.FindOwnAddress(r, s.rules, public)))
	})
}

// route finds the hub by path, /hub/NAME/…, by host, NAME.BASEDOMAIN, or by the
// address of the link that has carried the request.
func (s *Server) route(r *http.Request) (front.Route, bool) {
	path := cmp.Or(r.URL.Path, "/") // http.StripPrefix leaves nothing of its own path
	if rest, named := strings.CutPrefix(path, "/hub/"); named {
		name, below, _ := strings.Cut(rest, "/")
		hub, share := relay.CutShare(name)
		return front.Route{Hub: name, Prefix: "/hub/" + name, Path: "/" + below}, name != "" && relay.ValidHub(name) && (share == "" || s.divides(hub))
	}
	if rest, named := strings.CutPrefix(path, "/session/"); named {
		return s.sessionRoute(rest)
	}
	if s.o.BaseDomain != "" {
		host, _ := auth.HostName(auth.OwnAddressOf(r).Host)
		if n, below := strings.CutSuffix(host, "."+s.o.BaseDomain); below {
			return front.Route{Hub: n, Path: path}, relay.ValidName(n)
		}
	}
	return front.Route{Hub: linkOf(r).hub, Path: path}, true
}

// sessionRoute finds the hub and the entry of /session/NAME/SESSION.
func (s *Server) sessionRoute(rest string) (at front.Route, known bool) {
	name, session, _ := strings.Cut(rest, "/")
	at, known = front.Route{Hub: name, Prefix: "/hub/" + name, Live: true}, relay.ValidName(name)
	if name == "default" {
		at, known = front.Route{Hub: relay.DefaultHub}, true
	}
	i := slices.IndexFunc(s.table, func(e front.Entry) bool { return session != "" && e.Session == session })
	if i < 0 {
		return at, false
	}
	at.Path = s.table[i].Path
	return at, known
}

// acquire finds the hub of a request; it answers when there is none to have.
func (s *Server) acquire(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	name := front.RouteOf(r).Hub
	err := s.sandboxes.Check(name)
	if err == nil {
		err = s.cluster.ClaimHere(r.Context(), name)
	}
	if err != nil {
		refuseHub(w, err)
		return nil, nil, false
	}
	hub, release, err := s.hubs.AcquireFor(front.PayerOf(r), name)
	if err != nil {
		refuseHub(w, err)
		return nil, nil, false
	}
	return hub, release, true
}

// refuseHub answers that there is no hub to have: 404 for a sandbox that has ended, else
// 503, with Retry-After where a later try can succeed (RFC 9110, section 10.2.3).
func refuseHub(w http.ResponseWriter, why error) {
	status := http.StatusServiceUnavailable
	switch {
	case errors.Is(why, sandboxes.ErrEnded):
		status = http.StatusNotFound
	case browsers.IsFull(why):
		w.Header().Set("Retry-After", front.RetryFull)
	case errors.Is(why, membership.ErrElsewhere), errors.Is(why, cluster.ErrTaken), errors.Is(why, cluster.ErrUncertain):
		w.Header().Set("Retry-After", "1")
	}
	http.Error(w, why.Error(), status)
}

// acquireReady is acquire for a Client: where the hub is to have a browser it
// waits for that.
func (s *Server) acquireReady(w http.ResponseWriter, r *http.Request) (*relay.Hub, func(), bool) {
	at := front.RouteOf(r)
	if at.Live && !s.hubs.Has(at.Hub) && !s.browsers.Names(at.Hub) {
		http.Error(w, "session not found: "+at.Hub, http.StatusNotFound)
		return nil, nil, false
	}
	hub, release, err := s.Hub(r.Context(), at.Hub)
	if err != nil {
		refuseHub(w, err)
		return nil, nil, false
	}
	return hub, release, true
}
