package relay

import (
	"fmt"
	"testing"
)

// TestEndsLeaveOrder ends many of something, after which the hub's lists agree with each other.
func TestEndsLeaveOrder(t *testing.T) {
	for name, stage := range endings {
		t.Run(name, func(t *testing.T) {
			c := newCrowd(t, 50)
			stage(c)()
			if err := c.hub.check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// BenchmarkR151Ends says what the end of one costs among many: with 4,000 as much as with 250, and a
// little more where the processor's cache is too small. Where each looks at all others it is 16 times
// as much.
func BenchmarkR151Ends(b *testing.B) {
	for name, stage := range endings {
		for _, n := range []int{250, 4000} {
			b.Run(fmt.Sprintf("%s/of=%d", name, n), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					end := stage(newCrowd(b, n))
					b.StartTimer()
					end()
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/one")
			})
		}
	}
}
