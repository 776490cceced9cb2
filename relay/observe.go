package relay

import (
	"cmp"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/session"
)

// Observer is told what Clients do on the targets of one hub, and what happens
// there. The hub calls its methods under its lock: they must neither block nor call
// the hub, and copy what they keep of a byte slice.
type Observer interface {
	// Wants reports whether the Observer wants the commands or events of a method.
	// The hub asks for each message, before it does anything else for the Observer.
	Wants(method string) bool
	// Command reports a command on its way to a Host. If the Observer returns a
	// function, the hub calls it once, with the result or the error of the command.
	Command(Observed) (ended func(result []byte, err *Error))
	// Event reports an event. One that a browser sends to several sessions of a
	// target comes once for each of them.
	Event(Observed)
	// Detached tells that a session has ended.
	Detached(sessionID string)
	// Leased tells that a person has taken a target or has given it back.
	Leased(LeaseChange)
	// Web tells whether a Target shows a page of the web (targets.Info.NotWeb), for each
	// news of it: what others show is hidden from most.
	Web(targetID string, web bool)
	// Ended tells that a Target has ended.
	Ended(EndedTarget)
}

// LeaseChange is the beginning or the end of the right of one person to act on a
// target. With Handoff, a Client has asked the person for it. Held is true for its
// beginning.
type LeaseChange struct {
	TargetID, Name string
	Handoff, Held  bool
}

// Observed is a command or an event on a target.
type Observed struct {
	Payer     quota.Payer // for whom the message counts
	Client    string      // who sent the command, or has the session of the event
	Person    string      // the viewer by whose lease the command acts; "" for other commands and events
	SessionID string
	TargetID  string // the page, even if the session is on a frame or a worker of it
	Inside    bool   // the session is on a frame or a worker of the page
	Method    string
	Params    []byte // a JSON object, or nil
}

// observedMessage describes a message in a session.
func observedMessage(s *clientSession, method string, params []byte) Observed {
	page, inside := pageOf(s)
	return Observed{
		Payer:  s.client.account.payer,
		Client: s.client.observedName(), SessionID: s.ID, TargetID: page, Inside: inside,
		Method: method, Params: params,
	}
}

// pageOf finds the page that the target of a session belongs to: by the sessions
// around it, or for a Client that has attached to a frame or a worker itself, by what
// the Host knows. A lease is for the whole page, too: what its Clients may not see must not
// be reported for its frames either.
func pageOf(s *clientSession) (page string, inside bool) {
	for p := s; p != nil; p = p.parent {
		if p.Kind == session.Page && (p.targetType == "" || p.targetType == "page") {
			return p.TargetID, p != s
		}
	}
	for p := s; p != nil && p.Kind != session.Browser; p = p.parent {
		if on := sideOf(p); on != nil {
			if page = on.pageOf(p.TargetID); page != "" && page != p.TargetID {
				return page, true
			}
		}
	}
	return s.TargetID, false
}

// Name is the name of the hub in its process.
func (h *Hub) Name() string { return h.opts.Name }

// observedName is what people know the Client by. One without a name shows a Target to people
// (ClientOptions.Name).
func (c *Client) observedName() string { return cmp.Or(c.name, "a viewer of the dashboard") }

// sendObservedLocked is sendLocked for a command that the Observer wants. The Observer is
// asked before the command is sent: what it asks for itself reaches the Host first
// (AskNow).
func (h *Hub) sendObservedLocked(r *request, s *clientSession, cmd bridge.Command) *call {
	seen := observedMessage(s, r.Method, r.Params)
	if l := h.leases.quietFor(s); l != nil && l.target != seen.TargetID {
		return h.sendLocked(r, sideOf(s), s, cmd)
	}
	if l := h.leases.find(sideOf(s), seen.TargetID); l != nil && l.owner == r.client {
		seen.Client, seen.Person = l.name, l.name
	}
	ended := h.observer.Command(seen)
	c := h.sendLocked(r, sideOf(s), s, cmd)
	switch {
	case ended == nil:
	case c == nil:
		ended(nil, errNotTaken)
	default:
		c.ended = ended
	}
	return c
}

// observeEventLocked tells the Observer of an event of a session on a target. For an event
// of bridge.Events.Event, callers pass the first session of the Target alone.
func (h *Hub) observeEventLocked(s *clientSession, method string, params []byte) {
	if !inTarget(s) || !h.observer.Wants(method) {
		return
	}
	seen := observedMessage(s, method, params)
	// Of the quiet page itself the Observer keeps what it may; it knows the lease.
	if l := h.leases.quietFor(s); l == nil || l.target == seen.TargetID {
		h.observer.Event(seen)
	}
}

// observeWebLocked tells the Observer what a Target shows.
func (h *Hub) observeWebLocked(s *side, targetID string) {
	if h.observer == nil {
		return
	}
	if t, known := s.targets.Get(targetID); known {
		h.observer.Web(t.ID, !t.NotWeb)
	}
}

// ObserveLease tells the Observer, if there is one, of a lease. The caller holds the
// hub's lock.
func (h Control) ObserveLease(l LeaseChange) {
	if h.observer != nil {
		h.observer.Leased(l)
	}
}

// Ask sends a command of the hub itself in a session of a Client, who sees neither
// the command nor its answer. The hub calls done once, under its lock, with the
// result or the error; done copies what it keeps. Params are a JSON object.
func (h Control) Ask(sessionID, method string, params []byte, done func(result []byte, err *Error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.AskNow(sessionID, method, params, done)
}

// AskNow is Ask for callers that have the hub's lock, such as an Observer. A command that
// the Observer asks in Command goes to the Host right before the observed one. While a page is
// quiet, it fails there, and where the page would be reached.
func (h Control) AskNow(sessionID, method string, params []byte, done func(result []byte, err *Error)) {
	if l := h.leases.quietFor(h.sessions.get(sessionID)); l != nil {
		done(nil, l.pausedFor(nil))
		return
	}
	h.askInLocked(sessionID, method, params, done)
}

// askInLocked is AskNow also while the page is quiet.
func (h *Hub) askInLocked(sessionID, method string, params []byte, done func(result []byte, err *Error)) {
	s := h.sessions.get(sessionID)
	if !inTarget(s) || sideOf(s) == nil {
		done(nil, errNoSession)
		return
	}
	h.counters.Received++
	r := request{Envelope: wire.Envelope{Method: method, Params: params}, client: s.client, session: s, isMethod: true}
	c := h.sendLocked(&r, sideOf(s), s, bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: method, Params: params})
	if c == nil {
		done(nil, errNotTaken)
		return
	}
	c.ended = done
}

// ErrNoSession is what Ask fails with when there is no such session, or no more.
var ErrNoSession = errNoSession

var errNotTaken = wire.ServerError("The Host did not take the command: wait for answers before sending more")
