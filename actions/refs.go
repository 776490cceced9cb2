package actions

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// span is a range of numbers: the first, and the one after the last.
type span [2]int

func containsNumber(list []span, n int) bool {
	return slices.ContainsFunc(list, func(s span) bool { return s[0] <= n && n < s[1] })
}

// replaceSpan puts what is left of a span in its place, or joins it to the span before.
func replaceSpan(list []span, given, left span) []span {
	i := slices.Index(list, given)
	switch {
	case i < 0:
	case left[0] == left[1]:
		return slices.Delete(list, i, i+1)
	case i > 0 && list[i-1][1] == left[0]:
		list[i-1][1] = left[1]
		return slices.Delete(list, i, i+1)
	default:
		list[i] = left
	}
	return list
}

// numberPool gives out numbers, each of them once. Its owner guards it.
type numberPool struct{ last int }

// reserve gives out the next numbers.
func (n *numberPool) reserve(count int) span {
	n.last += count
	return span{n.last - count + 1, n.last + 1}
}

// settle takes back what follows the highest number that was used of a span, unless others
// have got later numbers, and returns what is left of the span.
func (n *numberPool) settle(s span, used int) span {
	if n.last+1 == s[1] {
		n.last = min(max(used, s[0]-1), s[1]-1)
		s[1] = n.last + 1
	}
	return s
}

// The numbers that a page script gets for one call: firstNumbers, and moreNumbers times as many each
// time that they have not been enough, up to maxNumbers. Each time it reads the page again. Those
// that it does not use are taken back.
const (
	firstNumbers = 1000
	moreNumbers  = 32
	maxNumbers   = 1 << 20
)

// numberUse says what a call of the page script numbers elements for.
type numberUse string

const (
	forRefs numberUse = "refs" // of the caller: e12
	forIDs  numberUse = "ids"  // in the page, for all callers: a3
)

// refMemory is what a caller knows refs by. It lasts as long as the caller does, over
// pages, documents and connections: a ref never comes to mean another element.
type refMemory struct {
	mu       sync.Mutex `stays:"goes with its caller"` // guards everything below
	pool     numberPool
	taken    map[string]int    // how many elements of a role SnapshotElements has given a ref, at most
	observed map[string]string // role and name of the element, by its ref of the scheme BAP
	order    []string          // the refs in observed, the oldest first
}

// maxObserved is how many refs of the scheme BAP are remembered.
const maxObserved = 2000

// reserve gives out numbers for refs.
func (m *refMemory) reserve(count int) span {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pool.reserve(count)
}

// settle takes back the numbers that were not used, and returns what is left.
func (m *refMemory) settle(s span, used int) span {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.pool.settle(s, used)
}

// notePositions remembers the refs of the scheme Aria that the caller has got.
func (m *refMemory) notePositions(list []Element) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken == nil {
		m.taken = make(map[string]int)
	}
	m.notePositionsLocked(list)
}

func (m *refMemory) notePositionsLocked(list []Element) {
	for _, e := range list {
		role, n := cutPosition(e.RefID)
		if _, known := m.taken[role]; known || len(m.taken) < maxRoles && len(role) <= longestWord {
			m.taken[role] = max(m.taken[role], n+1)
		}
		m.notePositionsLocked(e.Children)
	}
}

// cutPosition reads a ref such as button[0].
func cutPosition(ref string) (role string, n int) {
	role, rest, _ := strings.Cut(ref, "[")
	n, err := strconv.Atoi(strings.TrimSuffix(rest, "]"))
	if err != nil {
		n = -1
	}
	return role, n
}

// positionTaken is query.Taken of a ref.
func (m *refMemory) positionTaken(ref string) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	role, n := cutPosition(ref)
	switch {
	case m.taken == nil:
		return ""
	case n < m.taken[role]:
		return "given"
	}
	return "never"
}

// maxRoles is of how many roles the positions are remembered. A page may make up roles.
const maxRoles = 1000

// knownRefs is a copy of observed.
func (m *refMemory) knownRefs() map[string]string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.observed)
}

// noteObserved remembers the refs that the caller has got.
func (m *refMemory) noteObserved(list []ObservedElement) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.observed == nil {
		m.observed = make(map[string]string)
	}
	for _, e := range list {
		if len(e.Ref)+len(e.Role)+len(e.Name) > longestWord { // which no page script of ours says
			continue
		}
		if _, known := m.observed[e.Ref]; !known {
			m.order = append(m.order, e.Ref)
		}
		m.observed[e.Ref] = e.Role + "|" + e.Name
	}
	for len(m.order) > maxObserved {
		delete(m.observed, m.order[0])
		m.order = m.order[1:]
	}
}

// reserveNumbers gives a call of the page script numbers of its own, and the numbers of
// the ids in its document. settle takes back what the call has not used; without an answer
// all of them stay used.
func (p *Page) reserveNumbers(w *world, c scriptCall) (numbers, ids []span, settle func(used int)) {
	settle = func(int) {}
	count := max(c.count, firstNumbers)
	switch q, _ := c.args["locator"].(query); {
	case c.numbers == forIDs && !p.b.reads:
		ids = p.b.shared.idsOf(p.ID, w.loader, count)
		given := ids[len(ids)-1]
		return []span{given}, ids, func(used int) { p.b.shared.settleIDs(p.ID, w.loader, given, used) }
	case c.numbers == forIDs || q.By == string(Tagged):
		ids = p.b.shared.idsOf(p.ID, w.loader, 0)
	}
	if c.numbers == "" {
		return nil, ids, settle
	}
	given := p.b.meter.refs.reserve(count)
	p.mu.Lock()
	defer p.mu.Unlock()
	w.numbers = append(w.numbers, given)
	return slices.Clone(w.numbers), ids, func(used int) {
		left := p.b.meter.refs.settle(given, used)
		p.mu.Lock()
		defer p.mu.Unlock()
		w.numbers = replaceSpan(w.numbers, given, left)
	}
}
