package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// fairCase is one Client that sends a command at a time while others flood.
// The floods are processes of their own. They go to the hub process that is
// measured or, as a control, to another one: what so many busy processes cost
// each other on this machine, no hub can answer for.
type fairCase struct {
	name  string
	hubs  int  // that are flooded with commands and events, beside that of the Client
	share bool // the Client's own hub is flooded with commands to its Host
}

func fairCases() []fairCase {
	return []fairCase{
		{"a Client beside a flood of commands to its Host (R-65)", 0, true},
		{"a Client beside a hub flooded with commands and events (R-92)", 1, false},
		{fmt.Sprintf("a Client beside %d such hubs, one for each CPU", runtime.NumCPU()), runtime.NumCPU(), false},
	}
}

// floods returns the arguments of each flood of a process. Each round has hubs
// of its own, so that what the round before has left there does not matter.
func (f fairCase) floods(c *child, round int) (list [][]string) {
	if f.share {
		list = append(list, []string{"-client", "ws://" + c.clients + "/devtools/browser"})
	}
	for i := range f.hubs {
		list = append(list, []string{
			"-client", fmt.Sprintf("ws://%s/hub/bench-%d-%d/devtools/browser", c.clients, round, i),
			"-host", fmt.Sprintf("ws://%s/hub/bench-%d-%d/icdp/host", c.hosts, round, i),
		})
	}
	return list
}

// trips is the round trips of the one Client under one load.
type trips struct {
	took []time.Duration // sorted
	time time.Duration   // of all
}

// at is the time within which a share of the trips ended.
func (t *trips) at(share float64) time.Duration { return t.took[int(share*float64(len(t.took)-1))] }

// speed is trips a second.
func (t *trips) speed() float64 { return float64(len(t.took)) / t.time.Seconds() }

// fairness is what one case gave: without floods, with those on the other
// process, and with those on the same.
type fairness struct {
	name                 string
	alone, apart, shared trips
}

// measure runs one case, the three loads in turns.
func (f fairCase) measure(ctx context.Context, cfg config, p programs) (r fairness, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.name = f.name
	hub, err := startHub(ctx, cfg.profile, p)
	if err != nil {
		return r, err
	}
	defer hub.stop()
	other, err := startHub(ctx, "", p)
	if err != nil {
		return r, err
	}
	defer other.stop()
	s, err := openHub(ctx, hub, 1, nodes(100))
	if err != nil {
		return r, err
	}
	if _, err := openHub(ctx, other, 1, nodes(100)); err != nil {
		return r, err
	}
	ids, err := s.attach(1, func(int) int { return 0 })
	if err != nil {
		return r, err
	}
	command := fmt.Appendf(nil, `{"id":7,"method":"A.b","params":{},"sessionId":%q}`, ids[0])
	if cfg.profile != "" {
		if err := hub.profile(); err != nil {
			return r, err
		}
		defer hub.profile() //nolint:errcheck // it runs before hub.stop; a hub that does not answer leaves no profile
	}
	for i := range cfg.rounds {
		for _, load := range []struct {
			floods [][]string
			trips  *trips
		}{{nil, &r.alone}, {f.floods(other, i), &r.apart}, {f.floods(hub, i), &r.shared}} {
			if err := load.trips.round(ctx, cfg, p, s, command, load.floods); err != nil {
				return r, err
			}
		}
	}
	for _, t := range []*trips{&r.alone, &r.apart, &r.shared} {
		slices.Sort(t.took)
	}
	return r, nil
}

// round has the Client send one command after the other beside floods.
func (t *trips) round(ctx context.Context, cfg config, p programs, s *side, command []byte, floods [][]string) error {
	for _, args := range floods {
		stop, err := startFlood(ctx, p, args)
		if err != nil {
			return err
		}
		defer stop()
	}
	var begun time.Time
	var took []time.Duration
	trip := load{s, &loop{
		begin: func() { begun = time.Now(); s.client.Deliver(text(command)) },
		ended: func([]byte) bool { took = append(took, time.Since(begun)); return true },
	}}
	if _, err := trip.run(1, min(warmUp, cfg.each)); err != nil {
		return err
	}
	took = nil
	start := time.Now()
	if _, err := trip.run(1, cfg.each); err != nil {
		return err
	}
	t.time += time.Since(start)
	t.took = append(t.took, took...)
	return nil
}

// measureFair runs the cases and prints them.
func measureFair(ctx context.Context, cfg config, p programs, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "\nalone µs\ttrips/s\tapart µs\ttrips/s\tshared µs\ttrips/s\tp99 to apart\tto alone\t  p50–p99 of a round trip of\n"
	for _, f := range fairCases() {
		if !cfg.only.MatchString(f.name) {
			continue
		}
		r, err := f.measure(ctx, cfg, p)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		fmt.Fprint(w, head)
		head = ""
		for _, t := range []*trips{&r.alone, &r.apart, &r.shared} {
			fmt.Fprintf(w, "%d–%d\t%.0f\t", t.at(.5).Microseconds(), t.at(.99).Microseconds(), t.speed())
		}
		p99 := float64(r.shared.at(.99))
		fmt.Fprintf(w, "%.2f\t%.2f\t  %s\n", p99/float64(r.apart.at(.99)), p99/float64(r.alone.at(.99)), r.name)
		err = cfg.note("Fair/"+r.name, p99/float64(r.apart.at(.99)), "p99/control", r.shared.speed()/r.apart.speed(), "speed/control")
		if err != nil {
			return err
		}
	}
	return w.Flush()
}
