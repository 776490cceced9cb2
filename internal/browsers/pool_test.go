package browsers

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
)

// testPool runs fake browsers, which take a second to come.
func testPool(fail func() error) *Pool {
	p := &Pool{
		run: func(ctx context.Context, hub bridge.Hub, came func()) error {
			time.Sleep(time.Second)
			if err := fail(); err != nil {
				return err
			}
			return hubtest.RunFakeBrowser(ctx, hub, came)
		},
		serves: func(hub string) bool { return hub != "page" },
		hubs:   relay.NewHubs(relay.Options{}), max: 2, idle: time.Minute, log: zap.NewNop(),
	}
	return p.share(quota.New(quota.Options{}))
}

func works() error { return nil }

func TestPoolStartsOnDemand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		hub, release, err := p.hubs.Acquire("a")
		if err != nil {
			t.Fatal(err)
		}
		defer release()
		first := mustUse(t, p, "a")
		if !hub.BrowserConnected() {
			t.Fatal("use returned before the browser was there")
		}
		second := mustUse(t, p, "a")
		mustUse(t, p, "page")()
		if got, want := p.Numbers(), (Numbers{Running: 1, Started: 1}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		first()
		first() // a second call changes nothing
		time.Sleep(time.Hour)
		if !hub.BrowserConnected() {
			t.Error("a browser in use was ended")
		}
		second()
		time.Sleep(59 * time.Second)
		mustUse(t, p, "a")()
		time.Sleep(59 * time.Second)
		if !hub.BrowserConnected() {
			t.Error("a browser that was used a minute ago was ended")
		}
		time.Sleep(2 * time.Second)
		if hub.BrowserConnected() {
			t.Error("an idle browser is still there")
		}
		p.Close()
	})
}

func TestPoolIsLimited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		a := mustUse(t, p, "a")
		b := mustUse(t, p, "b")
		if _, err := p.Use(t.Context(), "c"); !errors.Is(err, ErrFull) {
			t.Errorf("a third browser: %v", err)
		}
		a()
		time.Sleep(time.Second)
		b()
		c := mustUse(t, p, "c") // in the place of a, which has been idle for longer
		if _, there := p.slots["a"]; there {
			t.Error("the browser that was idle for longest is still there")
		}
		mustUse(t, p, "b")()
		c()
		p.Close()
		if _, err := p.Use(t.Context(), "b"); !errors.Is(err, ErrClosed) {
			t.Errorf("after close: %v", err)
		}
	})
}

func TestPoolTellsOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("no Chromium found")
		p := testPool(func() error { return broken })
		if _, err := p.Use(t.Context(), "a"); !errors.Is(err, broken) {
			t.Errorf("use: %v, want that there is no Chromium", err)
		}
		runs := 0
		began := time.Now()
		for p.Numbers().Failed < 4 {
			if _, err := p.Use(t.Context(), "b"); !errors.Is(err, broken) {
				t.Errorf("use: %v, want that there is no Chromium", err)
			}
			runs++
			time.Sleep(10 * time.Millisecond)
		}
		if took := time.Since(began); took < 7*time.Second || runs < 100 {
			t.Errorf("four starts within %v, asked %d times; want pauses", took, runs)
		}
		broken = nil // it has been installed
		time.Sleep(mostPause)
		mustUse(t, p, "a")()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := p.Use(ctx, "b"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a user who does not wait: %v", err)
		}
		if got, want := p.Numbers(), (Numbers{Running: 2, Started: 1, Failed: 4, Idle: 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		p.Close()
	})
}

// TestR135ReplacedBrowserIsNoFailure has another Host take a hub from its
// browser. Other hubs start theirs, and this one its next.
func TestR135ReplacedBrowserIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		run, replaced := p.run, errors.New("another browser has taken its place")
		p.run = func(ctx context.Context, hub bridge.Hub, came func()) error {
			taken, cancel := context.WithTimeoutCause(ctx, time.Minute, replaced)
			defer cancel()
			if err := run(taken, hub, came); ctx.Err() != nil {
				return err
			}
			return replaced
		}
		done := mustUse(t, p, "a")
		time.Sleep(2 * time.Minute)
		if p.Numbers().Running != 0 {
			t.Fatal("the browser is still there")
		}
		for _, hub := range []string{"b", "a"} {
			mustUse(t, p, hub)()
		}
		done()
		if got, want := p.Numbers(), (Numbers{Running: 2, Started: 3, Idle: 2}); got != want {
			t.Errorf("%+v, want %+v", got, want)
		}
		p.Close()
	})
}

func mustUse(t *testing.T, p *Pool, hub string) (done func()) {
	t.Helper()
	done, err := p.Use(t.Context(), hub)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

func TestBrowserHubs(t *testing.T) {
	for _, tt := range []struct {
		options Options
		hubs    map[string]bool
	}{
		{Options{}, map[string]bool{"": true, "a": true}},
		{Options{Chrome: chrome.Options{URL: "http://127.0.0.1:1"}}, map[string]bool{"": true, "a": false}},
		{Options{Chrome: chrome.Options{Path: "x"}, Hubs: []string{"a-*", "b"}}, map[string]bool{"": false, "a-1": true, "b": true, "c": false}},
		{Options{Hubs: []string{"/"}}, map[string]bool{"": true, "a": false}},
		// The hubs of shares are as those in whose place they are.
		{Options{Hubs: []string{"/", "a"}}, map[string]bool{"_team": true, "a_team": true, "b_team": false, "_a": true}},
		{Options{Hubs: []string{"*"}}, map[string]bool{"_team": false, "a_team": true}},
	} {
		if tt.options.Chrome.URL == "" {
			tt.options.Run = func(context.Context, bridge.Hub, func()) error { return nil }
		}
		p, err := New(nil, tt.options)
		if err != nil {
			t.Fatal(err)
		}
		for hub, want := range tt.hubs {
			if got := p.Has(hub); got != want {
				t.Errorf("%v: hub %q has a browser: %v, want %v", tt.options.Hubs, hub, got, want)
			}
		}
	}
	for name, o := range map[string]Options{"launched": {}, "undivided": {Undivided: true}, "connected": {Chrome: chrome.Options{URL: "http://127.0.0.1:1"}}} {
		if o.Chrome.URL == "" {
			o.Run = func(context.Context, bridge.Hub, func()) error { return nil }
		}
		p, err := New(nil, o)
		if err != nil || p.Divided() != (name == "launched") || None(nil).Divided() {
			t.Errorf("%s: divided is %v, %v", name, p.Divided(), err)
		}
	}
	named, err := New(nil, Options{Hubs: []string{"a"}, Run: func(context.Context, bridge.Hub, func()) error { return nil }})
	if err != nil || !named.Names("a") || !named.Names("a_team") || named.Names("b_team") {
		t.Errorf("the hub of a share is not named as its hub, %v", err)
	}
	if None(nil).Has("") {
		t.Error("a hub has a browser without a pool")
	}
}

// TestRefusedUsersHoldNothing has a hub be refused to a browser, and a Client to a hub.
func TestRefusedUsersHoldNothing(t *testing.T) {
	p := testPool(works)
	p.hubs = relay.NewHubs(relay.Options{Limits: relay.Limits{Clients: 1}, Quotas: quota.New(quota.Options{Totals: map[quota.Resource]int64{quota.Hubs: 1}})})
	hub, forget, err := p.hubs.Acquire("first")
	if err != nil {
		t.Fatal(err)
	}
	defer forget()
	if _, err := p.Use(t.Context(), "a"); !errors.Is(err, relay.ErrTooManyHubs) || p.places.Excess() != -int64(p.max) {
		t.Errorf("%v; of %d places %d are free", err, p.max, -p.places.Excess())
	}
	released := 0
	acquire := func(context.Context) (*relay.Hub, func(), error) { return hub, func() { released++ }, nil }
	first, err := Join(t.Context(), acquire, relay.LocalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer first.Leave()
	if _, err := Join(t.Context(), acquire, relay.LocalOptions{}); err == nil || released != 1 {
		t.Errorf("%v; its hub was released %d times", err, released)
	}
}

// TestUseWaitsForRestart has a browser crash. Who comes then waits until it is back,
// but for 10 s, and gets the truth after that.
func TestUseWaitsForRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := testPool(works)
		var away atomic.Int64 // how long it is away, in nanoseconds
		away.Store(int64(3 * time.Second))
		run := p.run
		p.run = func(ctx context.Context, hub bridge.Hub, came func()) error {
			for {
				once, crash := context.WithTimeout(ctx, time.Minute)
				err := run(once, hub, came)
				crash()
				if ctx.Err() != nil {
					return err
				}
				time.Sleep(time.Duration(away.Load()) - time.Second) // it takes another to come
			}
		}
		done := mustUse(t, p, "a")
		time.Sleep(time.Minute)
		began := time.Now()
		mustUse(t, p, "a")()
		if waited := time.Since(began); waited <= 0 || waited > time.Duration(away.Load()) {
			t.Errorf("waited for %v, want until it is back", waited)
		}
		away.Store(int64(time.Hour))
		time.Sleep(time.Minute)
		began = time.Now()
		if _, err := p.Use(t.Context(), "a"); !errors.Is(err, ErrRestarting) || time.Since(began) != 10*time.Second {
			t.Errorf("%v after %v, want that the browser is being started again after 10 s", err, time.Since(began))
		}
		done()
		time.Sleep(time.Hour)
		p.Close()
	})
}
