package wsconn

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/cdphub/cdphub/relay/quota"
)

// Budget limits the memory of all connections that share it. It counts chunks
// of queued messages, until they are written, and the buffers of incoming
// messages. It does not count what every connection may need: the first chunk
// and the first buffer, 4 KiB each. Others that keep bytes for peers count theirs
// with an Account. A nil *Budget has no limit.
//
//	b := wsconn.NewBudget(256 << 20)
//	conn, err := wsconn.Upgrade(w, r, wsconn.Options{Budget: b})
//	a := b.Account(payer, func() { … }) // for what is kept beside connections
//	a.Add(len(kept))
//	a.Enforce()
//
// When the limit is exceeded, the Budget closes the connection that uses most
// with ReasonMemory, or ends the holder of that Account, then the next, until the
// rest fits. Only what counts for the Payer whose holders use most together is closed, so
// that many small queues of one token end none of another.
type Budget struct {
	limit int64
	used  atomic.Int64 `held:"bytes of connections"`

	enforcing sync.Mutex // held while connections are closed

	mu       sync.Mutex            // guards accounts; nothing else is locked under it
	accounts map[*Account]struct{} `held:"accounts of connections"`
}

// NewBudget returns a budget of some bytes, which must be positive.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, accounts: make(map[*Account]struct{})}
}

// Used is the number of bytes that count against the limit. Connections and Accounts add to
// it before Enforce runs, so that it may exceed the limit for a moment.
func (b *Budget) Used() int64 { return b.used.Load() }

// Account is the part of a Budget that one holder uses. Account.bytes may be read by
// enforce while the holder changes it: both are atomic, so that counting takes no lock.
type Account struct {
	budget *Budget
	of     holder
	payer  quota.Payer
	bytes  atomic.Int64 `stays:"its budget counts them"`
	listed atomic.Bool  // in Budget.accounts
}

// holder is whose memory an Account counts.
type holder interface {
	ending() bool // its memory will soon be free
	evict()
}

// ender is a holder that is no connection.
type ender struct {
	end   func()
	ended atomic.Bool
}

// ending implements holder.
func (e *ender) ending() bool { return e.ended.Load() }

// evict implements holder.
func (e *ender) evict() {
	if e.ended.CompareAndSwap(false, true) {
		e.end()
	}
}

// Account counts the memory of a holder that is no connection. end must have the holder
// free its memory. It is called once at most, in the goroutine that exceeds the limit, and
// must not wait.
func (b *Budget) Account(payer quota.Payer, end func()) *Account {
	return &Account{budget: b, payer: payer, of: &ender{end: end}}
}

// Usage calls add with what each holder uses, for the Payer for whom it counts.
func (b *Budget) Usage(add func(payer quota.Payer, bytes int64)) {
	if b == nil {
		return
	}
	for _, a := range b.list() {
		add(a.payer, a.bytes.Load())
	}
}

func (b *Budget) list() []*Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.accounts))
}

// Add adds to what the holder uses; change may be negative. After an addition the
// holder calls Enforce.
func (a *Account) Add(change int) {
	if a.budget == nil || change == 0 {
		return
	}
	a.budget.used.Add(int64(change))
	a.bytes.Add(int64(change))
	// An Account is listed when it first counts something. Most connections are idle and
	// never do, so that enforce does not walk over them.
	if !a.listed.Load() && a.listed.CompareAndSwap(false, true) {
		a.budget.mu.Lock()
		a.budget.accounts[a] = struct{}{}
		a.budget.mu.Unlock()
	}
}

// Enforce ends holders while the limit of the Budget is exceeded. It calls the end
// of this or of any other Account: no lock may be held that those take.
func (a *Account) Enforce() { a.budget.enforce() }

// Close returns everything to the Budget. Nothing may be added any more.
func (a *Account) Close() {
	a.Add(-int(a.bytes.Load()))
	if a.listed.Load() {
		a.budget.mu.Lock()
		delete(a.budget.accounts, a)
		a.budget.mu.Unlock()
	}
}

// ending implements holder.
func (c *Conn) ending() bool { return c.closing().Code != 0 }

// evict implements holder.
func (c *Conn) evict() { c.Close(ReasonMemory) }

// chunkCost is the bytes that n chunks of an outbox count for. The first chunk is free, as
// Budget says. Each of the others counts as a large one.
func chunkCost(n int) int { return max(n-1, 0) * largeChunk }

// bufferCost is the bytes that the buffer of a message counts for.
func bufferCost(b []byte) int {
	if cap(b) <= firstSize {
		return 0
	}
	return cap(b)
}

// enforce ends holders while the limit is exceeded. It leaves out those that are
// ending already: their memory will soon be free.
func (b *Budget) enforce() {
	// TryLock: if another goroutine is at it already, that one sees the new sum or the next
	// addition does. To wait here would make a sender wait for the closing of other
	// connections.
	if b == nil || b.used.Load() <= b.limit || !b.enforcing.TryLock() {
		return
	}
	defer b.enforcing.Unlock()
	accounts := b.list()
	// Each account is read once, since it changes meanwhile. If a connection
	// returned much after the sum was made, another one would be closed for it.
	held := make(map[*Account]int64, len(accounts))
	byPayer := make(map[string][]*Account)
	sums := make(map[string]int64)
	over := -b.limit
	for _, a := range accounts {
		if n := a.bytes.Load(); n > 0 && !a.of.ending() {
			held[a] = n
			over += n
			sums[a.payer.ID] += n
			byPayer[a.payer.ID] = append(byPayer[a.payer.ID], a)
		}
	}
	for _, list := range byPayer { // the one that uses most comes last
		slices.SortFunc(list, func(x, y *Account) int { return cmp.Compare(held[x], held[y]) })
	}
	for over > 0 && len(held) > 0 {
		id := quota.Most(sums)
		last := len(byPayer[id]) - 1
		a := byPayer[id][last]
		over -= held[a]
		if sums[id] -= held[a]; last == 0 {
			delete(sums, id)
		}
		byPayer[id] = byPayer[id][:last]
		delete(held, a)
		a.of.evict()
	}
}
