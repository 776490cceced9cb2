package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// spread is the median of the rounds and their extremes.
type spread struct {
	middle, least, most float64
}

func spreadOf(rounds []float64) spread {
	s := slices.Sorted(slices.Values(rounds))
	// The median of an even number of rounds is the mean of both in the middle.
	n := len(s)
	return spread{(s[(n-1)/2] + s[n/2]) / 2, s[0], s[n-1]}
}

// row is what has been measured for one case. The ratio is that of each
// round's two neighbours in time, not of the medians.
type row struct {
	name        string
	splice, hub spread // ns of CPU time per operation
	ratio       spread
	budget      float64
}

// warmUp is how long, at most, a program is used before it is measured.
const warmUp = 100 * time.Millisecond

// measure runs one case: both programs anew, then in turns.
func measure(ctx context.Context, cfg config, p programs, c benchCase) (r row, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the connections
	both, stop, err := startPair(ctx, cfg, p)
	if err != nil {
		return r, err
	}
	defer stop()
	hub, splice, err := c.open(ctx, both)
	if err != nil {
		return r, err
	}
	for _, l := range []load{hub, splice} {
		if _, err := l.run(c.burst, min(warmUp, cfg.each)); err != nil {
			return r, err
		}
	}
	if cfg.profile != "" {
		if err := both.hub.profile(); err != nil {
			return r, err
		}
	}
	var onHub, onSplice, ratios []float64
	for i := range cfg.rounds {
		costs := map[*child]float64{}
		order := []load{splice, hub}
		// The order alternates: a CPU that gets slower or faster during the rounds
		// then does the same to both programs.
		if i%2 == 1 {
			slices.Reverse(order)
		}
		for _, l := range order {
			if costs[l.on.child], err = cost(l, c.burst, cfg.each); err != nil {
				return r, err
			}
		}
		h, s := costs[both.hub], costs[both.splice]
		onHub, onSplice, ratios = append(onHub, h), append(onSplice, s), append(ratios, h/s)
	}
	if cfg.profile != "" {
		if err := both.hub.profile(); err != nil {
			return r, err
		}
	}
	return row{c.name, spreadOf(onSplice), spreadOf(onHub), spreadOf(ratios), c.budget()}, nil
}

// startPair starts both programs; stop ends them.
func startPair(ctx context.Context, cfg config, p programs) (both pair, stop func(), err error) {
	both.hub, err = startHub(ctx, cfg.profile, p)
	if err != nil {
		return both, nil, err
	}
	both.splice, err = start(ctx, "", p.splice)
	if err != nil {
		both.hub.stop()
		return both, nil, err
	}
	return both, func() { both.hub.stop(); both.splice.stop() }, nil
}

// startHub starts a hub. With a profile it can be asked to write one there.
func startHub(ctx context.Context, profile string, p programs) (*child, error) {
	// 10,000 connections of one address are allowed to a proxy alone.
	return start(ctx, profile, p.hub, "serve", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0", "--trusted-proxy", "127.0.0.0/8")
}

// settle is how long a program may take to go to sleep after the last answer.
const settle = 3 * time.Millisecond

// cost runs one round and returns the CPU time of an operation in ns.
func cost(l load, burst int, each time.Duration) (float64, error) {
	pid := l.on.child.cmd.Process.Pid
	before, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	ops, err := l.run(burst, each)
	if err != nil {
		return 0, err
	}
	time.Sleep(settle)
	after, err := cpuTime(pid)
	if err != nil {
		return 0, err
	}
	if after <= before {
		return 0, fmt.Errorf("process %d has used no CPU time for %d operations", pid, ops)
	}
	return float64(after-before) / float64(ops), nil
}

// printTable prints the rows, and what sessions elsewhere cost the hub.
func printTable(out io.Writer, rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "splice ns/op\thub ns/op\tratio\tleast–most\tbudget\t\t  case")
	cost := map[string]float64{}
	for _, r := range rows {
		verdict := "ok"
		if r.ratio.middle > r.budget {
			verdict = "over"
		}
		fmt.Fprintf(w, "%.0f\t%.0f\t%.2f\t%.2f–%.2f\t%.1f\t%s\t  %s\n",
			r.splice.middle, r.hub.middle, r.ratio.middle, r.ratio.least, r.ratio.most, r.budget, verdict, r.name)
		cost[r.name] = r.hub.middle
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if alone, elsewhere := cost[eventAlone], cost[eventElsewhere]; alone > 0 && elsewhere > 0 {
		fmt.Fprintf(out, "Sessions elsewhere: an event costs the hub %.2f times what it costs without.\n", elsewhere/alone)
	}
	return nil
}
