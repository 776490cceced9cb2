// Command bench measures the hub against a forwarder of WebSocket frames that
// parses nothing, in one run and side by side: CPU time of either process per
// operation, in alternating rounds, with the same frames over loopback. It
// plays the Host and the Clients itself, which costs those processes nothing.
//
//	make bench
//	go run ./internal/bench -run sessions -rounds 9
//	go run ./internal/bench -run '4 KiB' -profile /tmp/hub.pprof
//
// Then it measures round trips of one Client beside floods of others, which
// are processes of their own, against the same floods of another hub process;
// and what idle connections cost in memory.
//
// It needs Linux, for /proc. It fails when it cannot measure, never because
// of what it has measured.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"runtime"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

const about = `CPU time of the process per operation; medians of %d rounds of %v; %s, %d CPUs, loopback.
The splice forwards frames of the same number and size, and reads none of them.
A round trip carries its payload both ways. All sessions are those of one Client.
Of a burst, all operations begin together, and the next burst when all have ended.

`

// config says how much is measured.
type config struct {
	only    *regexp.Regexp // names of the cases to run
	rounds  int            // of each case; the middle one counts
	each    time.Duration  // of one round of one program
	profile string         // file for a CPU profile of the hub; none when empty
	hubs    int            // held at once, to see what one costs
	hosts   int            // likewise
	figures string         // file for the figures as go test -bench prints them; none when empty
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "flood" {
		return flood(ctx, args[1:], stdout, stderr)
	}
	cfg, err := parse(args, stderr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	dir, err := os.MkdirTemp("", "cdphub-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p, err := build(ctx, dir)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, about, cfg.rounds, cfg.each, runtime.Version(), runtime.NumCPU())
	var rows []row
	for _, c := range cases() {
		if !cfg.only.MatchString(c.name) {
			continue
		}
		r, err := measure(ctx, cfg, p, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Fprintf(stderr, "%s: %.2f\n", r.name, r.ratio.middle)
		rows = append(rows, r)
		if err := cfg.note("Hub/"+r.name, r.ratio.middle, "hub/splice"); err != nil {
			return err
		}
	}
	if err := printTable(stdout, rows); err != nil {
		return err
	}
	if err := measureFair(ctx, cfg, p, stdout); err != nil {
		return err
	}
	return measureMemory(ctx, cfg, p, stdout)
}

func parse(args []string, stderr io.Writer) (config, error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("run", "", "run only cases whose name matches this `regexp`")
	rounds := flags.Int("rounds", 13, "rounds of each case")
	each := flags.Duration("each", 100*time.Millisecond, "time of one round of one program")
	hubs := flags.Int("hubs", 1000, "hubs to hold at once")
	hosts := flags.Int("hosts", 10_000, "Hosts to hold at once; takes a descriptor for each")
	profile := flags.String("profile", "", "write a CPU profile of the hub to this `file`; for one case")
	figures := flags.String("figures", "", "append the figures to this `file`, as go test -bench prints them")
	if err := flags.Parse(args); err != nil {
		return config{}, err
	}
	re, err := regexp.Compile(*only)
	if err == nil && (*rounds < 1 || *each < time.Millisecond || *hubs < 1 || *hosts < 1) {
		err = fmt.Errorf("%d rounds of %v, %d hubs and %d Hosts are no measurement", *rounds, *each, *hubs, *hosts)
	}
	return config{re, *rounds, *each, *profile, *hubs, *hosts, *figures}, err
}
