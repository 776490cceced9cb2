package natsdir

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/internal/cluster"
)

// lost loses one request, as a leader does that dies: it is never answered.
type lost struct{ in atomic.Int32 }

// next waits until ctx ends when the request that is made now is the lost one.
func (l *lost) next(ctx context.Context) error {
	if l.in.Add(-1) == 0 {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return nil
}

type lossyStream struct {
	jetstream.Stream
	*lost
}

func (s lossyStream) Info(ctx context.Context, o ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	if err := s.next(ctx); err != nil {
		return nil, err
	}
	return s.Stream.Info(ctx, o...)
}

func (s lossyStream) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if err := s.next(ctx); err != nil {
		return nil, err
	}
	return s.Stream.GetLastMsgForSubject(ctx, subject)
}

type lossyJetStream struct {
	jetstream.JetStream
	*lost
}

func (js lossyJetStream) Publish(ctx context.Context, subject string, value []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if err := js.next(ctx); err != nil {
		return nil, err
	}
	return js.JetStream.Publish(ctx, subject, value, o...)
}

type lossyKeyValue struct {
	jetstream.KeyValue
	*lost
}

func (kv lossyKeyValue) Purge(ctx context.Context, key string, o ...jetstream.KVDeleteOpt) error {
	if err := kv.next(ctx); err != nil {
		return err
	}
	return kv.KeyValue.Purge(ctx, key, o...)
}

// Whichever of its requests is lost, an order to the directory is carried out, and soon:
// those who wait for it have time limits of their own.
func TestLostRequests(t *testing.T) {
	s := startServers(t, 1)[0]
	alone := func(o *Options) { o.Lease, o.Replicas = within, 1 }
	open(t, s, "other", alone)
	d := open(t, s, "a", alone)
	d.ended() // or its renewals would be among the requests
	d.done.Wait()
	lose := new(lost)
	for _, b := range append(d.owners[:], d.nodes, d.shared) {
		b.kv, b.stream, b.js = lossyKeyValue{b.kv, lose}, lossyStream{b.stream, lose}, lossyJetStream{b.js, lose}
	}

	var claim cluster.Claim
	var hub string
	orders := []struct {
		name string
		do   func(context.Context) error
	}{
		{"Claim", func(ctx context.Context) (err error) {
			claim, err = d.Claim(ctx, hub, 0)
			return err
		}},
		{"Owner", func(ctx context.Context) error {
			d.Forget(hub)
			_, err := d.Owner(ctx, hub)
			return err
		}},
		{"Note", func(ctx context.Context) error { return claim.Note(ctx, []byte("text")) }},
		{"Left", func(ctx context.Context) error {
			_, err := d.Left(ctx, hub)
			return err
		}},
		{"Release", func(ctx context.Context) error { return claim.Release(ctx) }},
		{"ReserveBrowser", func(ctx context.Context) error { return d.ReserveBrowser(ctx, 1000) }},
		{"readNodes", d.readNodes},
		{"MayEnd", d.MayEnd},
		{"Drain", func(ctx context.Context) error { return d.Drain(ctx, nil) }},
	}
	const most = 5 // more requests than an order makes
	for k := range int32(most) {
		hub = fmt.Sprint("hub", k)
		for _, order := range orders {
			lose.in.Store(k + 1)
			ctx, cancel := context.WithTimeout(t.Context(), within)
			began := time.Now()
			if err := order.do(ctx); err != nil || time.Since(began) > within/2 {
				t.Fatalf("%s, with request %d lost: %v after %v", order.name, k+1, err, time.Since(began))
			}
			cancel()
		}
	}
}
