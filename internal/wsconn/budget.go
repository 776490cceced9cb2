package wsconn

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Budget bounds what the connections that share it hold in all: chunks of
// queued messages, until they are written, and the buffers of incoming
// messages. What every connection may need, the first chunk and the first
// buffer of 4 KiB, does not count. A nil *Budget bounds nothing.
//
// Past the limit the connection that holds most is closed with ReasonMemory,
// then the next, until what is left fits.
type Budget struct {
	limit int64
	used  atomic.Int64

	cutting sync.Mutex // held by the one who closes connections

	mu    sync.Mutex // guards conns; nothing else is locked under it
	conns map[*Conn]struct{}
}

// NewBudget returns a budget of some bytes, which must be positive.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, conns: make(map[*Conn]struct{})}
}

// Used is the number of bytes that count against the limit.
func (b *Budget) Used() int64 { return b.used.Load() }

// holding is what one connection holds of a budget.
type holding struct {
	budget *Budget
	bytes  atomic.Int64
	known  atomic.Bool // to the budget
}

// hold changes what the connection holds. Whoever takes more must call enforce
// when no lock is held.
func (c *Conn) hold(change int) {
	h := &c.held
	if h.budget == nil || change == 0 {
		return
	}
	h.budget.used.Add(int64(change))
	h.bytes.Add(int64(change))
	if !h.known.Load() && h.known.CompareAndSwap(false, true) {
		h.budget.mu.Lock()
		h.budget.conns[c] = struct{}{}
		h.budget.mu.Unlock()
	}
}

// forget ends what the connection holds, when it has neither reader nor writer
// any more.
func (c *Conn) forget() {
	c.hold(-int(c.held.bytes.Load()))
	if c.held.known.Load() {
		c.held.budget.mu.Lock()
		delete(c.held.budget.conns, c)
		c.held.budget.mu.Unlock()
	}
}

// ofChunks is what chunks of an outbox count.
func ofChunks(n int) int { return max(n-1, 0) * largeChunk }

// ofBuffer is what the buffer of a message counts.
func ofBuffer(b []byte) int {
	if cap(b) <= firstSize {
		return 0
	}
	return cap(b)
}

// enforce closes connections while too much is held. What those hold that
// close already will soon be free.
func (b *Budget) enforce() {
	if b == nil || b.used.Load() <= b.limit || !b.cutting.TryLock() {
		return
	}
	defer b.cutting.Unlock()
	b.mu.Lock()
	conns := slices.Collect(maps.Keys(b.conns))
	b.mu.Unlock()
	// What each holds is read once. It changes meanwhile: whoever let go of much
	// after the sum was made would leave the blame to somebody else.
	held := make(map[*Conn]int64, len(conns))
	over := -b.limit
	for _, c := range conns {
		if c.closing().Code == 0 {
			held[c] = c.held.bytes.Load()
			over += held[c]
		}
	}
	slices.SortFunc(conns, func(x, y *Conn) int { return cmp.Compare(held[y], held[x]) })
	for _, c := range conns {
		if over <= 0 {
			return
		}
		over -= held[c]
		c.Close(ReasonMemory)
	}
}
