package relay

import (
	"bytes"
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

func TestLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{NewID: func() string { return "S" }})
		ev := setHost(h, &mute{}, list(1))
		defer ev.HostGone(false)
		var heard []string
		l, err := h.JoinLocal(LocalOptions{Event: func(sessionID, method string, params []byte) {
			heard = append(heard, sessionID+" "+method+" "+string(params))
		}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T0"}`))
		if err != nil || string(got) != `{"sessionId":"S"}` {
			t.Fatalf("attach: %s, %v", got, err)
		}
		_, err = l.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T9"}`))
		var e *wire.Error
		if !errors.As(err, &e) || e.Code != wire.CodeInvalidParams || e.Message != "No target with given id found" {
			t.Errorf("attach to nothing: %v", err)
		}
		go func() {
			synctest.Wait()
			ev.Event("T0", "Page.loadEventFired", []byte(`{"timestamp":1}`))
			ev.Result(1, "S", []byte(`{"a":[1]}`), nil)
		}()
		if got, err = l.Call(t.Context(), "S", "Page.enable", nil); err != nil || string(got) != `{"a":[1]}` {
			t.Errorf("a command of the session: %s, %v", got, err)
		}
		if want := `S Page.loadEventFired {"timestamp":1}`; len(heard) != 2 || heard[1] != want {
			t.Errorf("events %q, want the attachment, then %s", heard, want)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = l.Call(ctx, "S", "Page.enable", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a silent Host: %v", err)
		}
		wait := l.Send("S", "Page.enable", nil)
		l.Leave()
		if _, err = wait(t.Context()); !errors.Is(err, errLeft) {
			t.Errorf("a call that waits while its Client leaves: %v", err)
		}
		if _, err = l.Call(t.Context(), "", "Target.getTargets", nil); !errors.Is(err, errLeft) {
			t.Errorf("a call after Leave: %v", err)
		}
		if err := h.check(); err != nil {
			t.Error(err)
		}
	})
}

// only allows one method.
type only string

func (o only) Refuse(method string) string {
	if method == string(o) {
		return ""
	}
	return "not " + method
}

func (o only) Files() bool { return false }

func (o only) Redacts() bool { return false }

func (o only) Read(method string, params []byte) (wire.Object, []byte, *wire.Error) {
	return scope.Full.Read(method, params)
}

func (o only) Event(_ string, params []byte) ([]byte, bool) { return params, true }

func TestLocalHasAPolicy(t *testing.T) {
	h := newHub(t, Options{})
	l, err := h.JoinLocal(LocalOptions{ClientOptions: ClientOptions{Policy: only("Target.getTargets")}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Leave()
	if _, err := l.Call(t.Context(), "", "Target.getTargets", nil); err != nil {
		t.Errorf("an allowed method: %v", err)
	}
	if _, err := l.Call(t.Context(), "", "Browser.getVersion", nil); err == nil || err.Error() != "not Browser.getVersion" {
		t.Errorf("a method that is not allowed: %v", err)
	}
}

// TestR150LocalReadsNoBody hands a Client within the process bodies that are no
// JSON: what runs under the hub's lock copies them once, and does not look.
func TestR150LocalReadsNoBody(t *testing.T) {
	var heard []byte
	l := &Local{waiting: make(map[string]chan reply), event: func(_, _ string, params []byte) { heard = params }}
	body := bytes.Repeat([]byte(`{"\`), 1<<20)
	failure := &wire.Error{Code: -1, Message: string(body)}
	s := session.New("S", "T")
	hand := map[string]func(){
		"result": func() { l.Answer(&s, []byte("1"), body, nil) },
		"error":  func() { l.Answer(nil, []byte("1"), nil, failure) },
		"event":  func() { l.Event(&s, &session.Event{Method: "Page.loadEventFired", Params: body}) },
	}
	for name, do := range hand {
		answer := make(chan reply, 1)
		if got := allocated(func() { l.waiting["1"] = answer; do() }); got >= 2*len(body) {
			t.Errorf("%s: %d bytes were made of %d, want one copy", name, got, len(body))
		}
		got := heard
		if name != "event" {
			r := <-answer
			if got = r.result; (r.err != nil) != (name == "error") {
				t.Errorf("%s: failed is %v", name, r.err)
			} else if r.err != nil {
				got = []byte(r.err.Message)
			}
		}
		if !bytes.Equal(got, body) {
			t.Errorf("%s: the body is not as it came", name)
		}
		if &got[0] == &body[0] {
			t.Errorf("%s: the body is not a copy", name)
		}
	}
	l.event = nil
	clear(l.waiting)
	for name, do := range hand {
		if got := allocated(do); got >= len(body) {
			t.Errorf("%s: %d bytes were made of what nobody waits for", name, got)
		}
	}
}

// TestLocalJudgesParams sends params that no message could have: none reaches the
// Host.
func TestLocalJudgesParams(t *testing.T) {
	h := newHub(t, Options{NewID: func() string { return "S" }})
	m := &mute{}
	setHost(h, m, list(1))
	l, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Leave()
	if _, err := l.Call(t.Context(), "", "Target.attachToTarget", []byte(` {"targetId":"T0"} `)); err != nil {
		t.Errorf("params with white space around them: %v", err)
	}
	deep := strings.Repeat(`{"a":`, wire.MaxDepth) + `1` + strings.Repeat("}", wire.MaxDepth)
	for _, params := range []string{`5`, `[]`, `{`, `{"a":tru}`, `{},"id":9`, `{}{}`, deep} {
		if _, err := l.Call(t.Context(), "S", "A.b", []byte(params)); err == nil {
			t.Errorf("%.20s was taken", params)
		}
	}
	if m.commands != 0 || len(l.waiting) != 0 {
		t.Errorf("%d commands reached the Host, %d calls wait", m.commands, len(l.waiting))
	}
}

// TestLocalErrorsOfHosts wants the error of a Host in the Go error, and its very
// bytes for the other Clients.
func TestLocalErrorsOfHosts(t *testing.T) {
	h := newHub(t, Options{NewID: func() string { return "S" }})
	ev := setHost(h, &mute{}, list(1))
	l, err := h.JoinLocal(LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Leave()
	l.Call(t.Context(), "", "Target.attachToTarget", []byte(`{"targetId":"T0"}`))
	for text, want := range map[string]wire.Error{
		`{"code":-7,"message":"no\u0021","data":"why","more":[1]}`: {Code: -7, Message: "no!", Data: "why"},
		`{}`: {Code: wire.CodeServer},
	} {
		raw := []byte(text)
		wait := l.Send("S", "A.b", nil)
		ev.Result(h.calls.last, "S", nil, raw)
		clear(raw) // it is the Host's again
		_, err := wait(t.Context())
		if e, ok := errors.AsType[*wire.Error](err); !ok || e.Code != want.Code || e.Message != want.Message || e.Data != want.Data {
			t.Errorf("%s is %#v", text, err)
		}
		if b := wire.AppendError(nil, wire.ReadError([]byte(text))); string(b) != text {
			t.Errorf("%s is written as %s", text, b)
		}
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}
