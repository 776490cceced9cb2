package named

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/session"
)

// A hub of a cluster may go on at another node, with its named sessions. Take and Look
// write them down, and Restore makes them there.

// State is the named sessions of a hub, and the names of those that have ended.
type State struct {
	Sessions []SessionState `json:"sessions,omitempty"`
	Ended    []EndedState   `json:"ended,omitempty"`
}

// Empty reports whether there is nothing to remember.
func (st *State) Empty() bool { return len(st.Sessions) == 0 && len(st.Ended) == 0 }

// Lose says that the sessions cannot go on: what they had was in a browser of their node.
func (st *State) Lose() {
	for i := range st.Sessions {
		st.Sessions[i].Lost = true
	}
}

// Shorten leaves out what the sessions have: their streams end with that.
func (st *State) Shorten() {
	for i := range st.Sessions {
		one := &st.Sessions[i]
		one.Stream, one.Numbered, one.Client = "", false, relay.ClientState{Name: one.Client.Name}
	}
}

// Halve leaves out the older half of the names that have ended, and half of the sessions.
// It is for a directory that takes no long note (cluster.MaxNote).
func (st *State) Halve() {
	st.Ended = st.Ended[(len(st.Ended)+1)/2:] // the oldest
	st.Sessions = st.Sessions[:len(st.Sessions)/2]
}

// SessionState is a named session without its connection. It is JSON: "kept" has its
// messages in base64.
type SessionState struct {
	Bearer  string        `json:"bearer,omitempty"`
	Name    string        `json:"name"`
	ID      string        `json:"id"`
	Since   time.Time     `json:"since"`
	Grace   time.Duration `json:"grace"` // in nanoseconds
	Tabs    string        `json:"tabs,omitempty"`
	Verdict []byte        `json:"verdict,omitempty"` // Begin.Verdict
	// Lost says that the session cannot go on: what it had was in a browser of its node.
	Lost bool `json:"lost,omitempty"`

	Stream   string            `json:"stream"`
	Numbered bool              `json:"numbered,omitempty"`
	Client   relay.ClientState `json:"client"`
	// Exact says that what follows is known. It is not where the node has died.
	Exact    bool     `json:"exact,omitempty"`
	Sent     uint64   `json:"sent,omitempty"`     // messages to the Client, kept or not
	Received uint64   `json:"received,omitempty"` // messages of the Client
	Kept     [][]byte `json:"kept,omitempty"`     // the newest messages, the oldest of them first
}

// EndedState is a name whose session has ended.
type EndedState struct {
	Bearer string    `json:"bearer,omitempty"`
	Name   string    `json:"name"`
	Why    string    `json:"why"`
	At     time.Time `json:"at"`
}

// Depart says that hubs of this process are about to go on elsewhere: what a Client that
// can resume sends from now on is for the process after this one, and is not taken.
func (ss *Sessions) Depart() { ss.departing.Store(true) }

// Take takes the sessions of a hub out, to be restored elsewhere. They end here, and their
// Clients get nothing, once relay.Control.Part has answered their commands.
func (ss *Sessions) Take(hub string) State {
	var st State
	for _, s := range ss.of(hub) {
		if one, ok := s.take(); ok {
			st.Sessions = append(st.Sessions, one)
		}
	}
	st.Ended = ss.endedOf(hub)
	return st
}

// Look describes the sessions of a hub, for a process that has to restore them without
// this one's help.
func (ss *Sessions) Look(hub string) State {
	var st State
	for _, s := range ss.of(hub) {
		s.turn.Lock()
		if !s.over && s.stream != nil {
			st.Sessions = append(st.Sessions, s.describeLocked())
		}
		s.turn.Unlock()
	}
	st.Ended = ss.endedOf(hub)
	return st
}

// Watch begins to collect changes for Changed.
func (ss *Sessions) Watch() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.changed = make(map[string]struct{})
}

// Changed lists the hubs of which Look may say something else than at the last call. Only
// one goroutine may call it.
func (ss *Sessions) Changed() []string {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	hubs := ss.changed
	ss.changed = make(map[string]struct{})
	for k, s := range ss.live {
		if s.stream == nil {
			continue
		}
		s.stream.mu.Lock()
		now := mark{s.stream, s.stream.sent, s.stream.taken.Load()}
		s.stream.mu.Unlock()
		if s.looked != now {
			s.looked = now
			hubs[k.Hub] = struct{}{}
		}
	}
	return slices.Collect(maps.Keys(hubs))
}

// mark is how far a session has come: nothing of it changes without a message.
type mark struct {
	stream      *stream
	sent, taken uint64
}

// Touch has the next Changed list a hub.
func (ss *Sessions) Touch(hub string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.changedLocked(hub)
}

// changedLocked notes that a hub has changed, if there is a watcher.
func (ss *Sessions) changedLocked(hub string) {
	if ss.changed != nil {
		ss.changed[hub] = struct{}{}
	}
}

// Hubs lists the hubs that have named sessions, or of which names are remembered.
func (ss *Sessions) Hubs() []string {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	hubs := make(map[string]struct{})
	for k := range ss.live {
		hubs[k.Hub] = struct{}{}
	}
	for o := range ss.gone.count {
		hubs[o.Hub] = struct{}{}
	}
	return slices.Collect(maps.Keys(hubs))
}

// of lists the sessions of a hub by name.
func (ss *Sessions) of(hub string) (list []*Session) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for k, s := range ss.live {
		if k.Hub == hub {
			list = append(list, s)
		}
	}
	sortByName(list)
	return list
}

// endedOf lists the names of a hub that are remembered, the oldest first.
func (ss *Sessions) endedOf(hub string) (list []EndedState) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for e := range ss.gone.ended.All() {
		if e.Hub == hub && time.Since(e.at) <= ss.o.Remembered {
			list = append(list, EndedState{e.Bearer, e.Name, e.why, e.at})
		}
	}
	return list
}

// describeLocked is what is known without the messages. The caller has turn.
func (s *Session) describeLocked() SessionState {
	st := s.stream
	st.mu.Lock()
	numbered, lost := st.numbered, st.lost
	st.mu.Unlock()
	client := st.client.State()
	return SessionState{
		Bearer: s.key.Bearer, Name: s.key.Name, ID: s.id, Since: s.since, Grace: s.grace, Tabs: s.tabs, Verdict: st.verdict,
		Lost: lost || client.InBrowser, Stream: st.id, Numbered: numbered, Client: client,
	}
}

// take ends the session here, and describes it.
func (s *Session) take() (one SessionState, ok bool) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.over || s.stream == nil {
		return one, false
	}
	st := s.stream
	st.in.Lock() // until the last message has been taken
	one = s.describeLocked()
	one.Received = st.received
	st.mu.Lock()
	st.over = true
	one.Lost, one.Exact, one.Sent = one.Lost || st.lost, !st.unknown, st.sent
	for _, m := range st.ring.all() {
		one.Kept = append(one.Kept, m.text)
	}
	st.mu.Unlock()
	st.in.Unlock()
	s.endLocked(ending{"", wsconn.ReasonShutdown})
	return one, true
}

// Drop ends the sessions of a hub that goes on elsewhere without this process.
func (ss *Sessions) Drop(hub string) {
	for _, s := range ss.of(hub) {
		s.end(nil, ending{"", wsconn.ReasonMoved})
	}
}

// Close ends all sessions, and none begins any more: a connection whose handshake was
// answered just before would leave one behind.
func (ss *Sessions) Close(why wsconn.Reason) {
	ss.mu.Lock()
	ss.closed = true
	all := slices.Collect(maps.Values(ss.live))
	ss.mu.Unlock()
	for _, s := range all {
		s.end(nil, ending{"", why})
	}
}

// Restore makes the sessions of a hub that have been taken elsewhere, each without a
// connection. begin makes what a connection would bring; where it fails, the session has
// ended. A session that is here already is newer, and stays.
func (ss *Sessions) Restore(hub string, st State, begin func(*SessionState) (*Begin, error)) {
	for _, e := range st.Ended {
		ss.remember(Key{Owner{hub, e.Bearer}, e.Name}, ended{why: e.Why, at: e.At})
	}
	for i := range st.Sessions {
		one := &st.Sessions[i]
		k := Key{Owner{hub, one.Bearer}, one.Name}
		if one.Lost {
			ss.remember(k, ended{why: browserEnded.text, at: time.Now()})
			continue
		}
		b, err := begin(one)
		if err != nil {
			ss.remember(k, ended{why: err.Error(), at: time.Now()})
			continue
		}
		if !ss.restore(k, one, b) {
			b.Client.Leave()
			b.Release()
			ss.remember(k, ended{why: "its token has too many sessions at the node that took it over", at: time.Now()})
		}
	}
}

// remember notes why a session has ended elsewhere, unless there is another by its name.
func (ss *Sessions) remember(k Key, e ended) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.live[k] == nil {
		e.Key = k
		ss.gone.put(e, &ss.o)
		ss.changedLocked(k.Hub)
	}
}

// restore makes one session, and reports whether it did. Its grace time begins now, as if
// the connection had just been lost.
func (ss *Sessions) restore(k Key, one *SessionState, b *Begin) bool {
	s, err := ss.find(k, &Request{Name: k.Name, Fresh: true}, b)
	if err != nil {
		return false
	}
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.over || s.stream != nil {
		return false
	}
	st := &stream{
		session: s, id: one.Stream, client: b.Client, kept: s.kept, verdict: one.Verdict,
		numbered: one.Numbered, unknown: !one.Exact, sent: one.Sent, received: one.Received,
	}
	now := time.Now()
	for _, m := range one.Kept {
		st.ring.add(wire.Frame{Body: m}, now)
	}
	// This node may keep less than the other one did.
	st.ring.shrink(ss.o.Bytes, ss.o.Messages)
	st.chargeLocked(0)
	b.Client.Connect(peer{session.NewEncoder(st), st})
	st.hold(b)
	b.Client.Restore(one.Client)
	s.change(func() {
		s.stream, s.id, s.since, s.tabs, s.away = st, one.ID, one.Since, one.Tabs, now
		s.grace = min(one.Grace, ss.o.Longest)
	})
	s.waitLocked()
	ss.enforce(s.kept)
	return true
}

// sortByName sorts by name, and then by id, so that each Look has the same order.
func sortByName(list []*Session) {
	slices.SortFunc(list, func(a, b *Session) int {
		return cmp.Or(cmp.Compare(a.key.Name, b.key.Name), cmp.Compare(a.id, b.id))
	})
}
