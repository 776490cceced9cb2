package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"text/tabwriter"
	"time"

	"github.com/cdphub/cdphub/internal/bench/probe"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// idleClients is how many Clients are connected to see what one costs.
const idleClients = 500

// restAfter is when a connection without traffic has given back what it can.
const restAfter = 3 * time.Second

// memoryCase is what one thing costs a process while nothing happens.
type memoryCase struct {
	name string
	each int // of the things
	// open makes ready what is not counted; fill makes the things.
	open func(ctx context.Context, p pair) (c *child, fill func() error, err error)
}

func memoryCases(cfg config) []memoryCase {
	return []memoryCase{
		{fmt.Sprintf("idle Client, of %d, hub", idleClients), idleClients, func(ctx context.Context, p pair) (*child, func() error, error) {
			_, err := openHub(ctx, p.hub, 1, nil)
			return p.hub, func() error { return idle(ctx, "ws://"+p.hub.clients+"/devtools/browser") }, err
		}},
		{fmt.Sprintf("idle Client, of %d, splice", idleClients), idleClients, func(ctx context.Context, p pair) (*child, func() error, error) {
			q := url.Values{"answer": {"150"}}
			_, err := openSplice(ctx, p.splice, 1, q, nil)
			return p.splice, func() error { return idle(ctx, "ws://"+p.splice.clients+"/client?"+q.Encode()) }, err
		}},
		{fmt.Sprintf("session, of %d of one Client, hub", manySessions), manySessions, func(ctx context.Context, p pair) (*child, func() error, error) {
			s, err := openHub(ctx, p.hub, 1, nil)
			return p.hub, func() error {
				_, err := s.attach(manySessions, func(int) int { return 0 })
				return err
			}, err
		}},
		{fmt.Sprintf("hub with a Host, two Targets and two Clients, of %d", cfg.hubs), cfg.hubs, func(ctx context.Context, p pair) (*child, func() error, error) {
			return p.hub, func() error { return fullHubs(ctx, p.hub, cfg.hubs) }, nil
		}},
		{fmt.Sprintf("idle Host on a hub of its own, of %d", cfg.hosts), cfg.hosts, func(ctx context.Context, p pair) (*child, func() error, error) {
			return p.hub, func() error {
				for i := range cfg.hosts {
					if err := idleHost(ctx, p.hub, i, 0); err != nil {
						return err
					}
				}
				return nil
			}, nil
		}},
	}
}

// fullHubs makes hubs with a Host, two Targets and two Clients each.
func fullHubs(ctx context.Context, c *child, hubs int) error {
	for i := range hubs {
		if err := idleHost(ctx, c, i, 2); err != nil {
			return err
		}
		for range 2 {
			if err := idleClient(ctx, fmt.Sprintf("ws://%s/hub/bench-%d/devtools/browser", c.clients, i)); err != nil {
				return err
			}
		}
	}
	return nil
}

// idleHost connects the Host of a hub of its own.
func idleHost(ctx context.Context, c *child, hub, targets int) error {
	host, err := connect(ctx, fmt.Sprintf("ws://%s/hub/bench-%d/icdp/host", c.hosts, hub), func(*wsconn.Conn, []byte) {})
	if err != nil {
		return err
	}
	host.Deliver(text(readyMessage(targets)))
	return nil
}

// idle connects Clients, each of which asks once and is then silent.
func idle(ctx context.Context, to string) error {
	for range idleClients {
		if err := idleClient(ctx, to); err != nil {
			return err
		}
	}
	return nil
}

func idleClient(ctx context.Context, to string) error {
	answered := make(chan struct{}, 1)
	conn, err := connect(ctx, to, func(*wsconn.Conn, []byte) { answered <- struct{}{} })
	if err != nil {
		return err
	}
	conn.Deliver(text([]byte(`{"id":1,"method":"Browser.getVersion"}`)))
	select {
	case <-answered:
		return nil
	case <-time.After(stuckAfter):
		return errors.New("a Client has no answer")
	}
}

// measureMemory prints what each thing costs, in bytes: what the resident set
// has grown by since before, and what live heap and stacks have.
func measureMemory(ctx context.Context, cfg config, p programs, out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	head := "\nresident\tlive heap\tstacks\t  bytes of memory per\n"
	for _, m := range memoryCases(cfg) {
		if !cfg.only.MatchString(m.name) {
			continue
		}
		d, err := m.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		n := int64(m.each)
		fmt.Fprintf(w, "%s%d\t%d\t%d\t  %s\n", head, d.resident/n, d.Heap/n, d.Stacks/n, m.name)
		head = ""
		if err := cfg.note("Memory/"+m.name, float64(d.Heap+d.Stacks)/float64(n)/1000, "kB"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// memory is what a process holds, in bytes.
type memory struct {
	probe.Memory
	resident int64
}

func memoryOf(c *child) (m memory, err error) {
	if m.resident, err = c.resident(); err != nil {
		return m, err
	}
	m.Memory, err = c.live()
	return m, err
}

// measure returns how much more a process holds when the things are there.
func (m memoryCase) measure(ctx context.Context, p programs) (more memory, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	both, stop, err := startPair(ctx, config{}, p)
	if err != nil {
		return more, err
	}
	defer stop()
	c, fill, err := m.open(ctx, both)
	if err != nil {
		return more, err
	}
	if _, err := c.live(); err != nil { // frees what starting has left
		return more, err
	}
	before, err := memoryOf(c)
	if err != nil {
		return more, err
	}
	if err := fill(); err != nil {
		return more, err
	}
	time.Sleep(restAfter)
	if _, err := c.live(); err != nil { // frees what handshakes have left
		return more, err
	}
	if more, err = memoryOf(c); err != nil {
		return more, err
	}
	more.resident -= before.resident
	more.Heap -= before.Heap
	more.Stacks -= before.Stacks
	return more, nil
}
