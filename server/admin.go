package server

import (
	"context"
	"fmt"
	"net/http"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/version"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/membership"
)

// adminHandler serves operators.
func (s *Server) adminHandler(wantsToken bool) http.Handler {
	mux := http.NewServeMux()
	for _, e := range s.operators.Rows() {
		if !e.Off {
			mux.HandleFunc(e.Path, e.Serve)
		}
	}
	var h http.Handler = mux
	if wantsToken { // else the listener is a socket of this user alone, see listenForOperators
		h = s.gate.Admin(h)
	}
	none := auth.Rules{}                                    // no page has a business here
	named := func(w http.ResponseWriter, r *http.Request) { // cdphub doctor knows it by the name, also without a token
		w.Header().Set("Server", version.Current().Header())
		h.ServeHTTP(w, r)
	}
	return s.rules.Guard(none.Clients(http.HandlerFunc(named)))
}

// ready is nil while a Client would be served: the server takes connections, and
// where hubs have a browser, one can be had. Otherwise a load balancer should send no
// Clients here.
func (s *Server) ready() error {
	if s.draining.Load() {
		return front.ErrEnds
	}
	if s.cluster.Ends() {
		return membership.ErrEnds
	}
	return s.browsers.Health()
}

// checkBrowsers starts a browser once, where hubs have one, so that a wrong path
// shows at the start and not with the first Client. A browser that cannot be started
// is an error. A browser to connect to may come later, and is only logged.
func (s *Server) checkBrowsers(ctx context.Context) error {
	err := s.browsers.Check(ctx)
	switch {
	case err == nil, ctx.Err() != nil:
		return nil
	case s.browsers.Launches():
		return fmt.Errorf("no browser can be started: %w", err)
	}
	s.log.Error("no connection to the browser: the hub is not ready until there is one", zap.Error(err))
	return nil
}
