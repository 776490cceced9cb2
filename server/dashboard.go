package server

import (
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/webpage"
	"github.com/cdphub/cdphub/server/internal/front"
)

// serveDashboard answers with the page, which needs no token: it says nothing of
// what runs.
func (s *Server) serveDashboard(w http.ResponseWriter, r *http.Request) {
	at := front.RouteOf(r)
	base := s.siblingURL(r, true, "")
	d := webpage.Dashboard{
		Links: s.o.HandoffByLink,
		Hub:   at.Hub, Path: front.PathFor(r, at.Prefix), Token: s.tokens.Set(),
		Clients: s.snippets(base),
		Socket:  "ws" + strings.TrimPrefix(auth.OwnAddressOf(r).Origin(), "http"),
	}
	if base == "" { // a Host header that cannot be a host
		// The page then shows neither of them: it cannot know an address that works.
		d.Clients, d.Socket = nil, ""
	}
	if shell := s.siblingURL(r, at.On.Hosts, s.HostAddr()); shell != "" {
		d.Shell = shell + "/shell"
	}
	webpage.WriteDashboard(w, d)
}

// hasUI reports whether a listener serves the dashboard: where --ui says so, and
// without that option where no other machine reaches the listener. The dashboard
// needs no token where none are set, and lets its reader drive every page.
func (s *Server) hasUI(on front.Audience) bool {
	if !on.Clients || s.o.UI != nil && !*s.o.UI {
		return false
	}
	return s.o.UI != nil || !on.Exposed
}
