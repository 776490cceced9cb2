package hooks

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"sync"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Script is /rp.js, which gives a page rp.browser.
//
//go:embed rp.js
var Script []byte

// maxBody is the longest request, in bytes.
const maxBody = 10 << 20

// request is a call as it comes.
type request struct {
	ID     json.RawMessage `json:"id"` // over a WebSocket
	Name   *string         `json:"name"`
	Params json.RawMessage `json:"params"`
}

// answer is what it gets.
type answer struct {
	ID     json.RawMessage `json:"id,omitempty"`
	OK     bool            `json:"ok"`
	Result any             `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// parse reads a call.
func parse(text []byte) (r request, f *failure) {
	if err := json.Unmarshal(text, &r); err != nil {
		return request{}, failureOf(errorf(actions.MalformedFrame, "bad request: "+err.Error()), "")
	}
	switch {
	case r.Name == nil:
		f = failureOf(errorf(actions.InvalidEnvelope, "bad request: missing field `name`"), "")
	case len(r.Params) > 0 && r.Params[0] != '{' && string(r.Params) != "null":
		f = failureOf(errorf(actions.InvalidEnvelope, "bad request: params must be an object"), "")
	}
	return r, f
}

// answerTo carries out a call. A panic is an internal error, and logged.
func answerTo(ctx context.Context, c actions.Caller, open func(context.Context) (*actions.Browser, error), r request) (a answer) {
	a.ID = r.ID
	defer func() {
		if p := recover(); p != nil {
			if log := c.Options.Log; log != nil {
				log.Error("panic in a hook", zap.String("hook", *r.Name), zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			}
			a = answer{ID: r.ID, Error: &failure{Code: "Internal", Message: "internal error"}}
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, actions.MaxTimeout)
	defer cancel()
	result, f := invoke(ctx, c, open, *r.Name, r.Params)
	if f != nil {
		a.Error = f
		return a
	}
	a.OK, a.Result = true, result
	return a
}

// Invoke serves POST /hooks/invoke.
func Invoke(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "Call a hook with POST.", http.StatusMethodNotAllowed)
		return
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		reply(w, http.StatusRequestEntityTooLarge, answer{Error: &failure{Code: "InvalidParams", Message: fmt.Sprintf("limit exceeded: a request has at most %d bytes", maxBody)}})
		return
	}
	if err != nil {
		return // the caller has gone
	}
	call, f := parse(text)
	call.ID = nil
	if f != nil {
		reply(w, f.status(), answer{Error: f})
		return
	}
	var b *actions.Browser
	a := answerTo(r.Context(), c, func(ctx context.Context) (*actions.Browser, error) {
		var err error
		b, err = c.Open(ctx)
		return b, err
	}, call)
	if b != nil {
		b.Close()
	}
	status := http.StatusOK
	if a.Error != nil {
		status = a.Error.status()
	}
	reply(w, status, a)
}

func reply(w http.ResponseWriter, status int, a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"ok":false,"error":{"code":"Internal","message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a caller that is gone
}

// maxWaiting is how many calls of a connection may be unanswered.
const maxWaiting = 64

// socket is one WebSocket.
type socket struct {
	conn   *wsconn.Conn
	caller actions.Caller
	calls  sync.WaitGroup
	places chan struct{} // holds an item for each call that is unanswered

	opening sync.Mutex // guards browser
	browser *actions.Browser

	mu   sync.Mutex               // guards last
	last map[string]chan struct{} // the last call of each page, closed at its end
}

// Serve serves the WebSocket /hooks until it ends. Calls on one page run one
// after the other.
func Serve(ctx context.Context, conn *wsconn.Conn, c actions.Caller) wsconn.Reason {
	ctx, stop := context.WithCancel(ctx)
	s := &socket{conn: conn, caller: c, places: make(chan struct{}, maxWaiting), last: make(map[string]chan struct{})}
	why := conn.Serve(ctx, func(text []byte) { s.receive(ctx, text) })
	stop()
	s.calls.Wait()
	if s.browser != nil {
		s.browser.Close()
	}
	return why
}

func (s *socket) receive(ctx context.Context, text []byte) {
	r, f := parse(text)
	if len(r.ID) == 0 {
		r.ID = json.RawMessage("null")
	}
	if f != nil {
		s.send(answer{ID: r.ID, Error: f})
		return
	}
	select {
	case s.places <- struct{}{}:
	default:
		s.send(answer{ID: r.ID, Error: failureOf(errorf(actions.RateLimited, fmt.Sprintf("rate limited: %d calls wait already", maxWaiting)), "")})
		return
	}
	before, done := s.queue(r.Params)
	s.calls.Go(func() {
		defer func() { <-s.places }()
		defer close(done)
		if before != nil {
			<-before
		}
		s.send(answerTo(ctx, s.caller, s.open, r))
	})
}

// queue puts a call behind the last one of its page.
func (s *socket) queue(params json.RawMessage) (before, done chan struct{}) {
	var p onBrowser
	_ = decode(params, &p) // what is wrong with it, the hook says
	done = make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	before = s.last[p.browser()]
	s.last[p.browser()] = done
	for page, c := range s.last { // those that have ended
		select {
		case <-c:
			delete(s.last, page)
		default:
		}
	}
	return before, done
}

// open returns the connection's Browser, which the first call makes.
func (s *socket) open(ctx context.Context) (*actions.Browser, error) {
	s.opening.Lock()
	defer s.opening.Unlock()
	if s.browser == nil {
		b, err := s.caller.Open(ctx)
		if err != nil {
			return nil, err
		}
		s.browser = b
	}
	return s.browser, nil
}

func (s *socket) send(a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		text, _ = json.Marshal(answer{ID: a.ID, Error: &failure{Code: "Internal", Message: "internal error"}})
	}
	s.conn.Deliver(wire.Frame{Head: text})
}
