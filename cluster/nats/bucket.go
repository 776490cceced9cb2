package natsdir

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// bucket is a key-value bucket, and the stream that holds it: reads of that see the
// last write, since they go to its leader.
type bucket struct {
	jetstream.KeyValue
	stream jetstream.Stream
	js     jetstream.JetStream
}

func (b *bucket) subject(key string) string { return "$KV." + b.Bucket() + "." + key }

// last reads the last write of a key. ok is false when there is none. It asks again before
// it gives a question up: the first may have come when there was no leader.
func (b *bucket) last(ctx context.Context, key string) (m *jetstream.RawStreamMsg, ok bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	type answer struct {
		m   *jetstream.RawStreamMsg
		err error
	}
	answers := make(chan answer, 1)
	ask := func() {
		m, err := b.stream.GetLastMsgForSubject(ctx, b.subject(key))
		select {
		case answers <- answer{m, err}:
		default: // another question was answered before
		}
	}
	again := time.NewTicker(askAgain)
	defer again.Stop()
	for {
		go ask()
		select {
		case a := <-answers:
			if errors.Is(a.err, jetstream.ErrMsgNotFound) {
				return nil, false, nil
			}
			return a.m, a.err == nil, a.err
		case <-again.C:
		}
	}
}

// put writes a key, at once or as soon as there is a leader.
func (b *bucket) put(ctx context.Context, key string, value []byte, options ...jetstream.PublishOpt) (revision uint64, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerWithin)
	defer cancel()
	ack, err := b.js.Publish(ctx, b.subject(key), value, append(options, jetstream.WithRetryWait(retryEvery), jetstream.WithRetryAttempts(int(answerWithin/retryEvery)))...)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
