package jsonrpc

import (
	"context"
	"encoding/json"
	"maps"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// socket is one connection. Its reader, which calls receive, owns what is not static.
type socket struct {
	conn   *wsconn.Conn // static after Serve began
	log    *zap.Logger
	timer  *time.Timer   // ends it without a login; nil where none is needed
	known  chan struct{} // closed by the login
	ending <-chan struct{}

	caller    actions.Caller     // owned by the reader, as are the next two; it has a Login until one has succeeded
	scheduler *actions.Scheduler // nil until the login
	wrong     int                // number of failed logins
}

// loginWithin is how long a connection may take to log in.
const loginWithin = 10 * time.Second

// Begin serves a connection whose messages the caller reads. The caller passes each to receive,
// one at a time, and calls end when the connection has ended. receive does not keep the frame.
// Binary messages are ignored.
func Begin(ctx context.Context, conn *wsconn.Conn, c actions.Caller) (receive func(frame []byte), end func()) {
	s := &socket{conn: conn, caller: c, ending: c.Ending, log: c.Options.Logger()}
	conn.HandleBinary(func([]byte) {})
	stop := func() {}
	if c.Login == nil {
		s.begin(ctx)
	} else {
		s.known = make(chan struct{})
		s.timer = time.AfterFunc(loginWithin, func() { conn.Close(wsconn.ReasonNoLogin) })
		ctx, cancel := context.WithCancel(ctx)
		stop = func() { s.timer.Stop(); cancel() }
		go s.leaveUnknown(ctx)
	}
	end = func() {
		if s.scheduler != nil {
			s.scheduler.End()
		}
		stop()
	}
	return func(frame []byte) { s.receive(ctx, frame) }, end
}

// leaveUnknown closes the connection when the process shuts down before its client has
// logged in. Later the scheduler closes it.
func (s *socket) leaveUnknown(ctx context.Context) {
	select {
	case <-s.ending:
		s.conn.Close(wsconn.ReasonShutdown)
	case <-s.known:
	case <-ctx.Done():
	}
}

// begin makes the scheduler, once it is known who the caller is.
func (s *socket) begin(ctx context.Context) {
	s.scheduler = actions.NewScheduler(ctx, s.caller, func() { s.conn.Close(wsconn.ReasonShutdown) })
}

// receive takes a message. It does not wait: the scheduler runs the calls.
func (s *socket) receive(ctx context.Context, frame []byte) {
	calls, batch, err := readBatch(frame)
	switch {
	case err != nil:
		s.write(failureResponse(nil, err))
	case s.scheduler == nil:
		s.login(ctx, calls, batch)
	case !batch:
		s.call(calls[0], func(r *response) {
			if r != nil {
				s.write(r)
			}
		})
	default:
		s.batch(calls)
	}
}

// batch runs several calls. Their answers are sent as one array when the last of them
// is there (JSON-RPC 2.0, section 6), in the order in which they come. Nothing is
// sent if all are notifications.
func (s *socket) batch(calls []json.RawMessage) {
	var mu sync.Mutex // guards the rest
	left, answers := len(calls), []*response{}
	for _, raw := range calls {
		s.call(raw, func(r *response) {
			mu.Lock()
			defer mu.Unlock()
			if r != nil {
				answers = append(answers, r)
			}
			if left--; left == 0 && len(answers) > 0 {
				s.write(answers)
			}
		})
	}
}

// call runs one call when its turn comes. It passes the answer, or nil for a
// notification, to reply, which is called exactly once.
func (s *socket) call(raw json.RawMessage, reply func(*response)) {
	r, err := readRequest(raw)
	if actions.KindOf(err) == actions.InvalidEnvelope { // it is not known whether it wants an answer
		reply(failureResponse(r.id, err))
		return
	}
	answer := func(result any, err error) {
		if actions.KindOf(err) == actions.Internal {
			s.log.Warn("a method failed", zap.String("adapter", "jsonrpc"), zap.String("method", r.method), zap.Error(err))
		}
		switch {
		case r.id == nil:
			reply(nil)
		case err != nil:
			reply(failureResponse(r.id, err))
		default:
			reply(&response{Version: "2.0", ID: r.id, Result: result})
		}
	}
	m, known := methods[r.method]
	c := &call{&s.caller, envelope.Call{Scheduler: s.scheduler, Params: actions.ReadParams(r.params)}}
	tab := c.Text("tab_id")
	switch {
	case err != nil:
	case !known:
		err = actions.UnknownName("Method not found: ", r.method, maps.Keys(methods))
	default:
		if err = s.caller.Permit(r.method, m.reads); err == nil {
			err = c.Err()
		}
	}
	if err != nil {
		answer(nil, err)
		return
	}
	turn := actions.Job{Page: tab, Exclusive: m.tabs || m.moves && tab != ""}
	err = s.scheduler.Run(turn, func(ctx context.Context) {
		answer(actions.Try(s.log, r.method, func() (any, error) { return m.do(ctx, c) }))
	})
	if err != nil {
		answer(nil, err)
	}
}

func failureResponse(id json.RawMessage, err error) *response {
	return &response{Version: "2.0", ID: id, Error: translateError(err)}
}

// write sends an answer, or the array of answers of a batch.
func (s *socket) write(v any) {
	text, err := envelope.Encode(v)
	if err != nil {
		s.log.Warn("an answer cannot be written", zap.String("adapter", "jsonrpc"), zap.Error(err))
		text, _ = envelope.Encode(failureResponse(nil, err))
	}
	s.conn.Deliver(wire.Frame{Head: text})
}
