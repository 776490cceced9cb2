package link

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestMemoryOfWhatIsLeftCounts has a peer acknowledge all but one byte of what was written:
// the memory that the pipe still has for them counts against the budget.
func TestMemoryOfWhatIsLeftCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := wsconn.NewBudget(1 << 30)
		p := newTestPipe(t, time.Minute, b)
		r := newPeer(t, p, 1, 0)
		if _, err := p.Write(make([]byte, maxKept)); err != nil {
			t.Fatal(err)
		}
		for at := uint64(0); at < maxKept-1; at = min(at+window, maxKept-1) {
			r.send(frame{ack: at, limit: at + window})
			settle()
		}
		r.send(frame{ack: maxKept - 1, limit: 2 * maxKept})
		settle()
		p.mu.Lock()
		kept, memory := p.kept.len(), cap(p.kept.b)
		p.mu.Unlock()
		if kept != 1 || int(b.Used())+smallest < memory {
			t.Errorf("%d bytes are kept in %d of memory, and %d count against the budget", kept, memory, b.Used())
		}
	})
}
