package held

import (
	"maps"
	"sync"
	"sync/atomic"
	"testing"
)

type inside struct {
	mu   sync.Mutex
	list []int `held:"items"`
}

type holder struct {
	mu      sync.RWMutex
	byName  map[string]*inside `held:"*"`
	named   inside             `held:"named items"`
	plain   inside
	pointed *inside       `held:"*"`
	signal  chan struct{} `held:"signals"`
	bytes   atomic.Int64  `held:"bytes"`
	number  int           `held:"numbers"`
	on      bool          `held:"switches"`
	last    int           `stays:"numbers the items"`
}

// TestR290Counts counts each kind of field, and what is inside it.
func TestR290Counts(t *testing.T) {
	o := &holder{byName: map[string]*inside{"a": {list: make([]int, 1)}, "b": {list: make([]int, 2)}}, signal: make(chan struct{}), number: -3, pointed: &inside{}, on: true, last: 9}
	o.named.list, o.plain.list, o.pointed.list = make([]int, 4), make([]int, 8), make([]int, 32)
	o.bytes.Store(16)
	want := map[string]int{"items": 43, "named items": 4, "signals": 1, "bytes": 16, "numbers": -3, "switches": 1}
	if got := Of(o); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, free := range []interface{ TryLock() bool }{&o.mu, &o.named.mu, &o.byName["a"].mu} {
		if !free.TryLock() {
			t.Error("a lock is still taken")
		}
	}
}
