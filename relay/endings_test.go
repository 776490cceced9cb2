//go:build !race

package relay

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestR151EndsAreLinear compares what 16 times 250 of something cost with what
// 4,000 do: as much, and a little more where the processor's cache is too small;
// 16 times as much where each looks at all others.
func TestR151EndsAreLinear(t *testing.T) {
	const few, times, most = 250, 16, 4
	for name, stage := range endings {
		t.Run(name, func(t *testing.T) {
			runtime.LockOSThread() // see threadTime
			defer runtime.UnlockOSThread()
			measure := func(n int) time.Duration {
				c := newCrowd(t, n)
				end := stage(c)
				defer debug.SetGCPercent(debug.SetGCPercent(-1))
				before := threadTime()
				end()
				took := threadTime() - before
				if err := c.hub.check(); err != nil {
					t.Fatal(err)
				}
				return took
			}
			var apart, together time.Duration
			for range 10 { // since other programs also empty the processor's cache
				apart = 0
				for range times {
					apart += measure(few)
				}
				if together = measure(few * times); together < most*apart {
					return
				}
			}
			t.Errorf("%d times %d take %v, all together %v", times, few, apart, together)
		})
	}
}
