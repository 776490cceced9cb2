package relay

import (
	"strings"
	"sync/atomic"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// Client is one CDP client of a hub. Receive is called by one goroutine at a time, the reader
// of its connection. Leave may be called from any.
type Client struct {
	hub       *Hub
	policy    Policy
	name      string // for people; "" is none
	owner     *owner // of its tabs; nil for a Client that sees all
	bearer    string // ClientOptions.Account
	account   account
	privateOf string // ClientOptions.PrivateOf
	address   string // ClientOptions.Address
	tabsOf    string // OwnTabs.Owner
	// handoffURL is ClientOptions.HandoffURL.
	handoffURL func(hub, ticket string) string
	redacts    bool         // Policy.Redacts
	pace       *bridge.Pace // of all Clients of its payer
	// noFiles is set when the policy allows no files.
	noFiles bool

	// guarded by hub.mu
	peer          session.Peer
	left          bool
	drained       bool
	sessions      map[*clientSession]struct{}
	calls         int   // commands without an answer
	newest        *call // of those outside its sessions
	subscriptions int   // to every Target
	flow          flow
	page          *clientSession // the session of messages without a sessionId; nil for most Clients
	gone          func()         // called when page ends; nil for most Clients
	opened        []string       // the newest of the pages that it has opened
	settling      *settling      // nil unless an interception begins somewhere

	unsettled atomic.Pointer[settling] // settling, for its own goroutine
}

// event sends an event of the hub itself; nil is the connection. What a Host sends was redacted
// before the lock was taken (redact.go). The hub's one Event is used again for each:
// Reset("", nil) drops params, which belong to the caller.
func (c *Client) event(s *clientSession, method string, params []byte) {
	if c.redacts {
		params = scope.Redact(params)
	}
	e := &c.hub.event
	e.Reset(method, params)
	c.peer.Event(s.shown(), e)
	e.Reset("", nil)
}

// answer sends the answer to one message: result, or what went wrong. A
// result of nil is {}.
func (c *Client) answer(s *clientSession, id, result []byte, err *wire.Error) {
	if result == nil {
		result = wire.Empty
	}
	if c.redacts {
		result, err = redactAnswer(result, err)
	}
	taken := c.peer.Answer(s.shown(), id, result, err)
	c.hub.counters.answered(&c.hub.counters.AnsweredByHub, taken)
	if c.name == "" {
		c.hub.viewed.answered(&c.hub.viewed.AnsweredByHub, taken)
	}
}

// fail answers a command that a Host could not carry out. A command that the hub
// itself sent has no id, and no answer.
func (c *Client) fail(s *clientSession, id []byte, why *wire.Error) {
	if len(id) == 0 {
		c.hub.counters.AnsweredByHub++
		return
	}
	c.answer(s, id, nil, why)
}

// request is one message on its way through the hub.
type request struct {
	wire.Envelope
	isMethod bool // Method is well-formed, so that it may go to a Host
	client   *Client
	session  *clientSession // nil at browser level
	members  wire.Object    // of the params; nil where the policy does not read them
	args     params         // what the hub reads of them
	opens    string         // what a Target.createTarget loads once its page is intercepted; "" for most
}

// Receive takes one message of the Client. The message gets exactly one answer, from
// the hub now or from the Host later. Receive keeps no part of frame. It returns at
// once, or after at most about a second while the Host cannot keep up. An error of wire.Parse
// is answered without a sessionId, and with the id where it could be read.
func (c *Client) Receive(frame []byte) {
	env, err := wire.Parse(frame)
	c.take(env, err)
}

// take takes one message that has been read. The scope is asked before the lock is taken,
// and the Client waits for its Host after it was released.
func (c *Client) take(env wire.Envelope, err *wire.Error) {
	r := request{Envelope: env, isMethod: wire.IsMethod(env.Method), client: c}
	refused := c.refuse(env.Method)
	// A message that is refused anyway is not read further.
	if refused == nil && err == nil {
		refused = r.read()
	}
	c.settle()
	host, turn, pace := c.serve(&r, err, refused)
	// These waits, too, are without the lock, in the Client's own goroutine.
	if f, ok := host.(bridge.FlowControl); ok {
		f.WaitForRoom(pace, len(r.Params))
	}
	c.await(turn)
}

// read has the policy judge the params, and replaces them with what the Host may get.
// It runs without the lock, since params may be as long as a message.
func (r *request) read() (err *wire.Error) {
	if r.ArrayParams && scope.TakesParams(r.Method) {
		return wire.InvalidParams("Failed to deserialize params - CBOR: map start expected at position 7")
	}
	if r.members, r.Params, err = r.client.policy.Read(r.Method, r.Params); err != nil {
		return err
	}
	// In every scope, and of what goes to the Host: too large a number of one Client would end
	// the browser of all.
	if err = scope.Exceeds(r.Method, r.Params); err != nil {
		return err
	}
	if err = r.args.read(r.members); err != nil {
		if _, own := r.client.hub.methods[r.Method]; own { // others have members of these names, too
			return err
		}
	}
	if r.Method == "DOM.setFileInputFiles" {
		return r.client.upload(&r.Envelope)
	}
	return nil
}

// serve answers a message or forwards it. It returns the Host to which the message
// went, or which was told of a session, a channel to wait for before the next message, and
// the Client's Pace if the message counts for it. The lock is released by a
// defer: after a panic, the other Clients must go on. A message that could not be read
// counts as received and as answered by the hub.
func (c *Client) serve(r *request, err, refused *wire.Error) (host bridge.Host, turn <-chan struct{}, pace *bridge.Pace) {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.left {
		return nil, nil, nil
	}
	h.counters.Received++
	if c.name == "" {
		h.viewed.Received++
	}
	if err != nil {
		if why := h.refuseOddLocked(r); why != nil { // JSON comes first
			err = why
		}
		c.answer(nil, r.ID, nil, err)
		return nil, nil, nil
	}
	h.notified = nil
	if host = h.serveLocked(r, refused); host == nil {
		host = h.notified
	}
	if len(h.clients) > 1 && (h.notified != nil || len(r.Params) > smallParams) {
		pace = c.pace
	}
	return host, c.throttleLocked(), pace
}

// errNoSession is the answer of Chromium 156 to an unknown sessionId. It has no sessionId
// itself.
var errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}

// serveLocked answers a message or forwards it, and returns the Host to which it
// went. A message that was refused before is only answered. The order of the steps matters.
// A session of another Client is as unknown as none, so that ids cannot be probed. A lease
// comes before everything that could act on its page; who does not see the page does not hear of the lease. The hub's own methods (CdpHub.…) come
// before the Host of a browser, which knows none of them. What a Client may not see is
// refused before the hub looks for an answer.
func (h *Hub) serveLocked(r *request, refused *wire.Error) bridge.Host {
	c := r.client
	r.session = h.sessionLocked(c, &r.Envelope)
	why := h.refuseOddLocked(r)
	// The second is for a Client whose Target has ended.
	if why == nil && r.session == nil && (r.InSession || c.gone != nil) {
		why = errNoSession
	}
	if why != nil {
		c.answer(nil, r.ID, nil, why)
		return nil
	}
	if h.draining && refused == nil {
		refused = errDraining
	}
	if refused != nil {
		c.answer(r.session, r.ID, nil, refused)
		return nil
	}
	if r.isMethod && (len(h.interceptions) > 0 || strings.HasPrefix(r.Method, "Fetch.")) && h.interceptLocked(r) {
		return nil
	}
	if len(h.leases.list) > 0 && r.isMethod && !h.hidesLocked(r) && h.leases.withhold(r) {
		return nil
	}
	h.noteActiveLocked(r)
	if s := h.browserOfLocked(r); s != nil && r.isMethod && !ownMethod(r.Method) && s.serveLocked(r) {
		return s.host
	}
	if h.hidesLocked(r) {
		c.answer(r.session, r.ID, nil, errNoTarget)
		return nil
	}
	var m method
	if len(r.Method) <= wire.MaxMethod { // hashing a longer name would take too long under the lock
		m = h.methods[r.Method]
	}
	if h.parkLocked(r, m) {
		return nil
	}
	if s := h.handlerLocked(r); s != nil {
		m.noteLocked(h, r)
		s.forwardBrowserLocked(r)
		return s.host
	}
	if do := m.of(r); do != nil {
		own := *r // only what the hub answers itself may escape to the heap
		result, err := do(h, &own)
		if err != errPassOn {
			c.answer(r.session, r.ID, result, err)
			return nil
		}
	}
	if !inTarget(r.session) || !r.isMethod {
		c.answer(r.session, r.ID, nil, methodNotFound(r.Method, r.session == nil || r.session.Kind == session.Browser))
		return nil
	}
	m.noteLocked(h, r)
	h.forwardLocked(r, r.session)
	return sideOf(r.session).host
}

// refuseOddLocked returns the answer to a message that is not for the Host that it would
// reach: Chromium reads more than JSON has, and its numbers are those of IEEE 754. A page's
// JSON.parse reads what RFC 8259 has, and 1e400 as Infinity.
func (h *Hub) refuseOddLocked(r *request) *wire.Error {
	if r.Lax == nil && !r.Huge {
		return nil
	}
	switch isBrowser := h.browserOfLocked(r) != nil; {
	case r.Lax != nil && !isBrowser:
		r.ID = nil // as for all that is not JSON
		return r.Lax
	case r.Huge && isBrowser:
		return wire.ErrHugeNumber
	}
	return nil
}

// inTarget reports whether a session is one on a Target or on a worker of it, whose
// commands are the Host's.
func inTarget(s *clientSession) bool {
	return s != nil && (s.Kind == session.Page || s.Kind == session.Worker)
}

// handlerLocked returns the side whose Host handles the method at browser level
// (bridge.Lifecycle); nil when there is none. In a session, only the Host of that
// session is asked, and for a target that params name, only its Host. Of several emulated
// Hosts, the first that says that it handles the method gets it.
func (h *Hub) handlerLocked(r *request) *side {
	if !r.isMethod {
		return nil
	}
	if s := sideOf(r.session); s != nil && s.browser == nil {
		if s.handles(r.Method) {
			return s
		}
		return nil
	}
	var named *side
	if r.args.hasTargetID {
		t, _ := h.find(r.args.targetID)
		named = t.side
	}
	for _, s := range h.sides.emulated() {
		if s.handles(r.Method) && (named == nil || s == named) {
			return s
		}
	}
	return nil
}

// handles reports whether the Host carries out a method at browser level.
func (s *side) handles(method string) bool { return s.lifecycle != nil && s.lifecycle.Handles(method) }

// sessionLocked returns the session of a message; nil at browser level, or when the Client has
// no such session.
func (h *Hub) sessionLocked(c *Client, env *wire.Envelope) *clientSession {
	if !env.InSession {
		return c.page
	}
	if s := h.sessions.get(env.SessionID); s != nil && s.client == c {
		return s
	}
	return nil
}

// methodNotFound is the answer to an unknown method. The words are those of Chromium 156,
// with code -32601. Its name is cut, since the Client chose it.
func methodNotFound(method string, browserLevel bool) *wire.Error {
	if len(method) > wire.MaxMethod {
		method = method[:wire.MaxMethod]
	}
	e := &wire.Error{Code: wire.CodeMethodNotFound, Message: "'" + method + "' wasn't found"}
	if browserLevel {
		e = e.Advise(ofPage)
	}
	return e
}

// Leave ends the Client: its sessions end and nothing is delivered to it any
// more, late answers included. Answers and events that come later are counted as lost with
// their Client. A second call does nothing.
func (c *Client) Leave() {
	h := c.hub
	h.mu.Lock()
	defer h.mu.Unlock()
	if c.left {
		return
	}
	// First of all, so that nothing is delivered while the rest ends.
	c.left, c.peer = true, discard{}
	delete(h.clients, c)
	if c.owner != nil {
		c.owner.clients--
	}
	h.awaited.parked.forget(c)
	h.leases.forget(c)
	h.policies.count(c.policy, -1)
	for _, it := range h.interceptionsOf(c) {
		h.endInterceptionLocked(it)
	}
	delete(h.downloads.takers, origin{c, nil})
	h.subscribers.forget(origin{c, nil}) // before the ends of sessions are sent
	for s := range c.sessions {
		h.subscribers.forget(origin{c, s})
	}
	for s := range c.sessions {
		h.endSessionLocked(s, errDetached)
	}
	for _, s := range h.sides.list {
		s.leaveLocked(c)
	}
	top := origin{c, nil} // at browser level, where a Host handles commands
	for call := newestCall(top); call != nil; call = newestCall(top) {
		h.calls.remove(call)
		h.counters.ClientGone++
	}
	c.account.closeLocked()
	if c.account.clients.UsedLocked() == 0 {
		delete(h.paces, c.account.payer.ID)
	}
	h.drainedLocked()
}

// endPageLocked tells a Client of one Target that the Target has ended. Chromium sends the
// same event, with this reason, before it closes /devtools/page/ID (CDP,
// Inspector.detached).
func (c *Client) endPageLocked() {
	c.page = nil
	c.event(nil, "Inspector.detached", []byte(`{"reason":"target_closed"}`))
	if !c.left {
		c.gone()
	}
}

// discard is the Peer of a Client without a connection, or that has left.
type discard struct{}

// Answer implements session.Peer: nothing was taken.
func (discard) Answer(*session.Session, []byte, []byte, *Error) bool { return false }

// Event implements session.Peer: nothing was taken.
func (discard) Event(*session.Session, *session.Event) bool { return false }
