package server

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// answerHead is how the answer to a command begins, as far as its id.
type answerHead struct {
	ID    int
	Error *struct{ Message string }
}

// ledger counts what a Client that numbers its commands from 0 gets for them.
type ledger struct {
	mu      sync.Mutex
	answers []uint8
	inOrder bool // results came in the order of their commands
	last    int
	errors  map[string]int
	total   atomic.Int64
}

func newLedger(n int) *ledger {
	return &ledger{answers: make([]uint8, n), inOrder: true, last: -1, errors: map[string]int{}}
}

func (l *ledger) take(t *testing.T, m []byte) {
	var a answerHead
	if err := json.Unmarshal(m, &a); err != nil || a.ID >= len(l.answers) {
		t.Errorf("got %.200s: %v", m, err)
		return
	}
	l.mu.Lock()
	l.answers[a.ID]++
	if a.Error != nil {
		l.errors[a.Error.Message]++
	} else {
		l.inOrder = l.inOrder && a.ID > l.last
		l.last = a.ID
	}
	l.mu.Unlock()
	l.total.Add(1)
}

// wantsOne wants each command to have one answer.
func (l *ledger) wantsOne(t *testing.T) {
	t.Helper()
	await(t, "every command has an answer", func() bool { return l.total.Load() >= int64(len(l.answers)) })
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, n := range l.answers {
		if n != 1 {
			t.Fatalf("command %d has %d answers", id, n)
		}
	}
	if !l.inOrder {
		t.Error("results came out of order")
	}
}

func (l *ledger) errorCount(message string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.errors[message]
}

// flooder is a Client that keeps a ledger of so many commands to T1.
func (s started) flooder(t *testing.T, prefix string, n int) (c *far, tail string, l *ledger) {
	t.Helper()
	l = newLedger(n)
	got := make(chan string, 10)
	var attached atomic.Bool
	c = dialTo(t, "ws://"+s.addr(false)+prefix+"/devtools/browser", nil, func(m []byte) {
		switch {
		case !attached.Load():
			got <- string(m)
		case strings.HasPrefix(string(m), `{"id":`):
			l.take(t, m)
		}
	})
	c.Got = got
	tail = c.attachTo("T1")
	attached.Store(true)
	return c, tail, l
}

func TestR64CommandsToASilentHost(t *testing.T) {
	s := start(t, nil)
	host := dialTo(t, "ws://"+s.addr(true)+"/icdp/host", nil, func([]byte) {})
	host.send(ready)
	s.awaitTarget(t, "", "T1")
	n := hubtest.Amount(20_000, 100_000)
	c, tail, all := s.flooder(t, "", n)
	c.push(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"method":"A.b"%s`, i, tail) })
	const most = 4096
	await(t, "those beyond 4,096 are refused", func() bool { return all.total.Load() >= int64(n-most) })
	if got := all.errorCount("Too many commands in flight"); got != n-most || s.hubs.Stats().Pending != most {
		t.Errorf("%d were refused and %d wait, want %d and %d", got, s.hubs.Stats().Pending, n-most, most)
	}
	host.Conn.Close(wsconn.ReasonGone)
	all.wantsOne(t)
	if got := all.errorCount("Host disconnected"); got != most {
		t.Errorf("%d ended with the Host, want %d", got, most)
	}
}

func TestR65FloodOfCommands(t *testing.T) {
	s := start(t, nil)
	s.echo(t, "", "T1")
	other := s.client(t)
	tail := other.attachTo("T1")
	idle := make(chan struct{})
	close(idle)
	alone := other.trips(tail, 200, idle).p99()

	n := hubtest.Amount(30_000, 1_000_000)
	c, floodTail, all := s.flooder(t, "", n)
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		c.push(n, func(i int) string { return fmt.Sprintf(`{"id":%d,"method":"A.b","params":{}%s`, i, floodTail) })
	}()
	trips := other.trips(tail, 100, flooded)
	all.wantsOne(t)
	t.Logf("p99 of one at a time: %v, then %v in %d trips; of the flood %d were refused", alone, trips.p99(), trips.count(),
		all.errorCount("Too many commands in flight"))
	if books := s.hubs.Stats(); books.Pending != 0 || books.Misrouted != 0 {
		t.Errorf("the books at the end: %+v", books)
	}
}

func TestR66FloodOfEvents(t *testing.T) {
	s := start(t, nil)
	host := s.echo(t, "", "T1", "T2")
	c := s.client(t)
	tail := c.attachTo("T1")
	n := hubtest.Amount(50_000, 1_000_000)
	before := heap()
	flooded := make(chan struct{})
	go func() {
		defer close(flooded)
		host.push(n, func(i int) string { return numbered("T2", i, "") })
	}()
	trips := c.trips(tail, 100, flooded)
	t.Logf("p99 of a command: %v in %d trips", trips.p99(), trips.count())
	await(t, "all events came", func() bool { return s.hubs.Stats().EventsIn == uint64(n) })
	if books := s.hubs.Stats(); books.Sent != 0 || books.ClientClosed != 0 {
		t.Errorf("events of a Target without a session: %d were sent, %d would have been", books.Sent, books.ClientClosed)
	}
	heapReturns(t, before, 16<<20)
}

// TestR67HostThatStopsReading has 20 Clients send to a Host whose page takes
// nothing.
func TestR67HostThatStopsReading(t *testing.T) {
	out, log := infoLog()
	queue := hubtest.Amount(8<<20, 64<<20)
	s := startLogged(t, log, func(f *Options) {
		f.Limits.MaxHostQueue = int64(queue)
		if queue < 64<<20 {
			f.Limits.WriteTimeout = time.Second
		}
	})
	release := make(chan struct{})
	host := dialTo(t, "ws://"+s.addr(true)+"/icdp/host", nil, func([]byte) { <-release })
	t.Cleanup(func() { close(release) })
	host.send(ready)
	s.awaitTarget(t, "", "T1")
	const clients = 20
	each := (queue + 64<<20) / clients / (64 << 10) // the kernel holds some
	before := heap()
	params := strings.Repeat("x", 64<<10)
	var wg sync.WaitGroup
	ledgers := make([]*ledger, clients)
	for i := range clients {
		c, tail, all := s.flooder(t, "", each)
		ledgers[i] = all
		wg.Go(func() {
			c.push(each, func(i int) string {
				return fmt.Sprintf(`{"id":%d,"method":"A.b","params":{"x":"`, i) + params + `"}` + tail
			})
		})
	}
	wg.Wait()
	full := 0
	for _, all := range ledgers {
		all.wantsOne(t)
		full += all.errorCount("Host is not responding")
		// Those that come once the Host has been closed find no session.
		n := all.errorCount("Host is not responding") + all.errorCount("Host disconnected") + all.errorCount("Session with given id not found.")
		if n != each {
			t.Errorf("of %d commands %d failed for the Host: %v", each, n, all.errors)
		}
	}
	if full == 0 {
		t.Error("no command failed because the Host's queue was full")
	}
	out.Await(t, `"code":1013,"reason":"slow consumer"`)
	t.Logf("%d of %d commands found the queue full", full, each*clients)
	heapReturns(t, before, 16<<20)
}
