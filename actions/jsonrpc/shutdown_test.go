package jsonrpc

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestShutdownAnswersWhatWaits has a call and a batch wait when the hub shuts down: they are answered
// before the connection ends.
func TestShutdownAnswersWhatWaits(t *testing.T) {
	one := `{"jsonrpc":"2.0","id":1,"method":"browser.snapshot"}`
	for _, message := range []string{one, "[" + one + "]"} {
		synctest.Test(t, func(t *testing.T) {
			b, ending := tabs{hold: make(chan struct{})}, make(chan struct{})
			c := dial(t, actions.Caller{Join: b.join, Ending: ending})
			c.Send(message)
			synctest.Wait()
			close(ending)
			synctest.Wait()
			close(b.hold)
			if got := c.Next(); !strings.Contains(got, `"id":1,"error":{"code":-32603,`) {
				t.Errorf("%s: got %s", message, got)
			}
			if got := c.Reason(); got != wsconn.ReasonShutdown {
				t.Errorf("%s: the connection ends with %v", message, got)
			}
		})
	}
}
