package server

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"sync"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// operatorTable has all that the listener for operators serves, by patterns of http.ServeMux. The command
// line is not served, since it may have tokens.
func (s *Server) operatorTable() []front.Entry {
	// promhttp would write its errors to the standard logger of package log
	// otherwise.
	metrics := promhttp.HandlerFor(s.registry(), promhttp.HandlerOpts{ErrorLog: zap.NewStdLog(s.log.Named("metrics"))})
	return []front.Entry{
		{Path: "GET /metrics", Serve: metrics.ServeHTTP},
		{Path: "GET /livez", Serve: func(w http.ResponseWriter, _ *http.Request) { answerCheck(w, nil) }},
		{Path: "GET /readyz", Serve: func(w http.ResponseWriter, _ *http.Request) { answerCheck(w, s.ready()) }}, // 200 while a Client would be served, else 503 and why
		{Path: "GET /hubs", Serve: s.serveHubs},
		{Path: "DELETE /sessions/{id}", Serve: func(w http.ResponseWriter, r *http.Request) { // a named session, by the id that /hubs has
			endNamed(w, func() bool { return s.named.EndID(r.PathValue("id")) })
		}},
		{Path: "GET /cluster", Off: s.cluster == nil, Serve: func(w http.ResponseWriter, _ *http.Request) { front.WriteJSON(w, http.StatusOK, s.cluster.Status()) }},
		s.drainer.OperatorRow(),
		{Path: "/log-level", Off: s.o.LogLevel == nil, Serve: readsJSON(s.o.LogLevel).ServeHTTP},
		{Path: "GET /debug/pprof/", Serve: pprof.Index},
		{Path: "GET /debug/pprof/profile", Serve: pprof.Profile},
		{Path: "GET /debug/pprof/symbol", Serve: pprof.Symbol},
		{Path: "GET /debug/pprof/trace", Serve: pprof.Trace},
	}
}

// adminHandler serves the operatorTable.
func (s *Server) adminHandler(wantsToken bool) http.Handler {
	mux := http.NewServeMux()
	for _, e := range s.operatorTable() {
		if !e.Off {
			mux.HandleFunc(e.Path, e.Serve)
		}
	}
	var h http.Handler = mux
	if wantsToken { // else the listener is a socket of this user alone, see listenForOperators
		h = s.gate.Admin(h)
	}
	none := auth.Rules{} // no page has a business here
	return s.rules.Guard(none.Clients(h))
}

// readsJSON lets a handler read a body as JSON that looks like it. curl -d names another
// type for every body, and zap's handler would look for a form in it.
func readsJSON(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bufio.NewReader(r.Body)
		if first, err := body.Peek(1); err == nil && first[0] == '{' {
			r.Header.Del("Content-Type")
		}
		r.Body = io.NopCloser(body)
		h.ServeHTTP(w, r)
	})
}

// answerCheck answers a health check: 200 and "ok", or 503 and what is wrong.
func answerCheck(w http.ResponseWriter, wrong error) {
	if wrong != nil {
		http.Error(w, wrong.Error(), http.StatusServiceUnavailable)
		return
	}
	io.WriteString(w, "ok\n") //nolint:errcheck // a peer that is gone
}

// serveHubs answers operators:
//
//	{"count":1,"hubs":[{"hub":"","hostConnected":true,"clients":1,"targets":2,"sessions":3}],
//	 "closes":[{"time":"…","side":"client","hub":"","peer":"127.0.0.1:5","code":1000,"reason":""}],
//	 "named":[{"hub":"","id":"…","name":"work","client":"playwright #1","since":"…","awaySince":"…","graceMs":600000,"kept":0}]}
//
// Its list has also the names of sandboxes, which are the
// keys to them: operators may know all.
func (s *Server) serveHubs(w http.ResponseWriter, _ *http.Request) {
	list := s.hubs.Summaries()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(struct { //nolint:errcheck // a peer that is gone
		Count  int             `json:"count"`
		Hubs   []relay.Summary `json:"hubs"`
		Closes []uiwire.Close  `json:"closes"` // the last connections that have ended, the newest first

		Named []operatorInfo `json:"named"` // named sessions
	}{len(list), list, s.access.Closes.Last(), s.allNamed()})
}

// ready is nil while a Client would be served: the server takes connections, and
// where hubs have a browser, one can be had. Otherwise a load balancer should send no
// Clients here.
func (s *Server) ready() error {
	if s.draining.Load() {
		return front.ErrEnds
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

// watchBrowsers looks again and again for browsers that could not be had, so that
// /readyz turns to 200 without a Client. It runs until stop is called; stop waits for
// its end.
func (s *Server) watchBrowsers() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() { s.browsers.Watch(ctx) })
	return func() {
		cancel()
		done.Wait()
	}
}
