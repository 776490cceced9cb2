package wsconn

import (
	"runtime/metrics"
	"time"
)

// A reader that always finds more to read never blocks, and so never leaves its
// CPU. When such readers keep every CPU of GOMAXPROCS busy, the Go scheduler
// polls the network only every 10 ms (runtime.sysmon), and each message of the
// other connections waits that long. So a busy reader sleeps now and then: a
// CPU without work polls the network at once.
const (
	yieldAfter = 2 // reads in a row that filled the buffer, 32 KiB; one may be the end of a small message
	yieldFor   = 20 * time.Microsecond
)

// yield is called after a read, and pauses if it must.
func (in *reader) yield(full bool) {
	if !full {
		in.full = 0
		return
	}
	if in.full++; in.full%yieldAfter == 0 && isSaturated() {
		time.Sleep(yieldFor)
	}
}

// isSaturated reports whether every CPU runs a goroutine. The first of the metrics is new in
// Go 1.26.
func isSaturated() bool { return isBusy(1) }

// isBusy reports whether one CPU in so many runs a goroutine. It takes 0.3 µs.
func isBusy(in uint64) bool {
	s := [...]metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/gomaxprocs:threads"}}
	metrics.Read(s[:])
	return s[0].Value.Uint64()*in >= s[1].Value.Uint64()
}
