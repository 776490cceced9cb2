package natsdir

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/cdphub/cdphub/internal/cluster"
)

// forget has a bucket lose its mark, as it does when all servers start again.
func (b *bucket) forget(t *testing.T) {
	t.Helper()
	if err := b.stream.Purge(t.Context(), jetstream.WithPurgeSubject(b.subject(madeKey))); err != nil {
		t.Fatal(err)
	}
}

// meanwhile does something before a key is read.
type meanwhile struct {
	jetstream.Stream
	subject string
	do      func()
}

func (s meanwhile) GetLastMsgForSubject(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	if subject == s.subject {
		s.do()
	}
	return s.Stream.GetLastMsgForSubject(ctx, subject)
}

// A node writes a claim, and another one makes the bucket anew before the first has looked for
// the mark: the mark is that of the new bucket, which does not have the claim.
func TestClaimBeforeItsBucketIsMadeAnew(t *testing.T) {
	a, b := twoNodes(t)
	ctx := t.Context()
	in, _ := a.place("x")
	other, _ := b.place("x")
	in.forget(t)
	in.stream = meanwhile{in.stream, in.subject(madeKey), sync.OnceFunc(func() {
		if err := other.makeAnew(ctx); err != nil {
			t.Error(err)
		}
	})}
	c, err := a.Claim(ctx, "x", 0)
	if err != nil {
		t.Fatal(err)
	}
	owner, err := b.ask(ctx, "x")
	if err != nil || owner.Epoch != c.Epoch() {
		t.Errorf("the hub is claimed with epoch %d, and the directory says %d: %v", c.Epoch(), owner.Epoch, err)
	}
}

// Many claims find that a bucket has no mark: one of them makes it anew, and the others do not
// wait one after the other.
func TestManyClaimsOfABucketThatIsMadeAnew(t *testing.T) {
	s := startServers(t, 1)[0]
	a := open(t, s, "a", func(o *Options) { o.Lease, o.Replicas = within, 1 })
	in, _ := a.place("x")
	in.forget(t)
	const claims = 40
	begun := time.Now()
	var all sync.WaitGroup
	for range claims {
		all.Go(func() {
			if err := in.makeAnew(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if took := time.Since(begun); took >= claims*retryEvery {
		t.Errorf("%d claims took %v", claims, took)
	}
}

// slowDelete does something before a bucket is deleted.
type slowDelete struct {
	jetstream.JetStream
	before func()
}

func (js slowDelete) DeleteStream(ctx context.Context, name string) error {
	js.before()
	return js.JetStream.DeleteStream(ctx, name)
}

// A node is about to delete a bucket without a mark when another one claims a hub there: that
// claim stays.
func TestBucketOfAnotherIsNotDeleted(t *testing.T) {
	a, b := twoNodes(t)
	ctx := t.Context()
	in, _ := a.place("x")
	in.forget(t)
	claimed := make(chan cluster.Claim, 1)
	in.js = slowDelete{in.js, sync.OnceFunc(func() {
		done := make(chan struct{})
		go func() {
			defer close(done)
			c, err := b.Claim(ctx, "x", 0)
			if err != nil {
				t.Error(err)
			}
			claimed <- c
		}()
		select {
		case <-done:
		case <-time.After(answerWithin / 2):
		}
	})}
	if err := in.makeAnew(ctx); err != nil {
		t.Fatal(err)
	}
	c := <-claimed
	owner, err := a.ask(ctx, "x")
	if err != nil || c == nil || owner.Epoch != c.Epoch() {
		t.Errorf("the claim is gone: the owner is %+v, %v", owner, err)
	}
}

// A node has died that was about to make a bucket anew: another one does so later.
func TestBucketThatWasNotMadeAnew(t *testing.T) {
	s := startServers(t, 1)[0]
	a := open(t, s, "a", func(o *Options) { o.Lease, o.Replicas = within, 1 })
	in, _ := a.place("x")
	in.forget(t)
	if _, err := in.put(t.Context(), madeKey, []byte("anew-of another")); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Claim(t.Context(), "x", 0); err != nil {
		t.Fatal(err)
	}
	if ok, err := in.whole(t.Context()); !ok || err != nil {
		t.Errorf("the bucket has no mark: %v", err)
	}
}
