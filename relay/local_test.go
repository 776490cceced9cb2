package relay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/internal/wire"
)

func TestLocal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{NewID: func() string { return "S" }})
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

func TestLocalHasAPolicy(t *testing.T) {
	h := New(Options{})
	l, err := h.JoinLocal(LocalOptions{Policy: only("Target.getTargets")})
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
