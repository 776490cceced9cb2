package wsconn

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Budget limits the memory of all connections that share it. It counts chunks
// of queued messages, until they are written, and the buffers of incoming
// messages. It does not count what every connection may need: the first chunk
// and the first buffer, 4 KiB each. A nil *Budget has no limit.
//
// When the limit is exceeded, the Budget closes the connection that uses most
// with ReasonMemory, then the next, until the rest fits.
type Budget struct {
	limit int64
	used  atomic.Int64

	enforcing sync.Mutex // held while connections are closed

	mu    sync.Mutex // guards conns; nothing else is locked under it
	conns map[*Conn]struct{}
}

// NewBudget returns a budget of some bytes, which must be positive.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, conns: make(map[*Conn]struct{})}
}

// Used is the number of bytes that count against the limit.
func (b *Budget) Used() int64 { return b.used.Load() }

// account is the part of a Budget that one connection uses.
type account struct {
	budget *Budget
	bytes  atomic.Int64
	listed atomic.Bool // in Budget.conns
}

// charge adds to what the connection uses; change may be negative. A caller
// that adds must call enforce afterwards, with no lock held.
func (c *Conn) charge(change int) {
	h := &c.memory
	if h.budget == nil || change == 0 {
		return
	}
	h.budget.used.Add(int64(change))
	h.bytes.Add(int64(change))
	if !h.listed.Load() && h.listed.CompareAndSwap(false, true) {
		h.budget.mu.Lock()
		h.budget.conns[c] = struct{}{}
		h.budget.mu.Unlock()
	}
}

// closeAccount returns everything to the Budget. The connection must have
// neither a reader nor a writer any more.
func (c *Conn) closeAccount() {
	c.charge(-int(c.memory.bytes.Load()))
	if c.memory.listed.Load() {
		c.memory.budget.mu.Lock()
		delete(c.memory.budget.conns, c)
		c.memory.budget.mu.Unlock()
	}
}

// chunkCost is the bytes that n chunks of an outbox count for.
func chunkCost(n int) int { return max(n-1, 0) * largeChunk }

// bufferCost is the bytes that the buffer of a message counts for.
func bufferCost(b []byte) int {
	if cap(b) <= firstSize {
		return 0
	}
	return cap(b)
}

// enforce closes connections while the limit is exceeded. It leaves out those
// that are closing already: their memory will soon be free.
func (b *Budget) enforce() {
	if b == nil || b.used.Load() <= b.limit || !b.enforcing.TryLock() {
		return
	}
	defer b.enforcing.Unlock()
	b.mu.Lock()
	conns := slices.Collect(maps.Keys(b.conns))
	b.mu.Unlock()
	// Each account is read once, since it changes meanwhile. If a connection
	// returned much after the sum was made, another one would be closed for it.
	held := make(map[*Conn]int64, len(conns))
	over := -b.limit
	for _, c := range conns {
		if c.closing().Code == 0 {
			held[c] = c.memory.bytes.Load()
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
