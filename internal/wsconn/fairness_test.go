package wsconn

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// TestR92BusyReaderYields has reads that all fill their buffer, and wants the
// reader to pause where no CPU is left for others, and only there.
func TestR92BusyReaderYields(t *testing.T) {
	for _, tt := range []struct {
		name   string
		cpus   int
		reads  int
		idleAt int // the read that does not fill its buffer
		want   time.Duration
	}{
		{"one CPU, which is its own", 1, 3 * yieldAfter, 0, 3 * yieldFor},
		{"one CPU, and it is not busy for long", 1, 2*yieldAfter - 1, yieldAfter, 0},
		{"many CPUs", 1000, 3 * yieldAfter, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(tt.cpus))
			synctest.Test(t, func(t *testing.T) {
				var in reader
				begun := time.Now()
				for i := range tt.reads {
					in.yield(i+1 != tt.idleAt)
				}
				if took := time.Since(begun); took != tt.want {
					t.Errorf("%d reads paused for %v, want %v", tt.reads, took, tt.want)
				}
			})
		})
	}
}
