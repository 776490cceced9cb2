package session

// Table finds sessions by id, and those that are not a browser's by Target, and
// keeps for each those inside it. It is not safe for concurrent use: a hub's lock
// guards it.
type Table struct {
	byID     map[string]*Session
	byTarget map[string][]*Session
}

// Add files a session. Its id must be new.
func (t *Table) Add(s *Session) {
	if t.byID == nil {
		t.byID = make(map[string]*Session)
		t.byTarget = make(map[string][]*Session)
	}
	t.byID[s.ID] = s
	if s.Parent != nil {
		s.Parent.inside = with(s.Parent.inside, s, inParent)
	}
	if !s.Upstream {
		t.byTarget[s.TargetID] = with(t.byTarget[s.TargetID], s, onTarget)
	}
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

// OfTarget returns the sessions on a Target, in no particular order. The
// slice is the table's own, good until its next change.
func (t *Table) OfTarget(targetID string) []*Session {
	if len(targetID) > MaxID {
		return nil
	}
	return t.byTarget[targetID]
}

// Len is the number of sessions.
func (t *Table) Len() int { return len(t.byID) }

// Remove forgets a session, in constant time.
func (t *Table) Remove(s *Session) {
	delete(t.byID, s.ID)
	if s.Parent != nil {
		s.Parent.inside = without(s.Parent.inside, s, inParent)
	}
	if s.Upstream {
		return
	}
	if list := without(t.byTarget[s.TargetID], s, onTarget); len(list) > 0 {
		t.byTarget[s.TargetID] = list
	} else {
		delete(t.byTarget, s.TargetID)
	}
}

// The lists that a session can be in, and in which it knows its index.
const (
	onTarget = iota
	inParent
	lists
)

func with(list []*Session, s *Session, which int) []*Session {
	s.index[which] = len(list)
	return append(list, s)
}

// without puts the last of a list in the session's place.
func without(list []*Session, s *Session, which int) []*Session {
	i, last := s.index[which], len(list)-1
	list[i] = list[last]
	list[i].index[which] = i
	list[last] = nil
	return list[:last]
}
