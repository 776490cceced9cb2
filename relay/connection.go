package relay

import (
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// connection is one connection of a side's Host. It is the Events that the Host
// calls. Calls are ignored once the side has another connection, or none. A goroutine of an
// old connection may still be on its way here when the Host is replaced: it must change
// nothing, and finds out under the lock.
type connection struct {
	hub  *Hub
	side *side // guarded by hub.mu until SetHost has returned, then static
	// before is the last command of the hub before this connection.
	before bridge.CallID
}

// lock takes the hub's lock, if this is the current connection of its side. The caller
// unlocks only where it reports true.
func (hc *connection) lock() bool {
	hc.hub.mu.Lock()
	if hc.side.connection == hc {
		return true
	}
	hc.hub.mu.Unlock()
	return false
}

// Reannounced implements bridge.Events. A second ready on the same connection replaces
// everything that the Host has announced (docs/bridge.md).
func (hc *connection) Reannounced(a bridge.Announcement) {
	hc.cancelDownloads("")
	if hc.lock() {
		defer hc.hub.mu.Unlock()
		hc.side.dropLocked(errHostReannounced)
		hc.side.adoptLocked(a)
	}
}

// TargetCreated implements bridge.Events. It reports true for an outdated connection: false
// would have the Host log a refusal that is none.
func (hc *connection) TargetCreated(t targets.Info) bool {
	if !hc.lock() {
		return true
	}
	defer hc.hub.mu.Unlock()
	hc.hub.activity++
	return hc.side.createdLocked(t)
}

// TargetChanged implements bridge.Events. A change of an unknown Target is dropped: it may
// have gone in between.
func (hc *connection) TargetChanged(t targets.Info) {
	if hc.lock() {
		defer hc.hub.mu.Unlock()
		if _, known := hc.side.targets.Get(t.ID); known {
			hc.side.createdLocked(t)
		}
	}
}

// TargetGone implements bridge.Events.
func (hc *connection) TargetGone(targetID string) {
	hc.cancelDownloads(targetID)
	if hc.lock() {
		defer hc.hub.mu.Unlock()
		hc.side.goneLocked(targetID, errTargetDestroyed)
	}
}

// Result implements bridge.Events: one answer in, one answer out. The error is read before
// the lock is taken, as it may be as long as a message.
func (hc *connection) Result(id bridge.CallID, sessionID string, result, cdpErr []byte) {
	h := hc.hub
	var failure *wire.Error
	if cdpErr != nil {
		failure = wire.ReadError(cdpErr)
	}
	if hc.redactsAnswer(id) {
		result, failure = redactAnswer(result, failure)
	}
	if !hc.lock() {
		h.countOutdated()
		return
	}
	defer h.mu.Unlock()
	hc.resultLocked(id, sessionID, result, failure)
}

// countOutdated counts an answer from a connection that is not current.
func (h *Hub) countOutdated() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.counters.AnswersOutdated++
}

// resultLocked passes on an answer.
func (hc *connection) resultLocked(id bridge.CallID, sessionID string, result []byte, failure *wire.Error) {
	h := hc.hub
	c := h.calls.get(id)
	if c == nil || c.sessionID() != sessionID || c.side != hc.side {
		h.dropAnswerLocked(hc.before, id, c != nil)
		h.log.Debug("answer dropped: no command waits for it", zap.Int64("call", int64(id)), zap.String("session", sessionID))
		return
	}
	if c.ended != nil {
		c.ended(result, failure)
	}
	if c.opens && failure == nil {
		h.countTabLocked(c.client, createdTargetID(result))
	}
	if c.internal() {
		h.counters.AnsweredByHost++
		client := c.client
		h.calls.remove(c)
		client.callEndedLocked()
		return
	}
	switch {
	case failure == nil && c.finish != nil:
		if result = c.finish(result); c.client.redacts { // it may have added something of the hub's own
			result = scope.Redact(result)
		}
	case failure != nil && failure.Code == wire.CodeMethodNotFound && failure.Data == "" && c.session != nil && c.session.Kind == session.Browser:
		failure = failure.Keep()
		failure.Data = ofPage
	}
	if c.session != nil && c.session.intercepts != nil && failure == nil {
		c.session.intercepts.noteStream(c.session, result)
	}
	if !c.sent.IsZero() {
		h.counters.Latency.observe(time.Since(c.sent))
	}
	client := c.client
	// It cannot be, since the session of a call never changes its Client. If it is, the
	// metric shows a bug of the hub.
	if c.session != nil && c.session.client != client {
		h.counters.Misrouted++
	}
	// remove comes last: the id that Answer gets lies in the call's memory.
	taken := client.peer.Answer(c.answerTo.shown(), c.id(), result, failure)
	h.counters.answered(&h.counters.AnsweredByHost, taken)
	if client.name == "" {
		h.viewed.answered(&h.viewed.AnsweredByHost, taken)
	}
	h.calls.remove(c)
	client.callEndedLocked()
}

// dropAnswerLocked counts an answer that is not passed on. The numbers of calls tell why:
// one above the last was never given, one up to before was a call of an earlier connection,
// and any other was answered already, perhaps by a timeout.
func (h *Hub) dropAnswerLocked(before, id bridge.CallID, wrongSession bool) {
	s := &h.counters
	switch {
	case wrongSession:
		s.AnswersWrongSession++
	case id < 1, id > h.calls.last:
		s.AnswersUnsolicited++
	case id <= before:
		s.AnswersOutdated++
	default:
		s.AnswersDuplicate++
	}
}

// Event implements bridge.Events: one frame in, one out for each session on
// the Target. Order for each session is that of the calls. An unknown Target
// is no error: it may just have gone.
func (hc *connection) Event(targetID, method string, params []byte) {
	if method == downloadBegins || method == downloadProgress {
		hc.downloadEvent(targetID, method, params)
		return
	}
	if hc.forged(method) {
		return
	}
	seen := hc.hub.viewsOf(method, params)
	if !hc.lock() {
		return
	}
	h := hc.hub
	defer h.mu.Unlock()
	if hc.side.browser != nil { // it has sessions that the hub has not made
		h.log.Debug("event of a browser dropped: it names no session", zap.String("method", method))
		return
	}
	h.counters.EventsIn++
	list := hc.side.sessions.ofTarget(targetID)
	if len(list) == 0 {
		return
	}
	if h.observer != nil {
		h.observeEventLocked(list[0], method, params)
	}
	e := &h.event
	e.Reset(method, nil)
	for _, s := range list {
		var ok bool
		if e.Params, ok = h.leases.seen(&seen, s); ok {
			h.deliverLocked(s, e)
		}
	}
	e.Reset("", nil) // the Host's memory must not be held on to
}

// deliverLocked sends an event of a session to its Client.
func (h *Hub) deliverLocked(s *clientSession, e *session.Event) {
	if s.intercepts != nil && !s.rewriteEvent(e) {
		return
	}
	taken := s.client.peer.Event(&s.Session, e)
	h.counters.delivered(taken)
	if s.client.name == "" {
		h.viewed.delivered(taken)
	}
}

// forged reports whether an event is the hub's own. A Host that sends one passes on what a
// page has made up: that a person has done what was asked, or that a Client's messages have
// not come (CdpHub.session), so that the Client would send them again.
func (hc *connection) forged(method string) bool {
	if !ownMethod(method) {
		return false
	}
	hc.hub.log.Debug("event of the Host dropped: only the hub sends it", zap.String("method", method))
	return true
}

// SessionEvent implements bridge.Events. An event for a session that has ended is dropped:
// the Host may not know of its end yet.
func (hc *connection) SessionEvent(sessionID, method string, params []byte) {
	if !hc.forged(method) {
		hc.sessionEvent(sessionID, method, params)
	}
}

// sessionEvent is SessionEvent, for events of the hub too.
func (hc *connection) sessionEvent(sessionID, method string, params []byte) {
	seen := hc.hub.viewsOf(method, params)
	if !hc.lock() {
		return
	}
	h := hc.hub
	defer h.mu.Unlock()
	h.counters.EventsIn++
	s := h.sessions.get(sessionID)
	if s == nil || sideOf(s) != hc.side {
		return
	}
	if h.observer != nil {
		h.observeEventLocked(s, method, params)
	}
	noteDialog(s, method, params)
	body, ok := h.leases.seen(&seen, s)
	if !ok {
		return
	}
	h.event.Reset(method, body)
	h.deliverLocked(s, &h.event)
	h.event.Reset("", nil)
}

// SessionsEvent implements bridge.Events. A session that is named twice gets the event
// once.
func (hc *connection) SessionsEvent(sessionIDs []string, method string, params []byte) {
	if hc.forged(method) {
		return
	}
	seen := hc.hub.viewsOf(method, params)
	if !hc.lock() {
		return
	}
	h := hc.hub
	defer h.mu.Unlock()
	h.counters.EventsIn++
	h.shared++
	e := &h.event
	e.Reset(method, nil)
	observed := h.observer != nil && h.observer.Wants(method)
	for _, id := range sessionIDs {
		s := h.sessions.get(id)
		if s == nil || sideOf(s) != hc.side || s.lastShared == h.shared {
			continue
		}
		s.lastShared = h.shared
		if observed {
			h.observeEventLocked(s, method, params)
		}
		noteDialog(s, method, params)
		var ok bool
		if e.Params, ok = h.leases.seen(&seen, s); ok {
			h.deliverLocked(s, e)
		}
	}
	e.Reset("", nil) // the Host's memory must not be held on to
}

// Opened implements bridge.Events: a Host that serves the browser level mints all
// sessions, any other those on the workers of its pages. An id that is taken is refused, so
// that a Host cannot get at the sessions of another Host. It reports true for an id that is
// taken, whose session goes on.
func (hc *connection) Opened(n bridge.Nested) bool {
	if !hc.lock() {
		return true
	}
	h := hc.hub
	defer h.mu.Unlock()
	parent := h.sessions.get(n.Parent)
	if parent == nil || sideOf(parent) != hc.side || n.SessionID == "" || h.sessions.get(n.SessionID) != nil {
		h.log.Warn("session of the Host refused: it has no parent session, or its id is in use")
		return true
	}
	if hc.side.browser == nil && !inTarget(parent) {
		h.log.Warn("session of the Host refused: it does not belong to a page")
		return true
	}
	c := parent.client
	if c.refusesSessionLocked() != nil || hc.side.browser == nil && workersAround(parent) >= maxWorkers {
		h.log.Debug("session of the Host refused: its Client, or its page, has too many sessions")
		return false
	}
	// The strings of n are part of the Host's message.
	s := &clientSession{
		Session: session.New(strings.Clone(n.SessionID), strings.Clone(n.TargetID)),
		client:  c, parent: parent, side: hc.side, targetType: strings.Clone(n.Type),
	}
	it := parent.intercepts
	if it != nil {
		s.Session = it.newSession(s.ID, s.TargetID)
		it.ownLocked(s)
	}
	switch {
	case hc.side.browser == nil:
		s.Kind = session.Worker
	case n.Type == "browser":
		s.Kind = session.Browser
	}
	h.registerLocked(c, s)
	if it != nil {
		it.openedInsideLocked(s)
	}
	return true
}

// maxWorkers is how many sessions with workers a page of a Host page may have inside one
// session. The page can make them up: they must not use up the sessions of the Client.
const maxWorkers = 256

// workersAround counts the sessions inside the page's session that a session is in, or is.
func workersAround(s *clientSession) int {
	for s.Kind == session.Worker && s.parent != nil {
		s = s.parent
	}
	return countInside(s)
}

func countInside(s *clientSession) (n int) {
	for _, inner := range s.inside {
		n += 1 + countInside(inner)
	}
	return n
}

// Fail implements bridge.Events.
func (hc *connection) Fail(sessionID string, why *wire.Error) {
	if !hc.lock() {
		return
	}
	defer hc.hub.mu.Unlock()
	if s := hc.hub.sessions.get(sessionID); s != nil && sideOf(s) == hc.side {
		hc.hub.calls.failIn(s, why)
	}
}

// Closed implements bridge.Events. The browser announces the end itself, except to a
// connection that belongs to one Target.
func (hc *connection) Closed(sessionID string) {
	if !hc.lock() {
		return
	}
	defer hc.hub.mu.Unlock()
	s := hc.hub.sessions.get(sessionID)
	if s != nil && sideOf(s) == hc.side && (hc.side.browser != nil || s.Kind == session.Worker) {
		hc.side.closedLocked(s)
	}
}

// closedLocked ends a session that the Host has ended, with those inside it.
func (s *side) closedLocked(ended *clientSession) {
	h, c := s.hub, ended.client
	for _, inner := range slices.Clone(ended.inside) {
		if sideOf(inner) == s {
			s.closedLocked(inner)
		} else {
			h.endSessionLocked(inner, errDetached)
		}
	}
	if ended == s.roots[c] { // the next command gets another
		s.endRootLocked(c, errDetached)
		return
	}
	h.unregisterLocked(c, ended, errDetached)
	if ended == c.page {
		c.endPageLocked()
	}
}

// PutScript implements bridge.Events. Scripts are for Frame Agents, which a Host
// that serves the browser level has none of. The limits are in scripts.go. It reports false
// for a connection that is not current, too.
func (hc *connection) PutScript(key, source string) bool {
	if key == "" || len(key) > maxScriptKey || len(source) > maxScriptSize || !hc.lock() {
		return false
	}
	defer hc.hub.mu.Unlock()
	return hc.side.browser == nil && hc.side.scripts.put(key, source, time.Now())
}

// HostGone implements bridge.Events. The Targets stay for Options.Grace only if the Host
// may come back and has said by which id it will be known. Its scripts do not: they are
// good for 10 s anyway.
func (hc *connection) HostGone(mayReturn bool) {
	hc.cancelDownloads("")
	if !hc.lock() {
		return
	}
	h, s := hc.hub, hc.side
	defer h.mu.Unlock()
	s.scripts.clear()
	if mayReturn && s.hostID != "" {
		h.log.Info("host away", zap.Duration("grace", h.opts.Grace))
		s.awaitLocked()
		return
	}
	h.log.Info("host disconnected")
	s.disconnectLocked()
	s.endLocked(errHostGone)
}
