package natsdir

import (
	"bytes"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/internal/cluster"
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
	js.JetStream.Publish(ctx, subject, value, o...) // the answer is lost
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// A node that has asked whether it may end, and does not know the answer, goes on: another one
// may end beside it.
func TestNodeThatDoesNotKnowWhetherItMayEnd(t *testing.T) {
	a, b := twoNodes(t)
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

// slowRenewal carries the first write out only when it may, and loses what is sent again
// meanwhile. Writes of a node that ends are carried out at once.
type slowRenewal struct {
	jetstream.JetStream
	first chan<- struct{}
	may   <-chan struct{}
}

func (js slowRenewal) Publish(ctx context.Context, subject string, value []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if !bytes.Contains(value, []byte(`"draining":true`)) {
		select {
		case js.first <- struct{}{}:
			<-js.may
		default:
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}
	}
	return js.JetStream.Publish(ctx, subject, value, o...)
}

// A renewal is under way when the node is drained: the directory does not forget that.
func TestDrainDuringARenewal(t *testing.T) {
	s := startServers(t, 1)[0]
	a := open(t, s, "a", func(o *Options) { o.Lease, o.Replicas = within, 1 })
	ctx := t.Context()
	first, may := make(chan struct{}, 1), make(chan struct{})
	a.nodes.js = slowRenewal{a.nodes.js, first, may}
	var all sync.WaitGroup
	all.Go(func() {
		if err := a.renew(ctx); err != nil {
			t.Error(err)
		}
	})
	eventually(t, "it is under way", func() bool { return len(first) == 1 })
	drained := make(chan error, 1)
	go func() { drained <- a.Drain(ctx, nil) }()
	var err error
	select {
	case err = <-drained:
		close(may)
	case <-time.After(answerWithin / 4):
		close(may)
		err = <-drained
	}
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	m, ok, err := a.nodes.last(ctx, a.o.Node.ID)
	if err != nil || !ok || !bytes.Contains(m.Data, []byte(`"draining":true`)) {
		t.Errorf("others do not know that the node ends: %+v, %v", m, err)
	}
}

// lateWrites keeps what is written, and answers nothing.
type lateWrites struct {
	jetstream.JetStream
	carryOut chan<- func()
}

func (js lateWrites) Publish(ctx context.Context, subject string, value []byte, o ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	select {
	case js.carryOut <- func() {
		js.JetStream.Publish(context.WithoutCancel(ctx), subject, value, o...) // the answer is lost
	}:
	default: // sent again
	}
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// What a node has written to be let end comes through only after it has said that it goes on.
func TestLateRequestToEnd(t *testing.T) {
	a, b := twoNodes(t)
	js := a.shared.js
	late := make(chan func(), 1)
	a.shared.js = lateWrites{js, late}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := a.MayEnd(ctx); !errors.Is(err, cluster.ErrUncertain) {
		t.Fatal(err)
	}
	a.shared.js = js
	a.tellStays(t.Context())
	(<-late)()
	if err := b.MayEnd(t.Context()); err != nil {
		t.Errorf("the other may not end: %v", err)
	}
}
