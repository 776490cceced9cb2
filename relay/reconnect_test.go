package relay

import (
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
)

// TestF02ReturnOfTheSameHost has a Host come back before it is missed: its
// sessions go on.
func TestF02ReturnOfTheSameHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHub(t, Options{})
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
