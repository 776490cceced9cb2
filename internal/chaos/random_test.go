package chaos

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	duration = flag.Duration("duration", 5*time.Second, "how long the random faults go on")
	seed     = flag.Uint64("seed", 0, "of the random faults; 0 takes one from the clock")
	nodes    = flag.Int("cluster", 0, "the nodes that are one hub for all; 0 is a hub alone")
)

// The size of the random run.
const (
	manyHosts   = 4  // each on a hub of its own
	manyClients = 20 // in all
	manyTargets = 10 // of each Host
	window      = 200
)

// TestRandomFaults plays all faults at random, mixed with work: the hub is
// stopped, killed and started again, Hosts crash, come back, start over and
// take over from each other, Clients crash, leave, read slowly and send what
// they should not.
//
// With -cluster, it is nodes of a cluster that are stopped, killed and cut off, and each
// connection is made to another one.
//
//	F-01 to F-05, F-07, F-10 to F-12 and F-16 to F-18, at random
func TestRandomFaults(t *testing.T) {
	w := newWorld(t)
	t.Logf("seed %d, for %v", w.seed, *duration)
	begin := time.Now()
	ctx, cancel := context.WithTimeout(context.Background(), *duration)
	defer cancel()
	var clients, hosts sync.WaitGroup
	for i := range manyHosts {
		hosts.Go(func() { w.playHost(ctx, i) })
	}
	for i := range manyClients {
		clients.Go(func() { w.playClient(ctx, i) })
	}
	if *nodes > 0 {
		w.playNodes(ctx, begin.Add(min(*duration*3/4, *duration-quietAtLast)))
	} else {
		w.playHub(ctx, begin.Add(*duration*3/4))
	}
	clients.Wait()
	hosts.Wait()
	took := time.Since(begin)
	w.finish()
	b := w.b
	t.Logf("%d operations in %v: %d commands (%d answered, %d failed, %d gone with their Client), %d copies of %d events",
		b.sent.Load()+b.events.Load(), took.Round(time.Millisecond), b.sent.Load(), b.answered.Load(), b.failed.Load(), b.gone.Load(),
		b.events.Load(), b.numbered.Load())
	t.Logf("faults: %s", w.counts())
	t.Logf("failed by: %v", b.causes)
	t.Logf("%d lost, %d doubled, %d crossed", b.lost.Load(), b.doubled.Load(), b.crossed.Load())
}

// world is everybody in the random run.
type world struct {
	t    *testing.T
	b    *books
	hub  *hub   // nil in a cluster
	all  []*hub // in a cluster, its nodes
	at   []place
	seed uint64

	down  sync.RWMutex // held for writing while the hub is killed and started
	lives atomic.Int64 // how often it was started

	mu      sync.Mutex // guards everything below
	faults  map[string]int
	hosts   [manyHosts]*host // the current ones
	playing [manyClients]*client
	clients []*client // that stay, at the end
	old     []string  // sessions that have ended
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, b: newBooks(t), seed: *seed, faults: make(map[string]int)}
	if *nodes > 0 {
		w.all = startNodes(t, *nodes)
	} else {
		w.hub = startHub(t)
		w.all = []*hub{w.hub}
	}
	for _, h := range w.all {
		w.at = append(w.at, h.place)
	}
	if w.seed == 0 {
		w.seed = uint64(time.Now().UnixNano())
	}
	return w
}

// chance makes the random numbers of one player.
func (w *world) chance(player int) *rand.Rand {
	return rand.New(rand.NewPCG(w.seed, uint64(player)))
}

// did counts a fault.
func (w *world) did(fault string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.faults[fault]++
}

func (w *world) counts() string {
	var list []string
	for name, n := range w.faults {
		list = append(list, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(list)
	return strings.Join(list, ", ")
}

// pick chooses by weight.
func pick(r *rand.Rand, list []chance) string {
	sum := 0
	for _, c := range list {
		sum += c.weight
	}
	n := r.IntN(sum)
	for _, c := range list {
		if n -= c.weight; n < 0 {
			return c.name
		}
	}
	return ""
}

type chance struct {
	name   string
	weight int
}

// playHub stops the hub for a moment again and again, and now and then kills
// it, until ctx ends. It does not kill it late, so that all can come back.
func (w *world) playHub(ctx context.Context, late time.Time) {
	r := w.chance(-1)
	for rest(ctx, time.Duration(500+r.IntN(2000))*time.Millisecond) {
		w.ledgers(false)
		if r.IntN(4) > 0 || time.Now().After(late) {
			w.did("hub stopped")
			w.hub.signal(syscall.SIGSTOP)
			rest(ctx, time.Duration(r.IntN(300))*time.Millisecond)
			w.hub.signal(syscall.SIGCONT)
			continue
		}
		w.did("hub killed")
		w.down.Lock()
		w.lives.Add(1)
		w.hub.kill()
		w.hub.run()
		w.down.Unlock()
	}
}

// rest waits, and reports false when ctx has ended.
func rest(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// ledgers looks at what each hub has counted. At the end, nothing is left to answer.
func (w *world) ledgers(atEnd bool) {
	for _, h := range w.all {
		if s, err := h.stats(); err != nil || !closes(s) || atEnd && s.Pending != 0 {
			w.b.fault(&w.b.lost, "the hub's ledger does not close: %+v %v", s, err)
		}
	}
}

// ended judges the end of a connection that its peer did not want: only a
// kill of the hub explains it. In a cluster, any node may be the reason.
func (w *world) ended(who string, life int64, err error) {
	if w.hub == nil {
		w.did("connection ends: " + why(err))
		return
	}
	w.down.RLock() // a kill that is under way has been counted by then
	defer w.down.RUnlock()
	if w.lives.Load() == life {
		w.b.fault(&w.b.lost, "%s lost its connection: %v", who, err)
	}
}

// finish lets all be answered and all be seen, and ends the hub, which must
// then say that nothing is left.
func (w *world) finish() {
	if w.hub == nil {
		w.settle()
	}
	for i, h := range w.hosts {
		h.holdAnswers(false)
		for n := range manyTargets {
			h.event(n, 1)
		}
		for _, c := range w.clients {
			if c.hub == i {
				c.quiet(w.t)
				c.sawAll(w.t, h)
			}
		}
	}
	w.ledgers(true)
	for _, h := range w.all {
		h.stop()
	}
	for _, h := range w.all {
		if status := h.ended(); status != 0 {
			w.t.Errorf("the hub ended with status %d", status)
		}
	}
	for _, c := range w.clients {
		<-c.gone
	}
	b := w.b
	if rest := b.sent.Load() - b.answered.Load() - b.failed.Load() - b.gone.Load() - b.nameless.Load(); rest != 0 {
		b.fault(&b.lost, "%d commands are unaccounted for", rest)
	}
}
