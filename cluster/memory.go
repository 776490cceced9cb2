package cluster

import (
	"context"
	"sync"
)

// Memory is the Directory of a single node: every hub is its own. The zero
// value is ready for use.
type Memory struct {
	mu     sync.Mutex
	closed bool
	last   Epoch // greater than that of every claim so far
	claims map[string]*memoryClaim
}

type memoryClaim struct {
	dir   *Memory
	hub   string
	epoch Epoch
	lost  chan struct{}
}

// Claim implements Directory. It never waits.
func (m *Memory) Claim(_ context.Context, hub string) (Claim, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, ErrClosed
	}
	if old := m.claims[hub]; old != nil {
		close(old.lost)
	}
	if m.claims == nil {
		m.claims = make(map[string]*memoryClaim)
	}
	m.last++
	c := &memoryClaim{m, hub, m.last, make(chan struct{})}
	m.claims[hub] = c
	return c, nil
}

// Owner implements Directory.
func (m *Memory) Owner(_ context.Context, hub string) (Owner, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.claims[hub]
	if c == nil {
		return Owner{}, ErrNoHost
	}
	return Owner{Local: true, Epoch: c.epoch}, nil
}

// Close implements Directory.
func (m *Memory) Close(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	for hub, c := range m.claims {
		close(c.lost)
		delete(m.claims, hub)
	}
	return nil
}

func (c *memoryClaim) Epoch() Epoch          { return c.epoch }
func (c *memoryClaim) Lost() <-chan struct{} { return c.lost }

func (c *memoryClaim) Release(context.Context) error {
	c.dir.mu.Lock()
	defer c.dir.mu.Unlock()
	if c.dir.claims[c.hub] == c {
		delete(c.dir.claims, c.hub)
	}
	return nil
}
