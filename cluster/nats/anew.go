package natsdir

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Servers keep a bucket in memory, but its name and configuration on disk. When all of them
// start again, the bucket is empty, and its revisions begin where they began before
// (nats-server 2.15.2). A node that has had a hub for all that time would then believe in its
// own claim, whose epoch is greater than that of the next owner. So each bucket of claims has
// a mark while it has lost nothing, and a claim counts only if the mark was there after it was
// written. A bucket without a mark is made anew, with greater revisions than before.

// madeKey is the key of the mark.
const madeKey = "made"

// create makes a bucket. Its first revision is the time in microseconds, so that claims have
// greater epochs than in any bucket of that name before, and it is greater than after.
func create(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig, after uint64) (jetstream.Stream, error) {
	config.FirstSeq = max(uint64(time.Now().UnixMicro()), after+1)
	return js.CreateStream(ctx, config)
}

// whole reports whether the bucket has lost nothing since it was made.
func (b *bucket) whole(ctx context.Context) (bool, error) {
	_, ok, err := b.last(ctx, madeKey)
	if errors.Is(err, jetstream.ErrStreamNotFound) { // another node makes it anew, or has failed to
		return false, nil
	}
	return ok, err
}

// counts reports whether a claim counts that was written at a revision.
func (b *bucket) counts(ctx context.Context, key string, revision uint64) (bool, error) {
	mark, ok, err := b.last(ctx, madeKey)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return false, nil
	}
	if err != nil || !ok || mark.Sequence < revision {
		return ok, err
	}
	// The mark is younger than the claim: another node may have made the bucket anew since the
	// claim was written. The claim is then gone, and its revision is of the bucket before.
	m, ok, err := b.last(ctx, key)
	return ok && m.Sequence == revision, err
}

// setMark says that the bucket has lost nothing from now on.
func (b *bucket) setMark(ctx context.Context) error {
	_, err := b.put(ctx, madeKey, []byte(madeKey))
	return err
}

// makeAnew makes a bucket anew that has no mark. What is in it is lost: nobody relies on it.
// If two nodes do so at once, one of them may lose claims that it has just made, and finds that
// out as for any other claim.
func (b *bucket) makeAnew(ctx context.Context) error {
	b.making.Lock()
	defer b.making.Unlock()
	// Claims that have waited for the lock, one behind the other, must not pause each.
	if ok, err := b.whole(ctx); ok || err != nil {
		return err
	}
	// Another node may do so just now, or has yet to set the mark: all notice at once.
	if err := pause(ctx, retryEvery+rand.N(5*retryEvery)); err != nil {
		return err
	}
	once, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	var last uint64
	info, err := b.stream.Info(once)
	if err == nil {
		last = info.State.LastSeq
	} else if !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	// Right before it is deleted: another node may have made it anew meanwhile.
	if ok, err := b.whole(once); ok || err != nil {
		return err
	}
	if err := b.js.DeleteStream(once, b.config.Name); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	if _, err := create(once, b.js, b.config, last); err != nil {
		return err
	}
	return b.setMark(ctx)
}
