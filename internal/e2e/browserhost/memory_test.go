package browserhost

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// TestMemoryGoesBack lets Clients send large commands, which the hub holds as a whole,
// and wants a hub without work to be small again.
func TestMemoryGoesBack(t *testing.T) {
	const (
		most   = 60 << 20
		within = 30 * time.Second
	)
	site := newSite(t)
	h := harness.StartBrowserHub(t, site+"/start")
	large := fmt.Sprintf("'%s'.length", strings.Repeat("x", 16e6))
	peak := 0
	for i := 0; i < 10 && peak < most; i++ { // on a busy machine the commands may come one after the other
		burst(t, h, large)
		peak = h.Resident(t)
	}
	if peak < most {
		t.Errorf("the hub has %d MB after the bursts: too little for this test", peak>>20)
	}
	harness.Eventually(t, within, func() error {
		if now := h.Resident(t); now > most {
			return fmt.Errorf("an idle hub has %d MB, and had %d MB after the burst; want %d MB at most", now>>20, peak>>20, most>>20)
		}
		return nil
	})
}

// burst lets four Clients send a command at once, and leave when they are answered.
func burst(t *testing.T, h *harness.Hub, command string) {
	t.Helper()
	var clients sync.WaitGroup
	for range 4 {
		c := harness.DialCDP(t, endpoint(h, ""))
		session := c.Attach(t, c.Pages(t)[0])
		clients.Go(func() {
			defer c.Close()
			if got := c.Evaluate(t, session, command); got != "16000000" {
				t.Errorf("the answer is %s", got)
			}
		})
	}
	clients.Wait()
}
