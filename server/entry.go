package server

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// enter is the one way to what is behind a path. It checks the page that a request
// comes from before the token. A foreign page that sends wrong tokens then locks
// nobody out: its requests come from the address of its reader, who may have a good
// one.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, e front.Entry) {
	why := ""
	// An error of fetch says nothing of the answer unless CORS lets the page read it.
	if e.Pages == front.HostPages && !auth.IsWebSocket(r) {
		front.ForEveryPage(w.Header(), plainText) // a Host page asks why its WebSocket was refused
	}
	switch e.Pages {
	case front.ClientPages:
		why = s.rules.RefuseClient(r)
	case front.OwnPages:
		why = s.rules.RefuseOther(r)
	case front.DashboardPages:
		why = s.rules.RefuseForeign(r)
	case front.HostPages, front.ExtensionPages:
		refuse := s.rules.RefuseHost
		if e.Pages == front.ExtensionPages {
			refuse = s.rules.RefuseExtension
		}
		if why = refuse(r); why == "" && front.RouteOf(r).On.Exposed {
			why = s.refuseNameless(r)
		}
	case front.AllPages:
	}
	// A misspelled tabs=own would show a Client all tabs.
	if tabs := r.URL.Query().Get("tabs"); why == "" && tabs != "" && e.Role == auth.RoleClient && !tabsKnown(r) {
		http.Error(w, "tabs="+front.CutWords(tabs)+" is not valid: set tabs=own for a Client that sees only the tabs that it opens, or leave it out.", http.StatusBadRequest)
		return
	}
	if wrong, right := misspelledParam(r, e); why == "" && wrong != "" {
		http.Error(w, "The URL has "+front.CutWords(wrong)+"=, which the hub does not know: write "+right+"=, or leave it out.", http.StatusBadRequest)
		return
	}
	if name := uselessParam(r, e); why == "" && name != "" {
		http.Error(w, "The URL has "+front.CutWords(name)+"=, which has no effect at this path: leave it out.", http.StatusBadRequest)
		return
	}
	// Only CDP Clients of the whole browser have named sessions.
	if why == "" && e.WS && !e.Named && e.Role == auth.RoleClient && r.URL.Query().Has("session") {
		http.Error(w, strings.TrimSpace("session=NAME works at /devtools/browser and /cdp only: leave it out here. "+e.Unnamed), http.StatusBadRequest)
		return
	}
	if e.Role != "" && e.Hub && front.IsSandbox(front.RouteOf(r).Hub) && s.sandboxes.Check(front.RouteOf(r).Hub) != nil {
		if _, elsewhere := s.cluster.OwnerElsewhere(r.Context(), front.RouteOf(r).Hub); elsewhere {
			// Only the role is gone: the request is forwarded with its token, see
			// ownersKey.
			e.Role = "" // the owner has made its token, and alone knows it
		}
	}
	e.Serve = s.shared(e)
	e.Serve = s.atDoor(e)
	switch {
	case why != "":
		auth.Refuse(w, why)
	case e.Role == "":
		e.Serve(w, r)
	case e.Login:
		s.gate.RequireLogin(e.Ask, e.Serve).ServeHTTP(w, r)
	default:
		s.gate.Require(e.Ask, e.Serve).ServeHTTP(w, r)
	}
}

// orMisplaced serves a path that leads nowhere: with what is wrong with it, if it is one of two
// common mistakes, else as before. These are the port of the other listener, and a name that no
// hub has.
func (s *Server) orMisplaced(at front.Route, known bool, otherwise http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !known && at.Hub != relay.DefaultHub && !relay.ValidName(at.Hub) {
			http.Error(w, "No hub can have this name: use 1 to 63 of the characters a-z, 0-9 and -.", http.StatusNotFound)
			return
		}
		for i := range s.table {
			if e := &s.table[i]; e.Elsewhere != "" && e.LeadsFrom(at.Path) && !s.isServed(e, at.On) {
				http.Error(w, e.Elsewhere, http.StatusNotFound)
				return
			}
		}
		otherwise(w, r)
	}
}
