package server

import (
	"cmp"
	"net"
	"net/http"
	"strings"

	"github.com/cdphub/cdphub/internal/auth"
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
	return handoffAt(strings.TrimSuffix(base, "/"), hub, ticket)
}

func handoffAt(base, hub, ticket string) string {
	return base + front.HubPrefix(hub) + "/#handoff=" + ticket
}

// handoffLinks makes links with the address at which the asking Client reaches the server. It is nil
// where handoffURL knows a better one: Options.PublicURL, or that of the listener which the
// Client has reached without a proxy or a program around the server.
func (s *Server) handoffLinks(r *http.Request) func(hub, ticket string) string {
	own := auth.OwnAddressOf(r)
	if s.publicURL != nil || !s.servesUI() || own == auth.AskedAddress(r) && own.Prefix == "" && !s.o.NoListeners {
		return nil
	}
	return func(hub, ticket string) string { return handoffAt(own.HTTP(), hub, ticket) }
}

// DashboardURL is the address of the dashboard; "" where no listener serves it. Its host is
// Options.PublicURL, or the listener of Clients as this machine reaches it.
func (s *Server) DashboardURL() string {
	if !s.servesUI() {
		return ""
	}
	base := cmp.Or(strings.TrimSuffix(s.o.PublicURL, "/"), s.listenerURL(s.ClientAddr()))
	if base == "" {
		return ""
	}
	return base + "/"
}

// listenerURL is the address of a listener as this machine reaches it; "" where there is none, or
// it is no TCP port.
func (s *Server) listenerURL(addr string) string {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return ""
	}
	return auth.OwnAddress{Secure: s.o.TLS.on(), Host: Reachable(addr)}.HTTP()
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
