package chaos

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
)

// books are what the peers of one test have sent and seen. They prove, without
// a word from the hub, that
//
//   - every command got exactly one answer (I1): what is not answered is lost,
//     what is answered again is doubled;
//   - every event of a Target reached each of its sessions once and in order,
//     from its attach to its detach (I2): a hole is lost, a repeat doubled;
//   - nothing reached anybody else (I3): that would be crossed.
type books struct {
	sent     atomic.Int64 // commands
	answered atomic.Int64 // with a result
	echoed   atomic.Int64 // of these, by a Host
	failed   atomic.Int64 // by the hub
	nameless atomic.Int64 // by the hub without an id, since they had none
	gone     atomic.Int64 // that were in flight when their Client's connection ended
	numbered atomic.Int64 // events that Hosts have sent
	events   atomic.Int64 // copies that Clients got

	lost, doubled, crossed atomic.Int64

	mu      sync.Mutex // guards everything below
	faults  []string   // the first ones, in words
	causes  map[string]int
	targets map[string]*target
	began   map[string]mark // by session, where its Target was when the Host heard of it
	first   map[string]mark // by session, its first event
}

// mark is a place in the run of a Target's events.
type mark struct{ epoch, n int }

// target is one Target of a fake Host. Its events are numbered from 0 in each
// epoch, which is a connection of the Host.
type target struct {
	id string
	at mark // of the next event; guarded by the Host's lock
}

// newBooks opens books that must close with the test.
func newBooks(t testing.TB) *books {
	b := &books{
		causes:  make(map[string]int),
		targets: make(map[string]*target),
		began:   make(map[string]mark),
		first:   make(map[string]mark),
	}
	t.Cleanup(func() { b.close(t) })
	return b
}

func (b *books) close(t testing.TB) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, first := range b.first {
		began, told := b.began[id]
		if told && (first.epoch == began.epoch && first.n > began.n || first.epoch > began.epoch && first.n != 0) {
			b.addLocked(&b.lost, "session %s began at %v of its Target, and its first event was %v", id, began, first)
		}
	}
	if lost, doubled, crossed := b.lost.Load(), b.doubled.Load(), b.crossed.Load(); lost+doubled+crossed > 0 {
		t.Errorf("%d lost, %d doubled, %d crossed:", lost, doubled, crossed)
	}
	for _, f := range b.faults {
		t.Error(f)
	}
}

// fault enters something that must not be.
func (b *books) fault(kind *atomic.Int64, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.addLocked(kind, format, args...)
}

func (b *books) addLocked(kind *atomic.Int64, format string, args ...any) {
	kind.Add(1)
	if len(b.faults) < 20 {
		b.faults = append(b.faults, fmt.Sprintf(format, args...))
	}
}

// cause counts a command that the hub has failed.
func (b *books) cause(words string) {
	b.failed.Add(1)
	b.mu.Lock()
	b.causes[words]++
	b.mu.Unlock()
}

// causedBy is how many commands have failed with these words.
func (b *books) causedBy(words string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.causes[words]
}

// sessionBegan is called when a Host is told of a session for the first time.
func (b *books) sessionBegan(id string, at mark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, again := b.began[id]; !again {
		b.began[id] = at
	}
}

func (b *books) sessionSaw(id string, at mark) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first[id] = at
}

// newTarget makes a Target with an id that no other has.
func (b *books) newTarget(host string) *target {
	b.mu.Lock()
	defer b.mu.Unlock()
	t := &target{id: fmt.Sprintf("%s.T%d", host, len(b.targets))}
	b.targets[t.id] = t
	return t
}

// The peers look only for what they know to be in a message: each of the
// strings below stands in it once.

// text is the string between key, which ends with its opening quote, and the
// next quote.
func text(m []byte, key string) string {
	i := bytes.Index(m, []byte(key))
	if i < 0 {
		return ""
	}
	m = m[i+len(key):]
	return string(m[:max(0, bytes.IndexByte(m, '"'))])
}

// number is the integer after key; -1 when there is none.
func number(m []byte, key string) int {
	i := bytes.Index(m, []byte(key))
	if i < 0 {
		return -1
	}
	m = m[i+len(key):]
	end := 0
	for end < len(m) && m[end] >= '0' && m[end] <= '9' {
		end++
	}
	n, err := strconv.Atoi(string(m[:end]))
	if err != nil {
		return -1
	}
	return n
}

// sessionOf is the sessionId that ends a message of the hub.
func sessionOf(m []byte) string {
	const key = `,"sessionId":"`
	i := bytes.LastIndex(m, []byte(key))
	if i < 0 || !bytes.HasSuffix(m, []byte(`"}`)) {
		return ""
	}
	return string(m[i+len(key) : len(m)-2])
}

// at reads where a Target was in its run of events:
//
//	"target":"h1.T3","epoch":0,"n":17
func at(m []byte) (target string, p mark) {
	return text(m, `"target":"`), mark{number(m, `"epoch":`), number(m, `"n":`)}
}
