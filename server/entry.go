package server

import (
	"net/http"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/wsconn"
)

// entry is what a path leads to, and who is let in: first by what a request
// says of the page that it comes from, then by its token.
type entry struct {
	pages pages
	role  auth.Role // whose token lets in; "" for what needs none
	every bool      // a token for every hub is needed
	login bool      // the token may come later
	ws    bool      // it is a WebSocket: other requests are answered before there is a hub
	serve http.HandlerFunc
}

// pages are those whose requests are heard. Unless an entry says otherwise
// they are those that may be Clients.
type pages int

const (
	clientPages pages = iota
	hostPages
	allPages // what is served is the same for everybody, or wants a key of its own
)

// enter is the one way to what is behind a path. What a page sends that has no
// business there is refused before its token is looked at: it says nothing of
// who shares an address with that page's reader.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, e entry, exposed bool) {
	why := ""
	if e.pages == hostPages && !auth.IsWebSocket(r) {
		forEveryPage(w.Header(), plainText) // a Host page asks why its WebSocket was refused
	}
	switch e.pages {
	case clientPages:
		why = s.rules.RefuseClient(r)
	case hostPages:
		if why = s.rules.RefuseHost(r); why == "" && exposed {
			why = s.refuseNameless(r)
		}
	case allPages:
	}
	if e.ws {
		e.serve = onlyHandshakes(e.serve)
	}
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

// onlyHandshakes lets WebSocket handshakes through to next. A plain GET is answered
// 426 (RFC 9110, section 15.5.22); Chromium 156 answers it 200 with nothing.
func onlyHandshakes(next http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if wsconn.CheckHandshake(w, r, true) == nil {
			next(w, r)
		}
	}
}

// ask is what a request wants of the gate.
func (e entry) ask(r *http.Request) auth.Ask {
	at := routeOf(r)
	a := auth.Ask{Role: e.role, Hub: at.hub, Path: at.path, Listener: at.listener, WebSocket: auth.IsWebSocket(r)}
	switch {
	case e.every:
		a.Hub = auth.EveryHub
	case at.hub != relay.DefaultHub && !relay.ValidName(at.hub):
		a.Hub = auth.NoHub
	}
	return a
}
