package server

import (
	"context"
	"net/http"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/wsconn"
)

// serveHost makes a WebSocket the Host of its hub. Where there is one it must
// wait, the longer the more often the hub was taken over of late. With
// ?standby it replaces none, and waits until the hub is free. Beside a browser
// that the hub has started there must be somebody who wants it.
func (s *Server) serveHost(w http.ResponseWriter, r *http.Request) {
	ownBrowser := s.browsers.Has(routeOf(r).hub)
	if ownBrowser && !s.o.PageHost && auth.PassOf(r).Grant.Role == "" {
		http.Error(w, "This hub has a browser of its own. To have a Host page beside it, start cdphub with --page-host, or with --host-token and give the page that token; "+
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
	peer := s.peer("host", r)
	who := &peer // it is kept once
	o := wsconn.Options{Limits: s.o.Limits.host(), Share: s.share(hub)}
	came := s.upgrade(w, r, peer, s.hosts, o, func(ctx context.Context, conn *wsconn.Conn, ended func()) {
		guard := func(handle func([]byte)) func([]byte) {
			return func(m []byte) {
				defer who.survive(conn)
				handle(m)
			}
		}
		left := func(why wsconn.Reason) {
			who.left(why)
			release()
			ended()
		}
		log := s.log.With(who.fields()...)
		if standby {
			bridge.StartStandby(ctx, conn, at, log, guard, left)
		} else {
			bridge.StartPage(ctx, conn, at, log, guard, left)
		}
	})
	if !came {
		release()
	}
}

// awaitTakeover waits for the Host's turn and reports whether it still wants
// it.
func awaitTakeover(r *http.Request, hub *relay.Hub) bool {
	wait := hub.ReconnectDelay()
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

// pageSide is a hub that has a browser of its own: it takes pages, but no other
// browser in the place of that.
type pageSide struct{ bridge.Standby }

// SetHost implements bridge.Hub.
func (p pageSide) SetHost(h bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	if _, is := h.(bridge.BrowserSessions); is {
		return nil, wsconn.ReasonHasBrowser
	}
	return p.Standby.SetHost(h, a)
}

type shareKey struct{}

// share is what a hub has of the CPUs.
func (s *Server) share(hub *relay.Hub) *wsconn.Share {
	return hub.Value(shareKey{}, func() any { return s.shares.Share() }).(*wsconn.Share)
}
