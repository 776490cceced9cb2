package browsers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// TestQueueIsFair has users wait for two browsers in turn: the first that came is
// the first served, whoever leaves in between.
func TestQueueIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		p.patience = time.Minute
		var mu sync.Mutex
		var waits []string
		p.onQueue = func(waited time.Duration, how Outcome) {
			mu.Lock()
			defer mu.Unlock()
			waits = append(waits, fmt.Sprint(waited, " ", how))
		}
		a, b := mustUse(t, p, "a"), mustUse(t, p, "b")
		var served []string
		hasLeft, leave := context.WithCancel(t.Context())
		begin := func(ctx context.Context, hub string) <-chan func() {
			got := make(chan func(), 1)
			go func() {
				defer close(got)
				if done, err := p.Use(ctx, hub); err == nil {
					mu.Lock()
					served = append(served, hub)
					mu.Unlock()
					got <- done
				}
			}()
			synctest.Wait()
			return got
		}
		c, gone, d := begin(t.Context(), "c"), begin(hasLeft, "x"), begin(t.Context(), "d")
		alsoC := begin(t.Context(), "c")
		if n := p.Numbers(); n.Queued != 4 || n.Running != 2 {
			t.Errorf("%+v, want 4 that wait for 2 browsers", n)
		}
		again := mustUse(t, p, "a") // whose browser is there does not wait
		again()
		leave()
		if <-gone != nil {
			t.Error("who has left was served")
		}
		time.Sleep(10 * time.Second)
		a()
		doneC := <-c
		if len(served) != 1 || p.Numbers().Queued != 2 {
			t.Errorf("served are %v, %+v; want c alone", served, p.Numbers())
		}
		b()
		doneD, doneAlsoC := <-d, <-alsoC
		if slices.Sort(served); !slices.Equal(served, []string{"c", "c", "d"}) {
			t.Errorf("served are %v", served)
		}
		if len(waits) != 4 || waits[0] != "0s gave_up" || waits[1] != "10s served" {
			t.Errorf("the waits are %v", waits)
		}
		doneC()
		doneD()
		doneAlsoC()
		p.Close()
	})
}

func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		p.patience = 30 * time.Second
		a, b := mustUse(t, p, "a"), mustUse(t, p, "b")
		began := time.Now()
		if _, err := p.Use(t.Context(), "c"); !errors.Is(err, ErrFull) || time.Since(began) != p.patience {
			t.Errorf("after %v: %v", time.Since(began), err)
		}
		results := make(chan error, int(quota.Table[quota.BrowserQueue].Total))
		for range int(quota.Table[quota.BrowserQueue].Total) {
			go func() {
				_, err := p.Use(t.Context(), "c")
				results <- err
			}()
		}
		synctest.Wait()
		began = time.Now()
		if _, err := p.Use(t.Context(), "c"); !errors.Is(err, ErrFull) || time.Since(began) != 0 {
			t.Errorf("one more than there may be: %v after %v", err, time.Since(began))
		}
		a()
		b()
		p.Close()
		for range int(quota.Table[quota.BrowserQueue].Total) {
			if err := <-results; err != nil && !errors.Is(err, ErrClosed) && !errors.Is(err, context.Canceled) {
				t.Errorf("who waited at the end: %v", err)
			}
		}
		if n := p.Numbers(); n.Queued != 0 {
			t.Errorf("%+v at the end", n)
		}
	})
}

// TestHealthFollowsStarts has browsers that cannot be started for a while.
func TestHealthFollowsStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var now atomic.Pointer[error]
		fail := func(err error) error { now.Store(&err); return err }
		failing := func() error { return *now.Load() }
		broken := fail(errors.New("no sandbox"))
		p := testPool(failing)
		var tries atomic.Int32
		p.try = func(context.Context) (string, error) {
			tries.Add(1)
			return "Chrome/1", failing()
		}
		p.sick, p.health = make(chan struct{}, 1), errUnchecked
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go p.Watch(ctx)
		if err := p.Check(ctx); !errors.Is(err, broken) || !errors.Is(p.Health(), broken) {
			t.Errorf("the check: %v, health %v", err, p.Health())
		}
		time.Sleep(10 * time.Minute)
		if n := tries.Load(); n < 10 || n > 40 {
			t.Errorf("%d checks in ten minutes", n)
		}
		_ = fail(nil)
		time.Sleep(mostPause + time.Second)
		if err := p.Health(); err != nil {
			t.Errorf("health when it works again: %v", err)
		}
		done := mustUse(t, p, "a")
		broken = fail(errors.New("no memory"))
		if _, err := p.Use(ctx, "b"); !errors.Is(err, broken) || !errors.Is(p.Health(), broken) {
			t.Errorf("a start: %v, health %v", err, p.Health())
		}
		_ = fail(nil)
		time.Sleep(mostPause)
		if err := p.Health(); err != nil {
			t.Errorf("health although no Client asked: %v", err)
		}
		done()
		stop()
		p.Close()
	})
}

// A browser that cannot be reserved is not started, and says nothing of whether browsers work.
// The next user asks again.
func TestPoolReserves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		taken, most := 0, 1
		p.reserve = func(context.Context) (func(), error) {
			if taken == most {
				return nil, ErrAllFull
			}
			taken++
			return func() { taken-- }, nil
		}
		done := mustUse(t, p, "a")
		if _, err := p.Use(t.Context(), "b"); !errors.Is(err, ErrAllFull) || !IsFull(err) {
			t.Errorf("without a reserve: %v", err)
		}
		if p.Evict() {
			t.Error("a browser in use was ended")
		}
		done()
		if n := p.Numbers(); n.Failed != 0 || n.Running != 1 || n.Idle != 1 || p.Health() != nil {
			t.Errorf("%+v, health %v", n, p.Health())
		}
		if !p.Evict() || p.Evict() {
			t.Error("the idle browser was not ended once")
		}
		synctest.Wait()
		mustUse(t, p, "b")()
		p.Close()
		if taken != 0 {
			t.Errorf("%d browsers are reserved in the end", taken)
		}
	})
}
