package server

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

const namedReady = `{"kind":"ready","v":1,"hostId":"H","features":["sessions","resume"],` +
	`"targets":[{"targetId":"T1","title":"One","url":"http://app/1"}]}`

// TestF03HostGrace has a Host go without a word.
func TestF03HostGrace(t *testing.T) {
	out, log := infoLog()
	s := startLogged(t, log, func(o *Options) { o.Limits.HostGrace = 7 * time.Millisecond })
	h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
	h.send(namedReady)
	s.await(t, `"targetId":"T1"`)
	h.Conn.Close(wsconn.ReasonGone)
	out.Await(t, `"grace":0.007`)
}

// two Host pages that both come back at once take turns ever more slowly.
func TestR84TakeoversSlowDown(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	begin := time.Now()
	for n := range 5 {
		h := dial(t, "ws://"+s.addr(true)+"/icdp/host", nil)
		h.send(strings.ReplaceAll(ready, "T1", fmt.Sprintf("N%d", n)))
		s.await(t, fmt.Sprintf(`"targetId":"N%d"`, n)) // the newest always wins
	}
	// Four takeovers: at once, and after 200, 400 and 800 ms.
	if d := time.Since(begin); d < 1400*time.Millisecond {
		t.Errorf("four takeovers took %v, want at least 1.4 s", d)
	}
}
