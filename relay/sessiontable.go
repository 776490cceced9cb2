package relay

import "github.com/cdphub/cdphub/session"

// clientSession is a session with what the hub knows of it. Hub.mu guards it.
type clientSession struct {
	session.Session // static, like client

	client *Client
	parent *clientSession // where its beginning and end are announced; nil is the connection
	// side is the Host that the session is in, by its Target or because the Host minted it. It
	// is nil for a session of the browser that the hub emulates around the Targets of its Hosts.
	side *side
	// targetType is the type of the target, as in CDP, of a session that a Host has minted;
	// empty for one that the hub has.
	targetType string

	pageEvents     bool // the Client has Page enabled
	answersDialogs bool // it then may answer the dialogs of the Target
	// dialog is the params of the Page.javascriptDialogOpening that the Host of a browser has
	// sent to the session, while the dialog is open; "" for none.
	dialog string
	newest *call // of its commands in flight
	pulse  pulse
	// lastShared is the number of the last event for several sessions that went to this one,
	// so that it gets each such event once.
	lastShared uint64

	intercepts *interception // whose session it is; nil for those that the Client knows
	prefix     string        // of the ids of its requests

	inside []*clientSession // the sessions that were begun in this one, in no particular order
	index  [lists]int       // in the lists that find it
}

// shown is the session as a Peer sees it; nil stands for the connection.
func (s *clientSession) shown() *session.Session {
	if s == nil {
		return nil
	}
	return &s.Session
}

// sideOf returns the side of a session; nil for a session of the emulated
// browser, and for none.
func sideOf(s *clientSession) *side {
	if s == nil {
		return nil
	}
	return s.side
}

// sessionTable finds sessions by id, and keeps for each those inside it. Hub.mu guards
// it.
type sessionTable struct {
	byID   map[string]*clientSession `held:"sessions"`
	noSide sessionsByTarget          // the sessions without a side
}

// add files a session, here and in the sessionsByTarget of its side. Its id must be new.
func (t *sessionTable) add(s *clientSession) {
	if t.byID == nil {
		t.byID = make(map[string]*clientSession)
	}
	t.byID[s.ID] = s
	if s.parent != nil {
		s.parent.inside = appendIndexed(s.parent.inside, s, inParent)
	}
	t.near(s).add(s)
}

// near is where sessions on the same Target as s are found.
func (t *sessionTable) near(s *clientSession) *sessionsByTarget {
	if s.side == nil {
		return &t.noSide
	}
	return &s.side.sessions
}

// maxSessionID is the longest id, in bytes, of a session or of what one is on. A longer
// one names nothing, and is not looked up: it may be as long as a message.
const maxSessionID = 512

// get finds a session by its id; nil when there is none.
func (t *sessionTable) get(id string) *clientSession {
	if len(id) > maxSessionID {
		return nil
	}
	return t.byID[id]
}

// ofTarget returns the sessions without a side that are on a target, as
// sessionsByTarget.ofTarget does for those of a side.
func (t *sessionTable) ofTarget(targetID string) []*clientSession { return t.noSide.ofTarget(targetID) }

// len is the number of sessions.
func (t *sessionTable) len() int { return len(t.byID) }

// remove forgets a session, in constant time. Sessions inside it stay: the hub ends those
// first.
func (t *sessionTable) remove(s *clientSession) {
	delete(t.byID, s.ID)
	if s.parent != nil {
		s.parent.inside = removeIndexed(s.parent.inside, s, inParent)
	}
	t.near(s).remove(s)
}

// sessionsByTarget finds the sessions of one side by their targets. Its zero value is
// empty; a sessionTable fills it.
type sessionsByTarget struct {
	lists map[string][]*clientSession `held:"targets with sessions"`
}

// ofTarget returns the sessions on a target, in no particular order. The slice
// is good until the next change.
func (b *sessionsByTarget) ofTarget(targetID string) []*clientSession {
	if len(targetID) > maxSessionID {
		return nil
	}
	return b.lists[targetID]
}

// add files a session under its target.
func (b *sessionsByTarget) add(s *clientSession) {
	if b.lists == nil {
		b.lists = make(map[string][]*clientSession)
	}
	b.lists[s.TargetID] = appendIndexed(b.lists[s.TargetID], s, onTarget)
}

// remove forgets a session. A target without sessions takes no memory.
func (b *sessionsByTarget) remove(s *clientSession) {
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
func appendIndexed(list []*clientSession, s *clientSession, which int) []*clientSession {
	s.index[which] = len(list)
	return append(list, s)
}

// removeIndexed puts the last of a list in the session's place.
func removeIndexed(list []*clientSession, s *clientSession, which int) []*clientSession {
	i, last := s.index[which], len(list)-1
	list[i] = list[last]
	list[i].index[which] = i
	list[last] = nil
	return list[:last]
}
