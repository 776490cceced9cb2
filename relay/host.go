package relay

import (
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/cluster"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// Why commands in flight fail when their Target or Host ends.
var (
	errTargetDestroyed = wire.ServerError("Target destroyed")
	errHostGone        = wire.ServerError("Host disconnected")
	errHostReplaced    = wire.ServerError("Host replaced by a newer connection")
	errHostReannounced = wire.ServerError("Host re-announced")
	errDetached        = wire.ServerError("Session detached")
)

// SetHost implements bridge.Hub. A Host that comes back keeps its Targets
// with their sessions; those of any other that was here before end.
func (h *Hub) SetHost(host bridge.Host, a bridge.Announcement) (bridge.Events, error) {
	if a.Browser {
		return h.setBrowser(host, a), nil
	}
	e, err := h.claim()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.claiming--
	defer h.checkClaimLocked()
	if err != nil {
		return nil, err
	}
	if h.events != nil && h.events.claim.Epoch() > e.claim.Epoch() {
		e.end()
		return nil, errOvertaken
	}
	back := a.HostID != "" && a.HostID == h.hostID
	h.clearHostLocked(back)
	e.before = h.calls.last
	h.host, h.events, h.hostID, h.version = host, e, strings.Clone(a.HostID), a.Version
	h.log.Info("host connected", zap.Int("targets", len(a.Targets)), zap.Bool("back", back))
	if back {
		h.resumeLocked(a.Targets)
	} else {
		h.adoptLocked(a.Targets)
	}
	if r, ok := host.(bridge.Resumer); ok {
		r.Resumed()
	}
	go e.watch()
	return e, nil
}

// clearHostLocked makes room for the Host that is next: the same one come
// back, or another.
func (h *Hub) clearHostLocked(back bool) {
	h.stopWaitingLocked()
	why := errHostGone // of one that was away
	old := h.host
	if old != nil {
		why = errHostReplaced
		h.host = nil // not to be asked to release anything
		h.events.end()
		h.events = nil
	}
	if back {
		h.failEveryLocked(errHostGone)
	} else {
		h.dropTargetsLocked(why)
	}
	if old != nil {
		old.Close(bridge.ReasonReplaced)
	}
}

// adoptLocked takes over the Targets of a Host.
func (h *Hub) adoptLocked(list []targets.Info) {
	for _, t := range list {
		h.createdLocked(t)
	}
}

// dropTargetsLocked ends every Target and fails every command in flight.
func (h *Hub) dropTargetsLocked(why *wire.Error) {
	h.failAllLocked(why)
	for t := range h.targets.Clear() {
		h.endTargetLocked(t, why)
	}
}

// createdLocked adds or updates a Target and tells who wants to know. It
// reports false when the Target is refused.
func (h *Hub) createdLocked(t targets.Info) bool {
	if _, upstream, known := h.targetLocked(t.ID); known && upstream {
		return false
	}
	added, ok := h.targets.Set(t)
	if !ok {
		return false
	}
	h.stale = true
	t, _ = h.targets.Get(t.ID)
	for _, k := range kinds[1:] { // the tab, then the page in it
		if !added {
			h.tellInfoLocked("Target.targetInfoChanged", k, t)
			continue
		}
		h.tellInfoLocked("Target.targetCreated", k, t)
		h.autoAttachLocked(k, t)
	}
	return true
}

// goneLocked ends one Target with its sessions.
func (h *Hub) goneLocked(targetID string, why *wire.Error) {
	info, known := h.targets.Get(targetID)
	if !known {
		return
	}
	h.targets.Delete(info.ID)
	h.endTargetLocked(info, why)
}

// endTargetLocked ends the sessions of a Target and tells of its end. It has
// left the registry before, so that the end of its last session is not
// announced as a change of it.
func (h *Hub) endTargetLocked(info targets.Info, why *wire.Error) {
	h.stale = true
	for _, k := range [...]session.Kind{session.Page, session.Tab} {
		id := h.idOf(k, info)
		for _, s := range slices.Clone(h.sessions.OfTarget(id)) {
			h.endSessionLocked(s, why)
		}
		h.tellLocked("Target.targetDestroyed", k, func() []byte {
			return append(wire.AppendString([]byte(`{"targetId":`), id), '}')
		})
	}
	h.endDialogsLocked(info.ID)
}

// hostEvents is what one generation of Host speaks to: once it is not the
// hub's current one, nothing it says counts.
type hostEvents struct {
	hub   *Hub
	claim cluster.Claim
	over  chan struct{} // closed at the generation's end
	// before is the last command of the Host before this one.
	before bridge.CallID
}

// lock takes the hub's lock if this generation is current.
func (e *hostEvents) lock() bool {
	e.hub.mu.Lock()
	if e.hub.events == e {
		return true
	}
	e.hub.mu.Unlock()
	return false
}

// Reannounced implements bridge.Events.
func (e *hostEvents) Reannounced(a bridge.Announcement) {
	if e.lock() {
		defer e.hub.mu.Unlock()
		e.hub.dropTargetsLocked(errHostReannounced)
		e.hub.hostID, e.hub.version = strings.Clone(a.HostID), a.Version
		e.hub.adoptLocked(a.Targets)
	}
}

// TargetCreated implements bridge.Events.
func (e *hostEvents) TargetCreated(t targets.Info) bool {
	if !e.lock() {
		return true
	}
	defer e.hub.mu.Unlock()
	return e.hub.createdLocked(t)
}

// TargetChanged implements bridge.Events.
func (e *hostEvents) TargetChanged(t targets.Info) {
	if e.lock() {
		defer e.hub.mu.Unlock()
		if _, known := e.hub.targets.Get(t.ID); known {
			e.hub.createdLocked(t)
		}
	}
}

// TargetGone implements bridge.Events.
func (e *hostEvents) TargetGone(targetID string) {
	if e.lock() {
		defer e.hub.mu.Unlock()
		e.hub.goneLocked(targetID, errTargetDestroyed)
	}
}

// Result implements bridge.Events: one answer in, one answer out.
func (e *hostEvents) Result(id bridge.CallID, sessionID string, result, cdpErr []byte) {
	h := e.hub
	if !e.lock() {
		h.bookOutdated()
		return
	}
	defer h.mu.Unlock()
	h.resultLocked(false, e.before, id, sessionID, result, cdpErr)
}

// bookOutdated books the answer of a generation that has been replaced.
func (h *Hub) bookOutdated() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.ledger.AnswersOutdated++
}

// resultLocked takes an answer of the browser or of the page's Host. before is
// the last command that was not this generation's.
func (h *Hub) resultLocked(upstream bool, before, id bridge.CallID, sessionID string, result, cdpErr []byte) {
	c := h.calls.get(id)
	if c == nil || c.sessionID() != sessionID || c.upstream() != upstream {
		h.dropAnswerLocked(before, id, c != nil)
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
	if c.finish != nil && cdpErr == nil {
		result = c.finish(result)
	}
	f := wire.Frame{Tail: c.tail}
	if cdpErr != nil {
		h.scratch = wire.AppendErrorHead(h.scratch[:0], c.id())
		f.Body = cdpErr
	} else {
		h.scratch = wire.AppendAnswerHead(h.scratch[:0], c.id())
		f.Body = result
	}
	f.Head = h.scratch
	client := c.client
	if c.session != nil && c.session.Peer != session.Peer(client) {
		h.ledger.Misrouted++
	}
	h.ledger.answered(&h.ledger.AnsweredByHost, client.Deliver(f))
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
func (e *hostEvents) Event(targetID, method string, params []byte) {
	seen := e.hub.viewsOf(method, params)
	if !e.lock() {
		return
	}
	h := e.hub
	defer h.mu.Unlock()
	h.ledger.EventsIn++
	list := h.sessions.OfTarget(targetID)
	if len(list) == 0 {
		return
	}
	h.scratch = wire.AppendEventHead(h.scratch[:0], method)
	f := wire.Frame{Head: h.scratch}
	for _, s := range list {
		var ok bool
		if f.Body, ok = seen.of(s.Peer.(*Client)); ok {
			f.Tail = s.Tail()
			h.ledger.delivered(s.Peer.Deliver(f))
		}
	}
}

// SessionEvent implements bridge.Events.
func (e *hostEvents) SessionEvent(sessionID, method string, params []byte) {
	seen := e.hub.viewsOf(method, params)
	if !e.lock() {
		return
	}
	defer e.hub.mu.Unlock()
	e.hub.sessionEventLocked(false, sessionID, &seen)
}

// sessionEventLocked passes on an event of the browser, or of the page's Host.
func (h *Hub) sessionEventLocked(upstream bool, sessionID string, v *views) {
	h.ledger.EventsIn++
	s := h.sessions.Get(sessionID)
	if s == nil || s.Upstream != upstream {
		return
	}
	seen, ok := v.of(s.Peer.(*Client))
	if !ok {
		return
	}
	h.scratch = wire.AppendEventHead(h.scratch[:0], v.method)
	h.ledger.delivered(s.Peer.Deliver(wire.Frame{Head: h.scratch, Body: seen, Tail: s.Tail()}))
}

// Opened implements bridge.Events: only a browser has sessions of its own.
func (e *hostEvents) Opened(bridge.Nested) {}

// Closed implements bridge.Events.
func (e *hostEvents) Closed(string) {}
