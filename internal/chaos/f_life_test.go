package chaos

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/server"
)

// F-14: 10,000 connects, attaches and disconnects in random order leave
// nothing behind.
func TestF14Leaks(t *testing.T) {
	in := startInside(t, server.Limits{})
	deafHost(t, in)
	churn(t, in, 2000) // what grows once and stays, grows now
	before := settled(t, in)
	churn(t, in, 10_000)
	after := settled(t, in)
	t.Logf("before %+v, after %+v", before, after)
	if after.goroutines > before.goroutines || after.descriptors > before.descriptors {
		t.Errorf("before %+v, after %+v", before, after)
	}
	// 1 %, and what the runtime itself varies by: a few bytes a connection would be more.
	if after.heap > before.heap+before.heap/100+128<<10 {
		t.Errorf("the heap grew from %d to %d bytes", before.heap, after.heap)
	}
}

// deafHost is a Host with Targets T0 to T3 that remembers nothing.
func deafHost(t *testing.T, in *inside) {
	t.Helper()
	s, err := dial(in.hosts, "/hub/a/icdp/host")
	if err != nil {
		t.Fatal(err)
	}
	s.send(`{"kind":"ready","v":1,"features":["sessions"],"targets":[{"targetId":"T0"},{"targetId":"T1"},{"targetId":"T2"},{"targetId":"T3"}]}`)
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		for err := error(nil); err == nil; _, err = s.next() {
		}
	}()
	t.Cleanup(func() {
		s.close()
		<-gone
	})
}

// churn does so many things in random order, eight at a time, and undoes all.
func churn(t *testing.T, in *inside, count int) {
	t.Helper()
	const most = 40 // connections at once, which there are at the beginning
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			var open []*sock
			for i := range count / 8 {
				switch op := rand.IntN(3); {
				case i < most || len(open) == 0 || op == 0 && len(open) < most:
					s, err := dial(in.clients, "/hub/a/devtools/browser")
					if err != nil {
						t.Error(err)
						return
					}
					open = append(open, s)
				case op == 1:
					open[rand.IntN(len(open))].send(fmt.Sprintf(
						`{"id":1,"method":"Target.attachToTarget","params":{"targetId":"T%d","flatten":true}}`, rand.IntN(4)))
				default:
					last := rand.IntN(len(open))
					open[last].reset()
					open = append(open[:last], open[last+1:]...)
				}
			}
			for _, s := range open {
				s.reset()
			}
		})
	}
	all.Wait()
}

// holdings is what a process holds.
type holdings struct {
	goroutines, descriptors int
	heap                    uint64
}

// settled waits until the Clients are gone, and measures.
func settled(t *testing.T, in *inside) (h holdings) {
	t.Helper()
	eventually(t, "that all Clients and sessions have ended", func() bool {
		s := in.Stats()
		return s.Clients == 0 && s.Sessions == 0
	})
	least := 1 << 30
	eventually(t, "that the number of goroutines no longer falls", func() bool {
		was := least
		least = min(least, runtime.NumGoroutine())
		runtime.GC()
		return least == was
	})
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC() // pools forget in the second collection
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return holdings{least, len(files), m.HeapAlloc}
}

// F-18: a command and the end of its session in one TCP segment.
func TestF18DetachAndCommandAtOnce(t *testing.T) {
	b, p := newBooks(t), startHub(t)
	h := startHost(t, b, p.place, "a", "H", 1)
	c := startClient(t, b, p.place, "a", "c")
	for round := range 200 {
		id := c.mustAttach(t, h.target(0))
		answer := make(chan string, 1)
		detach := func() {
			c.ask("Target.detachFromTarget", fmt.Sprintf(`{"sessionId":%q}`, id), func(m []byte) { answer <- string(m) })
		}
		command := func() {
			c.mu.Lock()
			c.echoLocked(c.seq+1, id, "")
			c.mu.Unlock()
		}
		if round%2 == 0 {
			detach()
			command()
		} else {
			command()
			detach()
		}
		c.s.flush()
		c.quiet(t)
		if m := <-answer; !strings.Contains(m, `"result":{}`) {
			t.Fatalf("detachFromTarget: %s", m)
		}
		if c.has(id) {
			t.Fatalf("session %s has not ended", id)
		}
	}
	if n := b.causedBy("Session with given id not found."); n != 100 {
		t.Errorf("%d commands came after the detach, want 100: %v", n, b.causes)
	}
}
