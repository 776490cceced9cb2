// Package operators is what the listener for operators serves: metrics, checks of health, and the
// lists and levers of a server.
package operators

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"net/http/pprof"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/browsers"
	"github.com/cdphub/cdphub/internal/named"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/server/internal/front"
	"github.com/cdphub/cdphub/server/internal/handover"
)

// Operators serves operators.
type Operators struct {
	Hubs       *relay.Hubs
	Browsers   *browsers.Pool
	Named      *named.Sessions
	Quotas     *quota.Ledger
	Access     *front.AccessLog
	Drainer    handover.Drainer
	Ready      func() error           // nil while a Client would be served
	LogLevel   http.Handler           // nil: there is none
	Collectors []prometheus.Collector // beside those of the fields above
	Log        *zap.Logger
}

// Rows are all that the listener for operators serves, by patterns of http.ServeMux. The command
// line is not served, since it may have tokens.
func (o Operators) Rows() []front.Entry {
	// promhttp would write its errors to the standard logger of package log
	// otherwise.
	metrics := promhttp.HandlerFor(o.Registry(), promhttp.HandlerOpts{ErrorLog: zap.NewStdLog(o.Log.Named("metrics"))})
	return []front.Entry{
		{Path: "GET /metrics", Serve: metrics.ServeHTTP},
		{Path: "GET /livez", Serve: func(w http.ResponseWriter, _ *http.Request) { answerCheck(w, nil) }},
		{Path: "GET /readyz", Serve: func(w http.ResponseWriter, _ *http.Request) { answerCheck(w, o.Ready()) }}, // 200 while a Client would be served, else 503 and why
		{Path: "GET /hubs", Serve: o.serveHubs},
		{Path: "DELETE /sessions/{id}", Serve: func(w http.ResponseWriter, r *http.Request) { // a named session, by the id that /hubs has
			front.AnswerSessionEnd(w, o.Named.EndID(r.PathValue("id")))
		}},
		{Path: "GET /cluster", Off: o.Drainer.Member == nil, Serve: func(w http.ResponseWriter, _ *http.Request) {
			front.WriteJSON(w, http.StatusOK, o.Drainer.Member.Status())
		}},
		o.Drainer.OperatorRow(),
		{Path: "/log-level", Off: o.LogLevel == nil, Serve: readsJSON(o.LogLevel).ServeHTTP},
		{Path: "GET /debug/pprof/", Serve: pprof.Index},
		{Path: "GET /debug/pprof/profile", Serve: pprof.Profile},
		{Path: "GET /debug/pprof/symbol", Serve: pprof.Symbol},
		{Path: "GET /debug/pprof/trace", Serve: pprof.Trace},
	}
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
//	 "closes":[{"time":"…","side":"client","hub":"","peer":"127.0.0.1:5","code":1000,"reason":"closed normally"}],
//	 "named":[{"hub":"","id":"…","name":"work","client":"playwright #1","since":"…","awaySince":"…","graceMs":600000,"kept":0}]}
//
// Its list has also the names of sandboxes, which are the
// keys to them: operators may know all.
func (o Operators) serveHubs(w http.ResponseWriter, _ *http.Request) {
	list := o.Hubs.Summaries()
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	json.NewEncoder(w).Encode(struct { //nolint:errcheck // a peer that is gone
		Count  int             `json:"count"`
		Hubs   []relay.Summary `json:"hubs"`
		Closes []uiwire.Close  `json:"closes"` // the last connections that have ended, the newest first

		Named []namedInfo `json:"named"` // named sessions
	}{len(list), list, o.Access.Closes.Last(), o.allNamed()})
}

// namedInfo is a named session as operators see it: of whatever token.
type namedInfo struct {
	Hub string `json:"hub"`
	named.Info
}

func (o Operators) allNamed() []namedInfo {
	list := []namedInfo{}
	for _, i := range o.Named.List(func(named.Owner) bool { return true }) {
		list = append(list, namedInfo{i.Hub, i})
	}
	return list
}
