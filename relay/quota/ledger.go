// Package quota shares out what there is a limited amount of, so that no token can take
// what others need. Table has all resources, and the rule is in pool.go:
//
//	ledger := quota.New(quota.Options{Bearers: tokens.Count})
//	release, err := ledger.Take(quota.Sandboxes, payer, 1) // an *Error says what to do
//	calls := ledger.Pool(quota.Calls, 65536).Open(payer)   // for what is counted often
//	err = calls.Take(1)
package quota

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/internal/advice"
)

// Options say what a Ledger shares out. The zero value has the totals of the Table, and
// one Payer, who may take everything.
type Options struct {
	// Bearers is how many tokens of a role there may be: client, host or admin. Nil: there
	// are no tokens. It must not block.
	Bearers func(role string) int
	// Totals are those of the process that are not the ones of the Table.
	Totals map[Resource]int64
}

// Ledger has the Pools of a process.
//
// Lock order: mu comes after the lock of a Pool.
type Ledger struct {
	bearers func(role string) int
	process [resources]*Pool // of what the whole process has one of

	mu     sync.Mutex                                // guards everything below
	listed map[*Pool]struct{}                        `stays:"pools with accounts, see Held"`
	asked  map[Resource]func(add func(Payer, int64)) `stays:"is set when the process starts"`
}

// New makes a Ledger.
func New(o Options) *Ledger {
	l := &Ledger{bearers: o.Bearers, listed: make(map[*Pool]struct{}), asked: make(map[Resource]func(add func(Payer, int64)))}
	for r := range resources {
		l.process[r] = l.Pool(r, o.Totals[r])
	}
	return l
}

// Pool makes a Pool with a total of its own, such as that of a hub; 0 is the total of
// the Table.
func (l *Ledger) Pool(r Resource, total int64) *Pool { return l.Guarded(r, total, new(sync.Mutex)) }

// Guarded is Pool with the lock of the owner, who calls the methods that end in Locked:
// counting what happens with each command must not take a lock more.
func (l *Ledger) Guarded(r Resource, total int64, lock sync.Locker) *Pool {
	if total == 0 {
		total = Table[r].Total
	}
	reserve, _ := reserveOf(total, 1)
	return &Pool{ledger: l, resource: r, total: total, reserve: reserve, mu: lock}
}

// Process is the Pool of a resource of the whole process.
func (l *Ledger) Process(r Resource) *Pool { return l.process[r] }

// Take is Take of a resource of the whole process. A nil Ledger refuses nothing.
func (l *Ledger) Take(r Resource, payer Payer, n int64) (release func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	return l.process[r].Take(payer, n)
}

// bearersOf is how many Payers there may be for a resource.
func (l *Ledger) bearersOf(r Resource) int {
	if l.bearers == nil {
		return 1
	}
	n := l.bearers("client")
	for _, role := range strings.Fields(Table[r].Roles) {
		n += l.bearers(role)
	}
	return n
}

func (l *Ledger) list(p *Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.listed[p] = struct{}{}
}

func (l *Ledger) unlist(p *Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.listed, p)
}

// Ask has Usage ask somebody what Payers have of a resource, which is counted without a
// Pool. It must be called before Usage is.
func (l *Ledger) Ask(r Resource, usage func(add func(Payer, int64))) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked[r] = usage
}

// Usage is what Payers have of a resource, by their names.
type Usage struct {
	Resource Resource
	Used     map[string]int64
}

// Usage adds up all Pools of each resource. The numbers of different Pools are of
// slightly different moments.
func (l *Ledger) Usage() []Usage {
	l.mu.Lock()
	pools, asked := slices.Collect(maps.Keys(l.listed)), maps.Clone(l.asked)
	l.mu.Unlock()
	list := make([]Usage, resources)
	for r := range list {
		list[r] = Usage{Resource(r), make(map[string]int64)}
	}
	for _, p := range pools {
		p.mu.Lock()
		for _, a := range p.accounts {
			list[p.resource].Used[a.payer.Name] += a.used
		}
		p.mu.Unlock()
	}
	for r, usage := range asked {
		usage(func(p Payer, n int64) { list[r].Used[p.Name] += n })
	}
	return list
}

// Error says that a Payer may not have more. Its text is for the bearer of the token.
type Error struct {
	Resource    Resource
	Used, Total int64 // of the Payer, and of all
	// Part says that something is free, which is kept for other tokens; else nothing is.
	Part bool
	// Own says that it is the token's own limit, which Total is then. Part is set as well.
	Own bool
}

// Error implements error.
func (e *Error) Error() string {
	row := Table[e.Resource]
	text, unit := advice.AllInUse, row.Unit
	switch {
	case e.Own:
		text = advice.LimitInUse
		if e.Used == 1 {
			unit = row.One
		}
	case e.Part:
		text = advice.PartInUse
	case e.Total == 1:
		text, unit = advice.OneInUse, row.One
	}
	raise := ""
	if row.Option != "" {
		raise = ", or allow more with " + row.Option
	}
	return text.With("used", strconv.FormatInt(e.Used, 10), "total", strconv.FormatInt(e.Total, 10), "unit", unit, "name", row.Name, "raise", raise).String()
}

// OwnLimit reports whether an error says that a token has its own limit, and which that is.
func OwnLimit(err error) (limit int64, is bool) {
	if e, ok := errors.AsType[*Error](err); ok && e.Own {
		return e.Total, true
	}
	return 0, false
}

// IsPart reports whether an error says that a token has its part.
func IsPart(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Part
}
