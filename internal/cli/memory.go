package cli

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// quietEvery is how often returnMemory looks.
	quietEvery = 10 * time.Second
	// quietAllocs is what a hub without work allocates at most in that time, in bytes.
	quietAllocs = 8 << 20
	// worthCollecting is how much a hub has allocated when a collection is worth its time.
	worthCollecting = 32 << 20
)

// returnMemory gives memory back to the operating system each time when the process
// has little to do after a time with much to do, until ctx ends. The runtime alone
// collects an idle process only after two minutes (runtime.forcegcperiod), and then
// keeps what a later burst might need.
func returnMemory(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	last := allocatedBytes()
	returned := last
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		now := allocatedBytes()
		if now-last < quietAllocs && now-returned > worthCollecting {
			runtime.GC() // a sync.Pool keeps what it has for one collection more
			debug.FreeOSMemory()
			returned = now
		}
		last = now
	}
}

// allocatedBytes is how many bytes the process has ever allocated on its heap.
func allocatedBytes() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
