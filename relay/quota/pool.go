package quota

import "sync"

// The rule. A part of each total, a quarter at most, is kept back as reserves: one for
// each token that has nothing yet, up to maxPlaces of them. A token may always take its
// reserve. Beyond that it may have half of what is free, so that the next token gets half
// of the rest, and so on. A token that is alone may take everything. What a token has is
// never taken away, also when others come.
const (
	maxPlaces = 32
	kept      = 4 // the reserves together are at most 1/kept of the total
)

// reserveOf is the reserve of one Payer, and for how many Payers of a number there are
// reserves. Totals of a few units have reserves for two.
func reserveOf(total int64, bearers int) (reserve, places int64) {
	reserve = max(total/(kept*maxPlaces), 1)
	places = max(total/(kept*reserve), min(total, 2))
	return reserve, min(places, maxPlaces, int64(bearers))
}

// Pool is the limited amount of one resource, in one place: a process, a hub, or an
// address. Its methods may be called from any goroutine, but those whose names end in
// Locked only with its lock (Ledger.Guarded).
//
// Lock order: a lock of its own comes after every other but that of the Ledger.
type Pool struct {
	ledger   *Ledger
	resource Resource
	total    int64
	reserve  int64

	mu       sync.Locker         // guards everything below
	accounts map[string]*Account `held:"accounts of payers"`
	used     int64               `held:"units of payers"`
	active   int64               `held:"payers with units"`      // accounts that have something
	lacking  int64               `held:"units that payers lack"` // what active accounts may still take of their reserves
}

// Account is what a Payer has of a Pool.
type Account struct {
	pool *Pool // static

	// guarded by pool.mu
	payer   Payer
	limit   int64 // of the Payer itself
	used    int64
	holders int
}

// Open returns the account of a Payer. Each Open is ended by one Close.
func (p *Pool) Open(payer Payer) *Account {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.OpenLocked(payer)
}

// OpenLocked is Open. A Pool is in the Ledger's list while it has accounts, so that the
// metrics find it, and a Pool that nobody uses is garbage.
func (p *Pool) OpenLocked(payer Payer) *Account {
	a := p.accounts[payer.ID]
	if a == nil {
		if p.accounts == nil {
			p.accounts = make(map[string]*Account)
		}
		if len(p.accounts) == 0 {
			p.ledger.list(p)
		}
		a = &Account{pool: p}
		p.accounts[payer.ID] = a
	}
	// Limits of a token that were changed count from its next connection on.
	a.payer, a.limit = payer, payer.Limits.of(p.resource)
	a.holders++
	return a
}

// Close ends one use of the account. What it has stays counted until it is given back.
func (a *Account) Close() {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	a.CloseLocked()
}

// CloseLocked is Close.
func (a *Account) CloseLocked() {
	p := a.pool
	a.holders--
	if a.holders > 0 || a.used > 0 || p.accounts[a.payer.ID] != a {
		return
	}
	delete(p.accounts, a.payer.ID)
	if len(p.accounts) == 0 {
		p.ledger.unlist(p)
	}
}

// Take takes n units, or fails with an *Error and takes nothing.
func (a *Account) Take(n int64) error {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	return a.TakeLocked(n)
}

// TakeLocked is Take.
func (a *Account) TakeLocked(n int64) error {
	if err := a.FitsLocked(n); err != nil {
		return err
	}
	a.AddLocked(n)
	return nil
}

// FitsLocked returns what TakeLocked would return, and takes nothing.
func (a *Account) FitsLocked(n int64) error {
	p := a.pool
	switch {
	case n > a.limit-a.used:
		return &Error{Resource: p.resource, Used: a.used, Total: a.limit, Part: true, Own: true}
	case !p.fitsLocked(a, n):
		return &Error{Resource: p.resource, Used: a.used, Total: p.total, Part: n <= p.total-p.used}
	}
	return nil
}

// Add takes n units even if they do not fit. It gives units back if n is negative.
func (a *Account) Add(n int64) {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	a.AddLocked(n)
}

// Payer is whose account it is.
func (a *Account) Payer() Payer { return a.payer }

// Used is what the account has.
func (a *Account) Used() int64 {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	return a.UsedLocked()
}

// UsedLocked is Used.
func (a *Account) UsedLocked() int64 { return a.used }

// Take takes n units for a Payer until release is called. The second call of release does
// nothing.
func (p *Pool) Take(payer Payer, n int64) (release func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.OpenLocked(payer)
	if err := a.TakeLocked(n); err != nil {
		a.CloseLocked()
		return nil, err
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		a.AddLocked(-n)
		a.CloseLocked()
	}), nil
}

// Add counts n units for a Payer, of a resource of which nothing is refused (Evicts).
// They are given back by a negative n.
func (p *Pool) Add(payer Payer, n int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.OpenLocked(payer)
	a.AddLocked(n)
	a.CloseLocked()
}

// Excess is by how much the total is exceeded, 0 or less if it is not.
func (p *Pool) Excess() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.used - p.total
}

// Most is the ID of the Payer that has most: it loses something when the total is
// exceeded. Among equals it is the same in each call.
func (p *Pool) Most() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	used := make(map[string]int64, len(p.accounts))
	for id, a := range p.accounts {
		used[id] = a.used
	}
	return Most(used)
}

// Most is the key with the largest number, and of equal ones the smallest key: which
// Payer loses something, by what each has.
func Most(used map[string]int64) (id string) {
	first := true
	for other, n := range used {
		if first || n > used[id] || n == used[id] && other < id {
			id, first = other, false
		}
	}
	return id
}

// fitsLocked is the rule: whether an account may have n units more. common is what is
// free beside all reserves, and excess what the account has beyond its reserve.
func (p *Pool) fitsLocked(a *Account, n int64) bool {
	switch {
	case n > p.total-p.used:
		return false
	case a.used+n <= p.reserve:
		return true
	}
	bearers := p.ledger.bearersOf(p.resource)
	if bearers <= 1 && len(p.accounts) <= 1 {
		return true
	}
	_, places := reserveOf(p.total, max(bearers, len(p.accounts)))
	held := min(p.lacking+max(places-p.active, 0)*p.reserve, places*p.reserve)
	common := p.total - p.used - held
	excess := max(a.used-p.reserve, 0)
	return a.used+n-p.reserve <= (common+excess+1)/2
}

// AddLocked is Add.
func (a *Account) AddLocked(n int64) {
	p := a.pool
	p.lacking -= a.lack()
	if a.used > 0 {
		p.active--
	}
	a.used += n
	p.used += n
	if a.used > 0 {
		p.active++
	}
	p.lacking += a.lack()
}

// lack is what an account that has something may still take of its reserve.
func (a *Account) lack() int64 {
	if a.used <= 0 {
		return 0
	}
	return max(a.pool.reserve-a.used, 0)
}
