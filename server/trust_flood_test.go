package server

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// answerHead is how the answer to a command begins, as far as its id.
type answerHead struct {
	ID    int
	Error *struct{}
}

// ledger counts what a Client that numbers its commands from 0 gets for them.
type ledger struct {
	mu      sync.Mutex
	answers []uint8
	inOrder bool // results came in the order of their commands
	last    int
	total   atomic.Int64
}

func newLedger(n int) *ledger {
	return &ledger{answers: make([]uint8, n), inOrder: true, last: -1}
}

func (l *ledger) take(t *testing.T, m []byte) {
	var a answerHead
	if err := json.Unmarshal(m, &a); err != nil || a.ID >= len(l.answers) {
		t.Errorf("got %.200s: %v", m, err)
		return
	}
	l.mu.Lock()
	l.answers[a.ID]++
	if a.Error == nil {
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
