package bap

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay/quota"
)

// Options bounds what clients may use, beside actions.Limits. Zero fields take the
// default.
type Options struct {
	AllPages bool          // clients see the hub's pages, not only those that they open
	Pages    int           // that one client opens; 10
	Contexts int           // that one client creates; 5
	Events   int           // of one page in a second; 100
	Sessions int           // that can be resumed, of clients without actions.Caller.Quotas; 1000
	Idle     time.Duration // a connection without requests; 10 min
	Life     time.Duration // of a connection; 1 h
	Dormant  time.Duration // of a session without a connection; 5 min
}

func (o Options) withDefaults() Options {
	o.Pages = cmp.Or(o.Pages, 10)
	o.Contexts = cmp.Or(o.Contexts, 5)
	o.Events = cmp.Or(o.Events, 100)
	o.Sessions = cmp.Or(o.Sessions, int(quota.Table[quota.BAPSessions].Total))
	o.Idle = cmp.Or(o.Idle, 10*time.Minute)
	o.Life = cmp.Or(o.Life, time.Hour)
	o.Dormant = cmp.Or(o.Dormant, 5*time.Minute)
	return o
}

// Server holds the sessions of all connections, so that a client can resume one. All
// connections must have ended before it is dropped.
//
// Lock order: Server.mu, then session.mu. connection.mu is held with no other.
type Server struct {
	options Options // static after New, as is what follows
	methods map[string]method
	quotas  *quota.Ledger // of clients that have none

	mu       sync.Mutex              // guards sessions: those that can be resumed
	sessions map[sessionKey]*session `held:"BAP sessions"`
}

// New makes a Server without sessions.
func New(o Options) *Server {
	o = o.withDefaults()
	return &Server{
		options: o, methods: allMethods(), sessions: make(map[sessionKey]*session),
		quotas: quota.New(quota.Options{Totals: map[quota.Resource]int64{quota.BAPSessions: int64(o.Sessions)}}),
	}
}

// Reasons of BAP, with the close codes that its clients know. They are other codes
// than the ones in docs/bridge.md.
var (
	reasonReplaced = wsconn.Reason{Code: 4001, Text: "Session replaced by newer connection"}
	reasonIdle     = wsconn.Reason{Code: 1008, Text: "Session idle for too long"}
	reasonOld      = wsconn.Reason{Code: 1008, Text: "Session duration exceeded"}
)

// connection is one client's WebSocket.
type connection struct {
	srv       *Server // static after Serve, as is what follows
	conn      *wsconn.Conn
	caller    actions.Caller
	log       *zap.Logger
	scheduler *actions.Scheduler

	mu      sync.Mutex `stays:"goes with its connection"` // guards what is below
	session *session   // nil before initialize and after shutdown
	ended   bool       // by shutdown: initialize alone begins another session
}

// Begin serves a connection whose messages the caller reads. The caller passes each to receive,
// one at a time, and calls end once, when the connection has ended or speaks another protocol.
// receive does not keep the frame. A session with a name stays for Options.Dormant, or until ctx
// ends.
func (srv *Server) Begin(ctx context.Context, conn *wsconn.Conn, caller actions.Caller) (receive func(frame []byte), end func()) {
	if caller.Options.Meter == nil { // whatever browser the client launches, it counts
		caller.Options.Meter = actions.NewMeter(caller.Options.Limits)
	}
	// A caller that may not open pages would see none: it sees all.
	caller.Options.Own = !srv.options.AllPages && requireScope(caller.Scope, "page/create", "page:create") == nil
	c := &connection{srv: srv, conn: conn, caller: caller, log: caller.Options.Logger().Named("bap")}
	c.scheduler = actions.NewScheduler(ctx, caller, func() { conn.Close(wsconn.ReasonShutdown) })
	idle := time.AfterFunc(srv.options.Idle, func() { conn.Close(reasonIdle) })
	life := time.AfterFunc(srv.options.Life, func() { conn.Close(reasonOld) })
	end = func() {
		idle.Stop()
		life.Stop()
		c.scheduler.End()
		if owned := c.end(); owned != nil {
			owned.release(ctx, c)
		}
	}
	receive = func(frame []byte) {
		idle.Reset(srv.options.Idle)
		c.receive(ctx, frame)
	}
	conn.HandleBinary(receive) // which clients may send as well as text
	return receive, end
}

// current is the connection's session, nil before initialize and after shutdown.
func (c *connection) current() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

// begin gives the connection its session.
func (c *connection) begin(s *session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = s
}

// end takes the session away from the connection, and returns it.
func (c *connection) end() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session
	c.session, c.ended = nil, true
	return s
}

// assumeSession is the session of a client that begins without initialize, as the examples
// of the protocol's documents do: of version 0.8.0, with the hub's browser launched. It is
// nil after shutdown.
func (c *connection) assumeSession() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.session = newSession(c, sessionKey{c.caller.Hub, c.caller.Scope, c.caller.ID, ""})
		c.session.assumed, c.session.launched, c.session.launches = true, true, 1
	}
	return c.session
}

// receive takes one frame and does not wait: what takes time runs in the queue of its
// page.
func (c *connection) receive(ctx context.Context, frame []byte) {
	r, bad := parseRequest(frame)
	if bad != nil {
		c.answer(r, nil, bad)
		return
	}
	m, known := c.srv.methods[r.method]
	if !known {
		c.answer(r, nil, actions.UnknownName("Unknown method: ", r.method, maps.Keys(c.srv.methods)))
		return
	}
	k := &call{c: c, method: r.method, params: r.params, first: m.first}
	// initialize must be done before the next frame is read, which needs its session.
	if m.life {
		c.run(ctx, r, m, k)
		return
	}
	if k.session = c.current(); k.session == nil && m.first {
		k.session = c.assumeSession()
	}
	if k.session == nil {
		c.answer(r, nil, notInitialized())
		return
	}
	if bad := requireScope(c.caller.Scope, r.method, m.scope); bad != nil {
		c.answer(r, nil, bad)
		return
	}
	turn := actions.Job{Page: pageOf(r.params), Of: k.session.view(), NoPage: !m.page, Exclusive: m.alone || m.first && k.session.lacksPage()}
	if err := c.scheduler.Run(turn, func(ctx context.Context) { c.run(ctx, r, m, k) }); err != nil {
		c.answer(r, nil, err)
	}
}

func notInitialized() *failure {
	return newFailure(codeNotInitialized, "Server not initialized: call initialize first")
}

// limitFailure is the error that asks a client to come again after some milliseconds.
func limitFailure(format string, afterMS int, args ...any) *failure {
	f := newFailure(codeServer, format, args...)
	f.Data.Retryable, f.Data.RetryAfterMS = true, afterMS
	return f
}

// run does what a request asks, and answers it.
func (c *connection) run(ctx context.Context, r request, m method, k *call) {
	result, err := actions.Try(c.log, r.method, func() (any, error) { return k.do(ctx, m) })
	c.answer(r, result, err)
}

// answer answers a request, unless it is a notification.
func (c *connection) answer(r request, result any, err error) {
	if r.id == nil {
		return
	}
	a := answer{Version: "2.0", ID: r.id}
	if err != nil {
		a.Error = failureOf(err, r.params)
	} else {
		a.Result = result
	}
	c.conn.Deliver(wire.Frame{Head: encodeMessage(a)})
}

// call is one call of a method. One goroutine uses it.
type call struct {
	c       *connection
	session *session // nil for methods of the connection's life
	method  string
	params  json.RawMessage
	first   bool // see method
}

// defaultTimeout is how long a request may take.
const defaultTimeout = 30 * time.Second

// limit is how long a call may take: the param timeout, or options.timeout, in
// milliseconds; MaxTimeout at most. asked is false where there is none of them.
func (k *call) limit() (limit time.Duration, asked bool, err error) {
	p, err := decodeParams[struct {
		Timeout millis
		Options struct{ Timeout millis }
	}](k.params)
	if err != nil {
		return 0, false, err
	}
	given := cmp.Or(p.Timeout, p.Options.Timeout)
	return min(time.Duration(cmp.Or(given, millis(defaultTimeout))), actions.MaxTimeout), given != 0, nil
}

// do carries a call out within its time. A timeout is answered with the limit.
func (k *call) do(ctx context.Context, m method) (any, error) {
	if m.life {
		return m.run(ctx, k)
	}
	limit, asked, err := k.limit()
	if err != nil {
		return nil, err
	}
	if m.own {
		return m.run(ctx, k)
	}
	if !asked {
		ctx = actions.WithElementTime(ctx, actions.ElementTime)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := m.run(ctx, k)
	if err == nil {
		return result, nil
	}
	f := failureOf(err, k.params)
	if f.Code == codeTimeout {
		f.note("timeout", limit.Milliseconds())
	}
	return nil, f
}
