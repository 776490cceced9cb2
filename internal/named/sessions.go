// Package named keeps Clients whose connection has ended, so that they can come back:
// named sessions. docs/sessions.md describes them for the authors of Clients.
//
//	sessions := named.New(named.Options{})
//	request, err := sessions.Read(query, named.Granted{})     // 400 for an error
//	err = sessions.Check(key, request)                        // before the handshake is answered
//	link, err := sessions.Join(key, request, conn, begin)     // the connection has the session
//	link.Receive(message)
//	link.Left()                                            // the session stays for its grace time
//
// A name is a bearer's own: it means nothing to any other.
package named

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/session"
)

// Options bound named sessions. Zero fields take the default.
type Options struct {
	Log        *zap.Logger   // of sessions that end; nothing is logged when nil
	Grace      time.Duration // of a session whose Client says none, 5 min, or Longest
	Longest    time.Duration // grace time, 30 min
	Sessions   int           // of one bearer at one hub, 16
	Bytes      int           // of messages that one session keeps, 8 MiB
	Messages   int           // that one session keeps, 16,384
	OwnerBytes int64         // of messages that the sessions of one bearer at one hub keep, 32 MiB
	TotalBytes int64         // of messages that all sessions keep, 256 MiB
	// Kept is how long messages are kept that were sent to a living connection, 2 min:
	// longer than it takes to see that a connection is dead.
	Kept time.Duration
	// Remembered is how long the name of a session that has ended is not given to
	// another unasked, 1 h, and RememberedNames of one bearer how many, 256.
	Remembered      time.Duration
	RememberedNames int
}

// withDefaults is o with the defaults of its comments.
func (o Options) withDefaults() Options {
	if o.Log == nil {
		o.Log = zap.NewNop()
	}
	o.Longest = cmp.Or(o.Longest, 30*time.Minute)
	o.Grace = min(cmp.Or(o.Grace, 5*time.Minute), o.Longest)
	o.Sessions = cmp.Or(o.Sessions, 16)
	o.Bytes = cmp.Or(o.Bytes, 8<<20)
	o.Messages = cmp.Or(o.Messages, 16384)
	o.OwnerBytes = cmp.Or(o.OwnerBytes, 32<<20)
	o.TotalBytes = cmp.Or(o.TotalBytes, quota.Table[quota.NamedMemory].Total)
	o.Kept = cmp.Or(o.Kept, 2*time.Minute)
	o.Remembered = cmp.Or(o.Remembered, time.Hour)
	o.RememberedNames = cmp.Or(o.RememberedNames, 256)
	return o
}

// ErrClosed says that the process ends: Close was called.
var ErrClosed = errors.New("the hub is shutting down")

// Why a connection does not get the session that it asks for, beside an *EndedError and
// ErrClosed.
var (
	ErrUnknown error = advice.SessionUnknown
	ErrStream  error = advice.StreamEnded
	ErrNumber  error = advice.StreamAhead
	ErrTooMany error = advice.SessionsFull
)

// Owner is who has names: a bearer at a hub. Bearer is "" where no tokens are needed.
type Owner struct{ Hub, Bearer string }

// Key is what finds a session.
type Key struct {
	Owner
	Name string
}

// Conn is a connection of a Client, as wsconn.Conn is one.
type Conn interface {
	session.FrameWriter
	Close(wsconn.Reason)
}

// Begin is what a connection brings that does not resume. Join takes it over, unless it
// fails.
type Begin struct {
	Client  *relay.Client // admitted, and not yet connected
	Verdict []byte        // says to another process how the bearer was let in; nil for none
	Payer   quota.Payer   // for whom the session counts
	Tabs    string        // relay.OwnTabs.Owner of the Client's policy, "" for none
	Release func()        // is called when the Client has left
	// Hold calls end, which does not wait, when the session must end: its token is no
	// longer good, or its hub ends.
	Hold func(end func(why wsconn.Reason)) (release func())
}

// Sessions are the named sessions of a process.
type Sessions struct {
	o     Options
	total account

	departing atomic.Bool
	enforcing sync.Mutex // held while rings are made smaller

	// mu guards what is below. It comes after the hub's lock and Session.turn, and
	// nothing is locked under it but a stream's own lock.
	mu     sync.Mutex
	live   map[Key]*Session   `held:"named sessions"`
	owners map[Owner]*account `held:"owners of named sessions"`
	gone   endedNames         `stays:"bounded by number and age"`
	closed bool               // nothing begins any more
	ever   Numbers            `stays:"counts what has been"` // without those of now
	// changed are hubs with changes; nil while there is no watcher.
	changed map[string]struct{} `stays:"hubs, until somebody asks for them"`
}

// New makes an empty set.
func New(o Options) *Sessions {
	return &Sessions{o: o.withDefaults(), live: make(map[Key]*Session), owners: make(map[Owner]*account)}
}

// account counts what the sessions of an owner, or all of them, keep.
type account struct {
	whole    *account     // the account of all; nil for itself
	bytes    atomic.Int64 `held:"bytes for named sessions"`
	sessions int          `stays:"the account goes with the last one"` // Sessions.mu guards it, and the next one
	payer    quota.Payer  // of the newest session; zero until it has begun
}

// add counts bytes, here and in the account of all; n may be negative.
func (a *account) add(n int) {
	a.bytes.Add(int64(n))
	if a.whole != nil {
		a.whole.bytes.Add(int64(n))
	}
}

// Check says why a connection would not get its session: an *EndedError, or one of those
// above. Join may still find another answer. It changes nothing: it is for an HTTP status
// before a handshake is answered, when a close code cannot be sent yet.
func (ss *Sessions) Check(k Key, req *Request) error {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	s := ss.live[k]
	if s == nil {
		return ss.refusesLocked(k, req)
	}
	if !req.Resumes() {
		return nil
	}
	st := s.stream
	if st == nil || st.id != req.Stream {
		return ErrStream
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.refusesLocked(req)
}

// refusesLocked says why no session begins with this name.
func (ss *Sessions) refusesLocked(k Key, req *Request) error {
	if ss.closed {
		return ErrClosed
	}
	switch e := ss.gone.find(k, ss.o.Remembered); {
	case e != nil && !req.Fresh:
		return e
	case req.Resumes():
		return ErrUnknown
	}
	if of := ss.owners[k.Owner]; of != nil && of.sessions >= ss.o.Sessions {
		return ErrTooMany
	}
	return nil
}

// Tabs is the Begin.Tabs with which a session has begun; "" for none, and where there
// is no session.
func (ss *Sessions) Tabs(k Key) string {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s := ss.live[k]; s != nil {
		return s.tabs
	}
	return ""
}

// Join gives a connection its session. b is nil for one that resumes. An error is one
// of those of Check. After an error, b is still the caller's. It tries again as long as
// sessions end under its hands.
func (ss *Sessions) Join(k Key, req *Request, conn Conn, b *Begin) (*Link, error) {
	for {
		s, err := ss.find(k, req, b)
		if err != nil {
			return nil, err
		}
		link, err := s.join(req, conn, b)
		if !errors.Is(err, errOver) {
			return link, err
		}
	}
}

// find finds a session, or begins one.
func (ss *Sessions) find(k Key, req *Request, b *Begin) (*Session, error) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if s := ss.live[k]; s != nil {
		return s, nil
	}
	if err := ss.refusesLocked(k, req); err != nil {
		return nil, err
	}
	// The name is in use again.
	ss.gone.forget(k)
	of := ss.owners[k.Owner]
	if of == nil {
		of = &account{whole: &ss.total}
		ss.owners[k.Owner] = of
	}
	of.sessions++
	if b != nil {
		of.payer = b.Payer
	}
	s := &Session{sessions: ss, key: k, id: session.NewID(), since: time.Now(), kept: of, grace: ss.o.Grace}
	ss.live[k] = s
	return s, nil
}

// remove forgets a session that has ended, but for its name. The caller has Session.turn.
func (ss *Sessions) remove(s *Session, why ending) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	delete(ss.live, s.key)
	ss.changedLocked(s.key.Hub)
	if s.kept.sessions--; s.kept.sessions == 0 {
		delete(ss.owners, s.key.Owner)
	}
	if why.text != "" {
		ss.gone.add(s.key, why, &ss.o)
		ss.o.Log.Info("named session ended", zap.String("hub", s.key.Hub), zap.String("session", s.key.Name), zap.String("why", why.text))
	}
	if why == graceOver {
		ss.ever.Expired++
	}
}

// Numbers count named sessions.
type Numbers struct {
	Connected, Away   int
	Bytes             int64  // of messages that they keep
	Returned, Expired uint64 // connections that have come back to one, and grace times that have run out
}

// Numbers are those of now, and of all that there have been.
func (ss *Sessions) Numbers() Numbers {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	n := ss.ever
	n.Bytes = ss.total.bytes.Load()
	for _, s := range ss.live {
		if s.away.IsZero() {
			n.Connected++
		} else {
			n.Away++
		}
	}
	return n
}

// enforce makes rings smaller while those of an owner, or all, are too big: the biggest
// one of the owner, or of the owner with most of the Payer that has most. One goroutine
// does it at a time; the others do not wait for it. It takes the locks of streams: none may be held.
func (ss *Sessions) enforce(of *account) {
	over := func() bool {
		return of.bytes.Load() > ss.o.OwnerBytes || ss.total.bytes.Load() > ss.o.TotalBytes
	}
	if !over() || !ss.enforcing.TryLock() {
		return
	}
	defer ss.enforcing.Unlock()
	for over() {
		ss.mu.Lock()
		from := of
		// The limit of all is exceeded: the Payer with most pays for it, not the one that
		// happens to be at it.
		if of.bytes.Load() <= ss.o.OwnerBytes {
			from = ss.largestLocked()
		}
		var biggest *stream
		most := 0
		for _, s := range ss.live {
			if s.stream != nil && s.kept == from {
				if n := s.stream.held(); n > most {
					biggest, most = s.stream, n
				}
			}
		}
		ss.mu.Unlock()
		if biggest == nil {
			return // it is ending
		}
		biggest.shed()
	}
}

// largestLocked is the owner with most of the Payer that has most; nil while there is none.
func (ss *Sessions) largestLocked() (largest *account) {
	used := make(map[string]int64)
	for _, of := range ss.owners {
		used[of.payer.ID] += of.bytes.Load()
	}
	most := quota.Most(used)
	for _, of := range ss.owners {
		if of.payer.ID == most && (largest == nil || of.bytes.Load() > largest.bytes.Load()) {
			largest = of
		}
	}
	return largest
}

// Usage calls add with what each owner's sessions keep, for the Payer for whom it counts.
func (ss *Sessions) Usage(add func(payer quota.Payer, bytes int64)) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	for _, of := range ss.owners {
		add(of.payer, of.bytes.Load())
	}
}

// Info is a session as lists have it.
//
//	{"id":"…","name":"ci","client":"playwright #3","since":"2026-01-02T03:04:05Z","graceMs":300000,"kept":0}
type Info struct {
	Owner     `json:"-"`
	ID        string     `json:"id"` // unguessable; of this session alone, whatever comes by its name
	Name      string     `json:"name"`
	Client    string     `json:"client"` // relay.Client.Name
	Since     time.Time  `json:"since"`
	AwaySince *time.Time `json:"awaySince,omitempty"` // missing while it has a connection
	GraceMs   int64      `json:"graceMs"`
	Kept      int        `json:"kept"` // bytes of messages
}

// List lists the sessions that match, by name and then by age.
func (ss *Sessions) List(match func(Owner) bool) []Info {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	list := []Info{}
	for k, s := range ss.live {
		if s.stream == nil || !match(k.Owner) {
			continue
		}
		i := Info{Owner: k.Owner, ID: s.id, Name: k.Name, Client: s.stream.client.Name(), Since: s.since, GraceMs: s.grace.Milliseconds(), Kept: s.stream.held()}
		if !s.away.IsZero() {
			away := s.away
			i.AwaySince = &away
		}
		list = append(list, i)
	}
	slices.SortFunc(list, func(a, b Info) int { return cmp.Or(cmp.Compare(a.Name, b.Name), a.Since.Compare(b.Since)) })
	return list
}

// End ends a session by its name. It reports false where there is none.
func (ss *Sessions) End(k Key) bool {
	ss.mu.Lock()
	s := ss.live[k]
	ss.mu.Unlock()
	return s != nil && s.end(nil, deleted)
}

// EndID ends a session by its id, for operators.
func (ss *Sessions) EndID(id string) bool {
	for _, i := range ss.List(func(Owner) bool { return true }) {
		if i.ID == id {
			return ss.End(Key{i.Owner, i.Name})
		}
	}
	return false
}
