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
		l, err := h.JoinLocal()
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
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err = l.Call(ctx, "S", "Page.enable", nil); !errors.Is(err, context.Canceled) {
			t.Errorf("a silent Host: %v", err)
		}
		l.Leave()
		if err := h.check(); err != nil {
			t.Error(err)
		}
	})
}
