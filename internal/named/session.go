package named

import (
	"errors"
	"sync"
	"time"

	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/session"
)

// Session is one named session, whose connections come one after the other. Two connections
// with the same name come one after the other: join and left wait for each other by turn.
type Session struct {
	sessions *Sessions // static, as is what follows
	key      Key
	kept     *account

	// turn is held while a connection comes or goes, and while the session ends. It is
	// taken before every other lock.
	turn  sync.Mutex
	over  bool        // turn guards it
	timer *time.Timer // of the grace time; turn guards it

	// Both turn and Sessions.mu guard what is below: either is enough to read it.
	looked mark // at the last Sessions.Changed; Sessions.mu guards it
	id     string
	since  time.Time
	stream *stream // nil until the first connection has joined
	tabs   string
	grace  time.Duration
	away   time.Time // since when there is no connection; zero while there is one
}

// errOver says that the session has just ended: there may be another.
var errOver = errors.New("the session has ended")

// change changes what turn and Sessions.mu guard. The caller has turn.
func (s *Session) change(do func()) {
	s.sessions.mu.Lock()
	defer s.sessions.mu.Unlock()
	do()
}

// join gives the session another connection. Of two connections the newer one stays.
// errOver has the caller look for the session again: it has ended in between, or was
// replaced by a fresh one.
func (s *Session) join(req *Request, conn Conn, b *Begin) (*Link, error) {
	s.turn.Lock()
	defer s.turn.Unlock()
	switch {
	case s.over:
		return nil, errOver
	case req.Resumes():
		if s.stream == nil || s.stream.id != req.Stream {
			return nil, ErrStream
		}
		if err := s.stream.resume(conn, req); err != nil {
			return nil, err
		}
	// replaced has no text, so that the name is not remembered: another session begins with
	// it at once.
	case req.Fresh && s.stream != nil:
		s.endLocked(replaced)
		return nil, errOver
	default:
		s.beginLocked(req, conn, b)
	}
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	s.change(func() {
		if !s.away.IsZero() {
			s.sessions.ever.Returned++
		}
		s.away = time.Time{}
		if req.Grace > 0 {
			s.grace = req.Grace
		}
	})
	return &Link{s.stream, conn}, nil
}

// beginLocked begins a stream, which has what the one before it had. The new Client
// inherits before the old one leaves, so that contexts in a browser are not closed in
// between (relay.Client.Succeed).
func (s *Session) beginLocked(req *Request, conn Conn, b *Begin) {
	old := s.stream
	st := &stream{session: s, id: session.NewID(), client: b.Client, kept: s.kept, verdict: b.Verdict}
	// Before Connect: the event with the stream's id is its first message.
	st.start(conn, req.Numbered)
	b.Client.Connect(peer{session.NewEncoder(st), st})
	st.hold(b)
	if old != nil {
		b.Client.Succeed(old.client)
	}
	s.change(func() {
		s.stream = st
		if s.tabs == "" {
			s.tabs = b.Tabs
		}
	})
	if old != nil {
		old.end(wsconn.ReasonSessionTaken)
	}
}

// left is for a connection that has ended. A connection that was replaced is no longer the
// stream's, and leaves nothing behind.
func (s *Session) left(st *stream, conn Conn) {
	s.turn.Lock()
	defer s.turn.Unlock()
	if !st.leave(conn) {
		return
	}
	s.change(func() { s.away = time.Now() })
	s.waitLocked()
}

// waitLocked begins the grace time. A timer that has fired just as a connection came back
// finds another timer, or none.
func (s *Session) waitLocked() {
	var t *time.Timer
	t = time.AfterFunc(s.grace, func() {
		s.turn.Lock()
		defer s.turn.Unlock()
		if s.timer == t {
			s.endLocked(graceOver)
		}
	})
	s.timer = t
}

// end ends the session, or reports false where it has ended. With a stream it ends it
// only while it has that.
func (s *Session) end(of *stream, why ending) bool {
	s.turn.Lock()
	defer s.turn.Unlock()
	if s.over || of != nil && s.stream != of {
		return false
	}
	s.endLocked(why)
	return true
}

// endLocked ends the session: first its name is free, then its Client leaves.
func (s *Session) endLocked(why ending) {
	s.over = true
	if s.timer != nil {
		s.timer.Stop()
		s.timer = nil
	}
	s.sessions.remove(s, why)
	if s.stream != nil {
		s.stream.end(why.reason)
	}
}

// Link is a connection that has a session.
type Link struct {
	stream *stream
	conn   Conn
}

// Receive takes a message of the Client, as relay.Client.Receive does, and keeps no part of
// it. It waits first while the Host page is on its way from another node.
func (l *Link) Receive(m []byte) {
	l.stream.client.AwaitReturn()
	l.stream.receive(l.conn, m)
}

// Left says that the connection has ended. It must be called once.
func (l *Link) Left() { l.stream.session.left(l.stream, l.conn) }
