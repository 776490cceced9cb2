package natsdir

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
)

// endsKey has the ids of nodes that have asked whether they may end. Each write expects the
// revision of the one before, so of two nodes that ask at once, one reads of the other.
const endsKey = "ends"

// MayEnd implements cluster.Directory. If it fails, this node goes on, and may be in the list:
// the next renewal takes it out.
func (d *Directory) MayEnd(ctx context.Context) error {
	select {
	case d.endTurn <- struct{}{}:
		defer func() { <-d.endTurn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := d.mayEnd(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endUnknown = err != nil
	return err
}

func (d *Directory) mayEnd(ctx context.Context) error {
	for {
		if err := d.certain(); err != nil {
			return err
		}
		err := d.mayEndOnce(ctx)
		if err == nil || errors.Is(err, cluster.ErrLast) {
			return err
		}
		if pauseFor(ctx, retryEvery/10) != nil { // another node was faster, or there is no leader
			return unreachableError(err)
		}
	}
}

// tellStays takes this node out of the list if it may be there, and goes on.
func (d *Directory) tellStays(ctx context.Context) {
	select {
	case d.endTurn <- struct{}{}:
		defer func() { <-d.endTurn }()
	default:
		return // it asks just now
	}
	d.mu.Lock()
	unknown := d.endUnknown
	d.mu.Unlock()
	if !unknown {
		return
	}
	ends, revision, err := d.readEnds(ctx)
	if err == nil {
		// The list is written even if this node is not there: its own write may still be on
		// the way, and fails after another one.
		ends = slices.DeleteFunc(ends, func(id string) bool { return id == d.o.Node.ID })
		err = d.writeEnds(ctx, ends, revision)
	}
	if err != nil {
		d.log.Debug("the directory may not know that this node continues", zap.Error(err))
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.endUnknown = false
}

// readEnds reads the list, and its revision.
func (d *Directory) readEnds(ctx context.Context) (ends []string, revision uint64, err error) {
	m, ok, err := d.shared.last(ctx, endsKey)
	if err != nil || !ok {
		return nil, 0, err
	}
	err = json.Unmarshal(m.Data, &ends)
	return ends, m.Sequence, err
}

func (d *Directory) writeEnds(ctx context.Context, ends []string, after uint64) error {
	value, err := json.Marshal(ends)
	if err != nil {
		return err
	}
	_, err = d.shared.put(ctx, endsKey, value, jetstream.WithExpectLastSequencePerSubject(after))
	return err
}

// mayEndOnce reads the record, and writes it with this node added. It fails if another node
// has written meanwhile; the caller then tries again. Ids of dead nodes are left out.
func (d *Directory) mayEndOnce(ctx context.Context) error {
	ends, revision, err := d.readEnds(ctx)
	if err != nil {
		return err
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
	return d.writeEnds(ctx, append(ends, d.o.Node.ID), revision)
}

// Drain implements cluster.Directory.
func (d *Directory) Drain(ctx context.Context, w *cluster.Waits) error {
	d.mu.Lock()
	d.self.Draining, d.self.Waits = true, w
	d.mu.Unlock()
	return d.renew(ctx)
}
