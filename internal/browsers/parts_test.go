package browsers

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/relay/quota"
)

// partPool is testPool with a number of browsers, for many tokens.
func partPool(most int) *Pool {
	p := testPool(works)
	p.max = most
	return p.share(quota.New(quota.Options{Bearers: func(role string) int {
		if role == "client" {
			return 30
		}
		return 0
	}}))
}

// as is the context of a token's requests.
func as(t *testing.T, token string) context.Context {
	return quota.NewContext(t.Context(), quota.Payer{ID: token})
}

// takeAll has a token use browsers of new hubs until it gets none.
func takeAll(t *testing.T, p *Pool, token string) (dones []func()) {
	t.Helper()
	for i := 0; ; i++ {
		done, err := p.Use(as(t, token), fmt.Sprintf("%s%d", token, i))
		if err != nil {
			if !errors.Is(err, ErrFull) {
				t.Errorf("the refusal: %v", err)
			}
			return dones
		}
		dones = append(dones, done)
	}
}

// TestR248OneTokenLeavesBrowsersToOthers has one token take all browsers that it gets.
func TestR248OneTokenLeavesBrowsersToOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(8)
		if n := len(takeAll(t, p, "a")); n != 4 {
			t.Errorf("one token has %d of 8 browsers, want half of them", n)
		}
		if _, err := p.Use(as(t, "a"), "more"); err == nil || !strings.Contains(err.Error(), "This token has 4 of 8 browsers in use, which is its part") {
			t.Errorf("the refusal: %v", err)
		}
		for _, other := range []string{"b", "admin"} {
			if _, err := p.Use(as(t, other), other); err != nil {
				t.Errorf("%s: %v", other, err)
			}
		}
		p.Close()
	})
}

// TestR248IdleBrowsersOfOthersStay has a token that has its part ask for more while
// another's browser is idle.
func TestR248IdleBrowsersOfOthersStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(8)
		done, err := p.Use(as(t, "b"), "b0")
		if err != nil {
			t.Fatal(err)
		}
		done()
		dones := takeAll(t, p, "a")
		if p.slots["b0"] == nil {
			t.Fatal("the idle browser of another token was ended")
		}
		// Its own idle one makes room.
		dones[0]()
		if _, err := p.Use(as(t, "a"), "more"); err != nil || p.slots["a0"] != nil || p.slots["b0"] == nil {
			t.Errorf("a browser in place of its own idle one: %v", err)
		}
		p.Close()
	})
}

// TestR248APartIsAPart has a token that has its part ask for one more while another token
// has more idle browsers, and places are free.
func TestR248APartIsAPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(16)
		idle := takeAll(t, p, "b")
		for _, done := range idle {
			done()
		}
		mine := takeAll(t, p, "a")
		if n := p.Numbers(); len(idle) < len(mine)+2 || n.Running != len(idle)+len(mine) || n.Idle != len(idle) {
			t.Errorf("a has %d, b had %d; now %+v", len(mine), len(idle), n)
		}
		p.Close()
	})
}

// TestR248IdleBrowsersMakeRoom has all places taken, most of them by idle browsers of one
// token: another token that has less gets one of them.
func TestR248IdleBrowsersMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(2)
		for _, token := range []string{"a", "b"} {
			done, err := p.Use(as(t, token), token)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			done()
		}
		if _, err := p.Use(as(t, "c"), "c"); err != nil || p.slots["b"] == nil {
			t.Errorf("a token without browsers: %v", err)
		}
		if _, err := p.Use(as(t, "c"), "d"); !errors.Is(err, ErrFull) || p.slots["b"] == nil {
			t.Errorf("a token that has as many as the other: %v", err)
		}
		p.Close()
	})
}

// TestR248QueueIsShared has users of one token fill the queue, and wait for their part.
func TestR248QueueIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(4)
		p.patience = time.Hour
		for i := range 1200 {
			go p.Use(as(t, "a"), fmt.Sprint("a", i))
			synctest.Wait()
		}
		if n := p.Numbers().Queued; n < 300 || n > 510 {
			t.Errorf("%d users of one token wait", n)
		}
		began := time.Now()
		done, err := p.Use(as(t, "b"), "b")
		if err != nil || time.Since(began) > time.Minute {
			t.Errorf("another token waited for %v behind those that have their part: %v", time.Since(began), err)
		} else {
			done()
		}
		p.Close()
		synctest.Wait()
	})
}

// TestR248QueuePassesThoseWithTheirPart has users of two tokens wait: the first has its
// part already, so that a browser that becomes idle is for the second.
func TestR248QueuePassesThoseWithTheirPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(4)
		p.patience = time.Minute
		takeSome := func(token, hub string) func() {
			done, err := p.Use(as(t, token), hub)
			if err != nil {
				t.Fatalf("%s: %v", hub, err)
			}
			return done
		}
		takeSome("a", "a0")
		takeSome("a", "a1")
		c := takeSome("c", "c")
		takeSome("d", "d")
		served := make(chan string, 2)
		for _, token := range []string{"a", "b"} {
			go func() {
				if _, err := p.Use(as(t, token), "more-"+token); err == nil {
					served <- token
				}
			}()
			synctest.Wait()
		}
		c()
		synctest.Wait()
		time.Sleep(2 * time.Second) // a browser starts
		if len(served) != 1 || <-served != "b" {
			t.Error("the token without browsers was not served")
		}
		p.Close()
		synctest.Wait()
	})
}

// TestBrowserIsPaidByItsUser moves a browser that nobody uses to the token that uses it.
func TestBrowserIsPaidByItsUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(4)
		done, _ := p.Use(as(t, "a"), "shared")
		done()
		if _, err := p.Use(as(t, "b"), "shared"); err != nil {
			t.Fatal(err)
		}
		a, b := p.places.Open(quota.Payer{ID: "a"}), p.places.Open(quota.Payer{ID: "b"})
		if a.Used() != 0 || b.Used() != 1 {
			t.Errorf("a pays for %d, b for %d", a.Used(), b.Used())
		}
		p.Close()
		if b.Used() != 0 {
			t.Error("b pays after the end")
		}
	})
}

// TestR353OwnLimitIsNoLackOfBrowsers has tokens at their own limits wait beside one that finds all browsers in use: only
// that one counts as a Client without a browser. A limit of 0 is answered at once.
func TestR353OwnLimitIsNoLackOfBrowsers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := partPool(3)
		p.patience = time.Minute
		count := make(map[Outcome]int)
		p.onQueue = func(_ time.Duration, how Outcome) {
			p.mu.Lock()
			defer p.mu.Unlock()
			count[how]++
		}
		limited := func(token string, most int) context.Context {
			return quota.NewContext(t.Context(), quota.Payer{ID: token, Limits: quota.Limits(fmt.Sprint("browsers=", most))})
		}
		began := time.Now()
		if _, err := p.Use(limited("none", 0), "none"); !errors.Is(err, ErrFull) || time.Since(began) != 0 {
			t.Errorf("a limit of 0: %v after %v, want an answer at once", err, time.Since(began))
		}
		done, err := p.Use(limited("one", 1), "one0")
		if err != nil {
			t.Fatal(err)
		}
		use := func(ctx context.Context, hub string) chan error {
			ended := make(chan error, 1)
			go func() {
				_, err := p.Use(ctx, hub)
				ended <- err
			}()
			synctest.Wait()
			return ended
		}
		more := use(limited("one", 1), "one1")
		if n := p.Numbers(); n.Queued != 0 {
			t.Errorf("%d wait for a browser, want none: one waits for its own", n.Queued)
		}
		if err := <-more; err == nil || !strings.Contains(err.Error(), "has 1 browser in use, and its own limit is 1") {
			t.Errorf("who waited for its own: %v", err)
		}
		hurried, leave := context.WithCancel(limited("one", 1))
		left := use(hurried, "one2")
		leave()
		if err := <-left; !errors.Is(err, context.Canceled) {
			t.Errorf("who left: %v", err)
		}
		if count[OwnLimit] != 2 || count[GaveUp] != 0 {
			t.Errorf("counted %v, want own_limit alone", count)
		}
		served := use(limited("one", 1), "one3")
		done()
		if err := <-served; err != nil || count[Served] != 1 {
			t.Errorf("who waited until its own ended: %v, counted %v", err, count)
		}
		for _, token := range []string{"b", "c"} {
			if _, err := p.Use(as(t, token), token); err != nil {
				t.Fatal(err)
			}
		}
		other := use(as(t, "d"), "d")
		if n := p.Numbers(); n.Queued != 1 {
			t.Errorf("%d wait for a browser, want 1", n.Queued)
		}
		if err := <-other; !errors.Is(err, ErrFull) || count[GaveUp] != 1 {
			t.Errorf("who found all in use: %v, counted %v", err, count)
		}
		p.Close()
	})
}
