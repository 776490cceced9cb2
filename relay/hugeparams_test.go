//go:build !race

package relay

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// Params may be as long as a message, so whoever reads them must not hold the
// lock that the commands of all others wait for. The test writes to what another
// goroutine has read, which the race detector would take amiss.

// TestR70HubsOwnMethodsReadBeforeTheLock sends every method that the hub
// answers itself, or takes note of, while the lock is held, and then spoils the
// params: what the hub makes of them must be what it had read before. They name a Target
// of the page's Host, without which a browser would have most of them.
func TestR70HubsOwnMethodsReadBeforeTheLock(t *testing.T) {
	for _, browser := range []bool{false, true} {
		h := newHub(t, Options{})
		h.SetHost(&keeper{}, bridge.Announcement{Targets: list(2)})
		if browser {
			h.SetHost(&browserKeeper{}, bridge.Announcement{Targets: []targets.Info{{ID: "B"}}})
		}
		p := &inbox{}
		c := join(t, h, p)
		tails := map[string]string{"connection": ""}
		for where, id := range map[string]string{"page": "T0", "tab": h.tabPrefix + "T0"} {
			c.Receive(fmt.Appendf(nil, `{"id":1,"method":"Target.attachToTarget","params":{"targetId":%q}}`, id))
			tails[where] = fmt.Sprintf(`,"sessionId":%q`, sessionsOn(h, id)[0].ID)
		}
		for name := range methods {
			for where, tail := range tails {
				const more = `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"}}`
				message := fmt.Sprintf(`{"id":3,"method":%q%s,"params":{"targetId":"T1","more":"`, name, tail) + more
				c.Receive([]byte(message))
				want := strings.Contains(strings.Join(p.take(), ""), `{"id":3,`)
				spoilt := []byte(message)
				h.mu.Lock()
				done := make(chan struct{})
				go func() {
					defer close(done)
					c.Receive(spoilt)
				}()
				awaitLock(t, done)
				copy(spoilt[len(message)-len(more):], strings.Repeat("\n", len(more)))
				h.mu.Unlock()
				<-done
				got := strings.Join(p.take(), "")
				if answered := strings.Contains(got, `{"id":3,`); answered != want || strings.Contains(got, `"JSON: `) {
					t.Errorf("%s on a %s, browser %v: params were read under the lock: the hub answers %v, with %q", name, where, browser, answered, got)
				}
			}
		}
		if err := h.check(); err != nil {
			t.Error(err)
		}
		c.Leave()
	}
}

// awaitLock waits until a Client's message waits for the lock.
func awaitLock(t *testing.T, done <-chan struct{}) {
	buf := make([]byte, 1<<20)
	for {
		for _, stack := range strings.Split(string(buf[:runtime.Stack(buf, true)]), "\n\n") {
			if strings.Contains(stack, "(*Client).Receive") && strings.Contains(stack, "[sync.Mutex.Lock") {
				return
			}
		}
		select {
		case <-done:
			t.Fatal("the message needed no lock")
		case <-time.After(time.Millisecond / 10):
		}
	}
}

// TestR70HugeParamsHoldNoLock looks whether the lock is free while a method of
// the hub's own with 64 MiB of params is on its way.
func TestR70HugeParamsHoldNoLock(t *testing.T) {
	h := newHub(t, Options{})
	setHost(h, &mute{}, list(1))
	c := join(t, h, &inbox{})
	message := []byte(`{"id":1,"method":"Target.getTargets","params":{"more":"` + strings.Repeat("x", 64<<20) + `"}}`)
	least := 1.0
	for range 10 {
		if least = min(least, lockShare(h, func() { c.Receive(message) })); least < 0.1 {
			return
		}
	}
	t.Errorf("the lock is held for %.0f %% of the time", 100*least)
}

// lockShare is for how much of the time that do takes the hub's lock is held. What
// else runs on the machine may stop who holds it.
func lockShare(h *Hub, do func()) float64 {
	done := make(chan struct{})
	go func() {
		defer close(done)
		do()
	}()
	looks, taken := 0, 0
	for ; ; runtime.Gosched() {
		select {
		case <-done:
			return float64(taken) / float64(max(looks, 1))
		default:
		}
		looks++
		if h.mu.TryLock() {
			h.mu.Unlock()
		} else {
			taken++
		}
	}
}
