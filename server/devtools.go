package server

import (
	"net/http"
	"net/url"

	"github.com/cdphub/cdphub/httpdiscovery"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/devtools"
	"github.com/cdphub/cdphub/server/internal/front"
)

// frontEndPath is the folder of the DevTools front end.
const frontEndPath = "/devtools/ui/"

// OpenDevTools is for Options.DevTools: it reads the front end from a zip file as `make devtools`
// packs it, or with "" from the program itself. Where that has none, the handler and the error are
// nil. The file stays open as long as the process lives.
func OpenDevTools(file string) (http.Handler, error) {
	front, err := devtools.Open(file)
	if front == nil {
		return nil, err
	}
	return front, err
}

// serveFrontEnd serves the files of the front end, which are the same for everybody and hold no secret.
func (s *Server) serveFrontEnd(w http.ResponseWriter, r *http.Request) {
	files := s.o.DevTools
	if files == nil {
		files = (*devtools.FrontEnd)(nil) // which says how to get one
	}
	http.StripPrefix(front.RouteOf(r).Prefix+frontEndPath, files).ServeHTTP(w, r)
}

// ticketOf is the ticket of a URL, "" without one.
func ticketOf(r *http.Request) string { return r.URL.Query().Get(httpdiscovery.TicketParam) }

func hasTicket(r *http.Request) bool { return ticketOf(r) != "" }

// openDevTools redirects to the front end, with a new ticket in the address. The
// front end opens its own WebSocket, which cannot carry a header with a token.
func (s *Server) openDevTools(w http.ResponseWriter, r *http.Request) {
	if !front.OnlyReads(w, r) {
		return
	}
	hub, release, ok := s.acquireReady(w, r)
	if !ok {
		return
	}
	defer release()
	id := r.URL.Query().Get("target")
	if _, known := hub.Control().WatchedTarget(front.WatcherOf(r), id); !known {
		http.Error(w, "No such target id: "+id+". Open "+front.PathFor(r, front.RouteOf(r).Prefix+frontEndPath)+"?target=ID with an id of /json/list.", http.StatusNotFound)
		return
	}
	at := front.RouteOf(r)
	w.Header().Set("Location", httpdiscovery.FrontEnd(auth.OwnAddressOf(r).HTTP(), at.KeyPrefix(), id, s.ticket(r, id)))
	// The address has the ticket in it, which must not reach other sites as a
	// Referer.
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusFound)
}

// ticket makes one for a target of the hub that was asked.
func (s *Server) ticket(r *http.Request, target string) string {
	pass := auth.PassOf(r)
	// A subprotocol and a query belong to one request. The ticket gives the rights to
	// another.
	pass.Protocol, pass.Query = "", "" // of this request alone
	return s.tickets.Make(devtools.Place{Hub: front.RouteOf(r).Hub, Target: target}, pass.Bearer(), pass)
}

// servePageByTicket makes a WebSocket a Client of one Target, with the rights of
// whoever has asked for the ticket.
func (s *Server) servePageByTicket(w http.ResponseWriter, r *http.Request) {
	at := front.RouteOf(r)
	place := devtools.Place{Hub: at.Hub, Target: targetOf(r)}
	pass, ok := s.tickets.Use(ticketOf(r), place)
	if !ok {
		auth.Refuse(w, "The ticket in this address is no longer valid: it works once, for one target, within a minute. "+
			"Open DevTools again: "+front.PathFor(r, at.Prefix+frontEndPath)+"?target="+url.QueryEscape(place.Target))
		return
	}
	s.servePageTo(w, auth.WithPass(r, pass), place.Target)
}
