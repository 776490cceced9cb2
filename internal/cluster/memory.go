package cluster

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
)

// Memory is the directory of nodes that are all in one process, such as those of a
// test. The zero value is ready for use.
type Memory struct {
	mu     sync.Mutex `stays:"stands for a directory outside of the process"` // guards everything below, and the nodes
	last   Epoch      // greater than that of every claim so far
	claims map[string]*memoryClaim
	nodes  []*MemoryNode
	notes  map[string]memoryNote
}

// memoryNote is what an owner has left for the next one.
type memoryNote struct {
	epoch Epoch
	text  []byte
}

// MemoryNode is the Directory of one node of a Memory, whose lock guards it.
type MemoryNode struct {
	of *Memory // static

	node     Node
	severed  bool
	closed   bool
	ends     bool // by MayEnd
	reserved int
	held     map[string]*memoryClaim // as far as it knows
}

// memoryClaim is a claim. One without by was given back, and keeps the epoch for the next.
type memoryClaim struct {
	by    *MemoryNode
	hub   string
	epoch Epoch
	lost  chan struct{}
}

// Join adds a node.
func (m *Memory) Join(n Node) *MemoryNode {
	m.mu.Lock()
	defer m.mu.Unlock()
	joined := &MemoryNode{of: m, node: n, held: make(map[string]*memoryClaim)}
	m.nodes = append(m.nodes, joined)
	return joined
}

// Sever cuts the node off from the directory, as a long partition of the network
// does, or joins it again.
func (d *MemoryNode) Sever(severed bool) {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.severed = severed
	for hub, c := range d.held {
		if !severed && d.of.claims[hub] != c {
			d.loseLocked(c)
		}
	}
}

// loseLocked has the node know that it has lost a hub.
func (d *MemoryNode) loseLocked(c *memoryClaim) {
	if d.held[c.hub] == c {
		delete(d.held, c.hub)
		close(c.lost)
	}
}

// reachesLocked fails for a node that does not reach the directory.
func (d *MemoryNode) reachesLocked() error {
	switch {
	case d.closed:
		return ErrClosed
	case d.severed:
		return ErrUncertain
	}
	return nil
}

// aliveLocked reports whether others count the node among those that serve.
func (d *MemoryNode) aliveLocked() bool { return d.reachesLocked() == nil }

// Self implements Directory.
func (d *MemoryNode) Self() Node {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	return d.listedLocked()
}

// listedLocked is the node as lists have it.
func (d *MemoryNode) listedLocked() Node {
	n := d.node
	n.Hubs = len(d.held)
	return n
}

// Owner implements Directory.
func (d *MemoryNode) Owner(_ context.Context, hub string) (Owner, error) {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	if err := d.reachesLocked(); err != nil {
		return Owner{}, err
	}
	c := d.of.claims[hub]
	switch {
	case c == nil:
		return Owner{}, ErrNoOwner
	case c.by == nil || !c.by.aliveLocked():
		return Owner{Epoch: c.epoch}, ErrNoOwner
	}
	return Owner{c.by.listedLocked(), c.epoch}, nil
}

// Forget implements Directory.
func (d *MemoryNode) Forget(string) {}

// Claim implements Directory. A node that is cut off does not learn that it has lost the
// hub, until Sever joins it again.
func (d *MemoryNode) Claim(_ context.Context, hub string, after Epoch) (Claim, error) {
	m := d.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := d.reachesLocked(); err != nil {
		return nil, err
	}
	last := m.claims[hub]
	if last == nil && after != 0 || last != nil && last.epoch != after {
		return nil, ErrTaken
	}
	if last != nil && last.by != nil && !last.by.severed {
		last.by.loseLocked(last)
	}
	// One counter for all hubs: after Release or Close the epoch of a hub still grows.
	m.last++
	c := &memoryClaim{d, hub, m.last, make(chan struct{})}
	if m.claims == nil {
		m.claims = make(map[string]*memoryClaim)
	}
	m.claims[hub], d.held[hub] = c, c
	return c, nil
}

// Left implements Directory.
func (d *MemoryNode) Left(_ context.Context, hub string) ([]byte, error) {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	return bytes.Clone(d.of.notes[hub].text), d.reachesLocked()
}

// Nodes implements Directory.
func (d *MemoryNode) Nodes() []Node {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	var list []Node
	for _, n := range d.of.nodes {
		if n == d || n.aliveLocked() && d.aliveLocked() {
			list = append(list, n.listedLocked())
		}
	}
	slices.SortFunc(list, ByName)
	return list
}

// ByName compares nodes by their names.
func ByName(a, b Node) int { return strings.Compare(a.Name+" "+a.ID, b.Name+" "+b.ID) }

// Tell implements Directory.
func (d *MemoryNode) Tell(b *Browsers) {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.node.Browsers = b
}

// ReserveBrowser implements Directory.
func (d *MemoryNode) ReserveBrowser(_ context.Context, most int) error {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	if err := d.reachesLocked(); err != nil {
		return err
	}
	taken := 0
	for _, n := range d.of.nodes {
		if n.aliveLocked() {
			taken += n.reserved
		}
	}
	if taken >= most {
		return ErrNoBrowser
	}
	d.reserved++
	return nil
}

// ReleaseBrowser implements Directory.
func (d *MemoryNode) ReleaseBrowser() {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.reserved--
}

// MayEnd implements Directory.
func (d *MemoryNode) MayEnd(context.Context) error {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	if err := d.reachesLocked(); err != nil {
		return err
	}
	stays := func(n *MemoryNode) bool { return n != d && n.aliveLocked() && !n.ends && !n.node.Draining }
	if !slices.ContainsFunc(d.of.nodes, stays) {
		return ErrLast
	}
	d.ends = true
	return nil
}

// Drain implements Directory.
func (d *MemoryNode) Drain(_ context.Context, w *Waits) error {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	d.node.Draining, d.node.Waits = true, w
	return d.reachesLocked()
}

// Close implements Directory.
func (d *MemoryNode) Close(context.Context) error {
	d.of.mu.Lock()
	defer d.of.mu.Unlock()
	for hub, c := range d.held {
		if d.of.claims[hub] == c {
			d.of.claims[hub] = &memoryClaim{hub: hub, epoch: c.epoch}
		}
		delete(d.held, hub)
	}
	d.closed = true
	return nil
}

// Epoch implements Claim.
func (c *memoryClaim) Epoch() Epoch { return c.epoch }

// Lost implements Claim.
func (c *memoryClaim) Lost() <-chan struct{} { return c.lost }

// Certain implements Claim.
func (c *memoryClaim) Certain(context.Context) error {
	c.by.of.mu.Lock()
	defer c.by.of.mu.Unlock()
	return c.by.reachesLocked()
}

// Release implements Claim. The epoch stays, for the next claim.
func (c *memoryClaim) Release(context.Context) error {
	m := c.by.of
	m.mu.Lock()
	defer m.mu.Unlock()
	if c.by.held[c.hub] == c {
		delete(c.by.held, c.hub)
	}
	if m.claims[c.hub] == c {
		m.claims[c.hub] = &memoryClaim{hub: c.hub, epoch: c.epoch}
	}
	return nil
}

// Note implements Claim.
func (c *memoryClaim) Note(_ context.Context, text []byte) error {
	m := c.by.of
	m.mu.Lock()
	defer m.mu.Unlock()
	switch err := c.by.reachesLocked(); {
	case err != nil:
		return err
	case len(text) > MaxNote:
		return ErrLongNote
	case m.claims[c.hub] != c || m.notes[c.hub].epoch > c.epoch:
		return ErrTaken
	}
	if m.notes == nil {
		m.notes = make(map[string]memoryNote)
	}
	m.notes[c.hub] = memoryNote{c.epoch, bytes.Clone(text)}
	return nil
}
