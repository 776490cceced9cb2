package bap

import (
	"cmp"
	"context"
	"encoding/json"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/relay/quota"
)

// sessionKey is what a connection must match to resume a session: the hub, the scope, the
// token and the id. So a token cannot resume the session of another one.
type sessionKey struct{ hub, scope, caller, id string }

// session is what a client has beyond one request, and if it has a name, beyond one
// connection.
type session struct {
	srv     *Server // static after newSession, as is what follows
	key     sessionKey
	caller  actions.Caller
	opening chan struct{} // holds an item while the browser is being opened or closed
	// giveBack ends the use of quota.BAPSessions; nil for one that ends with its connection.
	giveBack func()

	mu           sync.Mutex `stays:"the server counts the session"` // guards everything below
	ended        bool
	owner        *connection // nil while the session is dormant
	expires      *time.Timer // of a dormant session
	stop         func() bool // lets go of the context that ends a dormant session
	browser      *actions.Browser
	launches     int
	launched     bool
	assumed      bool // it has begun without initialize
	confirmed    bool // an assumed one: initialize has come since
	closed       bool // by browser/close
	contexts     map[string]*browserContext
	created      map[string]bool // pages, by ID
	subscribed   bool
	kinds        actions.EventKind                      // subscribed to
	documents    bool                                   // events have the names of the documents
	subscription *actions.Subscription                  // nil without a subscription to the browser's events
	heard        map[string]bool                        // pages whose console is listened to, by ID
	limits       map[string]*rate.Limiter               // of events, by page ID
	intercepts   map[string]func(context.Context) error // how to end them, by page ID
	held         map[string]chan actions.RouteDecision  // requests, by the id that the client knows
}

// newSession makes the session of a connection.
func newSession(c *connection, key sessionKey) *session {
	return &session{
		srv: c.srv, key: key, caller: c.caller, opening: make(chan struct{}, 1), owner: c,
		contexts: make(map[string]*browserContext), created: make(map[string]bool), heard: make(map[string]bool),
		limits:     make(map[string]*rate.Limiter),
		intercepts: make(map[string]func(context.Context) error), held: make(map[string]chan actions.RouteDecision),
	}
}

// enter finds or makes the session of a connection. An id of "" is a session that
// ends with the connection.
func (srv *Server) enter(c *connection, id string) (*session, *failure) {
	key := sessionKey{c.caller.Hub, c.caller.Scope, c.caller.ID, id}
	if id == "" {
		return newSession(c, key), nil
	}
	srv.mu.Lock()
	defer srv.mu.Unlock()
	if s := srv.sessions[key]; s != nil && s.adopt(c) {
		return s, nil
	}
	giveBack, err := cmp.Or(c.caller.Quotas, srv.quotas).Take(quota.BAPSessions, c.caller.Payer, 1)
	if err != nil {
		return nil, limitFailure("Too many sessions that can be resumed: leave out sessionId, or try again. "+err.Error(), retryLimited)
	}
	s := newSession(c, key)
	s.giveBack = giveBack
	srv.sessions[key] = s
	return s, nil
}

// adopt gives the session to a newer connection, and closes the older one with 4001.
// It returns false if the session has ended.
func (s *session) adopt(c *connection) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return false
	}
	if s.expires != nil {
		s.expires.Stop()
		s.stop()
		s.expires = nil
	}
	if older := s.owner; older != nil {
		older.conn.Close(reasonReplaced)
	}
	s.owner = c
	return true
}

// release takes the session away from a connection that has ended. A session with a
// name stays without a connection until Options.Dormant is over, or ctx ends.
func (s *session) release(ctx context.Context, c *connection) {
	s.mu.Lock()
	if s.owner != c || s.ended { // another has it
		s.mu.Unlock()
		return
	}
	s.owner = nil
	if s.key.id == "" || ctx.Err() != nil {
		s.mu.Unlock()
		s.end()
		return
	}
	defer s.mu.Unlock()
	s.expires = time.AfterFunc(s.srv.options.Dormant, s.expire)
	s.stop = context.AfterFunc(ctx, s.expire)
}

// expire ends the session, unless a connection has taken it meanwhile.
func (s *session) expire() {
	s.mu.Lock()
	dormant := s.owner == nil
	s.mu.Unlock()
	if dormant {
		s.end()
	}
}

// end ends the session and its Browser. The pages stay. It may be called more than
// once.
func (s *session) end() {
	s.srv.mu.Lock()
	if s.srv.sessions[s.key] == s {
		delete(s.srv.sessions, s.key)
	}
	s.srv.mu.Unlock()
	if s.giveBack != nil {
		s.giveBack()
	}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.ended = true
	b := s.browser
	if s.expires != nil {
		s.expires.Stop()
		s.stop()
	}
	s.mu.Unlock()
	if b != nil {
		b.Close()
	}
}

// view is the session's view of its hub, nil while it has none.
func (s *session) view() *actions.Browser {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.browser
}

// lacksPage reports whether a client that has begun without initialize has no page yet, so that
// page/navigate will open one.
func (s *session) lacksPage() bool {
	s.mu.Lock()
	b, assumed := s.browser, s.assumed
	s.mu.Unlock()
	return assumed && (b == nil || len(b.Pages()) == 0)
}

// confirm takes an initialize that comes after other requests: once, of a client that has begun
// without.
func (s *session) confirm() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	first := s.assumed && !s.confirmed
	s.confirmed = true
	return first
}

// pageOf is the page that params name; "" is the active one. A wrong type is left for
// the method to refuse.
func pageOf(params json.RawMessage) string {
	var p struct{ PageID string }
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	return p.PageID
}

// open is the session's Browser, which the first call opens. Later calls at the same
// time wait for it.
func (s *session) open(ctx context.Context) (*actions.Browser, error) {
	select {
	case s.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, newFailure(codeTimeout, "Timed out while the browser was being opened")
	}
	defer func() { <-s.opening }()
	s.mu.Lock()
	b, closed := s.browser, s.closed
	s.mu.Unlock()
	switch {
	case b != nil:
		return b, nil
	case closed:
		return nil, notLaunched()
	}
	b, err := s.caller.Open(ctx)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	// The session may have ended while the browser was opened, which can take a
	// minute.
	ended := s.ended
	if !ended {
		s.browser = b
	}
	s.mu.Unlock()
	if ended {
		b.Close()
		return nil, notInitialized()
	}
	s.hear(ctx, b)
	return b, nil
}

func notLaunched() *failure {
	f := newFailure(codeNotLaunched, "Browser not launched")
	f.Data.RecoveryHint = hintLaunch
	return f
}

// page returns a page by its id or alias, and the Browser that has it; "" is the active
// page. From now on the client gets the errors of its console.
func (s *session) page(ctx context.Context, id string) (*actions.Browser, *actions.Page, error) {
	b, err := s.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	p, err := b.Page(id)
	if err != nil {
		return nil, nil, err
	}
	s.use(p, actions.FromNow)
	return b, p, nil
}

// detach closes the Browser, and forgets what belongs to it. It waits for an open
// that runs.
func (s *session) detach() {
	s.opening <- struct{}{}
	defer func() { <-s.opening }()
	s.mu.Lock()
	b := s.browser
	s.browser, s.launched, s.closed, s.subscription = nil, false, true, nil
	clear(s.contexts)
	clear(s.created)
	clear(s.heard)
	clear(s.limits)
	clear(s.intercepts)
	s.mu.Unlock()
	if b != nil {
		b.Close()
	}
}
