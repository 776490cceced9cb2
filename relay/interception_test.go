package relay

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// newInterception is a stage on which the Client c1 has interception on in T1, whose session S2 is.
func newInterception(t *testing.T) *stage {
	st := newStage(t)
	playSteps(t, st, `host ready T1 T2`, `c1 {"id":1,"method":"Target.attachToTarget","params":{"targetId":"T1","flatten":true}}`,
		`c1 {"id":2,"method":"Fetch.enable"}`, `host result 1 S2 {}`, `host result 2 S2 {}`)
	return st
}

func playSteps(t *testing.T, st *stage, steps ...string) (got string) {
	t.Helper()
	for _, step := range steps {
		if err := st.do(step); err != nil {
			t.Fatal(step, err)
		}
		synctest.Wait()
		got = strings.Join(st.take(), "\n")
		if err := st.hub.check(); err != nil {
			t.Fatal(step, err)
		}
	}
	return got
}

// TestR301CommandsWaitForInterception wants the next command of a Client to wait until interception has begun in a page
// that it has attached to: until the Host has answered, or the page has gone, or for longestSettling.
func TestR301CommandsWaitForInterception(t *testing.T) {
	_ = "relay.Client.settle" // what is interrupted here
	for end, takes := range map[string]time.Duration{
		`host result 3 S4 {}`: 0, `host gone T2`: 0, `host leaves`: 0, `c1 leave`: 0, `wait 1ms`: longestSettling,
	} {
		t.Run(end, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := newInterception(t)
				defer st.end()
				playSteps(t, st, `c1 {"id":3,"method":"Target.attachToTarget","params":{"targetId":"T2","flatten":true}}`)
				begun, answered := time.Now(), make(chan time.Time, 1)
				go func() {
					st.clients["c1"].Receive([]byte(`{"id":4,"method":"Page.navigate","sessionId":"S3"}`))
					answered <- time.Now()
				}()
				synctest.Wait()
				if got := st.take(); len(got) > 0 {
					t.Errorf("before interception has begun: %s", got)
				}
				told := playSteps(t, st, end)
				if waited := (<-answered).Sub(begun); waited.Truncate(10*time.Millisecond) != takes {
					t.Errorf("it waited for %v, want %v", waited, takes)
				}
				told += strings.Join(st.take(), "\n")
				if goesOn := end == `host result 3 S4 {}` || takes > 0; goesOn != strings.Contains(told, "T2 Page.navigate") {
					t.Errorf("the command went on: %t, want %t: %s", !goesOn, goesOn, told)
				}
			})
		})
	}
}

// TestR301InterceptionIsBounded opens more pages and streams than the hub remembers.
func TestR301InterceptionIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := newInterception(t)
		defer st.end()
		c := st.clients["c1"]
		st.hub.mu.Lock()
		defer st.hub.mu.Unlock()
		for n := range maxOpened {
			c.opened = append(c.opened, "N"+strconv.Itoa(n))
		}
		if st.hub.coverOpenedLocked(c, st.hub.sides.list[0], "newest", ""); len(c.opened) != maxOpened || c.opened[maxOpened-1] != "newest" || c.opened[0] != "N1" {
			t.Errorf("%d pages are remembered, the first %s, the last %s", len(c.opened), c.opened[0], c.opened[len(c.opened)-1])
		}
		it := st.hub.interceptions[origin{c, nil}]
		s := it.pageOn("T1")
		for n := range maxStreams + 1 {
			it.noteStream(s, fmt.Appendf(nil, `{"stream":"%d"}`, n))
		}
		if len(it.streams) != maxStreams {
			t.Errorf("%d streams are remembered", len(it.streams))
		}
	})
}
