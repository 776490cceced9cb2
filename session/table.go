package session

// Table finds sessions by id, and those that are not a browser's by Target. It is not safe for concurrent
// use: a hub's lock guards it.
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
	if s.Upstream {
		return
	}
	list := t.byTarget[s.TargetID]
	s.index = len(list)
	t.byTarget[s.TargetID] = append(list, s)
}

// Get finds a session by its id; nil when there is none.
func (t *Table) Get(id string) *Session { return t.byID[id] }

// OfTarget returns the sessions on a Target, in no particular order. The
// slice is the table's own, good until its next change.
func (t *Table) OfTarget(targetID string) []*Session { return t.byTarget[targetID] }

// Len is the number of sessions.
func (t *Table) Len() int { return len(t.byID) }

// Remove forgets a session, in constant time.
func (t *Table) Remove(s *Session) {
	delete(t.byID, s.ID)
	if s.Upstream {
		return
	}
	list := t.byTarget[s.TargetID]
	last := len(list) - 1
	list[s.index] = list[last]
	list[s.index].index = s.index
	list[last] = nil
	if last == 0 {
		delete(t.byTarget, s.TargetID)
		return
	}
	t.byTarget[s.TargetID] = list[:last]
}
