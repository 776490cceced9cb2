package server

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// pages are those whose requests are heard. Unless an entry says otherwise
// they are those that may be Clients.
type pages int

const (
	clientPages pages = iota
	hostPages
	ownPages       // and those of the origin that is asked, for a WebSocket as well
	dashboardPages // those of the origin that is asked, and no others
	allPages       // what is served is the same for everybody, or wants a key of its own
)

// enter is the one way to what is behind a path. It checks the page that a request
// comes from before the token. A foreign page that sends wrong tokens then locks
// nobody out: its requests come from the address of its reader, who may have a good
// one.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, e entry) {
	why := ""
	// An error of fetch says nothing of the answer unless CORS lets the page read it.
	if e.pages == hostPages && !auth.IsWebSocket(r) {
		forEveryPage(w.Header(), plainText) // a Host page asks why its WebSocket was refused
	}
	switch e.pages {
	case clientPages:
		why = s.rules.RefuseClient(r)
	case ownPages:
		why = s.rules.RefuseOther(r)
	case dashboardPages:
		why = s.rules.RefuseForeign(r)
	case hostPages:
		if why = s.rules.RefuseHost(r); why == "" && routeOf(r).on.exposed {
			why = s.refuseNameless(r)
		}
	case allPages:
	}
	// A misspelled tabs=own would show a Client all tabs.
	if tabs := r.URL.Query().Get("tabs"); why == "" && tabs != "" && e.role == auth.RoleClient && !tabsKnown(r) {
		http.Error(w, "tabs="+cutWords(tabs)+" is not valid: set tabs=own for a Client that sees only the tabs that it opens, or leave it out.", http.StatusBadRequest)
		return
	}
	// Only CDP Clients of the whole browser have named sessions.
	if why == "" && e.ws && !e.named && e.role == auth.RoleClient && r.URL.Query().Has("session") {
		http.Error(w, strings.TrimSpace("session=NAME works at /devtools/browser and /cdp only: leave it out here. "+e.unnamed), http.StatusBadRequest)
		return
	}
	if e.role != "" && e.hub && isSandbox(routeOf(r).hub) && s.sandboxes.check(routeOf(r).hub) != nil {
		if _, elsewhere := s.cluster.OwnerElsewhere(r.Context(), routeOf(r).hub); elsewhere {
			// Only the role is gone: the request is passed on with its token, see
			// ownersKey.
			e.role = "" // the owner has made its token, and alone knows it
		}
	}
	e.serve = s.shared(e)
	switch {
	case why != "":
		auth.Refuse(w, why)
	case e.role == "":
		e.serve(w, r)
	case e.login:
		s.gate.RequireLogin(e.ask, e.serve).ServeHTTP(w, r)
	default:
		s.gate.Require(e.ask, e.serve).ServeHTTP(w, r)
	}
}

// onlyHandshakes lets WebSocket handshakes through to next. It answers a plain GET
// 426 with Upgrade: websocket (RFC 9110, section 15.5.22). Chromium 156 answers such
// a GET 200 with an empty body.
func onlyHandshakes(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wsconn.CheckHandshake(w, r, true) == nil {
			next(w, r)
		}
	}
}

// ask is what a request wants of the gate. A name that no hub can have asks for
// NoHub, so that the answer does not depend on the hubs that exist.
func (e entry) ask(r *http.Request) auth.Ask {
	at := routeOf(r)
	a := auth.Ask{Role: e.role, Path: at.path, Listener: at.on.name(), WebSocket: auth.IsWebSocket(r)}
	a.Hub, a.Share = relay.CutShare(at.hub)
	switch {
	case e.every:
		a.Hub = auth.EveryHub
	case !relay.ValidHub(at.hub):
		a.Hub, a.Share = auth.NoHub, ""
	}
	return a
}
