package relay

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
)

// LocalOptions is what a Client within the process may want. Its zero value
// allows everything and hears no events.
type LocalOptions struct {
	Policy Policy
	// Event takes each event; a sessionID of "" is the browser level, and
	// params, a JSON object, is the receiver's. It runs under the hub's lock: it
	// must neither block nor call the hub.
	Event func(sessionID, method string, params []byte)
}

// Local is a Client within the process.
type Local struct {
	client *Client
	event  func(sessionID, method string, params []byte) // nil for none

	mu      sync.Mutex // guards what is below
	left    bool
	last    int32
	waiting map[string]chan reply // by id as it stands in the answer
}

// reply is the answer to one call, as it came: a result, or an error object.
type reply struct {
	body   []byte
	failed bool
}

// errLeft is what calls fail with that wait while their Client leaves.
var errLeft = wire.ServerError("The Client has left the hub")

// JoinLocal adds a Client within the process; Leave ends it.
func (h *Hub) JoinLocal(o LocalOptions) (*Local, error) {
	l := &Local{event: o.Event, waiting: make(map[string]chan reply)}
	c, err := h.Join(l, o.Policy)
	if err != nil {
		return nil, err
	}
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
// error is a *wire.Error or that of ctx.
func (l *Local) Call(ctx context.Context, sessionID, method string, params []byte) ([]byte, error) {
	return l.Send(sessionID, method, params)(ctx)
}

// Send is Call in two steps: what it returns waits for the answer, and must be
// called once. Commands reach the Host in the order in which they are sent.
func (l *Local) Send(sessionID, method string, params []byte) (wait func(context.Context) ([]byte, error)) {
	answer := make(chan reply, 1)
	id, ok := l.expect(answer)
	if !ok {
		return func(context.Context) ([]byte, error) { return nil, errLeft }
	}
	m := wire.AppendString([]byte(`{"id":`+id+`,"method":`), method)
	if params != nil {
		m = append(append(m, `,"params":`...), params...)
	}
	if sessionID != "" {
		m = append(m, wire.SessionTail(sessionID)...)
	} else {
		m = append(m, '}')
	}
	l.client.Receive(m)
	return func(ctx context.Context) ([]byte, error) {
		select {
		case r, ok := <-answer:
			switch {
			case !ok:
				return nil, errLeft
			case r.failed:
				return nil, readError(r.body)
			}
			return r.body, nil
		case <-ctx.Done():
			l.mu.Lock()
			delete(l.waiting, id)
			l.mu.Unlock()
			return nil, ctx.Err()
		}
	}
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

// Deliver implements session.Peer. It runs under the hub's lock, and a body may
// be huge: it is copied once, and read by whom it is for. Only what stands
// around it is read here.
func (l *Local) Deliver(f wire.Frame) bool {
	var id, sessionID, method string
	failed := false
	around := wire.Frame{Head: f.Head, Body: wire.Empty, Tail: f.Tail}
	err := wire.ReadObject(around.AppendTo(nil), func(key string, value []byte) error {
		switch key {
		case "id":
			id = string(value)
		case "method":
			method, _ = wire.Text(value)
		case "sessionId":
			sessionID, _ = wire.Text(value)
		case "error":
			failed = true
		}
		return nil
	})
	switch {
	case err != nil:
	case id != "":
		l.answer(id, f.Body, failed)
	case method != "" && l.event != nil:
		l.event(sessionID, method, bytes.Clone(f.Body))
	}
	return true
}

// answer ends a call, unless its caller has given up.
func (l *Local) answer(id string, body []byte, failed bool) {
	l.mu.Lock()
	answer := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if answer != nil {
		answer <- reply{bytes.Clone(body), failed}
	}
}

// readError reads {"code":-32000,"message":"…"}. A Host may leave out either.
func readError(raw []byte) *wire.Error {
	e := &wire.Error{Code: wire.CodeServer}
	wire.ReadObject(raw, func(key string, value []byte) error { //nolint:errcheck // it was checked on its way here
		switch key {
		case "code":
			if n, ok := wire.Int(value); ok {
				e.Code = int(n)
			}
		case "message":
			if text, ok := wire.Text(value); ok {
				e.Message = strings.Clone(text)
			}
		}
		return nil
	})
	return e
}
