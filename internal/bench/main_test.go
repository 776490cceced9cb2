// Package bench measures the hub against a forwarder of WebSocket frames that parses
// nothing (the splice), in one run and side by side: CPU time of either process for an
// operation, in alternating rounds, with the same frames over loopback. The test plays
// the Host and the Clients itself, which costs those processes nothing. The hub is the program
// as it is shipped, with default options; bare is the same without what a person may watch
// (--no-timeline --ui=false).
//
//	make bench
//	go test ./internal/bench -run '^$' -bench Hub/4_KiB -benchtime 13x
//	go test ./internal/bench -run '^$' -bench Hub -benchtime 13x -against /tmp/cdphub-before
//
// An iteration is a round, and each figure the median of the rounds. With -against the
// hub is also compared with another program, such as that of another commit; with -most too, a
// case fails where it takes more. make bench-compare does so.
//
// Then it measures round trips of one Client beside floods of others, which are
// processes of their own, against the same floods of another hub process; and what idle
// connections cost in memory. It needs Linux, for /proc.
package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/cli"
)

var (
	against = flag.String("against", "", "`path` of another cdphub, which the hub is compared with")
	most    = flag.Float64("most", 0, "what the hub may take of the other's CPU time, as a `ratio`; 0 is any")
)

// roleVariable names what a process of this test program is, other than the test itself.
const roleVariable = "CDPHUB_BENCH_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleVariable) {
	case "splice":
		runSplice(os.Args[1])
	case "flood":
		runFlood(os.Args[1], os.Args[2])
	case "hub": // that tells its memory
		go tellMemory()
		cli.Main(cli.Extras{})
	default:
		os.Exit(m.Run())
	}
}

// buildHub compiles the program as it is shipped.
func buildHub(tb testing.TB) string {
	tb.Helper()
	program := filepath.Join(tb.TempDir(), "cdphub")
	if out, err := exec.Command("go", "build", "-o", program, "../../cmd/cdphub").CombinedOutput(); err != nil {
		tb.Fatalf("go build: %v\n%s", err, out)
	}
	return program
}

// tellMemory answers SIGUSR1.
func tellMemory() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	for range asked {
		debug.FreeOSMemory() // collects
		runtime.GC()         // what finalizers and pools have let go since
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		fmt.Fprintf(os.Stderr, `{"live":%d}`+"\n", m.HeapAlloc+m.StackInuse)
	}
}

// child is a program under measurement.
type child struct {
	cmd     *exec.Cmd
	clients string // HOST:PORT for Clients
	hosts   string // HOST:PORT for the Host
	memory  chan int64
}

// startHub starts the program with its default options, but for addresses, and more.
func startHub(tb testing.TB, program string, more ...string) *child {
	tb.Helper()
	// 10,000 connections of one address are allowed to a proxy alone.
	args := []string{"serve", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0", "--trusted-proxy", "127.0.0.0/8"}
	return startChild(tb, "hub", program, append(args, more...)...)
}

// startChild runs a program and waits until it listens on both sides.
func startChild(tb testing.TB, role, program string, args ...string) *child {
	tb.Helper()
	c := &child{cmd: exec.Command(program, args...), memory: make(chan int64, 1)}
	c.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	log, err := c.cmd.StderrPipe()
	if err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	listening, drained := make(chan struct{}), make(chan struct{})
	tb.Cleanup(func() {
		c.cmd.Process.Kill()
		<-drained
		c.cmd.Wait()
	})
	go func() {
		defer close(drained)
		for s := bufio.NewScanner(log); s.Scan(); {
			var l struct {
				Msg, Level, Addr string
				Clients, Hosts   bool
				Live             int64
			}
			switch json.Unmarshal(s.Bytes(), &l); {
			case l.Live > 0:
				c.memory <- l.Live
			case l.Msg == "listening":
				if l.Clients {
					c.clients = l.Addr
				}
				if l.Hosts {
					c.hosts = l.Addr
				}
				if c.clients != "" && c.hosts != "" {
					close(listening)
				}
			case l.Level != "info":
				fmt.Fprintln(os.Stderr, s.Text())
			}
		}
	}()
	select {
	case <-listening:
	case <-drained:
		tb.Fatalf("%s has ended", filepath.Base(program))
	case <-time.After(stuckAfter):
		tb.Fatalf("%s does not listen", filepath.Base(program))
	}
	return c
}

// liveMemory is what a hub holds, in bytes.
func (c *child) liveMemory(tb testing.TB) (live int64) {
	tb.Helper()
	for range 2 { // the first time frees what handshakes have left
		if err := c.cmd.Process.Signal(syscall.SIGUSR1); err != nil {
			tb.Fatal(err)
		}
		select {
		case live = <-c.memory:
		case <-time.After(stuckAfter):
			tb.Fatal("the hub does not tell its memory")
		}
	}
	return live
}

// startFlood starts a process that floods a hub, and returns once it is about to begin.
func startFlood(tb testing.TB, clientURL, hostURL string) (stop func()) {
	tb.Helper()
	cmd := exec.CommandContext(tb.Context(), os.Args[0], clientURL, hostURL)
	cmd.Env = append(os.Environ(), roleVariable+"=flood")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		tb.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		tb.Fatal("the flood has ended before it began")
	}
	return func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
}

// process is what the load of a process without a test reports to.
type process struct{ testing.TB }

func (process) Helper()                           {}
func (process) Context() context.Context          { return context.Background() }
func (process) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }
func (process) Fatal(args ...any)                 { panic(fmt.Sprint(args...)) }
