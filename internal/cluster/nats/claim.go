package natsdir

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
)

// claim implements cluster.Claim.
type claim struct {
	d     *Directory // static, as is all down to lost
	hub   string
	epoch cluster.Epoch
	lost  chan struct{}

	checked time.Time // when the claim was last found in the directory; guarded by d.mu
	over    bool      // the claim is lost, or was released; guarded by d.mu
}

// Claim implements cluster.Directory. The write is the claim: of several nodes, JetStream
// takes one, and the others get cluster.ErrTaken. The message to the former owner only
// makes it quicker.
func (d *Directory) Claim(ctx context.Context, hub string, after cluster.Epoch) (cluster.Claim, error) {
	if err := d.certain(); err != nil {
		return nil, err
	}
	b, key := d.place(hub)
	rec := record{hub, d.o.Node.ID, rand.Text()}
	value, err := json.Marshal(rec)
	if err != nil {
		return nil, err
	}
	// Read before the write, which replaces the record.
	former := d.formerOwner(ctx, b, key, after)
	epoch, err := b.claim(ctx, key, value, rec.Claim, uint64(after))
	if err != nil {
		return nil, err
	}
	c := &claim{d: d, hub: hub, epoch: cluster.Epoch(epoch), lost: make(chan struct{}), checked: time.Now()}
	d.mu.Lock()
	old := d.held[hub]
	// Two requests of this node have claimed the hub one after the other, and their answers
	// have overtaken each other: the greater epoch stays.
	if old != nil && old.epoch > c.epoch { // which was slower to get here
		old = c
	} else {
		d.held[hub] = c
	}
	delete(d.cache, hub)
	d.mu.Unlock()
	if old != nil {
		old.lose()
	}
	if former != "" && former != d.o.Node.ID {
		d.conn.Publish(fmt.Sprintf(evictSubject, former), fmt.Appendf(nil, "%d %s", c.epoch, hub)) //nolint:errcheck // it finds out by itself, but later
	}
	return c, nil
}

// formerOwner is the node whose claim has that epoch; "" when it is not known.
func (d *Directory) formerOwner(ctx context.Context, b *bucket, key string, epoch cluster.Epoch) string {
	if epoch == 0 {
		return ""
	}
	m, ok, err := b.last(ctx, key)
	var rec record
	if err != nil || !ok || json.Unmarshal(m.Data, &rec) != nil {
		return ""
	}
	return rec.Node
}

// claim writes a claim that counts: into a bucket that has lost nothing.
func (b *bucket) claim(ctx context.Context, key string, value []byte, mark string, after uint64) (revision uint64, err error) {
	for {
		if revision, err = b.write(ctx, key, value, mark, after); err != nil {
			return 0, err
		}
		counts, err := b.counts(ctx, key, revision)
		if counts && err == nil {
			return revision, nil
		}
		if err == nil {
			err = b.makeAnew(ctx)
		}
		if err == nil {
			after = 0
		} else if pauseFor(ctx, retryEvery) != nil {
			return 0, unreachableError(err)
		}
	}
}

// write writes a key whose last revision is known. While the bucket has no leader, it
// tries again until ctx ends. A write whose answer was lost is found again by its mark.
// mark is record.Claim, a random word.
func (b *bucket) write(ctx context.Context, key string, value []byte, mark string, after uint64) (revision uint64, err error) {
	for {
		if revision, err = b.put(ctx, key, value, jetstream.WithExpectLastSequencePerSubject(after)); err == nil {
			return revision, nil
		}
		m, ok, readErr := b.last(ctx, key)
		var now record
		switch {
		// The write was taken, and its answer was lost.
		case readErr == nil && ok && json.Unmarshal(m.Data, &now) == nil && now.Claim == mark:
			return m.Sequence, nil
		// Another claim has come, or the record was swept. Without an answer to either
		// request nothing is known: try again.
		case readErr == nil && (!ok && after != 0 || ok && m.Sequence != after):
			return 0, cluster.ErrTaken
		}
		if pauseFor(ctx, retryEvery) != nil {
			return 0, unreachableError(err)
		}
	}
}

// Epoch implements cluster.Claim.
func (c *claim) Epoch() cluster.Epoch { return c.epoch }

// Lost implements cluster.Claim.
func (c *claim) Lost() <-chan struct{} { return c.lost }

// Certain implements cluster.Claim. At most once a second it asks the directory.
func (c *claim) Certain(ctx context.Context) error {
	c.d.mu.Lock()
	err := c.d.certainLocked()
	fresh := time.Since(c.checked) < checkedFor
	over := c.over
	c.d.mu.Unlock()
	switch {
	case err != nil:
		return err
	case over:
		return cluster.ErrTaken
	case fresh:
		return nil
	}
	return c.check(ctx)
}

// check compares the claim with the directory. While that cannot be reached, the lease
// of this node counts.
func (c *claim) check(ctx context.Context) error {
	began := time.Now()
	b, key := c.d.place(c.hub)
	m, ok, err := b.last(ctx, key)
	switch {
	case err != nil, ok && cluster.Epoch(m.Sequence) < c.epoch: // the answer of a leader that is none any more
		return c.d.certain()
	case !ok || cluster.Epoch(m.Sequence) > c.epoch:
		c.lose()
		return cluster.ErrTaken
	}
	c.d.mu.Lock()
	c.checked = began
	c.d.mu.Unlock()
	return nil
}

// lose ends a claim that another has followed.
func (c *claim) lose() {
	if c.end() {
		close(c.lost)
	}
}

// end forgets a claim, and reports whether it was one.
func (c *claim) end() bool {
	c.d.mu.Lock()
	defer c.d.mu.Unlock()
	if c.over {
		return false
	}
	c.over = true
	if c.d.held[c.hub] == c {
		delete(c.d.held, c.hub)
	}
	return true
}

// Release implements cluster.Claim. The record is deleted only if it is still this claim's.
// A marker stays for a minute, from which Owner has the epoch for the next claim.
func (c *claim) Release(ctx context.Context) error {
	if !c.end() {
		return nil
	}
	b, key := c.d.place(c.hub)
	err := b.remove(ctx, key, jetstream.LastRevision(uint64(c.epoch)), jetstream.PurgeTTL(markerKept))
	if wrong := new(jetstream.APIError); errors.As(err, &wrong) && (wrong.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || wrong.ErrorCode == wrongLastSequenceReplicated) {
		return nil // another has it already
	}
	return err
}

// wrongLastSequenceReplicated is what streams with several replicas answer
// (nats-server 2.15, JSStreamWrongLastSequenceConstantErr).
const wrongLastSequenceReplicated = 10164

// evicted is a message of a node that has claimed a hub of this one, "EPOCH HUB". Whoever
// sends it is not believed. A leader that has just come back may not know of the claim yet.
func (d *Directory) evicted(m *nats.Msg) {
	number, hub, _ := strings.Cut(string(m.Data), " ")
	epoch, err := strconv.ParseUint(number, 10, 64)
	d.mu.Lock()
	c := d.held[hub]
	d.mu.Unlock()
	if err != nil || c == nil || cluster.Epoch(epoch) <= c.epoch {
		return
	}
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), d.o.Lease)
		defer cancel()
		// It asks until the directory shows the newer claim, or for the time of a lease:
		// then what has sent the message was wrong.
		for c.check(ctx) == nil {
			if pauseFor(ctx, retryEvery) != nil {
				return
			}
		}
		d.log.Debug("a hub was taken", zap.String("hub", c.hub))
	}()
}

// checkAll compares claims with the directory, some at a time, until ctx ends. It is for
// claims whose loss no message has reported.
func (d *Directory) checkAll(ctx context.Context, some []*claim) {
	const atOnce = 32
	turns := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, c := range some {
		if ctx.Err() != nil {
			break
		}
		turns <- struct{}{}
		all.Go(func() {
			c.check(ctx) //nolint:errcheck // the holder of a lost claim learns of it by Lost
			<-turns
		})
	}
	all.Wait()
}
