package browsers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
)

// ownPool is a pool whose browser asks its user, who answers true or false.
func ownPool() (p *Pool, asked *int, answers chan bool) {
	p = testPool(works)
	p.keeps, p.try, p.sick = true, p.connectOnce, make(chan struct{}, 1)
	asked, answers = new(int), make(chan bool)
	p.run = func(ctx context.Context, hub bridge.Hub, came func()) error {
		p.noteWaiting(ErrAsks)
		*asked++
		select {
		case allowed := <-answers:
			if !allowed {
				return ErrDenied
			}
			return hubtest.RunFakeBrowser(ctx, hub, came)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return p, asked, answers
}

// TestR410OwnBrowser wants the user's own browser to be connected to at the start, its user to be
// asked once for all, and everybody to be told meanwhile what to do.
func TestR410OwnBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, asked, answers := ownPool()
		defer p.Close()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		if err := p.Check(ctx); !errors.Is(err, ErrAsks) {
			t.Fatalf("Check: %v", err)
		}
		go p.Watch(ctx)
		for range 3 {
			began := time.Now()
			if _, err := p.Use(ctx, relay.DefaultHub); !errors.Is(err, ErrAsks) || time.Since(began) != userPatience {
				t.Fatalf("after %v a Client gets %v", time.Since(began), err)
			}
		}
		answers <- true
		synctest.Wait()
		if err := p.Health(); err != nil {
			t.Errorf("allowed: %v", err)
		}
		mustUse(t, p, relay.DefaultHub)()
		time.Sleep(24 * time.Hour)
		mustUse(t, p, relay.DefaultHub)()
		if *asked != 1 {
			t.Errorf("the user was asked %d times", *asked)
		}
	})
}

// TestR410Denied wants nobody but a Client to ask again.
func TestR410Denied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, asked, answers := ownPool()
		defer p.Close()
		ctx, end := context.WithCancel(t.Context())
		defer end()
		go p.Watch(ctx)
		go func() { answers <- false }()
		if err := p.Check(ctx); !errors.Is(err, ErrDenied) {
			t.Fatalf("Check: %v", err)
		}
		time.Sleep(24 * time.Hour)
		if *asked != 1 || !errors.Is(p.Health(), ErrDenied) {
			t.Errorf("asked %d times; %v", *asked, p.Health())
		}
		go func() { answers <- true }()
		mustUse(t, p, relay.DefaultHub)()
		if *asked != 2 || p.Health() != nil {
			t.Errorf("asked %d times; %v", *asked, p.Health())
		}
	})
}
