package server

import (
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// The access log has one line for a connection, at its end, one for a request
// that was refused, at the level of refusalLevel, and one, of package auth, for a
// login that failed:
//
//	{"msg":"client left","hub":"","peer":"127.0.0.1:5","duration":1.5,"code":1000,"reason":""}
//	{"msg":"login failed","listener":"clients","hub":"","peer":"127.0.0.1","reason":"unknown","error":"…"}
//	{"msg":"request refused","side":"client","hub":"","peer":"127.0.0.1:5","path":"/x","status":404,"why":"…","duration":0.001}

// peer identifies a connection in the log. A logger made with these fields would
// hold a kilobyte for as long as the connection lives.
type peer struct {
	server          *Server
	side, hub, addr string
	bearer          string // the name of its token; "" without a token
	since           time.Time
}

func (s *Server) peer(side string, r *http.Request) peer {
	return peer{s, side, routeOf(r).hub, r.RemoteAddr, auth.PassOf(r).Grant.Name, time.Now()}
}

// fields are what every line about the connection has. A connection without a token
// has no field for its name.
func (p peer) fields(more ...zap.Field) []zap.Field {
	if p.bearer != "" {
		more = append(more, zap.String("bearer", p.bearer))
	}
	return append(more, zap.String("hub", p.hub), zap.String("peer", p.addr))
}

// left records the end of a connection in the three places where operators look for
// it: the metrics, the list of /hubs and the log.
func (p peer) left(why wsconn.Reason) {
	p.server.metrics.closed(p.side, why.Code)
	p.server.closes.add(uiwire.Close{Time: time.Now(), Side: p.side, Hub: p.hub, Peer: p.addr, Code: why.Code, Reason: why.Text})
	p.server.log.Info(p.side+" left", p.fields(zap.Duration("duration", time.Since(p.since)),
		zap.Uint16("code", why.Code), zap.String("reason", why.Text))...)
}

// survive recovers a panic, so that it ends one connection and not the process with
// the sessions of everybody else. It must be deferred itself: recover does nothing in
// a function that a deferred function calls (Go specification, "Handling panics").
func (p peer) survive(conn *wsconn.Conn) {
	fault := recover()
	if fault == nil {
		return
	}
	conn.Close(wsconn.ReasonInternal)
	p.server.metrics.panics.Inc()
	p.server.log.Error("a connection was closed by a fault of the hub", p.fields(zap.String("side", p.side),
		zap.Any("panic", fault), zap.ByteString("stack", debug.Stack()))...)
}

// logRefusals logs and counts the requests that are refused: the answers with a
// status of 400 or more. It stands around all other handlers, so that it sees also
// what the guard and the gate refuse.
func (s *Server) logRefusals(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		since := time.Now()
		next.ServeHTTP(a, r)
		if a.status < http.StatusBadRequest {
			return
		}
		side := "client"
		at, known := s.route(r)
		if at.path == "/icdp/host" {
			side = "host"
		}
		// A name that is not valid is text of the peer, and may be as long as a URL.
		if !known {
			at.hub = ""
		}
		if auth.IsWebSocket(r) {
			s.metrics.refused(side, a.status)
		}
		if a.status == http.StatusUnauthorized { // the gate has logged it as a failed login
			return
		}
		if line := s.log.Check(refusalLevel(r, a.status), "request refused"); line != nil {
			line.Write(zap.String("side", side), zap.String("hub", at.hub), zap.String("peer", r.RemoteAddr),
				zap.String("path", cutWords(r.URL.Path)), zap.Int("status", a.status), zap.String("why", string(a.why)),
				zap.Duration("duration", time.Since(since)))
		}
	})
}

// refusalLevel is the level at which a refused request is logged. Crawlers ask for
// /robots.txt, and MCP clients try GET first: an operator cannot act on that. A
// refused WebSocket is a Client or a Host that wanted in.
func refusalLevel(r *http.Request, status int) zapcore.Level {
	if auth.IsWebSocket(r) {
		return zap.InfoLevel
	}
	switch status {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusUpgradeRequired:
		return zap.DebugLevel
	}
	return zap.InfoLevel
}

// longestWords limits text of peers in a log line, in bytes.
const longestWords = 200

// cutWords shortens a text of a peer for a log line. It drops what is left of a character
// that the limit has split: a log line is JSON, which must be UTF-8 (RFC 8259,
// section 8.1).
func cutWords(words string) string {
	return strings.ToValidUTF8(words[:min(len(words), longestWords)], "")
}

// answer records the answer to a request. net/http gives a handler neither the status
// nor the body back.
type answer struct {
	http.ResponseWriter
	status int
	why    []byte // the beginning of the body of a refusal
}

// Unwrap is for http.ResponseController, which finds the methods Hijack and Flush and
// the deadlines by it. A WebSocket cannot be taken over without Hijack.
func (a *answer) Unwrap() http.ResponseWriter { return a.ResponseWriter }

// WriteHeader implements http.ResponseWriter. It keeps the first status; net/http
// ignores later ones.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
	a.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. Of a refusal it keeps the first write as the
// reason, since http.Error writes its text at once. A handler that writes without
// WriteHeader answers 200 (net/http), which is no refusal.
func (a *answer) Write(p []byte) (int, error) {
	if a.status >= http.StatusBadRequest && a.why == nil {
		a.why = []byte(cutWords(strings.TrimSpace(string(p))))
	}
	return a.ResponseWriter.Write(p)
}
