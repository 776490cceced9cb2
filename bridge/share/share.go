// Package share makes many CDP sessions of one. A source such as chrome.debugger of an extension, the
// webContents.debugger of Electron or the socket of a page has a single session for each tab; with a Tab between,
// each Client has a session of its own, in which it sees its own domains, settings, scripts, handles and child sessions.
//
// A Tab has no goroutine, no clock and no socket. Its methods do not block and may be called from any goroutine, with one
// rule: Answer, Event, Lost and Again are called one after another, in the order of the browser. Only they call
// Sessions, and without the Tab's lock. Attach, Send and Detach only send commands: what a session is to learn from
// them, an answer that the sharing gives itself included, takes its turn behind a harmless command of the browser.
//
//	tab := share.New(socket, events)          // a Real, and the bridge.Events of the hub
//	tab.Attach("S1")
//	tab.Send(bridge.Command{Call: 1, SessionID: "S1", Method: "Page.enable"})
//	tab.Answer(1, []byte(`{}`), nil)          // from the reader of the socket
package share

import (
	"bytes"
	"slices"
	"strconv"
	"sync"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/held"
	"github.com/cdphub/cdphub/internal/wire"
)

// Real is the one session.
type Real interface {
	// Send sends a command, which Tab.Answer answers by its number. sessionID is "", or that of a session inside, which
	// the browser has minted. Send must not block, must not call the Tab, and keeps nothing.
	Send(call int64, sessionID, method string, params []byte)
}

// Sessions is who takes what the sessions are told. bridge.Events has these methods.
type Sessions interface {
	Result(call bridge.CallID, sessionID string, result, cdpErr []byte)
	SessionEvent(sessionID, method string, params []byte)
	Opened(bridge.Nested) bool
	Closed(sessionID string)
}

// Tab is one real session and those of the Clients.
//
// Lock order: the hub's lock, which the caller of Attach, Send and Detach may have, then Tab.mu.
type Tab struct {
	real     Real     // static
	sessions Sessions // static

	mu         sync.Mutex                // guards everything below
	calls      map[int64]*call           `held:"calls"`
	lastCall   int64                     `stays:"numbers the commands of the browser"`
	lastPeer   int                       `stays:"numbers the Clients, whose handles begin with it"`
	lastInside int                       `stays:"numbers the sessions inside"`
	root       *realSession              `held:"*"`
	inside     map[string]*realSession   `stays:"the browser's own child sessions, which it ends"`
	views      map[string]*clientSession `held:"sessions"`
	away       bool                      // between Lost and Again
	fresh      bool                      // there has been no session yet
	waiting    []pendingSend             `held:"commands that wait for the session"`
	waits      int                       `held:"bytes of the commands that wait"`
	exclusive  map[string]*clientSession `held:"recordings"` // by start method, whose it is
	told       []notice                  `held:"notices"`
	cached     int                       `held:"bytes of cached events"`
}

// call is a command at the browser.
type call struct {
	r      *realSession
	view   *clientSession // nil for a command of the sharing itself
	id     bridge.CallID
	method string
	// done gets the answer. If it is nil, the view gets it, with ids as the Client knows them.
	done func(result, cdpErr []byte)
}

type pendingSend struct {
	call   int64
	r      *realSession
	method string
	params []byte
}

// notice is something to tell the sessions, once the lock is free.
type notice struct {
	view           *clientSession
	call           bridge.CallID // an answer; 0 is none
	result, cdpErr []byte
	method         string // an event
	params         []byte
	opened         *bridge.Nested
	closed         bool
	about          *clientSession // the event is about this session inside; nil for most
}

// New makes a Tab of a session that is attached.
func New(source Real, sessions Sessions) *Tab {
	t := &Tab{real: source, sessions: sessions, calls: make(map[int64]*call), inside: make(map[string]*realSession), views: make(map[string]*clientSession), exclusive: make(map[string]*clientSession)}
	t.root = newReal("", nil, &t.cached)
	return t
}

// NewAway makes a Tab of a session that is yet to be attached. Again says that it is; until then commands wait.
func NewAway(source Real, sessions Sessions) *Tab {
	t := New(source, sessions)
	t.away, t.fresh = true, true
	return t
}

// Held counts what the Tab holds. It is zero once all Clients have gone and the browser has answered.
func (t *Tab) Held() map[string]int { return held.Of(t) }

// Attach begins a session of a Client.
func (t *Tab) Attach(sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastPeer++
	c := &client{number: t.lastPeer, prefix: strconv.Itoa(t.lastPeer) + ":"}
	t.addViewLocked(sessionID, t.root, nil, c)
}

// Detach ends a session with those inside it. The browser keeps nothing that was only its own.
func (t *Tab) Detach(sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if v := t.views[sessionID]; v != nil {
		t.endViewLocked(v)
	}
}

// errNoSession is Chromium's.
var errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}

// Send sends a command of a Client. An error is its answer, a *bridge.Error; otherwise Sessions.Result brings the
// answer, unless the session ends first.
func (t *Tab) Send(c bridge.Command) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := t.views[c.SessionID]
	switch {
	case v == nil:
		return errNoSession
	case v.client.calls >= maxCalls:
		return errBusy
	case t.away && t.waits+len(c.Params) > maxWaiting:
		return errAway
	}
	cmd := command{id: c.Call, method: string([]byte(c.Method)), params: c.Params}
	if cmd.params == nil {
		cmd.params = wire.Empty
	}
	// A nil *Error in an error is not nil.
	if err := t.handleLocked(v, &cmd); err != nil {
		return err
	}
	return nil
}

// command is one command of a Client. Its params are only good while it is handled.
type command struct {
	id     bridge.CallID
	method string
	params []byte
}

// sendLocked sends a command to the browser, or keeps it while the session is away.
func (t *Tab) sendLocked(c *call, params []byte) {
	t.lastCall++
	n := t.lastCall
	t.calls[n] = c
	if c.view != nil {
		c.view.client.calls++
	}
	if pushesNodes(c.method) {
		c.r.pushing = append(c.r.pushing, n)
	}
	if t.away {
		t.waiting = append(t.waiting, pendingSend{n, c.r, c.method, bytes.Clone(params)})
		t.waits += len(params)
		return
	}
	t.real.Send(n, c.r.id, c.method, params)
}

// ownLocked sends a command of the sharing itself, whose answer matters to nobody.
func (t *Tab) ownLocked(r *realSession, method string, params []byte) {
	t.sendLocked(&call{r: r, method: method, done: func(_, _ []byte) {}}, params)
}

// fenceLocked runs done in its turn, behind a harmless command that the renderer answers.
func (t *Tab) fenceLocked(v *clientSession, c *command, done func()) {
	t.fenceByLocked(v, c, "Runtime.getIsolateId", wire.Empty, done)
}

// browserFenceLocked is fenceLocked for what the browser process answers: a page that a dialog blocks does not hold it up.
func (t *Tab) browserFenceLocked(v *clientSession, c *command, done func()) {
	t.fenceByLocked(v, c, "Target.setAutoAttach", v.r.autoParams(), done)
}

// fenceByLocked answers a command with {} once another one has been answered, however.
func (t *Tab) fenceByLocked(v *clientSession, c *command, method string, params []byte, done func()) {
	id := c.id
	t.sendLocked(&call{r: v.r, view: v, id: id, method: method, done: func(_, _ []byte) {
		if done != nil {
			done()
		}
		t.answerLocked(v, id, wire.Empty, nil)
	}}, params)
}

// answerLocked answers a command of a Client.
func (t *Tab) answerLocked(v *clientSession, id bridge.CallID, result, cdpErr []byte) {
	if !v.over {
		t.told = append(t.told, notice{view: v, call: id, result: result, cdpErr: cdpErr})
	}
}

// eventLocked tells a session of an event, whose params are as this session knows them.
func (t *Tab) eventLocked(v *clientSession, method string, params []byte) {
	if !v.over {
		t.told = append(t.told, notice{view: v, method: method, params: params})
	}
}

// Answer brings the browser's answer to a command: a result, or a CDP error where that is not nil.
func (t *Tab) Answer(n int64, result, cdpErr []byte) {
	t.mu.Lock()
	if c := t.takeCallLocked(n); c != nil {
		t.answeredLocked(c, result, cdpErr)
	}
	t.mu.Unlock()
	t.tell()
}

// takeCallLocked takes a command that is over; nil for an unknown one.
func (t *Tab) takeCallLocked(n int64) *call {
	c := t.calls[n]
	if c == nil {
		return nil
	}
	delete(t.calls, n)
	if c.view != nil {
		c.view.client.calls--
	}
	if i := slices.Index(c.r.pushing, n); i >= 0 {
		c.r.pushing = slices.Delete(c.r.pushing, i, i+1)
	}
	return c
}

// answeredLocked passes an answer on.
func (t *Tab) answeredLocked(c *call, result, cdpErr []byte) {
	switch {
	case c.done != nil:
		c.done(result, cdpErr)
	case cdpErr != nil:
		t.answerLocked(c.view, c.id, nil, cdpErr)
	default:
		t.resultLocked(c.view, c.id, c.method, result)
	}
}

// tell brings the sessions what they are to be told. Only one caller at a time is in it, see Tab.
func (t *Tab) tell() {
	for {
		t.mu.Lock()
		if len(t.told) == 0 {
			t.told = nil
			t.mu.Unlock()
			return
		}
		n := t.told[0]
		t.told = t.told[1:]
		gone := n.view.over && !n.closed || n.about != nil && n.about.over
		t.mu.Unlock()
		if !gone {
			t.tellOne(&n)
		}
	}
}

func (t *Tab) tellOne(n *notice) {
	v := n.view
	switch {
	case n.closed:
		t.sessions.Closed(v.id)
	case n.opened != nil:
		if !t.sessions.Opened(*n.opened) {
			t.mu.Lock()
			t.endViewLocked(v)
			t.mu.Unlock()
		}
	case n.call != 0:
		t.sessions.Result(n.call, v.id, n.result, n.cdpErr)
	case n.params != nil:
		t.sessions.SessionEvent(v.id, n.method, n.params)
	}
}

// Lost says that the session has ended, and that the tab goes on. Commands at the browser fail; those that come until
// Again wait, up to a limit.
func (t *Tab) Lost() {
	t.mu.Lock()
	t.lostLocked()
	t.mu.Unlock()
	t.tell()
}

// Again says that there is a new session on the tab, with nothing in it: everything that the Clients have asked for is
// sent to it.
func (t *Tab) Again() {
	t.mu.Lock()
	if t.away {
		t.away = false
		if !t.fresh { // all that was asked for is among what waits
			t.replayLocked()
		}
		t.fresh = false
		list := t.waiting
		t.waiting, t.waits = nil, 0
		for _, p := range list {
			t.real.Send(p.call, p.r.id, p.method, p.params)
		}
	}
	t.mu.Unlock()
	t.tell()
}
