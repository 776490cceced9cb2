package server

import (
	"net"
	"strings"

	"github.com/cdphub/cdphub/server/internal/front"
)

// handoffURL is the link of a handoff, which opens the dashboard for one target; ""
// where no listener serves the dashboard. The ticket is in the fragment, which
// browsers do not send to servers (RFC 9110, section 4.2.5).
func (s *Server) handoffURL(hub, ticket string) string {
	base := s.DashboardURL()
	if base == "" {
		return ""
	}
	return strings.TrimSuffix(base, "/") + front.HubPrefix(hub) + "/#handoff=" + ticket
}

// DashboardURL is the address of the dashboard; "" where no listener serves it. Its host is
// Options.PublicURL, or the listener of Clients as this machine reaches it.
func (s *Server) DashboardURL() string {
	if !s.servesUI() {
		return ""
	}
	base := strings.TrimSuffix(s.o.PublicURL, "/")
	if base == "" {
		at := s.ClientAddr()
		if _, _, err := net.SplitHostPort(at); err != nil { // there is no listener, or it is no TCP port
			return ""
		}
		base = "http://" + Reachable(at)
		if s.o.TLS.on() {
			base = "https://" + Reachable(at)
		}
	}
	return base + "/"
}

// servesUI reports whether a listener of Clients serves the dashboard, or Handler does.
func (s *Server) servesUI() bool {
	if s.o.NoListeners && s.hasUI(ofProgram) {
		return true
	}
	for _, ln := range s.listeners {
		if s.hasUI(ln.audience()) {
			return true
		}
	}
	return false
}
