package server

import (
	"context"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/page"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/doors"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// serveHost makes a WebSocket the Host of its hub. If the hub has a Host, the new one
// first waits for relay.Control.ReconnectDelay, with exponential backoff, so that two
// Host pages do not replace each other all the time. With ?standby it replaces none,
// and waits until the hub is free. At a hub with a browser of its own, --page-host or
// a Host token must allow a page beside it.
func (s *Server) serveHost(w http.ResponseWriter, r *http.Request) {
	ownBrowser := s.browsers.Has(front.RouteOf(r).Hub)
	if why := s.refusesPages(ownBrowser); why != "" && auth.PassOf(r).Grant.Role == "" {
		http.Error(w, why+" To use a Host page, too, start cdphub with --page-host, or with --host-token and give the page that token; "+
			"--browser-hub says which hubs have a browser.", http.StatusForbidden)
		return
	}
	hub, release, ok := s.acquire(w, r)
	if !ok {
		return
	}
	var at bridge.Standby = hub
	if ownBrowser {
		at = pageSide{hub}
	}
	standby := r.URL.Query().Has("standby")
	if !standby && !awaitTakeover(r, hub) {
		release()
		return
	}
	peer := s.access.Peer("host", r)
	who := &peer // it is kept once
	o := wsconn.Options{Limits: s.o.Limits.host(), Share: s.share(hub)}
	// A Host is served without a goroutine of its own: the bridge starts its reader,
	// and left is called at its end.
	came := s.upgrade(w, r, peer, s.hosts, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		// Handlers run in the goroutine of the connection, where nothing else would
		// recover a panic.
		in := s.entranceAt(r, protocolList(doors.Bridge))
		guard := func(handle func([]byte)) func([]byte) {
			handle = in.guard(conn, handle)
			return func(m []byte) {
				defer who.Survive(conn)
				handle(m)
			}
		}
		left := func(why wsconn.Reason) {
			who.Left(why)
			release()
			ended()
		}
		log := s.log.With(who.Fields()...)
		if standby {
			page.StartStandby(ctx, conn, at, log, guard, left)
		} else {
			page.Start(ctx, conn, at, log, guard, left)
		}
	})
	if !came {
		release()
	}
}

// refusesPages says why a hub takes no page without a token as a Host; "" if it does. Where
// the fence does not tell who connects, a page of any browser of this server could be the
// Host of a hub that has no browser.
func (s *Server) refusesPages(ownBrowser bool) string {
	switch {
	case s.o.PageHost:
		return ""
	case ownBrowser:
		return "This hub has a browser of its own."
	case s.browsers.Launches() && !s.fenceTells:
		return "This server starts browsers, and this system does not tell whether one of their pages connects."
	}
	return ""
}

// awaitTakeover waits until the Host may connect. It reports false when the peer has
// gone meanwhile. The handshake is not answered before, so that the page sees one
// slow connection and does not try again.
func awaitTakeover(r *http.Request, hub *relay.Hub) bool {
	wait := hub.Control().ReconnectDelay()
	if wait == 0 {
		return true
	}
	select {
	case <-time.After(wait):
		return true
	case <-r.Context().Done():
		return false
	}
}

// pageSide is a hub that has a browser of its own. It takes Host pages, but no second
// browser: the hub could not tell which one its Clients mean.
type pageSide struct{ bridge.Standby }

// SetHost implements bridge.Hub.
func (p pageSide) SetHost(h bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	// Only a Host that is a browser implements BrowserSessions.
	if _, is := h.(bridge.BrowserSessions); is {
		return nil, wsconn.ReasonHasBrowser
	}
	return p.Standby.SetHost(h, a)
}

// shareKey is the key of relay.Control.Value for the hub's share of the CPUs.
type shareKey struct{}

// share is what a hub has of the CPUs, the same for all its connections: the readers
// of a heavy hub pause, see docs/architecture.md, "Neighbours".
func (s *Server) share(hub *relay.Hub) *wsconn.Share {
	return hub.Control().Value(shareKey{}, func() any { return s.shares.Share() }).(*wsconn.Share)
}
