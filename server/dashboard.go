package server

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/webpage"
)

// serveDashboard answers with the page, which needs no token: it says nothing of
// what runs.
func (s *Server) serveDashboard(w http.ResponseWriter, r *http.Request) {
	at := routeOf(r)
	base := s.siblingURL(r, true, "")
	d := webpage.Dashboard{
		Hub: at.hub, Path: at.prefix, Token: s.tokens.Set(),
		Clients: s.snippets(base),
		Socket:  "ws" + strings.TrimPrefix(strings.TrimSuffix(base, at.prefix), "http"),
	}
	if base == "" { // a Host header that cannot be a host
		// The page then shows neither of them: it cannot know an address that works.
		d.Clients, d.Socket = nil, ""
	}
	if shell := s.siblingURL(r, at.on.hosts, s.HostAddr()); shell != "" {
		d.Shell = shell + "/shell"
	}
	webpage.WriteDashboard(w, d)
}

// hasUI reports whether a listener serves the dashboard: where --ui says so, and
// without that option where no other machine reaches the listener. The dashboard
// needs no token where none are set, and lets its reader drive every page.
func (s *Server) hasUI(on audience) bool {
	if !on.clients || s.o.UI != nil && !*s.o.UI {
		return false
	}
	return s.o.UI != nil || !on.exposed
}
