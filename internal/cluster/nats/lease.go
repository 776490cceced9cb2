package natsdir

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
)

// checkRounds is how many renewals it takes until each claim was compared with the
// directory, in case the message about its loss was lost, too.
const checkRounds = 100

// keep renews the lease of this node until ctx ends. It renews four times in each lease.
// The time of a renewal counts from before it was sent, so that the lease is never thought
// to be longer than it is.
func (d *Directory) keep(ctx context.Context) {
	tick := time.NewTicker(d.o.Lease / 4)
	defer tick.Stop()
	// Until then any claim may have been lost without a message.
	var doubt time.Time
	reconnects := d.conn.Stats().Reconnects
	for round := 0; ; round++ {
		select {
		case <-tick.C:
		case <-d.renewNow:
			if pauseFor(ctx, renewPause) != nil {
				return
			}
		case <-ctx.Done():
			return
		}
		// Only changes are logged at error and info: a directory that is away for hours
		// would fill the log.
		before := d.certain()
		once, cancel := context.WithTimeout(ctx, d.o.Lease/4)
		err := d.renew(once)
		cancel()
		// After the directory was out of reach, others may have taken any hub of this node.
		// The servers of a new connection may have been started again, and have lost all
		// claims.
		if now := d.conn.Stats().Reconnects; before != nil || now != reconnects {
			doubt, reconnects = time.Now(), now
		}
		switch {
		case err != nil && before == nil && d.certain() != nil:
			d.log.Error("the directory of the cluster cannot be reached: running hubs continue, but no new hub can start", zap.Error(err))
		case err == nil && before != nil:
			d.log.Info("the directory of the cluster can be reached again")
		}
		if err == nil {
			// What does not fit into this time follows after the next renewal.
			once, cancel = context.WithTimeout(ctx, d.o.Lease/8)
			d.checkAll(once, d.claimsToCheck(round, doubt))
			cancel()
		}
		once, cancel = context.WithTimeout(ctx, d.o.Lease/4)
		if err := d.readNodes(once); err != nil {
			d.log.Debug("the list of nodes that are alive cannot be read: the last list stays in use", zap.Error(err))
		}
		d.tellReserved(once)
		d.tellStays(once)
		cancel()
	}
}

// claimsToCheck are the claims that were not compared with the directory since a moment
// of doubt, and those whose turn it is in this round: by its epoch, each claim has one of
// checkRounds.
func (d *Directory) claimsToCheck(round int, doubt time.Time) (list []*claim) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.held {
		if c.checked.Before(doubt) || uint64(c.epoch)%checkRounds == uint64(round%checkRounds) {
			list = append(list, c)
		}
	}
	return list
}

// renew writes the record of this node. Its key expires by itself after Options.Lease
// (MaxAge of the bucket), unless it is written again.
//
// One renewal follows the other: one that is still under way would write an older record
// over the one that says that this node ends (Drain).
func (d *Directory) renew(ctx context.Context) error {
	select {
	case d.renewTurn <- struct{}{}:
		defer func() { <-d.renewTurn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	began := time.Now()
	d.mu.Lock()
	self := d.selfLocked()
	d.mu.Unlock()
	value, err := json.Marshal(self)
	if err != nil {
		return err
	}
	if _, err := d.nodes.put(ctx, self.ID, value); err != nil {
		return err
	}
	d.conn.Publish(saysSubject, value) //nolint:errcheck // they look into the bucket, too
	d.mu.Lock()
	defer d.mu.Unlock()
	d.renewed = began
	return nil
}

// readNodes reads which nodes are alive. While that is not known, those that were
// alive are thought to be.
func (d *Directory) readNodes(ctx context.Context) error {
	ids, err := firstAnswer(ctx, d.nodes.keys)
	if err != nil {
		return err
	}
	alive := make(map[string]cluster.Node, len(ids))
	for _, id := range ids {
		m, ok, err := d.nodes.last(ctx, id)
		if err != nil {
			return err
		}
		var n cluster.Node
		if ok && len(m.Data) > 0 && json.Unmarshal(m.Data, &n) == nil && n.ID == id {
			alive[id] = n
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive = alive
	return nil
}

// node finds a node that is alive: one of those known, or one that has just come.
func (d *Directory) node(ctx context.Context, id string) (n cluster.Node, ok bool, err error) {
	d.mu.Lock()
	n, ok = d.alive[id]
	d.mu.Unlock()
	if ok {
		return n, true, nil
	}
	m, ok, err := d.nodes.last(ctx, id)
	if err != nil {
		return n, false, unreachableError(err)
	}
	if !ok || len(m.Data) == 0 {
		return n, false, nil
	}
	if json.Unmarshal(m.Data, &n) != nil {
		return n, false, nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alive[id] = n // or what is passed on to it would be cut as to a dead node
	return n, true, nil
}

// Close implements cluster.Directory. The server in this process, if it is used, goes on.
// It gives its claims back one by one, so that other nodes need not wait for the end of its
// lease.
func (d *Directory) Close(ctx context.Context) error {
	d.mu.Lock()
	closed := d.closed
	d.closed = true
	d.mu.Unlock()
	if closed {
		return nil
	}
	// No renewal must bring the record back once it was removed.
	d.ended()
	d.done.Wait()
	var failed []error
	d.mu.Lock()
	held := slices.Collect(maps.Values(d.held))
	d.mu.Unlock()
	for _, c := range held {
		if err := c.Release(ctx); err != nil {
			failed = append(failed, err)
			if ctx.Err() != nil {
				break
			}
		}
	}
	if err := d.nodes.remove(ctx, d.o.Node.ID); err != nil {
		failed = append(failed, err)
	}
	d.conn.Close()
	return errors.Join(failed...)
}
