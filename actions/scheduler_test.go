package actions

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stub is a Client that answers every command with {} and has announced pages.
type stub struct{}

func (stub) Send(string, string, []byte) func(context.Context) ([]byte, error) {
	return func(context.Context) ([]byte, error) { return []byte("{}"), nil }
}
func (stub) Leave() {}

// joinPages joins a hub with these pages.
func joinPages(ids ...string) Join {
	return func(event EventFunc) (Client, error) {
		for _, id := range ids {
			event("", "Target.targetCreated", []byte(`{"targetInfo":{"targetId":"`+id+`","type":"page"}}`))
		}
		return stub{}, nil
	}
}

// newScheduler makes one whose Browser is open.
func newScheduler(t *testing.T, c Caller) *Scheduler {
	t.Helper()
	l := NewScheduler(t.Context(), c, func() {})
	t.Cleanup(l.End)
	if _, err := l.Browser(); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSchedulerKeepOrderPerPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newScheduler(t, Caller{Join: joinPages("A", "B")})
		var mu sync.Mutex // guards order
		var order []string
		for _, r := range []struct {
			name  string
			turn  Job
			takes time.Duration
		}{
			{"a1", Job{Page: "A"}, 3 * time.Second},
			{"a2", Job{Page: "page-1"}, 0}, // the same page by its alias
			{"b1", Job{Page: "B"}, time.Second},
			{"apart1", Job{NoPage: true}, 2 * time.Second},
			{"apart2", Job{NoPage: true}, 0},
			{"active", Job{}, 0}, // which is A
			{"tabs", Job{Exclusive: true}, 0},
			{"b2", Job{Page: "B"}, time.Second},
			{"unknown page", Job{Page: "C"}, 0},
			{"apart3", Job{NoPage: true}, 500 * time.Millisecond},
			{"b3", Job{Page: "B"}, time.Second},
		} {
			err := l.Run(r.turn, func(context.Context) {
				time.Sleep(r.takes)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, r.name)
			})
			if err != nil {
				t.Errorf("%s: %v", r.name, err)
			}
			synctest.Wait() // each has begun, or waits
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		const want = "b1 apart1 apart2 a1 a2 active tabs b2 unknown page apart3 b3"
		if got := strings.Join(order, " "); got != want {
			t.Errorf("order %s, want %s", got, want)
		}
	})
}

func TestSchedulerRefuseTheSixtyFifth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newScheduler(t, Caller{Join: joinPages("A"), Options: Options{Limits: Limits{Requests: 1000}}})
		release := make(chan struct{})
		for i := range 64 {
			if err := l.Run(Job{Page: "A"}, func(context.Context) { <-release }); err != nil {
				t.Fatalf("request %d: %v", i+1, err)
			}
		}
		err := l.Run(Job{Exclusive: true}, func(context.Context) {})
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != RateLimited || e.Details.RetryAfter <= 0 {
			t.Errorf("one more: %v, want it refused", err)
		}
		close(release)
		synctest.Wait()
		if err := l.Run(Job{Page: "A"}, func(context.Context) {}); err != nil {
			t.Errorf("there is room, and a request was refused: %v", err)
		}
	})
}

// TestSchedulerHoldTheRate asks for more than 50 requests in a second.
func TestSchedulerHoldTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newScheduler(t, Caller{Join: joinPages("A")})
		taken := func() (n int) {
			for range 200 {
				if l.Run(Job{NoPage: true}, func(context.Context) {}) == nil {
					n++
				}
				synctest.Wait()
			}
			return n
		}
		if n := taken(); n != 50 {
			t.Errorf("%d requests were taken at once, want 50", n)
		}
		err := l.Run(Job{}, func(context.Context) {})
		if e, ok := errors.AsType[*Error](err); !ok || e.Kind != RateLimited || e.Details.RetryAfter != 20*time.Millisecond {
			t.Errorf("%v, want a turn in 20 ms", err)
		}
		time.Sleep(time.Second / 2)
		if n := taken(); n != 25 {
			t.Errorf("%d were taken after half a second, want 25", n)
		}
	})
}

func TestSchedulerEndWhenTheProcessDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, over := make(chan struct{}), new(atomic.Bool)
		l := NewScheduler(t.Context(), Caller{Join: joinPages("A"), Ending: ending}, func() { over.Store(true) })
		defer l.End()
		answered := false
		_ = l.Run(Job{}, func(context.Context) {
			time.Sleep(time.Second)
			answered = true
		})
		close(ending)
		synctest.Wait()
		if over.Load() {
			t.Error("it is over before a request was answered")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !answered || !over.Load() {
			t.Errorf("answered %v, over %v, want both", answered, over.Load())
		}
	})
}

func TestSchedulerCutOffAtTheEnd(t *testing.T) {
	l := NewScheduler(t.Context(), Caller{Join: joinPages("A")}, func() {})
	_ = l.Run(Job{}, func(ctx context.Context) { <-ctx.Done() })
	l.End()
	if l.Run(Job{}, func(context.Context) {}) == nil {
		t.Error("a request was taken after the end")
	}
}

func TestTryTellsOfAPanic(t *testing.T) {
	_, err := Try(nil, "x", func() (any, error) { panic("a fault") })
	if KindOf(err) != Internal || err.Error() != "internal error" {
		t.Errorf("%v, want internal error", err)
	}
}

func TestSchedulerOpenTheBrowserAgain(t *testing.T) {
	fails := true
	l := NewScheduler(t.Context(), Caller{Join: func(f EventFunc) (Client, error) {
		if fails {
			return nil, errors.New("too many clients")
		}
		return joinPages("A")(f)
	}}, func() {})
	defer l.End()
	if _, err := l.Browser(); KindOf(err) != NoBrowser {
		t.Errorf("%v, want no browser", err)
	}
	fails = false
	if _, err := l.Browser(); err != nil {
		t.Error(err)
	}
}

// TestSharedPages has two callers of a hub see the same aliases, and those who
// follow the same active page.
func TestSharedPages(t *testing.T) {
	shared := new(Shared)
	open := func(follow bool, ids ...string) *Browser {
		t.Helper()
		b, err := Open(t.Context(), joinPages(ids...), Options{Shared: shared, Follow: follow})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(b.Close)
		return b
	}
	one, alone := open(true, "A", "B"), open(false, "A", "B")
	one.targetGone("A")
	two := open(true, "C", "B")
	if err := one.ActivatePage(t.Context(), "B"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		b           *Browser
		page, alias string
	}{
		"of the session":  {two, "", "page-2"},
		"by alias":        {two, "page-3", "page-3"}, // page-1 has gone, and is not given again
		"of its own":      {alone, "", "page-1"},
		"by alias, alone": {alone, "page-2", "page-2"},
	} {
		if p, err := tt.b.Page(tt.page); err != nil || p.Alias != tt.alias {
			t.Errorf("%s: %v, %v, want %s", name, p, err, tt.alias)
		}
	}
}
