package browsers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/waittest"
	"github.com/cdphub/cdphub/relay/quota"
)

// TestR288InterruptedUsers interrupts a user who waits for a browser that starts, or for a
// place in the queue. Whoever gives up has neither place nor browser, and is not counted; a
// user who stays is served; and nothing is running, reserved or queued in the end.
func TestR288InterruptedUsers(t *testing.T) {
	fails := errors.New("it does not start")
	for function, queued := range map[string]bool{"browsers.Pool.Use": false, "browsers.Pool.await": true} {
		for name, row := range map[string]struct {
			happens func(p *Pool, cancel, other func())
			want    error // nil: the user is served
			failing bool
		}{
			"nothing":                 {func(_ *Pool, _, other func()) { other() }, nil, false},
			"user gives up":           {func(_ *Pool, cancel, _ func()) { cancel() }, context.Canceled, false},
			"user gives up as served": {func(_ *Pool, cancel, other func()) { other(); cancel() }, context.Canceled, false},
			"pool closes":             {func(p *Pool, _, _ func()) { go p.Close() }, ErrClosed, false},
			"browser fails":           {func(_ *Pool, _, other func()) { other() }, fails, true},
		} {
			t.Run(function+"/"+name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					fail, reserved := works, new(atomic.Int64)
					p := testPool(func() error { return fail() })
					p.patience = time.Minute
					p.reserve = func(context.Context) (func(), error) {
						reserved.Add(1)
						return func() { reserved.Add(-1) }, nil
					}
					other := func() {}
					if queued {
						first, second := mustUse(t, p, "first"), mustUse(t, p, "second")
						other = func() { first(); second() }
					}
					if row.failing {
						fail = func() error { return fails }
					}
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					ended := make(chan error, 1)
					var done func()
					go func() {
						var err error
						done, err = p.Use(ctx, "a")
						ended <- err
					}()
					waittest.Wants(t, function)
					row.happens(p, cancel, other)
					err := <-ended
					if closed := errors.Is(row.want, ErrClosed) && !queued; !errors.Is(err, row.want) && !closed || closed && err == nil {
						t.Errorf("the user got %v, want %v", err, row.want)
					}
					if done != nil {
						done()
					}
					other()
					time.Sleep(2 * p.idle)
					place := p.waits.Open(quota.Payer{})
					if n := p.Numbers(); n.Running+n.Queued+n.Idle != 0 || reserved.Load() != 0 || place.Used() != 0 {
						t.Errorf("without users there are %+v, %d reserved, %d places in the queue", n, reserved.Load(), place.Used())
					}
					place.Close()
					p.Close()
					if n := p.Numbers(); n.Running+n.Queued+n.Idle != 0 || reserved.Load() != 0 {
						t.Errorf("in the end there are %+v, %d reserved", n, reserved.Load())
					}
				})
			})
		}
	}
}
