package urlpolicy

import (
	"context"
	"errors"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/waittest"
)

// TestR288InterruptedLookups interrupts a look-up of a name. Only what the name servers have
// said is remembered; a caller who has left, or has no time left, says nothing of the name.
func TestR288InterruptedLookups(t *testing.T) {
	late := func(ctx context.Context) (context.Context, context.CancelFunc) {
		return context.WithTimeout(ctx, time.Second)
	}
	for name, row := range map[string]struct {
		caller     func(context.Context) (context.Context, context.CancelFunc)
		interrupt  func(cancel func(), answer chan error)
		remembered bool
	}{
		"answered":                {context.WithCancel, func(_ func(), answer chan error) { answer <- nil }, true},
		"failed":                  {context.WithCancel, func(_ func(), answer chan error) { answer <- errNoAddress }, true},
		"not answered":            {context.WithCancel, func(func(), chan error) { time.Sleep(lookupWithin) }, true},
		"caller leaves":           {context.WithCancel, func(cancel func(), _ chan error) { cancel() }, false},
		"caller has no time left": {late, func(func(), chan error) { time.Sleep(time.Second) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				answer, ended := make(chan error), make(chan error, 1)
				r := &Resolver{ask: func(ctx context.Context, _ string) ([]netip.Addr, error) {
					select {
					case err := <-answer:
						return []netip.Addr{netip.IPv6Loopback()}, err
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				}}
				ctx, cancel := row.caller(t.Context())
				defer cancel()
				go func() {
					_, err := r.look(ctx, "a.example")
					ended <- err
				}()
				waittest.Wants(t, "urlpolicy.Resolver.look")
				row.interrupt(cancel, answer)
				synctest.Wait()
				if _, known := r.cached("a.example"); known != row.remembered {
					t.Errorf("it is remembered: %v, want %v", known, row.remembered)
				}
				if err := <-ended; !row.remembered && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the look-up ended with %v", err)
				}
			})
		})
	}
}
