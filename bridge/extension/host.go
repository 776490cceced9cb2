package extension

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/bridge/share"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/targets"
)

// Host is one extension on one hub. It outlives its connections.
//
// Lock order: turn, the hub's lock, share.Tab.mu, mu, that of the connection.
type Host struct {
	hosts *Hosts // static
	key   key    // static
	slot  string // static

	turn   sync.Mutex    `stays:"goes with the Host, which Hosts counts"` // of those who tell the hub; what follows is theirs
	events bridge.Events // nil before the first connection, and static then
	over   bool
	grace  *time.Timer `held:"timers of extensions that may return"` // while there is no connection
	kept   func()      // release of the connection before, while the Host waits

	mu       sync.Mutex      // guards what follows
	link     *link           // nil while there is no connection
	closed   bool            // by the hub
	last     int64           `stays:"numbers the commands of all connections"`
	calls    map[int64]call  `held:"commands at extensions"`
	tabs     map[string]*tab `held:"shared tabs"`             // by targetId
	sessions map[string]*tab `held:"sessions on shared tabs"` // those inside others, too
}

// tab is one tab that the user shares.
type tab struct {
	host    *Host
	target  string
	clients []client  // those attached to it
	real    *attached // nil while no Client is attached
}

// client is a session of a Client on a tab.
type client struct{ session, name string }

// attached is a chrome.debugger session of a tab, from the first Client to the last. It is the share.Real of its
// share.Tab.
type attached struct {
	tab   *tab
	share *share.Tab // static after newAttached
	asked bool       // the extension is attaching
	ready bool       // it has attached
}

// call is something that the extension is to answer.
type call struct {
	of     *attached     // nil for what is none of a tab's session
	n      int64         // the number that the share.Tab has given it; 0 is the attach itself
	closes bridge.CallID // the Client's command that closes a tab; 0 is none
	target string        // of closes
}

var (
	errOver      = errors.New("the extension has left the hub")
	errNoSession = &wire.Error{Code: wire.CodeNoSession, Message: "Session with given id not found."}
	errNoTarget  = &wire.Error{Code: wire.CodeInvalidParams, Message: "No target with given id found"}
	errAway      = wire.ServerError("The browser of the shared tab has lost its connection to the hub: try again when it is back")
)

func newHost(hs *Hosts, k key) *Host {
	sum := sha256.Sum256([]byte(k.install)) // the install is a secret, and slots are logged
	return &Host{
		hosts: hs, key: k, slot: "extension:" + hex.EncodeToString(sum[:8]),
		calls: make(map[int64]call), tabs: make(map[string]*tab), sessions: make(map[string]*tab),
	}
}

// enter makes l the Host's connection, in the place of the one that it has.
func (h *Host) enter(l *link, v bridge.Version) error {
	h.turn.Lock()
	defer h.turn.Unlock()
	if h.over {
		return errOver
	}
	if h.isClosed() {
		return wsconn.ReasonTryAgain // the hub ends
	}
	if h.events == nil {
		events, err := h.key.hub.SetHost(h, bridge.Announcement{Version: v})
		if err != nil {
			h.over = true
			h.hosts.forget(h)
			return err
		}
		h.events = events
	}
	if h.grace != nil {
		h.grace.Stop()
		h.grace = nil
		defer h.kept()
		h.kept = nil
	}
	h.loseTabs()
	h.mu.Lock()
	old := h.link
	h.link = l
	l.send(append(appendTexts([]byte(`{"kind":"welcome","v":1,"own":[`), h.hosts.own()), ']'), nil)
	h.mu.Unlock()
	if old != nil {
		old.conn.Close(wsconn.ReasonReplaced)
	}
	return nil
}

func (h *Host) isClosed() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.closed
}

// lose ends a connection. It reports whether its place on the hub stays for the next one.
func (h *Host) lose(l *link, why wsconn.Reason) (waits bool) {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	is, closed := h.link == l, h.closed
	if is {
		h.link = nil
	}
	h.mu.Unlock()
	if !is {
		return false
	}
	if closed || !mayReturn(why) {
		h.endLocked()
		return false
	}
	h.loseTabs()
	h.kept = l.release
	h.grace = time.AfterFunc(h.hosts.grace, h.expire)
	return true
}

// expire ends a Host that has not come back.
func (h *Host) expire() {
	h.turn.Lock()
	defer h.turn.Unlock()
	if h.grace == nil || h.over {
		return
	}
	h.grace.Stop()
	h.grace = nil
	h.endLocked()
	h.kept()
	h.kept = nil
}

// endLocked takes the Host out of the hub; the caller has the turn.
func (h *Host) endLocked() {
	h.over = true
	h.hosts.forget(h)
	h.events.HostGone(false)
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.tabs)
	clear(h.sessions)
	clear(h.calls)
}

// loseTabs says that no tab is attached any more, and that nothing is answered; the caller has the turn.
func (h *Host) loseTabs() {
	h.mu.Lock()
	var lost []*share.Tab
	for _, t := range h.tabs {
		if a := t.real; a != nil {
			a.asked, a.ready = false, false
			lost = append(lost, a.share)
		}
	}
	var closing []bridge.CallID
	for _, c := range h.calls {
		if c.closes != 0 {
			closing = append(closing, c.closes)
		}
	}
	clear(h.calls)
	h.mu.Unlock()
	for _, s := range lost {
		s.Lost()
	}
	slices.Sort(closing)
	for _, id := range closing {
		h.events.Result(id, "", nil, wire.AppendError(nil, errAway))
	}
}

// Slot implements bridge.Slotter: each extension has one of its own.
func (h *Host) Slot() string { return h.slot }

// NestsSessions implements bridge.Nesting: Chromium has sessions for frames of other processes and for workers.
func (h *Host) NestsSessions() bool { return true }

// SharesTabs implements bridge.SharedTabs.
func (h *Host) SharesTabs() bool { return true }

// Handles implements bridge.Lifecycle.
func (h *Host) Handles(method string) bool { return method == "Target.closeTarget" }

// WaitForRoom implements bridge.FlowControl.
func (h *Host) WaitForRoom(_ *bridge.Pace, _ int) {
	h.mu.Lock()
	l := h.link
	h.mu.Unlock()
	if l != nil {
		l.conn.WaitBelow(l.conn.MaxPending()/4*3, longestWait)
	}
}

// Close implements bridge.Host.
func (h *Host) Close(why bridge.Reason) {
	h.mu.Lock()
	h.closed = true
	l := h.link
	h.mu.Unlock()
	switch {
	case l == nil:
		go h.expire() // the hub's lock is held
	case why == bridge.ReasonReplaced:
		l.conn.Close(wsconn.ReasonReplaced)
	default:
		l.conn.Close(wsconn.ReasonShutdown)
	}
}

// Attached implements bridge.Announcer. With the first session on a tab, the extension attaches to it.
func (h *Host) Attached(at bridge.Attachment) {
	h.mu.Lock()
	t := h.tabs[at.TargetID]
	if t == nil {
		h.mu.Unlock()
		return
	}
	a := t.real
	h.mu.Unlock()
	if a == nil { // no other session begins or ends meanwhile: the hub's lock is held
		a = &attached{tab: t}
		a.share = share.NewAway(a, shared{h, t})
	}
	a.share.Attach(at.SessionID)
	h.mu.Lock()
	defer h.mu.Unlock()
	t.clients = append(t.clients, client{at.SessionID, at.Client})
	h.sessions[at.SessionID] = t
	if t.real == nil {
		t.real = a
		h.attachLocked(t)
	}
	h.tellDriversLocked(t)
}

// attachLocked has the extension attach to a tab, unless it does or has. Without a connection it is asked once there is one.
func (h *Host) attachLocked(t *tab) {
	a := t.real
	if a == nil || a.asked || a.ready || h.link == nil {
		return
	}
	a.asked = true
	h.last++
	h.calls[h.last] = call{of: a}
	h.link.send(appendTarget(appendID("attach", h.last), t.target), nil)
}

// Release implements bridge.Host. With the last session on a tab, the extension detaches from it.
func (h *Host) Release(sessionID, _ string) {
	h.mu.Lock()
	t := h.sessions[sessionID]
	delete(h.sessions, sessionID)
	if t == nil || t.real == nil {
		h.mu.Unlock()
		return
	}
	before := len(t.clients)
	t.clients = slices.DeleteFunc(t.clients, func(c client) bool { return c.session == sessionID })
	if len(t.clients) > 0 || before == 0 {
		if len(t.clients) < before {
			h.tellDriversLocked(t)
		}
		a := t.real
		h.mu.Unlock()
		a.share.Detach(sessionID)
		return
	}
	defer h.mu.Unlock()
	h.dropLocked(t)
	if h.link != nil {
		h.link.send(appendTarget([]byte(`{"kind":"detach"`), t.target), nil)
		h.tellDriversLocked(t)
	}
}

// dropLocked forgets what a tab has for its Clients. Chromium does so, too, when it detaches.
func (h *Host) dropLocked(t *tab) {
	for id, c := range h.calls {
		if c.of != nil && c.of == t.real {
			delete(h.calls, id)
		}
	}
	for id, at := range h.sessions {
		if at == t {
			delete(h.sessions, id)
		}
	}
	t.real, t.clients = nil, nil
}

// tellDriversLocked tells the extension who is attached to a tab.
func (h *Host) tellDriversLocked(t *tab) {
	if h.link == nil {
		return
	}
	b := append(appendTarget([]byte(`{"kind":"drivers"`), t.target), `,"clients":[`...)
	var names []string
	for _, c := range t.clients {
		if c.name != "" && !slices.Contains(names, c.name) {
			names = append(names, c.name)
		}
	}
	h.link.send(append(appendTexts(b, names), ']'), nil)
}

// appendTexts appends "one","two".
func appendTexts(b []byte, texts []string) []byte {
	for i, text := range texts {
		if i > 0 {
			b = append(b, ',')
		}
		b = wire.AppendString(b, text)
	}
	return b
}

// Send implements bridge.Host.
func (h *Host) Send(c bridge.Command) error {
	if c.SessionID == "" {
		return h.closeTab(c)
	}
	h.mu.Lock()
	t := h.sessions[c.SessionID]
	var a *attached
	if t != nil {
		a = t.real
	}
	h.mu.Unlock()
	if a == nil {
		return errNoSession
	}
	return a.share.Send(c)
}

// closeTab is Target.closeTarget: {"targetId":"T"}.
func (h *Host) closeTab(c bridge.Command) error {
	id, _ := wire.Text(wire.MemberOf(c.Params, "targetId"))
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.tabs[id]
	switch {
	case t == nil:
		return errNoTarget
	case h.link == nil:
		return errAway
	}
	h.last++
	h.calls[h.last] = call{closes: c.Call, target: t.target}
	h.link.send(appendTarget(appendID("close", h.last), t.target), nil)
	return nil
}

// Send implements share.Real. What comes when the session has ended is answered by share.Tab.Lost.
func (a *attached) Send(n int64, sessionID, method string, params []byte) {
	h := a.tab.host
	h.mu.Lock()
	defer h.mu.Unlock()
	if a.tab.real != a || !a.ready || h.link == nil {
		return
	}
	h.last++
	h.calls[h.last] = call{of: a, n: n}
	b := appendTarget(appendID("cdp", h.last), a.tab.target)
	if sessionID != "" {
		b = wire.AppendString(append(b, `,"session":`...), sessionID)
	}
	b = append(wire.AppendString(append(b, `,"method":`...), method), `,"params":`...)
	h.link.send(b, params)
}

// shared are the sessions of one tab: share.Sessions that also notes those inside others.
type shared struct {
	h *Host
	t *tab
}

func (s shared) Result(id bridge.CallID, sessionID string, result, cdpErr []byte) {
	s.h.events.Result(id, sessionID, result, cdpErr)
}

func (s shared) SessionEvent(sessionID, method string, params []byte) {
	s.h.events.SessionEvent(sessionID, method, params)
}

func (s shared) Opened(n bridge.Nested) bool {
	s.h.mu.Lock()
	s.h.sessions[n.SessionID] = s.t
	s.h.mu.Unlock()
	if s.h.events.Opened(n) {
		return true
	}
	s.Closed(n.SessionID)
	return false
}

func (s shared) Closed(sessionID string) {
	s.h.mu.Lock()
	delete(s.h.sessions, sessionID)
	s.h.mu.Unlock()
	s.h.events.Closed(sessionID)
}

// isClosed is the result of Target.closeTarget.
var isClosed = []byte(`{"success":true}`)

func appendID(kind string, id int64) []byte {
	return strconv.AppendInt(append(append([]byte(`{"kind":"`), kind...), `","id":`...), id, 10)
}

func appendTarget(b []byte, target string) []byte {
	return wire.AppendString(append(b, `,"target":`...), target)
}

// announce adds a tab, or updates it; the caller has the turn.
func (h *Host) announce(info targets.Info) {
	h.mu.Lock()
	if h.tabs[info.ID] == nil && len(h.tabs) < targets.MaxCount {
		h.tabs[info.ID] = &tab{host: h, target: info.ID}
	}
	h.mu.Unlock()
	if !h.events.TargetCreated(info) { // the hub has too many, or another Host has this one
		h.mu.Lock()
		delete(h.tabs, info.ID)
		h.tellStopLocked(info.ID, "The hub has too many tabs, or another extension shares this one.")
		h.mu.Unlock()
	}
}

// end takes a tab from its Clients, and gives them the reason; the caller has the turn.
func (h *Host) end(target, reason string) {
	h.mu.Lock()
	t := h.tabs[target]
	if t == nil {
		h.mu.Unlock()
		return
	}
	delete(h.tabs, target)
	clients := t.clients
	h.dropLocked(t)
	var closed []bridge.CallID // the extension leaves with its last tab, before it could answer
	for id, c := range h.calls {
		if c.closes != 0 && c.target == target {
			closed = append(closed, c.closes)
			delete(h.calls, id)
		}
	}
	h.mu.Unlock()
	for _, id := range closed {
		h.events.Result(id, "", isClosed, nil)
	}
	why := wire.ServerError(reason)
	params := append(wire.AppendString([]byte(`{"reason":`), reason), '}')
	for _, c := range clients {
		h.events.Fail(c.session, why)
		h.events.SessionEvent(c.session, "Inspector.detached", params)
	}
	h.events.TargetGone(target)
}

func (h *Host) tellStopLocked(target, reason string) {
	if h.link != nil {
		h.link.send(wire.AppendString(append(appendTarget([]byte(`{"kind":"stop"`), target), `,"reason":`...), reason), nil)
	}
}
