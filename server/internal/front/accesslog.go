package front

import (
	"cmp"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/cdphub/cdphub/internal/auth"
	"github.com/cdphub/cdphub/internal/uiwire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// The access log has one line for a connection, at its end, one for a request
// that was refused, at the level of refusalLevel, and one, of package auth, for a
// login that failed:
//
//	{"msg":"client left","hub":"","peer":"127.0.0.1:5","duration":1.5,"code":1000,"reason":"closed normally"}
//	{"msg":"login failed","listener":"clients","hub":"","peer":"127.0.0.1","reason":"unknown","error":"…"}
//	{"msg":"request refused","side":"client","hub":"","peer":"127.0.0.1:5","path":"/x","status":404,"why":"…","duration":0.001}

// AccessLog is that log, with the metrics of connections.
type AccessLog struct {
	log      *zap.Logger
	Closes   closeLog
	ends     *prometheus.CounterVec // by side and code
	slow     *prometheus.CounterVec // by side
	refusals *prometheus.CounterVec // by side and reason
	Panics   prometheus.Counter
}

// NewAccessLog makes one, which writes to log.
func NewAccessLog(log *zap.Logger) *AccessLog {
	l := &AccessLog{
		log: log,
		ends: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cdphub_connections_closed_total",
			Help: "WebSocket connections that ended, by side (client, host, link, …) and close code (RFC 6455; 3xxx and 4xxx are those of applications).",
		}, []string{"side", "code"}),
		slow: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cdphub_slow_consumers_total",
			Help: "WebSocket connections that the hub has closed since they read too slowly (1013, slow consumer), by side.",
		}, []string{"side"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "cdphub_handshakes_refused_total",
			Help: "WebSocket handshakes that were refused, by side (client, host) and reason (the words of the HTTP status).",
		}, []string{"side", "reason"}),
		Panics: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "cdphub_connection_panics_total",
			Help: "Connections that were closed because of a bug in the hub (a panic).",
		}),
	}
	for _, side := range []string{"client", "host"} { // they begin with 0, since increase() in an alert does not count the first value of a series
		l.slow.WithLabelValues(side)
	}
	return l
}

// Collectors are the metrics of connections.
func (l *AccessLog) Collectors() []prometheus.Collector {
	return []prometheus.Collector{l.ends, l.slow, l.refusals, l.Panics}
}

// Peer identifies a connection in the log. A logger made with these fields would
// hold a kilobyte for as long as the connection lives.
type Peer struct {
	access          *AccessLog
	Side, Hub, addr string
	bearer          string // the name of its token; "" without a token
	Since           time.Time
}

// Peer is the sender of a request, which is to be of a side: client, host, viewer or link.
func (l *AccessLog) Peer(side string, r *http.Request) Peer {
	return Peer{l, side, RouteOf(r).Hub, r.RemoteAddr, auth.PassOf(r).Grant.Name, time.Now()}
}

// Fields are what every line about the connection has. A connection without a token
// has no field for its name.
func (p Peer) Fields(more ...zap.Field) []zap.Field {
	if p.bearer != "" {
		more = append(more, zap.String("bearer", p.bearer))
	}
	return append(more, zap.String("hub", p.Hub), zap.String("peer", p.addr))
}

// Left records the end of a connection in the three places where operators look for
// it: the metrics, the list of /hubs and the log.
func (p Peer) Left(why wsconn.Reason) {
	p.access.ends.WithLabelValues(p.Side, codeLabel(why.Code)).Inc()
	if why == wsconn.ReasonSlowConsumer || why == wsconn.ReasonMemory {
		p.access.slow.WithLabelValues(p.Side).Inc()
	}
	words := closeWords(why)
	p.access.Closes.add(uiwire.Close{Time: time.Now(), Side: p.Side, Hub: p.Hub, Peer: p.addr, Code: why.Code, Reason: words})
	p.access.log.Info(p.Side+" left", p.Fields(zap.Duration("duration", time.Since(p.Since)),
		zap.Uint16("code", why.Code), zap.String("reason", words))...)
}

// closeWords says why a connection has ended. Peers that are done send 1000, 1001 or no code (1005), mostly without a text.
func closeWords(why wsconn.Reason) string {
	switch why.Code {
	case wsconn.ReasonNormal.Code, wsconn.ReasonShutdown.Code, wsconn.ReasonNoStatus.Code:
		return cmp.Or(why.Text, "closed normally")
	}
	return why.Text
}

// Audit writes one line of the audit log: who does what to which target. It has no
// text of pages.
//
//	{"logger":"audit","msg":"page taken over","target":"T1","bearer":"ann","hub":"","peer":"127.0.0.1:5"}
func (p Peer) Audit(what, target string, more ...zap.Field) {
	p.access.log.Named("audit").Info(what, p.Fields(append([]zap.Field{zap.String("target", CutWords(target))}, more...)...)...)
}

// Survive recovers a panic, so that it ends one connection and not the process with
// the sessions of everybody else. It must be deferred itself: recover does nothing in
// a function that a deferred function calls (Go specification, "Handling panics").
func (p Peer) Survive(conn *wsconn.Conn) {
	fault := recover()
	if fault == nil {
		return
	}
	conn.Close(wsconn.ReasonInternal)
	p.access.Panics.Inc()
	p.access.log.Error("a connection was closed by a fault of the hub", p.Fields(zap.String("side", p.Side),
		zap.Any("panic", fault), zap.ByteString("stack", debug.Stack()))...)
}

// LogRefusals logs and counts the requests that are refused: the answers with a
// status of 400 or more. It stands around all other handlers, so that it sees also
// what the guard and the gate refuse.
// findRoute finds the hub and the path of a request.
func (l *AccessLog) LogRefusals(next http.Handler, findRoute func(*http.Request) (at Route, known bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a := &answer{ResponseWriter: w}
		since := time.Now()
		next.ServeHTTP(a, r)
		if a.status < http.StatusBadRequest {
			return
		}
		side := "client"
		at, known := findRoute(r)
		if at.Path == "/icdp/host" {
			side = "host"
		}
		// A name that is not valid is text of the peer, and may be as long as a URL.
		if !known {
			at.Hub = ""
		}
		if auth.IsWebSocket(r) {
			l.refusals.WithLabelValues(side, statusLabel(a.status)).Inc()
		}
		if a.status == http.StatusUnauthorized { // the gate has logged it as a failed login
			return
		}
		if line := l.log.Check(refusalLevel(r, a.status), "request refused"); line != nil {
			line.Write(zap.String("side", side), zap.String("hub", at.Hub), zap.String("peer", r.RemoteAddr),
				zap.String("path", CutWords(r.URL.Path)), zap.Int("status", a.status), zap.String("why", string(a.why)),
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

// LongestWords limits text of peers in a log line, in bytes.
const LongestWords = 200

// CutWords shortens a text of a peer for a log line. It drops what is left of a character
// that the limit has split: a log line is JSON, which must be UTF-8 (RFC 8259,
// section 8.1).
func CutWords(words string) string {
	return strings.ToValidUTF8(words[:min(len(words), LongestWords)], "")
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
		a.why = []byte(CutWords(strings.TrimSpace(string(p))))
	}
	return a.ResponseWriter.Write(p)
}

// maxCloses is how many ends a closeLog remembers.
const maxCloses = 64

// closeLog remembers the last connections that have ended, so that an operator can see who has
// left and why without searching the log.
type closeLog struct {
	mu   sync.Mutex `stays:"has a fixed size"` // guards everything below
	list []uiwire.Close
	next int // where the next one goes, once the list is full
}

// add remembers an end, and forgets the oldest one when there are too many.
func (l *closeLog) add(c uiwire.Close) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < maxCloses {
		l.list = append(l.list, c)
		return
	}
	l.list[l.next] = c
	l.next = (l.next + 1) % maxCloses
}

// Last returns the ends, the newest first. The list is the caller's; it is never
// nil.
func (l *closeLog) Last() []uiwire.Close {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Concat(l.list[l.next:], l.list[:l.next])
	if list == nil {
		list = []uiwire.Close{}
	}
	slices.Reverse(list)
	return list
}

// codeLabel is the label of a close code. Codes that peers may choose (3000 to 4999,
// RFC 6455, section 7.4.2) are counted together, so that a peer cannot make series.
func codeLabel(code uint16) string {
	switch {
	// 1000 to 1014 are what the IANA registry has ("WebSocket Close Code Number
	// Registry").
	case code >= 1000 && code <= 1014, wsconn.IsOwn(code):
		return strconv.Itoa(int(code))
	case code >= 3000 && code <= 4999:
		return strconv.Itoa(int(code))[:1] + "xxx"
	}
	return "other"
}

// statusLabel is the label of an HTTP status. The set of names is finite: a status without a
// name is "other".
func statusLabel(status int) string {
	return strings.ReplaceAll(strings.ToLower(cmp.Or(http.StatusText(status), "other")), " ", "_")
}
