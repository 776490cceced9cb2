package natsdir

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
)

// The browsers of all nodes are counted in one record, by node. Each write expects the
// revision of the one before, and has the writer's own number as the writer knows it.
const (
	reservedBucket = "cdphub-reserved"
	reservedKey    = "browsers"
)

// ReserveBrowser implements cluster.Directory. One at a time of this node writes the record
// (reserveTurn), since each write expects the revision of the one before.
func (d *Directory) ReserveBrowser(ctx context.Context, most int) error {
	if err := d.certain(); err != nil {
		return err
	}
	select {
	case d.reserveTurn <- struct{}{}:
		defer func() { <-d.reserveTurn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	err := d.writeReserved(ctx, 1, most)
	if err != nil { // a write whose answer was lost may count
		d.mu.Lock()
		defer d.mu.Unlock()
		d.reservedStale = d.reservedStale || !errors.Is(err, cluster.ErrNoBrowser)
	}
	return err
}

// ReleaseBrowser implements cluster.Directory. The next renewal writes it, too, should the
// directory be out of reach now.
func (d *Directory) ReleaseBrowser() {
	d.mu.Lock()
	d.reserved--
	d.reservedStale = true
	d.mu.Unlock()
	select {
	case d.renewNow <- struct{}{}:
	default:
	}
}

// tellReserved writes how many browsers this node has, if the directory does not know: it
// forgets nodes that it believes to be dead, and all of them when its servers start again.
func (d *Directory) tellReserved(ctx context.Context) {
	d.mu.Lock()
	stale, mine := d.reservedStale, d.reserved
	d.mu.Unlock()
	if !stale && mine == 0 {
		return
	}
	select {
	case d.reserveTurn <- struct{}{}:
		defer func() { <-d.reserveTurn }()
	case <-ctx.Done():
		return
	}
	if !stale {
		if taken, _, err := d.readReserved(ctx); err != nil || taken[d.o.Node.ID] > 0 {
			return
		}
	}
	if err := d.writeReserved(ctx, 0, 0); err != nil {
		d.log.Debug("the directory does not know how many browsers this node has", zap.Error(err))
	}
}

// writeReserved writes the number of this node's browsers, and more than those, if all
// nodes then have no more than most.
func (d *Directory) writeReserved(ctx context.Context, more, most int) error {
	for {
		err := d.writeReservedOnce(ctx, more, most)
		if err == nil || errors.Is(err, cluster.ErrNoBrowser) {
			return err
		}
		if pauseFor(ctx, retryEvery/10) != nil { // another node was faster, or there is no leader
			return unreachableError(err)
		}
	}
}

// readReserved reads how many browsers each node has, {"NODE":3,…}, and the revision of that.
func (d *Directory) readReserved(ctx context.Context) (taken map[string]int, revision uint64, err error) {
	m, ok, err := d.shared.last(ctx, reservedKey)
	if err != nil {
		return nil, 0, err
	}
	taken = map[string]int{}
	if ok {
		revision = m.Sequence
		if err := json.Unmarshal(m.Data, &taken); err != nil {
			d.log.Warn("the record of browsers is created again", zap.Error(err))
			clear(taken)
		}
	}
	return taken, revision, nil
}

// writeReservedOnce reads the record and writes it. It fails if another node has written
// meanwhile. Nodes that are dead leave the record.
func (d *Directory) writeReservedOnce(ctx context.Context, more, most int) error {
	taken, revision, err := d.readReserved(ctx)
	if err != nil {
		return err
	}
	self := d.o.Node.ID
	all := 0
	for id, n := range maps.Clone(taken) {
		if _, alive, err := d.node(ctx, id); err != nil {
			return err
		} else if !alive {
			delete(taken, id)
		} else if id != self {
			all += n
		}
	}
	d.mu.Lock()
	mine := d.reserved + more
	d.mu.Unlock()
	// What this node has is its own number, not the record's: the record may be behind
	// (reservedStale).
	if more > 0 && all+mine > most {
		return cluster.ErrNoBrowser
	}
	taken[self] = mine
	if mine == 0 {
		delete(taken, self)
	}
	value, err := json.Marshal(taken)
	if err != nil {
		return err
	}
	if _, err := d.shared.put(ctx, reservedKey, value, jetstream.WithExpectLastSequencePerSubject(revision)); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reserved += more
	// Another ReleaseBrowser may have come meanwhile.
	d.reservedStale = d.reserved != mine
	return nil
}

// Tell implements cluster.Directory.
func (d *Directory) Tell(b *cluster.Browsers) {
	d.mu.Lock()
	d.self.Browsers = b
	d.mu.Unlock()
	select {
	case d.renewNow <- struct{}{}:
	default:
	}
}

// heard is what another node says of itself, once it has written that into the bucket.
func (d *Directory) heard(m *nats.Msg) {
	var n cluster.Node
	if json.Unmarshal(m.Data, &n) != nil || n.ID == "" {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive[n.ID] = n
}

// renewPause is the least time between two renewals.
const renewPause = 100 * time.Millisecond
