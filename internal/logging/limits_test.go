package logging

import (
	"io"
	"testing"

	"github.com/cdphub/cdphub/internal/limittest"
)

// TestR296Limits goes to how many bytes of lines wait for their writer.
func TestR296Limits(t *testing.T) {
	limittest.Reach(t, "maxUnwritten", maxUnwritten, func(n int) bool {
		s := newSink(io.Discard, nil)
		s.idle = make(chan struct{}) // nobody writes
		for _, size := range []int{n / 2, n - n/2} {
			if taken, err := s.Write(make([]byte, size)); err != nil || taken != size {
				t.Errorf("%d of %d bytes are taken: %v", taken, size, err)
			}
		}
		return s.dropped == 0
	})
}
