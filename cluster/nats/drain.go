package natsdir

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/cluster"
)

// endsKey has the ids of nodes that have asked whether they may end. Each write expects the
// revision of the one before, so of two nodes that ask at once, one reads of the other.
const endsKey = "ends"

// MayEnd implements cluster.Directory.
func (d *Directory) MayEnd(ctx context.Context) error {
	for {
		if err := d.certain(); err != nil {
			return err
		}
		err := d.mayEndOnce(ctx)
		if err == nil || errors.Is(err, cluster.ErrLast) {
			return err
		}
		if pause(ctx, retryEvery/10) != nil { // another node was faster, or there is no leader
			return unreachable(err)
		}
	}
}

// mayEndOnce reads the record, and writes it with this node added. It fails if another node
// has written meanwhile; the caller then tries again. Ids of dead nodes are left out.
func (d *Directory) mayEndOnce(ctx context.Context) error {
	m, ok, err := d.shared.last(ctx, endsKey)
	if err != nil {
		return err
	}
	var ends []string
	revision := uint64(0)
	if ok {
		revision = m.Sequence
		if err := json.Unmarshal(m.Data, &ends); err != nil {
			return err
		}
	}
	if err := d.readNodes(ctx); err != nil {
		return err
	}
	// Read anew: a node that has died since must not count as one that stays.
	nodes := d.Nodes()
	stays := func(n cluster.Node) bool { return n.ID != d.o.Node.ID && !n.Draining && !slices.Contains(ends, n.ID) }
	if !slices.ContainsFunc(nodes, stays) {
		return cluster.ErrLast
	}
	ends = slices.DeleteFunc(ends, func(id string) bool {
		return id == d.o.Node.ID || !slices.ContainsFunc(nodes, func(n cluster.Node) bool { return n.ID == id })
	})
	value, err := json.Marshal(append(ends, d.o.Node.ID))
	if err != nil {
		return err
	}
	_, err = d.shared.put(ctx, endsKey, value, jetstream.WithExpectLastSequencePerSubject(revision))
	return err
}

// Drain implements cluster.Directory.
func (d *Directory) Drain(ctx context.Context) error {
	d.mu.Lock()
	d.self.Draining = true
	d.mu.Unlock()
	return d.renew(ctx)
}
