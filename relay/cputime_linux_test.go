package relay

import (
	"time"

	"golang.org/x/sys/unix"
)

// threadTime is the processor time of this thread, which other programs on the
// machine do not prolong. The goroutine must be locked to its thread.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}
