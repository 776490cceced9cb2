//go:build !linux

package relay

import "time"

var begun = time.Now()

// threadTime is the time of the clock, on systems where no test measures that of the thread.
func threadTime() time.Duration { return time.Since(begun) }
