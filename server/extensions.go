package server

import (
	"context"
	"net/http"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/server/internal/front"
)

// serveExtension makes a WebSocket that of a browser's extension, which shares tabs with the hub of its path. It stands
// beside a browser of the hub, a Host page and other extensions, under the rules for Host pages.
func (s *Server) serveExtension(w http.ResponseWriter, r *http.Request) {
	if why := s.refusesPages(s.browsers.Has(front.RouteOf(r).Hub)); why != "" && auth.PassOf(r).Grant.Role == "" {
		http.Error(w, why+" To share a tab with it, too, start cdphub with --host-token and give the extension that token, or with --page-host.", http.StatusForbidden)
		return
	}
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	who := s.access.Peer("host", r)
	o := wsconn.Options{Limits: s.o.Limits.host(), Share: s.share(hub)}
	came := s.upgrade(w, r, who, s.hosts, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		guard := func(handle func([]byte)) func([]byte) {
			return func(m []byte) {
				defer who.Survive(conn)
				handle(m)
			}
		}
		s.extensions.Start(ctx, conn, hub, guard, func(why wsconn.Reason) {
			who.Left(why)
			ended()
		}, release)
	})
	if !came {
		release()
	}
}

// ownAddresses are host and port of the server's own pages.
func (s *Server) ownAddresses() (list []string) {
	for _, ln := range s.listeners {
		list = append(list, ln.Addr().String())
	}
	if s.publicURL != nil {
		list = append(list, s.publicURL.Host)
	}
	return list
}
