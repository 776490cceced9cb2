package chrome

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// session is one session of a Client in the browser. Host.mu guards it.
type session struct {
	id       string   // the hub's; Chromium's own where Chromium minted it
	upstream string   // the browser's; "" until it has attached
	tail     []byte   // ends each message: ,"sessionId":"…"}
	client   *session // the first session of its Client, to which contexts belong
	target   string   // "" for one of the browser
	browser  bool     // of the browser, not of a target
	context  string   // of the target
	over     bool     // released or closed
	barred   bool     // its target shows what the Client may not see: it is about to be closed
	page     bool     // Page is enabled

	asked  map[string]int // targets that it is attaching to by command
	auto   bool           // it is attached to new targets by itself
	waits  bool           // and they wait for it
	filter targets.Filter // of those; nil is Chromium's own
	held   bool           // its target may wait, until it lets it go on

	parent   *session // nil for one that the hub minted
	children map[*session]struct{}

	queue  [][]byte // commands without their tails, until it has attached
	queued int      // bytes of the queue

	streams map[string]struct{} // handles of those that it may read

	takes bool             // download events
	wants map[string]*want // what it has asked for the downloads of a context; nil for most

	// what follows is of the first session of a Client alone
	noFiles, readOnly bool
	windows           map[int64]struct{} // that it may name
	folder            string             // of its downloads; "" until it wants some
}

// maxQueued is how much waits for a session to attach, in bytes.
const maxQueued = 16 << 20

// Attached implements bridge.Announcer: the browser mints a session for that
// of the hub.
func (h *Host) Attached(at bridge.Attachment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &session{
		id: at.SessionID, target: at.TargetID, browser: at.TargetID == "", context: h.targets[at.TargetID].Context,
		noFiles: at.NoFiles, readOnly: at.ReadOnly,
	}
	s.client = s
	s.barred = h.hiddenLocked(s, s.target, "")
	h.sessions[s.id] = s
	method, params := "Target.attachToBrowserTarget", wire.Empty
	if s.target != "" {
		method = "Target.attachToTarget"
		params = append(wire.AppendString([]byte(`{"targetId":`), s.target), `,"flatten":true}`...)
	}
	h.askLocked(method, params, func(result, _ []byte) { h.minted(s, text(result, "sessionId")) })
}

// AttachedToBrowser implements bridge.BrowserSessions.
func (h *Host) AttachedToBrowser(at bridge.Attachment) { h.Attached(at) }

// minted has a session go on with the browser's id for it, which is empty when
// it could not attach.
func (h *Host) minted(s *session, upstream string) {
	h.mu.Lock()
	switch {
	case upstream == "":
		over := s.over
		h.endLocked(s)
		h.mu.Unlock()
		if !over {
			h.events.Closed(s.id)
		}
		return
	case s.over:
		h.detachLocked(nil, upstream)
	case s.barred:
		h.openLocked(s, upstream)
		h.detachLocked(nil, upstream) // which the browser tells the root of
	default:
		h.openLocked(s, upstream)
	}
	h.mu.Unlock()
}

// openLocked sends what has waited for a session.
func (h *Host) openLocked(s *session, upstream string) {
	s.upstream, s.tail = upstream, wire.SessionTail(upstream)
	h.upstream[upstream] = s
	for _, command := range s.queue {
		if !h.conn.Offer(wire.Frame{Head: command, Tail: s.tail}) {
			h.cancel(errBehind)
		}
	}
	s.queue, s.queued = nil, 0
}

// Release implements bridge.Host. What the browser minted inside a session
// goes with it, and so do the contexts of a Client.
func (h *Host) Release(sessionID, _ string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions[sessionID]
	if s == nil {
		return
	}
	held := h.heldLocked(s)
	h.endLocked(s)
	if s.upstream == "" {
		return
	}
	h.resumeLocked(held)
	h.detachLocked(s.parent, s.upstream)
	h.disposeAllLocked(s)
}

// detachLocked ends a session of the browser inside the one that it was minted
// in; nil is the root.
func (h *Host) detachLocked(parent *session, upstream string) {
	tail := wire.End
	if parent != nil {
		tail = parent.tail
	}
	h.sendLocked(tail, "Target.detachFromTarget", append(wire.AppendString([]byte(`{"sessionId":`), upstream), '}'), nil)
}

// endLocked is removeLocked, and lets those targets go on for which nobody waits
// any more.
func (h *Host) endLocked(s *session) {
	waiters := len(h.waiters)
	h.removeLocked(s)
	if len(h.waiters) < waiters {
		h.resumeAllLocked()
	}
}

// removeLocked forgets a session and those born inside it. Nothing that comes
// for them any more reaches the hub.
func (h *Host) removeLocked(s *session) {
	if s.over {
		return
	}
	s.over = true
	for child := range s.children {
		h.removeLocked(child)
	}
	if s.parent != nil {
		delete(s.parent.children, s)
	}
	delete(h.sessions, s.id)
	delete(h.waiters, s)
	delete(h.upstream, s.upstream)
	s.queue = nil
	h.dropWantLocked(s)
	h.removeFolderLocked(s)
	for n, a := range h.after {
		if a.session == s && (!a.always || s.upstream == "") {
			delete(h.after, n)
		}
	}
}

// opened takes up a session that the browser minted inside another, and tells
// the hub. It reports false when the Client may not have it: then it is let go
// of, unseen.
func (h *Host) opened(parent *session, a *attachment) bool {
	h.mu.Lock()
	if parent.over || h.sessions[a.SessionID] != nil {
		h.mu.Unlock()
		return false
	}
	if parent.barred || h.unseenLocked(parent, &a.Info) {
		if !h.awaitedLocked(&a.Info, parent.target) {
			h.sendLocked(wire.SessionTail(a.SessionID), resume, wire.Empty, nil)
		}
		h.detachLocked(parent, a.SessionID)
		h.mu.Unlock()
		return false
	}
	s := &session{
		id: a.SessionID, upstream: a.SessionID, tail: wire.SessionTail(a.SessionID), client: parent.client,
		target: a.Info.ID, browser: a.Info.Type == "browser", context: a.Info.Context, parent: parent,
	}
	if parent.children == nil {
		parent.children = make(map[*session]struct{})
	}
	parent.children[s] = struct{}{}
	h.sessions[s.id], h.upstream[s.upstream] = s, s
	if s.held = parent.auto && parent.asked[a.Info.ID] == 0; s.held && !parent.waits {
		h.resumeLocked([]*session{s})
	}
	h.mu.Unlock()
	h.events.Opened(bridge.Nested{Parent: parent.id, SessionID: s.id, TargetID: a.Info.ID, Type: a.Info.Type})
	return true
}

// closed lets go of a session that the browser has ended, and tells the hub.
// It reports false when the hub has not known it.
func (h *Host) closed(upstream string) bool {
	h.mu.Lock()
	s := h.upstream[upstream]
	if s != nil {
		h.endLocked(s)
	}
	h.mu.Unlock()
	if s == nil {
		return false
	}
	h.events.Closed(s.id)
	return true
}

// barLocked ends the sessions on a target of those Clients that may not see
// what it is about to show. The browser has them ended before anything that
// it is asked later, and tells of their end; nothing else of them goes on.
func (h *Host) barLocked(targetID string) {
	for _, s := range h.sessions {
		if s.target != targetID || !s.client.noFiles || s.barred {
			continue
		}
		s.barred, s.queue = true, nil
		if s.upstream != "" { // else once it has attached
			h.detachLocked(s.parent, s.upstream)
		}
	}
}
