package chrome

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// session is one session of a Client in the browser. Host.mu guards it.
type session struct {
	id       string   // the hub's; Chromium's own where Chromium minted it
	upstream string   // the browser's; "" until it has attached
	tail     []byte   // ends each message: ,"sessionId":"…"}
	client   *session // the first session of its Client, to which contexts belong
	browser  bool     // of the browser, not of a target
	context  string   // of the target
	over     bool     // released or closed

	parent   *session // nil for one that the hub minted
	children map[*session]struct{}

	queue  [][]byte // commands without their tails, until it has attached
	queued int      // bytes of the queue

	takes bool  // download events
	want  *want // what it has asked for the downloads of the default context; nil for most
}

// maxQueued is how much waits for a session to attach, in bytes.
const maxQueued = 16 << 20

// Attached implements bridge.Announcer: the browser mints a session for that
// of the hub.
func (h *Host) Attached(sessionID, targetID, _ string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &session{id: sessionID, browser: targetID == "", context: h.targets[targetID].Context}
	s.client = s
	h.sessions[s.id] = s
	method, params := "Target.attachToBrowserTarget", wire.Empty
	if targetID != "" {
		method = "Target.attachToTarget"
		params = append(wire.AppendString([]byte(`{"targetId":`), targetID), `,"flatten":true}`...)
	}
	h.askLocked(method, params, func(result, _ []byte) { h.minted(s, text(result, "sessionId")) })
}

// minted has a session go on with the browser's id for it, which is empty when
// it could not attach.
func (h *Host) minted(s *session, upstream string) {
	h.mu.Lock()
	switch {
	case upstream == "":
		over := s.over
		h.removeLocked(s)
		h.mu.Unlock()
		if !over {
			h.events.Closed(s.id)
		}
		return
	case s.over:
		h.detachLocked(upstream)
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
	h.removeLocked(s)
	if s.upstream == "" {
		return
	}
	if s.parent == nil {
		h.detachLocked(s.upstream)
	} else {
		h.sendLocked(s.parent.tail, "Target.detachFromTarget", sessionParams(s.upstream), nil)
	}
	h.disposeAllLocked(s)
}

// detachLocked ends a session that the root has minted.
func (h *Host) detachLocked(upstream string) {
	h.askLocked("Target.detachFromTarget", sessionParams(upstream), nil)
}

func sessionParams(upstream string) []byte {
	return append(wire.AppendString([]byte(`{"sessionId":`), upstream), '}')
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
	delete(h.upstream, s.upstream)
	s.queue = nil
	h.dropWantLocked(s)
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
	if h.hiddenLocked(parent, a.Info.ID, a.Info.Context) {
		h.sendLocked(wire.SessionTail(a.SessionID), "Runtime.runIfWaitingForDebugger", wire.Empty, nil)
		h.sendLocked(parent.tail, "Target.detachFromTarget", sessionParams(a.SessionID), nil)
		h.mu.Unlock()
		return false
	}
	s := &session{
		id: a.SessionID, upstream: a.SessionID, tail: wire.SessionTail(a.SessionID), client: parent.client,
		browser: a.Info.Type == "browser", context: a.Info.Context, parent: parent,
	}
	if parent.children == nil {
		parent.children = make(map[*session]struct{})
	}
	parent.children[s] = struct{}{}
	h.sessions[s.id], h.upstream[s.upstream] = s, s
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
		h.removeLocked(s)
	}
	h.mu.Unlock()
	if s == nil {
		return false
	}
	h.events.Closed(s.id)
	return true
}
