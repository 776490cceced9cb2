package bap

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"go.uber.org/zap"
	"golang.org/x/time/rate"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Options bounds what clients may use. Zero fields take the default.
type Options struct {
	Requests    int           // of one connection in a second; 50
	InFlight    int           // of one connection without an answer; 64
	Screenshots int           // of one connection in a minute; 30
	Pages       int           // that one client opens; 10
	Contexts    int           // likewise; 5
	Events      int           // of one page in a second; 100
	Sessions    int           // that can be resumed, of all clients; 1000
	Idle        time.Duration // a connection without requests; 10 min
	Life        time.Duration // of a connection; 1 h
	Dormant     time.Duration // of a session without a connection; 5 min
}

func (o Options) withDefaults() Options {
	o.Requests = cmp.Or(o.Requests, 50)
	o.InFlight = cmp.Or(o.InFlight, 64)
	o.Screenshots = cmp.Or(o.Screenshots, 30)
	o.Pages = cmp.Or(o.Pages, 10)
	o.Contexts = cmp.Or(o.Contexts, 5)
	o.Events = cmp.Or(o.Events, 100)
	o.Sessions = cmp.Or(o.Sessions, 1000)
	o.Idle = cmp.Or(o.Idle, 10*time.Minute)
	o.Life = cmp.Or(o.Life, time.Hour)
	o.Dormant = cmp.Or(o.Dormant, 5*time.Minute)
	return o
}

// Server holds the sessions of all connections. Its connections must end before
// it is let go of.
type Server struct {
	options Options // static after New, as is what follows
	methods map[string]method

	mu       sync.Mutex // guards sessions: those that can be resumed
	sessions map[sessionKey]*session
}

// New makes a Server without sessions.
func New(o Options) *Server {
	return &Server{options: o.withDefaults(), methods: allMethods(), sessions: make(map[sessionKey]*session)}
}

// Why connections end here, beside what ends them anywhere.
var (
	reasonReplaced = wsconn.Reason{Code: 4001, Text: "Session replaced by newer connection"}
	reasonIdle     = wsconn.Reason{Code: 1008, Text: "Session idle for too long"}
	reasonOld      = wsconn.Reason{Code: 1008, Text: "Session duration exceeded"}
)

// connection is one client's WebSocket.
type connection struct {
	srv    *Server // static after Serve, as is what follows
	conn   *wsconn.Conn
	caller actions.Caller
	log    *zap.Logger
	lanes  lanes
	rate   *rate.Limiter
	shots  *rate.Limiter

	mu      sync.Mutex // guards what is below
	session *session   // nil before initialize and after shutdown
}

// Serve serves a WebSocket until it ends, and returns why. A session that can be
// resumed stays until its time is over, or ctx is.
func (srv *Server) Serve(ctx context.Context, conn *wsconn.Conn, caller actions.Caller) wsconn.Reason {
	c := &connection{srv: srv, conn: conn, caller: caller, log: caller.Options.Log}
	if c.log == nil {
		c.log = zap.NewNop()
	}
	c.log = c.log.Named("bap")
	c.lanes.most = srv.options.InFlight
	c.rate = rate.NewLimiter(rate.Limit(srv.options.Requests), srv.options.Requests)
	c.shots = rate.NewLimiter(rate.Every(time.Minute/time.Duration(srv.options.Screenshots)), srv.options.Screenshots)
	idle := time.AfterFunc(srv.options.Idle, func() { conn.Close(reasonIdle) })
	life := time.AfterFunc(srv.options.Life, func() { conn.Close(reasonOld) })
	work, cancel := context.WithCancel(ctx)
	defer func() {
		idle.Stop()
		life.Stop()
		cancel()
		c.lanes.wait()
		if owned := c.end(); owned != nil {
			owned.release(ctx, c)
		}
	}()
	receive := func(frame []byte) {
		idle.Reset(srv.options.Idle)
		c.receive(work, frame)
	}
	conn.HandleBinary(receive) // which clients may send as well as text
	return conn.Serve(ctx, receive)
}

// current is the connection's session, nil while there is none.
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

// end takes its session from the connection.
func (c *connection) end() *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.session
	c.session = nil
	return s
}

// receive takes one frame. It does not wait: what may take time runs in the
// lane of its page.
func (c *connection) receive(ctx context.Context, frame []byte) {
	r, bad := parse(frame)
	if bad == nil {
		bad = c.overRate()
	}
	if bad != nil {
		c.answer(r, nil, bad)
		return
	}
	m, known := c.srv.methods[r.method]
	if !known {
		c.answer(r, nil, fail(codeNoMethod, "Unknown method: %s", r.method))
		return
	}
	k := &call{c: c, method: r.method, params: r.params}
	if m.life {
		c.run(ctx, r, m, k)
		return
	}
	if k.session = c.current(); k.session == nil {
		c.answer(r, nil, notInitialized())
		return
	}
	if bad := permit(c.caller.Scope, r.method, m.scope); bad != nil {
		c.answer(r, nil, bad)
		return
	}
	lane := ""
	if m.page {
		lane = k.session.lane(r.params)
	}
	if !c.lanes.add(lane, func() { c.run(ctx, r, m, k) }) {
		c.answer(r, nil, limited("Too many requests wait: %d at most", retryLimited, c.lanes.most))
	}
}

func notInitialized() *failure {
	return fail(codeNotInitialized, "Server not initialized: call initialize first")
}

// limited asks a client to come again later.
func limited(format string, afterMS int, args ...any) *failure {
	f := fail(codeServer, format, args...)
	f.Data.Retryable, f.Data.RetryAfterMS = true, afterMS
	return f
}

// overRate refuses what comes too fast.
func (c *connection) overRate() *failure {
	if wait := exceeds(c.rate); wait > 0 {
		return limited("Rate limit exceeded: %d requests a second", wait, c.srv.options.Requests)
	}
	return nil
}

// exceeds is after how many ms there will be a turn again, 0 for now.
func exceeds(l *rate.Limiter) int {
	turn := l.Reserve()
	wait := turn.Delay()
	if wait == 0 {
		return 0
	}
	turn.Cancel()
	return int(wait.Milliseconds()) + 1
}

// run does what a request asks, and answers it.
func (c *connection) run(ctx context.Context, r request, m method, k *call) {
	var result any
	var err error = fail(codeInternal, "Internal error")
	defer func() {
		if p := recover(); p != nil {
			c.log.Error("a request has panicked", zap.String("method", r.method), zap.Any("panic", p), zap.Stack("stack"))
		}
		c.answer(r, result, err)
	}()
	result, err = k.do(ctx, m)
}

// answer answers a request, unless it is a notification.
func (c *connection) answer(r request, result any, err error) {
	if r.id == nil {
		return
	}
	a := answer{Version: "2.0", ID: r.id}
	if err != nil {
		a.Error = failed(err, r.params)
	} else {
		a.Result = result
	}
	c.conn.Deliver(wire.Frame{Head: encode(a)})
}

// call is one use of a method.
type call struct {
	c       *connection
	session *session // nil for methods of the connection's life
	method  string
	params  json.RawMessage
}

// defaultTimeout is how long a request may take.
const defaultTimeout = 30 * time.Second

// limit is how long a call may take.
func (k *call) limit() (time.Duration, error) {
	p, err := decode[struct {
		Timeout millis
		Options struct{ Timeout millis }
	}](k.params)
	if err != nil {
		return 0, err
	}
	if p.Timeout == 0 {
		p.Timeout = p.Options.Timeout
	}
	if p.Timeout == 0 {
		p.Timeout = millis(defaultTimeout)
	}
	return min(time.Duration(p.Timeout), actions.MaxTimeout), nil
}

// do carries a call out within its time.
func (k *call) do(ctx context.Context, m method) (any, error) {
	if m.life {
		return m.run(ctx, k)
	}
	limit, err := k.limit()
	if err != nil {
		return nil, err
	}
	if m.own {
		return m.run(ctx, k)
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err := m.run(ctx, k)
	if err == nil {
		return result, nil
	}
	f := failed(err, k.params)
	if f.Code == codeTimeout {
		f.note("timeout", limit.Milliseconds())
	}
	return nil, f
}
