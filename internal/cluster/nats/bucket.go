package natsdir

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// bucket is a key-value bucket, and the stream that holds it: reads of that see the
// last write, since they go to its leader. Requests are made by asked, or have a time
// limit of their own: one that went to a leader that died has no answer.
type bucket struct {
	kv     jetstream.KeyValue
	stream jetstream.Stream
	js     jetstream.JetStream
	config jetstream.StreamConfig // with which it is made

	word   string     // in place of the mark it says that this node makes the bucket anew
	making sync.Mutex // held while it is made anew
}

// open finds a bucket, or makes it. One of claims has a mark then.
func (d *Directory) open(ctx context.Context, js jetstream.JetStream, name string, age time.Duration, claims bool) (*bucket, error) {
	config := jetstream.StreamConfig{
		Name: "KV_" + name, Subjects: []string{"$KV." + name + ".>"},
		// The settings are those of a key-value bucket (NATS ADR-8) with one value for each
		// key. In memory: without any server left, no record is worth anything.
		Replicas: d.o.Replicas, Storage: jetstream.MemoryStorage, MaxMsgsPerSubject: 1, MaxAge: age, AllowMsgTTL: true,
		Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true,
		// Without AllowDirect the leader answers reads: others may be behind.
	}
	said := false
	for {
		b, err := openOnce(ctx, js, config, name, claims)
		if err == nil {
			return b, nil
		}
		// Two nodes that start at once may both try to make the stream; the second then
		// finds it.
		if !said && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
			said = true
			d.log.Info("waiting for the directory of the cluster", zap.String("bucket", name), zap.Error(err))
		}
		if err := pauseFor(ctx, retryEvery); err != nil {
			return nil, fmt.Errorf("the directory of the cluster is not ready: it needs %s with JetStream: %w", english.Plural(d.o.Replicas, "server", ""), err)
		}
	}
}

// openOnce is one attempt of open.
func openOnce(ctx context.Context, js jetstream.JetStream, config jetstream.StreamConfig, name string, claims bool) (*bucket, error) {
	once, cancel := context.WithTimeout(ctx, answerWithin) // a bucket without a leader does not answer
	defer cancel()
	stream, err := js.Stream(once, config.Name)
	made := errors.Is(err, jetstream.ErrStreamNotFound)
	if made {
		stream, err = createBucket(once, js, config, 0)
	}
	if err != nil {
		return nil, err
	}
	kv, err := js.KeyValue(once, name)
	if err != nil {
		return nil, err
	}
	b := &bucket{kv: kv, stream: stream, js: js, config: config, word: "anew-" + rand.Text()}
	if !claims {
		return b, nil
	}
	if made {
		return b, b.setMark(ctx)
	}
	if ok, err := b.whole(ctx); ok || err != nil {
		return b, err
	}
	return b, b.makeAnew(ctx)
}

// subject is that of a key in the bucket's stream.
func (b *bucket) subject(key string) string { return "$KV." + b.kv.Bucket() + "." + key }

// keys lists the keys, in no order. It asks once.
func (b *bucket) keys(ctx context.Context) ([]string, error) {
	all := b.subject("")
	info, err := b.stream.Info(ctx, jetstream.WithSubjectFilter(all+">"))
	if err != nil {
		return nil, err
	}
	keys := make([]string, 0, len(info.State.Subjects))
	for subject := range info.State.Subjects {
		keys = append(keys, strings.TrimPrefix(subject, all))
	}
	return keys, nil
}

// last reads the last write of a key. ok is false when there is none.
func (b *bucket) last(ctx context.Context, key string) (m *jetstream.RawStreamMsg, ok bool, err error) {
	m, err = firstAnswer(ctx, func(ctx context.Context) (*jetstream.RawStreamMsg, error) {
		return b.stream.GetLastMsgForSubject(ctx, b.subject(key))
	})
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, false, nil
	}
	return m, err == nil, err
}

// put writes a key, at once or as soon as there is a leader. It may come twice, so what it
// expects is the write before it, or it is the same when it comes again.
func (b *bucket) put(ctx context.Context, key string, value []byte, options ...jetstream.PublishOpt) (revision uint64, err error) {
	ack, err := firstAnswer(ctx, func(ctx context.Context) (*jetstream.PubAck, error) {
		return b.js.Publish(ctx, b.subject(key), value, append(slices.Clone(options), jetstream.WithRetryWait(retryEvery), jetstream.WithRetryAttempts(int(answerWithin/retryEvery)))...)
	})
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}

// remove takes a key out. With a last revision it may be told that the last is another:
// this request has come twice, or another node has written.
func (b *bucket) remove(ctx context.Context, key string, options ...jetstream.KVDeleteOpt) error {
	_, err := firstAnswer(ctx, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, b.kv.Purge(ctx, key, options...)
	})
	return err
}

// firstAnswer returns the first answer to a request. It asks again before it gives the request up:
// the first may have come to a leader that has died, or when there was none. All requests
// share one time limit, answerWithin. What ask does must be harmless when it is done twice.
func firstAnswer[T any](ctx context.Context, ask func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	type answer struct {
		value T
		err   error
	}
	// Room for one: a request that is answered late must not wait for ever.
	answers := make(chan answer, 1)
	once := func() {
		value, err := ask(ctx)
		select {
		case answers <- answer{value, err}:
		default: // another request was answered before
		}
	}
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for {
		go once()
		select {
		case a := <-answers:
			return a.value, a.err
		case <-again.C:
		}
	}
}
