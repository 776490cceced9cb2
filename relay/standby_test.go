package relay

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// TestStandby has a Host wait until the hub is free: not while the other one is
// there, nor while it is away for a moment.
func TestStandby(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		if !h.Free() || h.AwaitFree(t.Context()) != nil {
			t.Fatal("a new hub is not free")
		}
		first := &mute{}
		events := setHost(h, first, list(1))
		yields := bridge.Announcement{Yields: true, Targets: list(2)}
		if _, err := h.SetHost(&mute{}, yields); !errors.Is(err, bridge.ErrTaken) {
			t.Fatalf("a Host that yields: %v, want ErrTaken", err)
		}
		if first.closed != 0 || len(h.Targets(nil)) != 1 {
			t.Fatal("it has replaced the other")
		}
		free := make(chan struct{})
		go func() {
			defer close(free)
			if err := h.AwaitFree(t.Context()); err != nil {
				t.Error(err)
			}
		}()
		synctest.Wait()
		events.HostGone(false)
		time.Sleep(freeFor / 2)
		events = setHost(h, &mute{}, list(1)) // it was reloaded
		time.Sleep(freeFor)
		select {
		case <-free:
			t.Fatal("the hub was not free for long enough")
		default:
		}
		events.HostGone(false)
		time.Sleep(freeFor)
		<-free
		ev, err := h.SetHost(&mute{}, yields)
		if err != nil || len(h.Targets(nil)) != 2 {
			t.Fatalf("a Host that yields, at a free hub: %v, targets %v", err, h.Targets(nil))
		}
		ev.HostGone(false)
	})
}

func TestStandbyEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
		events := setHost(h, &mute{}, nil)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := h.AwaitFree(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("AwaitFree returned %v, want the end of its context", err)
		}
		events.HostGone(false)
	})
}
