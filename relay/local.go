package relay

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// LocalOptions is what a Client within the process may want. Its zero value
// allows everything and hears no events.
type LocalOptions struct {
	ClientOptions
	// Event takes each event; a sessionID of "" is the browser level, and
	// params, a JSON object, is the receiver's. It runs under the hub's lock: it
	// must neither block nor call the hub.
	Event func(sessionID, method string, params []byte)
}

// Local is a Client within the process. Lock order: the hub's lock, then mu, as Answer is
// called under the former. Its methods are safe for concurrent use.
//
//	client, err := hub.JoinLocal(relay.LocalOptions{Event: heard})
//	result, err := client.Call(ctx, "", "Target.attachToTarget", []byte(`{"targetId":"T","flatten":true}`))
//	client.Leave()
type Local struct {
	client *Client
	event  func(sessionID, method string, params []byte) // nil for none

	mu      sync.Mutex // guards what is below
	left    bool
	last    int32                 `stays:"numbers the commands"`
	waiting map[string]chan reply `held:"waiting commands"` // by id as it stands in the answer
}

// reply is the answer to one call.
type reply struct {
	result []byte
	err    *Error // nil for a result
}

// errLeft is what calls fail with that wait while their Client leaves.
var errLeft = wire.ServerError("The Client has left the hub: its connection has ended; connect again")

// JoinLocal adds a Client within the process; Leave ends it.
func (h *Hub) JoinLocal(o LocalOptions) (*Local, error) {
	l := &Local{event: o.Event, waiting: make(map[string]chan reply)}
	c, err := h.Admit(o.ClientOptions)
	if err != nil {
		return nil, err
	}
	c.Connect(l)
	l.client = c
	return l, nil
}

// Leave ends the Client. Calls that still wait, and later ones, fail.
func (l *Local) Leave() {
	l.client.Leave()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
	for id, answer := range l.waiting {
		close(answer)
		delete(l.waiting, id)
	}
}

// Call sends a command with params, a JSON object or nil, and waits for its
// answer, which is the caller's. A sessionID of "" is the browser level. The
// error is an *Error or that of ctx. Params are not kept.
func (l *Local) Call(ctx context.Context, sessionID, method string, params []byte) ([]byte, error) {
	return l.Send(sessionID, method, params)(ctx)
}

// Send is Call in two steps: what it returns waits for the answer, and must be
// called once. Commands reach the Host in the order in which they are sent. The wait
// function may be called in another goroutine. If its ctx ends first, the command goes on
// and its answer is dropped.
func (l *Local) Send(sessionID, method string, params []byte) (wait func(context.Context) ([]byte, error)) {
	// Room for one: Answer runs under the hub's lock and must not wait for the caller.
	answer := make(chan reply, 1)
	id, ok := l.expect(answer)
	if params = bytes.TrimSpace(params); len(params) == 0 || string(params) == "null" {
		params = nil
	}
	switch {
	case !ok:
		return func(context.Context) ([]byte, error) { return nil, errLeft }
	case params != nil && !wire.IsObject(params):
		l.forget(id)
		return func(context.Context) ([]byte, error) { return nil, wire.ErrParamsType }
	}
	// Answer may come before take returns, which is why the call is filed first.
	l.client.take(wire.Envelope{ID: []byte(id), Method: method, SessionID: sessionID, InSession: sessionID != "", Params: params}, nil)
	return func(ctx context.Context) ([]byte, error) {
		select {
		case r, ok := <-answer:
			switch {
			case !ok:
				return nil, errLeft
			case r.err != nil:
				return nil, r.err
			}
			return r.result, nil
		case <-ctx.Done():
			l.forget(id)
			return nil, ctx.Err()
		}
	}
}

// forget gives up a call: nobody waits for its answer.
func (l *Local) forget(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.waiting, id)
}

// expect mints the id of a call, whose answer goes to the channel. It fails
// once the Client has left.
func (l *Local) expect(answer chan reply) (id string, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left {
		return "", false
	}
	l.last++
	id = strconv.Itoa(int(l.last))
	l.waiting[id] = answer
	return id, true
}

// Answer implements session.Peer. It runs under the hub's lock, and a result may
// be huge: it is copied once, for the caller who reads it. An answer that comes after the
// caller has given up is dropped.
func (l *Local) Answer(_ *session.Session, id, result []byte, err *Error) bool {
	l.mu.Lock()
	answer := l.waiting[string(id)]
	delete(l.waiting, string(id))
	l.mu.Unlock()
	switch {
	case answer == nil: // its caller has given up
	case err != nil:
		answer <- reply{err: err.Keep()}
	default:
		answer <- reply{result: bytes.Clone(result)}
	}
	return true
}

// Event implements session.Peer, as Answer does.
func (l *Local) Event(s *session.Session, e *session.Event) bool {
	if l.event != nil {
		l.event(strings.Clone(s.Name()), strings.Clone(e.Method), bytes.Clone(e.Params))
	}
	return true
}

// browserEnded tells the Client that a browser has ended, before its calls fail with it. It runs
// under the hub's lock.
func (l *Local) browserEnded() {
	if l.event != nil {
		l.event("", "CdpHub.browserEnded", nil)
	}
}
