package natsdir

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/cluster"
)

// Of nodes that are to end at the same time, one stays, until there is another.
func TestOneNodeStays(t *testing.T) {
	s := startServers(t, 1)[0]
	short := func(o *Options) { o.Lease, o.Replicas = 2*time.Second, 1 }
	var dirs []*Directory
	for _, name := range []string{"a", "b", "c", "d"} {
		dirs = append(dirs, open(t, s, name, short))
	}
	var ends, last atomic.Int32
	var all sync.WaitGroup
	var stays atomic.Pointer[Directory]
	for _, d := range dirs {
		all.Go(func() {
			switch err := d.MayEnd(t.Context()); {
			case err == nil:
				ends.Add(1)
			case errors.Is(err, cluster.ErrLast):
				last.Add(1)
				stays.Store(d)
			default:
				t.Error(err)
			}
		})
	}
	all.Wait()
	if ends.Load() != 3 || last.Load() != 1 {
		t.Fatalf("%d nodes may end, and %d are the last; want 3 and 1", ends.Load(), last.Load())
	}
	for _, d := range dirs {
		if d != stays.Load() {
			if err := d.MayEnd(t.Context()); err != nil {
				t.Errorf("one that may end is asked again: %v", err)
			}
		}
	}
	next := open(t, s, "e", short)
	if err := stays.Load().MayEnd(t.Context()); err != nil {
		t.Errorf("beside a new node: %v", err)
	}
	if err := next.MayEnd(t.Context()); !errors.Is(err, cluster.ErrLast) {
		t.Errorf("the new node: %v", err)
	}
}

// unanswered carries writes out, and loses the answers.
type unanswered struct{ jetstream.JetStream }

func (js unanswered) Publish(ctx context.Context, subject string, value []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	js.JetStream.Publish(ctx, subject, value, o...) //nolint:errcheck // nobody learns of it
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// A node that has asked whether it may end, and does not know the answer, goes on: another one
// may end beside it.
func TestNodeThatDoesNotKnowWhetherItMayEnd(t *testing.T) {
	s := startServers(t, 1)[0]
	alone := func(o *Options) { o.Lease, o.Replicas = within, 1 }
	a, b := open(t, s, "a", alone), open(t, s, "b", alone)
	js := a.shared.js
	a.shared.js = unanswered{js}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := a.MayEnd(ctx); !errors.Is(err, cluster.ErrUncertain) {
		t.Fatal(err)
	}
	a.shared.js = js
	a.Tell(nil) // renews its lease
	eventuallyWithin(t, "the other may end", 5*time.Second, func() bool { return b.MayEnd(t.Context()) == nil })
	if err := a.MayEnd(t.Context()); !errors.Is(err, cluster.ErrLast) {
		t.Errorf("both may end: %v", err)
	}
}
