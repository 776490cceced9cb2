package wsconn

import (
	"testing"

	"github.com/cdphub/cdphub/internal/wire"
)

// TestOneLargeMessageFits wants one message larger than the queue's limit to
// be taken wherever it stands in the queue: whether a small one before it has
// been written already is a matter of luck, not of how slow the peer is.
func TestOneLargeMessageFits(t *testing.T) {
	small, large := wire.Frame{Body: make([]byte, 100)}, wire.Frame{Body: make([]byte, 5000)}
	for name, order := range map[string][]wire.Frame{
		"first":  {large, small, small},
		"behind": {small, small, large},
		"amidst": {small, large, small},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := Pipe(Limits{MaxPending: 1000}, Limits{}) // not served: all is queued
			for i, f := range order {
				if !c.Offer(f) {
					t.Errorf("message %d of %d bytes was refused", i, f.Len())
				}
			}
			if c.Offer(large) {
				t.Error("a second large message was taken")
			}
			n := 0
			for c.Offer(small) {
				n++
			}
			if n < 6 || n > 8 {
				t.Errorf("%d more small messages were taken, want what fits in 1000 bytes", n)
			}
		})
	}
}
