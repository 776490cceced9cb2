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

// createBucket makes a bucket. Its first revision is the time in microseconds, so that claims have
// greater epochs than in any bucket of that name before, and it is greater than after.
func createBucket(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig, after uint64) (jetstream.Stream, error) {
	config.FirstSeq = max(uint64(time.Now().UnixMicro()), after+1)
	return js.CreateStream(ctx, config)
}

// isMark reports whether a write of madeKey is the mark. Otherwise a node is about to make the
// bucket anew: "anew-RANDOM".
func isMark(m *jetstream.RawStreamMsg) bool { return string(m.Data) == madeKey }

// whole reports whether the bucket has lost nothing since it was made.
func (b *bucket) whole(ctx context.Context) (bool, error) {
	m, ok, err := b.last(ctx, madeKey)
	if errors.Is(err, jetstream.ErrStreamNotFound) { // another node makes it anew, or has failed to
		return false, nil
	}
	return ok && isMark(m), err
}

// counts reports whether a claim counts that was written at a revision.
func (b *bucket) counts(ctx context.Context, key string, revision uint64) (bool, error) {
	mark, ok, err := b.last(ctx, madeKey)
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound), err == nil && (!ok || !isMark(mark)):
		return false, nil
	case err != nil:
		return false, err
	case mark.Sequence < revision:
		return true, nil
	}
	// The mark is younger than the claim: another node may have made the bucket anew since the
	// claim was written. The claim is then gone, and its revision is of the bucket before.
	m, ok, err := b.last(ctx, key)
	return ok && m.Sequence == revision, err
}

// setMark says that the bucket has lost nothing from now on. It fails if another node is about
// to make the bucket anew.
func (b *bucket) setMark(ctx context.Context) error {
	_, err := b.put(ctx, madeKey, []byte(madeKey), jetstream.WithExpectLastSequencePerSubject(0))
	return err
}

// anewWithin is how long a node has to make a bucket anew, before another one tries.
const anewWithin = 3 * answerWithin

// makeAnew makes a bucket anew that has no mark. Its records are lost: none of them counts.
// All nodes notice at once. One alone may delete the bucket: the one whose word is written in
// place of the mark. Otherwise a node would delete the bucket that another one has just made,
// with the claims that count by then.
func (b *bucket) makeAnew(ctx context.Context) error {
	b.making.Lock()
	defer b.making.Unlock()
	var wrote time.Time // when this node last wrote its word
	var other uint64    // the revision of another node's word
	var since time.Time // when that was first seen
	for paused := false; ; {
		m, ok, err := b.last(ctx, madeKey)
		gone := errors.Is(err, jetstream.ErrStreamNotFound)
		switch {
		case err != nil && !gone:
			return err
		case ok && isMark(m):
			return nil
		case ok && string(m.Data) == b.word && time.Since(wrote) < answerWithin:
			return b.replace(ctx)
		}
		var before uint64
		if ok {
			if before = m.Sequence; other != before {
				other, since = before, time.Now()
			}
		}
		// Another node is at it, or it has just made the bucket and has yet to set the mark.
		if ok && string(m.Data) != b.word && time.Since(since) < anewWithin || !ok && !paused {
			if err := pauseFor(ctx, retryEvery+rand.N(5*retryEvery)); err != nil {
				return err
			}
			paused = true
			continue
		}
		if gone {
			return b.createMarked(ctx, 0)
		}
		wrote = time.Now()
		// If it fails, another node was faster, or the answer was lost: the next look tells.
		if _, err := b.put(ctx, madeKey, []byte(b.word), jetstream.WithExpectLastSequencePerSubject(before)); err != nil {
			if err := pauseFor(ctx, retryEvery); err != nil {
				return err
			}
		}
	}
}

// replace deletes the bucket, and makes it anew.
func (b *bucket) replace(ctx context.Context) error {
	once, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	info, err := b.stream.Info(once)
	if err != nil {
		return err
	}
	if err := b.js.DeleteStream(once, b.config.Name); err != nil {
		return err
	}
	return b.createMarked(ctx, info.State.LastSeq)
}

// createMarked makes the bucket, with revisions greater than after.
func (b *bucket) createMarked(ctx context.Context, after uint64) error {
	once, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	if _, err := createBucket(once, b.js, b.config, after); err != nil {
		return err
	}
	return b.setMark(ctx)
}
