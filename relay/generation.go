package relay

import (
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/cluster"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// generation is one connection of a side's Host, and what that Host speaks to:
// once it is not its side's current one, nothing it says counts.
type generation struct {
	hub   *Hub
	side  *side         // guarded by hub.mu until SetHost has returned, then static
	claim cluster.Claim // nil for a Host that serves the browser level
	over  chan struct{} // closed at the generation's end
	// before is the last command of the hub before this generation.
	before bridge.CallID
}

// isNewerThan reports whether g has a newer claim than another generation.
func (g *generation) isNewerThan(o *generation) bool {
	return g != nil && g.claim != nil && o.claim != nil && g.claim.Epoch() > o.claim.Epoch()
}

// lock takes the hub's lock if this generation is current.
func (g *generation) lock() bool {
	g.hub.mu.Lock()
	if g.side.generation == g {
		return true
	}
	g.hub.mu.Unlock()
	return false
}

// Reannounced implements bridge.Events.
func (g *generation) Reannounced(a bridge.Announcement) {
	if g.lock() {
		defer g.hub.mu.Unlock()
		g.side.dropLocked(errHostReannounced)
		g.side.adoptLocked(a)
	}
}

// TargetCreated implements bridge.Events.
func (g *generation) TargetCreated(t targets.Info) bool {
	if !g.lock() {
		return true
	}
	defer g.hub.mu.Unlock()
	return g.side.createdLocked(t)
}

// TargetChanged implements bridge.Events.
func (g *generation) TargetChanged(t targets.Info) {
	if g.lock() {
		defer g.hub.mu.Unlock()
		if _, known := g.side.targets.Get(t.ID); known {
			g.side.createdLocked(t)
		}
	}
}

// TargetGone implements bridge.Events.
func (g *generation) TargetGone(targetID string) {
	if g.lock() {
		defer g.hub.mu.Unlock()
		g.side.goneLocked(targetID, errTargetDestroyed)
	}
}

// Result implements bridge.Events: one answer in, one answer out.
func (g *generation) Result(id bridge.CallID, sessionID string, result, cdpErr []byte) {
	h := g.hub
	var failure *wire.Error
	if cdpErr != nil {
		failure = wire.ReadError(cdpErr)
	}
	if !g.lock() {
		h.bookOutdated()
		return
	}
	defer h.mu.Unlock()
	g.resultLocked(id, sessionID, result, failure)
}

// bookOutdated books the answer of a generation that has been replaced.
func (h *Hub) bookOutdated() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ledger.AnswersOutdated++
}

// resultLocked passes on an answer.
func (g *generation) resultLocked(id bridge.CallID, sessionID string, result []byte, failure *wire.Error) {
	h := g.hub
	c := h.calls.get(id)
	if c == nil || c.sessionID() != sessionID || c.side != g.side {
		h.dropAnswerLocked(g.before, id, c != nil)
		h.log.Debug("answer dropped: nobody waits for it", zap.Int64("call", int64(id)), zap.String("session", sessionID))
		return
	}
	if c.quiet() {
		h.ledger.AnsweredByHost++
		client := c.client
		h.calls.remove(c)
		client.callEndedLocked()
		return
	}
	if c.finish != nil && failure == nil {
		result = c.finish(result)
	}
	client := c.client
	if c.session != nil && c.session.Peer != session.Peer(client) {
		h.ledger.Misrouted++
	}
	h.ledger.answered(&h.ledger.AnsweredByHost, client.peer.Answer(c.answerTo, c.id(), result, failure))
	h.calls.remove(c)
	client.callEndedLocked()
}

// dropAnswerLocked books an answer that is not passed on.
func (h *Hub) dropAnswerLocked(before, id bridge.CallID, foreign bool) {
	s := &h.ledger
	switch {
	case foreign:
		s.AnswersForeign++
	case id < 1, id > h.calls.last:
		s.AnswersUnasked++
	case id <= before:
		s.AnswersOutdated++
	default:
		s.AnswersTwice++
	}
}

// Event implements bridge.Events: one frame in, one out for each session on
// the Target. Order for each session is that of the calls. An unknown Target
// is no error: it may just have gone.
func (g *generation) Event(targetID, method string, params []byte) {
	seen := g.hub.viewsOf(method, params)
	if !g.lock() {
		return
	}
	h := g.hub
	defer h.mu.Unlock()
	if g.side.browser != nil { // it has sessions that the hub has not made
		h.log.Debug("event of a browser dropped: it names no session", zap.String("method", method))
		return
	}
	h.ledger.EventsIn++
	list := g.side.sessions.OfTarget(targetID)
	if len(list) == 0 {
		return
	}
	e := &h.event
	e.Reset(method, nil)
	for _, s := range list {
		c := s.Peer.(*Client)
		var ok bool
		if e.Params, ok = seen.of(c); ok {
			h.ledger.delivered(c.peer.Event(s, e))
		}
	}
}

// SessionEvent implements bridge.Events.
func (g *generation) SessionEvent(sessionID, method string, params []byte) {
	seen := g.hub.viewsOf(method, params)
	if !g.lock() {
		return
	}
	h := g.hub
	defer h.mu.Unlock()
	h.ledger.EventsIn++
	s := h.sessions.Get(sessionID)
	if s == nil || sideOf(s) != g.side {
		return
	}
	c := s.Peer.(*Client)
	body, ok := seen.of(c)
	if !ok {
		return
	}
	h.event.Reset(method, body)
	h.ledger.delivered(c.peer.Event(s, &h.event))
}

// Opened implements bridge.Events: only a Host that serves the browser level
// mints sessions.
func (g *generation) Opened(n bridge.Nested) {
	if !g.lock() {
		return
	}
	h := g.hub
	defer h.mu.Unlock()
	if g.side.browser == nil {
		return
	}
	parent := h.sessions.Get(n.Parent)
	if parent == nil || sideOf(parent) != g.side || n.SessionID == "" || h.sessions.Get(n.SessionID) != nil {
		h.log.Warn("session of the browser refused: it was born in none, or its id is taken")
		return
	}
	c := parent.Peer.(*Client)
	s := session.New(strings.Clone(n.SessionID), strings.Clone(n.TargetID), c)
	s.Side, s.Parent = g.side, parent
	if n.Type == "browser" {
		s.Kind = session.Browser
	}
	h.fileLocked(c, s)
}

// Closed implements bridge.Events. The browser tells of it itself, but for the
// session of a connection that belongs to one Target.
func (g *generation) Closed(sessionID string) {
	if !g.lock() {
		return
	}
	defer g.hub.mu.Unlock()
	if s := g.hub.sessions.Get(sessionID); s != nil && sideOf(s) == g.side && g.side.browser != nil {
		g.side.closedLocked(s)
	}
}

// closedLocked ends a session that the Host has ended, with those inside it.
func (s *side) closedLocked(ended *session.Session) {
	h, c := s.hub, ended.Peer.(*Client)
	for _, inner := range slices.Clone(ended.Inside()) {
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
	h.unfileLocked(c, ended, errDetached)
	if ended == c.page {
		c.endPageLocked()
	}
}

// PutScript implements bridge.Events. Scripts are for Frame Agents, which a Host
// that serves the browser level has none of.
func (g *generation) PutScript(key, source string) bool {
	if key == "" || len(key) > maxScriptKey || len(source) > maxScriptSize || !g.lock() {
		return false
	}
	defer g.hub.mu.Unlock()
	return g.side.browser == nil && g.side.scripts.put(key, source, time.Now())
}

// HostGone implements bridge.Events.
func (g *generation) HostGone(mayReturn bool) {
	if !g.lock() {
		return
	}
	h, s := g.hub, g.side
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
