package relay

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/cluster"
)

// slowClaims is a Directory whose answers are slow: what a claim ends is known
// before it.
type slowClaims struct{ cluster.Memory }

func (s *slowClaims) Claim(ctx context.Context, hub string) (cluster.Claim, error) {
	c, err := s.Memory.Claim(ctx, hub)
	time.Sleep(time.Second)
	return c, err
}

// TestF02ClaimOfTheSameHost has a Host come back before it is missed: that its
// first claim is lost must not end what it comes back to.
func TestF02ClaimOfTheSameHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{Nodes: new(slowClaims)})
		first := &mute{}
		ready := bridge.Announcement{HostID: "H", Targets: list(1)}
		if _, err := h.SetHost(first, ready); err != nil {
			t.Fatal(err)
		}
		c := join(t, h, &inbox{})
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		id := onlySession(c)
		ev, err := h.SetHost(&mute{}, ready)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if first.closed != bridge.ReasonReplaced || len(c.sessions) != 1 || onlySession(c) != id || !h.HostConnected() {
			t.Errorf("the first Host was closed with %v, %d sessions go on; want replaced, and the one", first.closed, len(c.sessions))
		}
		ev.HostGone(false)
	})
}
