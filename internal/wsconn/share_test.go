package wsconn

import (
	"io"
	"net"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestR92HeavyGroupsYield has readers use time, and wants those of a group that
// uses much to pause while another group has messages, and only then.
func TestR92HeavyGroupsYield(t *testing.T) {
	const reads = 40
	flood := func(s *Share) (paused time.Duration) {
		for range reads {
			since := time.Now()
			time.Sleep(countedMost)
			worked := time.Now()
			s.yield(since)
			paused += time.Since(worked)
		}
		return paused
	}
	light := func(s *Share) { s.yield(time.Now()) }
	chat := func(_, other *Share, over <-chan struct{}) {
		for {
			select {
			case <-over:
				return
			case <-time.After(lightFor / 2):
				light(other)
			}
		}
	}
	for _, tt := range []struct {
		name        string
		cpus        int
		beside      func(heavy, other *Share, over <-chan struct{})
		least, most time.Duration
	}{
		{"alone", 1, func(*Share, *Share, <-chan struct{}) {}, 0, 0},
		{"beside one that had a message once", 1, func(_, other *Share, _ <-chan struct{}) {
			time.Sleep(3 * countedMost)
			light(other)
		}, lightFor / 2, lightFor},
		{"beside one that has messages", 1, chat, ownPart / 2 * reads * countedMost, ownPart * reads * countedMost},
		{"beside its like", 1, func(_, other *Share, _ <-chan struct{}) { flood(other) }, 0, 2 * longestPause},
		{"beside one of its own", 1, func(heavy, _ *Share, _ <-chan struct{}) { light(heavy) }, 0, 0},
		{"with CPUs to spare", 1000, func(_, other *Share, _ <-chan struct{}) { light(other) }, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(tt.cpus))
			synctest.Test(t, func(t *testing.T) {
				all := NewShares()
				heavy, other := all.Share(), all.Share()
				over := make(chan struct{})
				var both sync.WaitGroup
				both.Go(func() { tt.beside(heavy, other, over) })
				paused := flood(heavy)
				close(over)
				both.Wait()
				if paused < tt.least || paused > tt.most {
					t.Errorf("%d reads of %v paused for %v, want %v to %v", reads, countedMost, paused, tt.least, tt.most)
				}
			})
		})
	}
}

// TestR92PauseEnds has a reader that owes more than it could pay back in time.
func TestR92PauseEnds(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		all := NewShares()
		heavy, other := all.Share(), all.Share()
		other.yield(time.Now())
		heavy.used, heavy.at = time.Hour, time.Since(all.begun)
		begun := time.Now()
		heavy.yield(begun)
		if took := time.Since(begun); took <= 0 || took > longestPause {
			t.Errorf("a reader paused for %v, want %v at most", took, longestPause)
		}
	})
}

// TestR92HeavyConnection has the peer of a heavy group send as fast as it can, while
// another group has messages: all come in order, and it takes as long as they may.
func TestR92HeavyConnection(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	synctest.Test(t, func(t *testing.T) {
		const messages = 100
		all := NewShares()
		other := all.Share()
		ours, peer := net.Pipe()
		limits := Limits{}.withDefaults()
		c := newConn(ours, &limits)
		c.share = all.Share()
		var took []string
		done := make(chan struct{})
		go func() {
			defer close(done)
			c.Serve(t.Context(), func(m []byte) {
				time.Sleep(countedMost) // it works
				took = append(took, string(m))
				other.yield(time.Now())
			})
		}()
		go io.Copy(io.Discard, peer)
		begun := time.Now()
		var want []string
		for i := range messages {
			want = append(want, strconv.Itoa(i))
			peer.Write(text(want[i]))
		}
		peer.Close()
		<-done
		if !slices.Equal(took, want) {
			t.Errorf("took %q", took)
		}
		if d := time.Since(begun); d < (ownPart-1)*messages*countedMost {
			t.Errorf("%d messages that take %v took %v: their group has 1/%d of a CPU", messages, countedMost, d, ownPart)
		}
	})
}
