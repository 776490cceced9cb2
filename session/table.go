package session

// Table finds sessions by id, and keeps for each those inside it. It is not safe
// for concurrent use: a hub's lock guards it.
type Table struct {
	byID   map[string]*Session `held:"sessions"`
	noSide ByTarget            // the sessions without a Side
}

// Add files a session, here and in the ByTarget of its Side. Its id must be new.
func (t *Table) Add(s *Session) {
	if t.byID == nil {
		t.byID = make(map[string]*Session)
	}
	t.byID[s.ID] = s
	if s.Parent != nil {
		s.Parent.inside = appendIndexed(s.Parent.inside, s, inParent)
	}
	t.near(s).add(s)
}

// near is where sessions on the same Target as s are found.
func (t *Table) near(s *Session) *ByTarget {
	if s.Side == nil {
		return &t.noSide
	}
	return s.Side.Sessions()
}

// MaxID is the longest id, in bytes, of a session or of what one is on. A longer
// one names nothing, and is not looked up: it may be as long as a message.
const MaxID = 512

// Get finds a session by its id; nil when there is none.
func (t *Table) Get(id string) *Session {
	if len(id) > MaxID {
		return nil
	}
	return t.byID[id]
}

// OfTarget returns the sessions without a Side that are on a target, as
// ByTarget.OfTarget does for those of a Side.
func (t *Table) OfTarget(targetID string) []*Session { return t.noSide.OfTarget(targetID) }

// Len is the number of sessions.
func (t *Table) Len() int { return len(t.byID) }

// Remove forgets a session, in constant time. Sessions inside it stay: the hub ends those
// first.
func (t *Table) Remove(s *Session) {
	delete(t.byID, s.ID)
	if s.Parent != nil {
		s.Parent.inside = removeIndexed(s.Parent.inside, s, inParent)
	}
	t.near(s).remove(s)
}

// ByTarget finds the sessions of one Side by their targets. Its zero value is
// empty; a Table fills it.
type ByTarget struct {
	lists map[string][]*Session `held:"targets with sessions"`
}

// OfTarget returns the sessions on a target, in no particular order. The slice
// is good until the next change.
func (b *ByTarget) OfTarget(targetID string) []*Session {
	if len(targetID) > MaxID {
		return nil
	}
	return b.lists[targetID]
}

// add files a session under its target.
func (b *ByTarget) add(s *Session) {
	if b.lists == nil {
		b.lists = make(map[string][]*Session)
	}
	b.lists[s.TargetID] = appendIndexed(b.lists[s.TargetID], s, onTarget)
}

// remove forgets a session. A target without sessions takes no memory.
func (b *ByTarget) remove(s *Session) {
	if list := removeIndexed(b.lists[s.TargetID], s, onTarget); len(list) > 0 {
		b.lists[s.TargetID] = list
	} else {
		delete(b.lists, s.TargetID)
	}
}

// The lists that a session can be in, and in which it knows its index.
const (
	onTarget = iota
	inParent
	lists
)

// appendIndexed appends a session to one of the lists, and notes its index there.
func appendIndexed(list []*Session, s *Session, which int) []*Session {
	s.index[which] = len(list)
	return append(list, s)
}

// removeIndexed puts the last of a list in the session's place.
func removeIndexed(list []*Session, s *Session, which int) []*Session {
	i, last := s.index[which], len(list)-1
	list[i] = list[last]
	list[i].index[which] = i
	list[last] = nil
	return list[:last]
}
