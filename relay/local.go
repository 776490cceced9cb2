package relay

import (
	"bytes"
	"context"
	"strconv"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
)

// Local is a Client within the process.
type Local struct {
	client *Client

	mu      sync.Mutex // guards what is below
	last    int32
	waiting map[string]chan reply // by id as it stands in the answer
}

// reply is the answer to one call: one of its fields is set.
type reply struct {
	result []byte
	err    *wire.Error
}

// JoinLocal adds a Client within the process; Leave ends it.
func (h *Hub) JoinLocal() (*Local, error) {
	l := &Local{waiting: make(map[string]chan reply)}
	c, err := h.Join(l, nil)
	if err != nil {
		return nil, err
	}
	l.client = c
	return l, nil
}

// Leave ends the Client. A Call that still waits fails when its context does.
func (l *Local) Leave() { l.client.Leave() }

// Call sends a command with params, a JSON object or nil, and waits for its
// answer, which is the caller's. A sessionID of "" is the browser level. The
// error is a *wire.Error or that of ctx.
func (l *Local) Call(ctx context.Context, sessionID, method string, params []byte) ([]byte, error) {
	l.mu.Lock()
	l.last++
	id := strconv.Itoa(int(l.last))
	answer := make(chan reply, 1)
	l.waiting[id] = answer
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
	}()
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
	select {
	case r := <-answer:
		if r.err != nil {
			return nil, r.err
		}
		return r.result, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Deliver implements session.Peer. Events are not kept.
func (l *Local) Deliver(f wire.Frame) bool {
	var id string
	var r reply
	err := wire.ReadObject(f.AppendTo(nil), func(key string, value []byte) error {
		switch key {
		case "id":
			id = string(value)
		case "result":
			r.result = bytes.Clone(value)
		case "error":
			r.err = readError(value)
		}
		return nil
	})
	if err != nil || id == "" {
		return true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if answer := l.waiting[id]; answer != nil {
		answer <- r
	}
	return true
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
				e.Message = string([]byte(text))
			}
		}
		return nil
	})
	return e
}
