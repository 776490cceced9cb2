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

// newLanes are lanes whose Browser is open.
func newLanes(t *testing.T, c Caller) *Lanes {
	t.Helper()
	l := NewLanes(t.Context(), c, func() {})
	t.Cleanup(l.End)
	if _, err := l.Browser(); err != nil {
		t.Fatal(err)
	}
	return l
}

func TestLanesKeepOrderPerPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(t, Caller{Join: joinPages("A", "B")})
		var mu sync.Mutex // guards order
		var order []string
		for _, r := range []struct {
			name, page string
			moves      bool
			takes      time.Duration
		}{
			{"a1", "A", false, 3 * time.Second},
			{"a2", "page-1", false, 0}, // the same page by its alias
			{"b1", "B", false, time.Second},
			{"active", "", false, 0}, // which is A
			{"tabs", "", true, 0},
			{"b2", "B", false, time.Second},
			{"unknown page", "C", false, 0},
			{"b3", "B", false, time.Second},
		} {
			if !l.Run(r.page, r.moves, func(context.Context) {
				time.Sleep(r.takes)
				mu.Lock()
				defer mu.Unlock()
				order = append(order, r.name)
			}) {
				t.Errorf("%s was refused", r.name)
			}
			synctest.Wait() // each has begun, or waits
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		const want = "b1 a1 a2 active tabs b2 unknown page b3"
		if got := strings.Join(order, " "); got != want {
			t.Errorf("order %s, want %s", got, want)
		}
	})
}

func TestLanesRefuseTheSixtyFifth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLanes(t, Caller{Join: joinPages("A")})
		release := make(chan struct{})
		for i := range maxWaiting {
			if !l.Run("A", false, func(context.Context) { <-release }) {
				t.Fatalf("request %d was refused", i+1)
			}
		}
		if l.Run("B", true, func(context.Context) {}) {
			t.Error("one more was taken")
		}
		close(release)
		synctest.Wait()
		if !l.Run("A", false, func(context.Context) {}) {
			t.Error("there is room, and a request was refused")
		}
	})
}

func TestLanesEndWhenTheProcessDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ending, over := make(chan struct{}), new(atomic.Bool)
		l := NewLanes(t.Context(), Caller{Join: joinPages("A"), Ending: ending}, func() { over.Store(true) })
		defer l.End()
		answered := false
		l.Run("", false, func(context.Context) {
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

func TestLanesCutOffAtTheEnd(t *testing.T) {
	l := NewLanes(t.Context(), Caller{Join: joinPages("A")}, func() {})
	l.Run("", false, func(ctx context.Context) { <-ctx.Done() })
	l.End()
	if l.Run("", false, func(context.Context) {}) {
		t.Error("a request was taken after the end")
	}
}

func TestLanesTellOfAPanic(t *testing.T) {
	l := newLanes(t, Caller{Join: joinPages("A")})
	_, err := l.Try("x", func() (any, error) { panic("a fault") })
	if KindOf(err) != Internal || err.Error() != "internal error" {
		t.Errorf("%v, want internal error", err)
	}
}

func TestLanesOpenTheBrowserAgain(t *testing.T) {
	fails := true
	l := NewLanes(t.Context(), Caller{Join: func(f EventFunc) (Client, error) {
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
