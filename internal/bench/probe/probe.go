// Package probe makes a program tell, on demand, what cannot be seen from outside:
// its live heap, and where its CPU time goes.
//
//	func init() { probe.Listen() }
//
// The benchmark builds it into the programs that it measures. It is no part of the
// product.
package probe

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"syscall"
)

// EnvProfile names a file. If it is set, SIGUSR2 starts a CPU profile to it
// and the next SIGUSR2 ends it; either is acknowledged on standard error:
//
//	{"msg":"profile"}
const EnvProfile = "CDPHUB_BENCH_PROFILE"

// Memory is what SIGUSR1 makes the program write to its standard error, as
// one line of JSON, after a garbage collection. Sizes are in bytes.
//
//	{"msg":"memory","heap":1048576,"stacks":65536}
type Memory struct {
	Msg    string `json:"msg"`    // "memory"
	Heap   int64  `json:"heap"`   // of live objects
	Stacks int64  `json:"stacks"` // of all goroutines
}

// Listen begins to obey the signals and returns. Until the first one it costs
// a sleeping goroutine.
func Listen() {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1, syscall.SIGUSR2)
	go func() {
		var profile *os.File
		for s := range signals {
			if s == syscall.SIGUSR1 {
				tellMemory(os.Stderr)
				continue
			}
			profile = toggle(profile)
			fmt.Fprintln(os.Stderr, `{"msg":"profile"}`)
		}
	}()
}

func tellMemory(w io.Writer) {
	debug.FreeOSMemory() // collects, and gives back what is free
	runtime.GC()         // what finalizers and pools have let go since
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, `{"msg":"memory","heap":%d,"stacks":%d}`+"\n", m.HeapAlloc, m.StackInuse)
}

// toggle starts a profile when there is none, or else ends it.
func toggle(profile *os.File) *os.File {
	if profile != nil {
		pprof.StopCPUProfile()
		if err := profile.Close(); err != nil {
			fmt.Fprintf(os.Stderr, "profile: %v\n", err)
		}
		return nil
	}
	f, err := os.Create(os.Getenv(EnvProfile))
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "profile: %v\n", err)
		return nil
	}
	return f
}
