package hooks

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Script is /rp.js, which gives a page the object rp.browser.
//
//go:embed rp.js
var Script []byte

// request is a call as it comes, over HTTP or a WebSocket.
type request struct {
	ID     json.RawMessage `json:"id"` // over a WebSocket
	Name   *string         `json:"name"`
	Params json.RawMessage `json:"params"`
}

// answer is the answer to a call; one of Result and Error is set.
type answer struct {
	ID     json.RawMessage `json:"id,omitempty"`
	OK     bool            `json:"ok"`
	Result any             `json:"result,omitempty"`
	Error  *failure        `json:"error,omitempty"`
}

// parseCall reads a call. The request does not alias the text.
func parseCall(text []byte) (r request, f *failure) {
	if err := json.Unmarshal(text, &r); err != nil {
		why := err.Error()
		if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && e.Field == "" {
			why = "a request is an object"
		}
		return request{}, failureOf(newError(actions.MalformedFrame, "bad request: "+why), "")
	}
	switch {
	case r.Name == nil:
		f = failureOf(newError(actions.InvalidEnvelope, "bad request: missing field `name`"), "")
	case len(r.Params) > 0 && r.Params[0] != '{' && string(r.Params) != "null":
		f = failureOf(newError(actions.InvalidEnvelope, "bad request: params must be an object"), "")
	}
	return r, f
}

// answerTo carries out a call. It never takes longer than actions.MaxTimeout.
func answerTo(ctx context.Context, c actions.Caller, o opener, r request) answer {
	ctx, cancel := context.WithTimeout(ctx, actions.MaxTimeout)
	defer cancel()
	result, err := actions.Try(c.Options.Log, *r.Name, func() (any, error) { return invokeHook(ctx, c, o, *r.Name, r.Params) })
	if err != nil {
		f, ok := errors.AsType[*failure](err)
		if !ok {
			f = failureOf(err, "")
		}
		return answer{ID: r.ID, Error: f}
	}
	return answer{ID: r.ID, OK: true, Result: result}
}

// Invoke serves POST /hooks/invoke. The caller of Invoke has checked the method. The
// status is that of the error's name; 413 is for a body of more than
// actions.MaxRequest bytes.
func Invoke(c actions.Caller, w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, actions.MaxRequest))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		writeAnswer(w, http.StatusRequestEntityTooLarge, answer{Error: &failure{Code: "InvalidParams", Message: fmt.Sprintf("limit exceeded: a request has at most %d bytes", actions.MaxRequest)}})
		return
	}
	if err != nil { // perhaps the caller has gone
		writeAnswer(w, http.StatusRequestTimeout, answer{Error: &failure{Code: "InvalidParams", Message: "bad request: " + err.Error()}})
		return
	}
	call, f := parseCall(text)
	call.ID = nil
	if f != nil {
		writeAnswer(w, f.status(), answer{Error: f})
		return
	}
	a := callOnce(r.Context(), withoutSecrets(c.Metered()), call)
	status := http.StatusOK
	if f := a.Error; f != nil {
		status = f.status()
		if f.retryAfter > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.retryAfter.Seconds()))))
		}
	}
	writeAnswer(w, status, a)
}

// withoutSecrets is the caller without ways around the scope browser:eval: its selectors do
// not match secrets, see actions.Options.Blind.
func withoutSecrets(c actions.Caller) actions.Caller {
	c.Options.Blind = !slices.Contains(c.Capabilities, eval)
	return c
}

// callOnce carries out the only call of a caller, with a Browser of its own that ends
// with it.
func callOnce(ctx context.Context, c actions.Caller, call request) answer {
	end, err := c.Begin()
	if err != nil {
		return answer{Error: failureOf(err, "")}
	}
	defer end()
	var b *actions.Browser
	defer func() {
		if b != nil {
			b.Close()
		}
	}()
	open := func() (_ *actions.Browser, err error) {
		b, err = c.Open(ctx)
		return b, err
	}
	return answerTo(ctx, c, opener{open: open}, call)
}

// writeAnswer writes an answer as JSON with its status.
func writeAnswer(w http.ResponseWriter, status int, a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"ok":false,"error":{"code":"Internal","message":"internal error"}}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(text) // a caller that is gone
}

// socket is one WebSocket.
type socket struct {
	conn      *wsconn.Conn
	caller    actions.Caller
	scheduler *actions.Scheduler
}

// Begin serves a connection of the WebSocket /hooks whose messages the caller reads. The caller
// passes each to receive, one at a time, and calls end when the connection has ended. Calls on one
// page run one after the other, on different pages at the same time.
func Begin(ctx context.Context, conn *wsconn.Conn, c actions.Caller) (receive func(text []byte), end func()) {
	c = withoutSecrets(c)
	s := &socket{conn: conn, caller: c, scheduler: actions.NewScheduler(ctx, c, func() { conn.Close(wsconn.ReasonShutdown) })}
	return s.receive, s.scheduler.End
}

// receive takes one message. It does not wait: the scheduler runs the call.
func (s *socket) receive(text []byte) {
	r, f := parseCall(text)
	if len(r.ID) == 0 {
		r.ID = json.RawMessage("null")
	}
	if f != nil {
		s.send(answer{ID: r.ID, Error: f})
		return
	}
	var p onBrowser
	_ = actions.Decode(r.Params, &p) // what is wrong with it, the hook says
	page := p.browser()
	err := s.scheduler.Run(actions.Job{Page: page, NoPage: page == ""}, func(ctx context.Context) {
		s.send(answerTo(ctx, s.caller, opener{s.scheduler.Browser, true}, r))
	})
	if err != nil {
		s.send(answer{ID: r.ID, Error: failureOf(err, "")})
	}
}

func (s *socket) send(a answer) {
	text, err := json.Marshal(a)
	if err != nil {
		text, _ = json.Marshal(answer{ID: a.ID, Error: &failure{Code: "Internal", Message: "internal error"}})
	}
	s.conn.Deliver(wire.Frame{Head: text})
}
