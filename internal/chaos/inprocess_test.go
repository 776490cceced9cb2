package chaos

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/session"
)

// inside is the hub's own parts behind one listener in this process, for the
// tests that read its counters or want other limits than the program lets one
// choose.
type inside struct {
	place
	hubs   *relay.Hubs
	limits wsconn.Limits // of every connection
	ctx    context.Context
	conns  sync.WaitGroup
}

func startInside(t testing.TB, o relay.Options, limits wsconn.Limits) *inside {
	t.Helper()
	ctx, end := context.WithCancel(context.Background())
	in := &inside{hubs: relay.NewHubs(o), limits: limits, ctx: ctx}
	srv := httptest.NewServer(in)
	in.clients = strings.TrimPrefix(srv.URL, "http://")
	in.hosts = in.clients
	t.Cleanup(func() {
		end()
		srv.Close()
		in.conns.Wait()
	})
	return in
}

// ServeHTTP implements http.Handler: /hub/NAME/devtools/browser and
// /hub/NAME/icdp/host.
func (in *inside) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/hub/"), "/")
	hub, release, err := in.hubs.Acquire(name)
	if err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Limits: in.limits})
	if err != nil {
		release()
		return
	}
	in.conns.Go(func() {
		defer release()
		if path == "icdp/host" {
			bridge.ServePage(in.ctx, conn, hub, nil)
			return
		}
		c, err := hub.Join(session.NewEncoder(conn), nil)
		if err != nil {
			conn.Close(wsconn.ReasonTryAgain)
			conn.Serve(in.ctx, func([]byte) {})
			return
		}
		defer c.Leave()
		conn.Serve(in.ctx, c.Receive)
	})
}
