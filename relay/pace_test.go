package relay

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// TestR65FlooderWaits has a Client send faster than its Host answers.
func TestR65FlooderWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := New(Options{})
		ev := setHost(h, &mute{}, list(1))
		defer ev.HostGone(false)
		c, err := h.Join(&sink{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		c.Receive([]byte(`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T0"}}`))
		command := fmt.Appendf(nil, `{"id":2,"method":"A.b","sessionId":%q}`, onlySession(c))
		send := func(n int) (took time.Duration) {
			begun := time.Now()
			for range n {
				c.Receive(command)
			}
			return time.Since(begun)
		}
		answered := bridge.CallID(0)
		answer := func(n int) {
			for range n {
				answered++
				ev.Result(answered, onlySession(c), []byte(`{}`), nil)
			}
		}
		if took := send(paceAbove); took != 0 {
			t.Errorf("%d commands took %v, want no wait", paceAbove, took)
		}
		if took := send(1000); took != paceSilence {
			t.Errorf("with a silent Host 1,000 more took %v, want one wait of %v", took, paceSilence)
		}
		answer(1000)
		if took := send(1); took != paceSilence { // 257 are in flight
			t.Errorf("with a Host that was silent while it waited one more took %v", took)
		}
		answer(1)
		// Now a Host that takes 30 ms for each.
		stop := make(chan struct{})
		go func() {
			for tick := time.NewTicker(30 * time.Millisecond); ; {
				select {
				case <-tick.C:
					answer(1)
				case <-stop:
					tick.Stop()
					return
				}
			}
		}()
		if took := send(100); took < 98*30*time.Millisecond || h.Stats().Pending > paceAbove+1 {
			t.Errorf("with a slow Host 100 more took %v and %d wait; want about 3 s and %d", took, h.Stats().Pending, paceAbove)
		}
		close(stop)
		c.Leave()
	})
}
