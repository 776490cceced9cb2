package chrome

import (
	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// session is one session of a Client in the browser. Host.mu guards it.
type session struct {
	id       string   // id at the hub; the browser's own for sessions that the browser created
	upstream string   // id at the browser; "" until it is attached
	tail     []byte   // end of each message of the session: ,"sessionId":"…"}
	client   *session // first session of the Client, which owns its contexts
	target   string   // "" for a session of the browser
	browser  bool     // it is a session of the browser, not of a target
	context  string   // browser context of the target
	over     bool     // released by the hub or ended by the browser
	barred   bool     // its target shows what the Client may not see: it is being detached
	page     bool     // the Page domain is enabled
	scale    scales   // of its page, as it has set them

	attaching map[string]int  // Target.attachToTarget commands without an answer, by target
	discovers targets.Filter  // of Target.setDiscoverTargets; nil while that is off
	auto      bool            // Target.setAutoAttach is on
	autoFrom  int             // how many targets there had been when it was sent
	again     map[string]bool // targets to which the Host is attaching it in the browser's place
	standsIn  bool            // the Host has begun it so
	waits     bool            // with waitForDebuggerOnStart
	filter    targets.Filter  // of Target.setAutoAttach; nil is Chromium's default
	held      bool            // its target may wait for Runtime.runIfWaitingForDebugger
	watched   bool            // its page has yet to give a sign of life

	parent   *session // nil for a session that the hub created
	children map[*session]struct{}

	queue  [][]byte         // commands without their tails, until the session is attached
	queued int              // bytes of the queue, and of the tails to come
	shots  []bridge.Command // screenshots of the whole page, which wait behind the queue

	streams map[string]struct{} // handles of the streams that it may read

	// The rest is set only for the first session of a Client.
	noFiles, readOnly bool
	lasting           bool
	heir              *session           // has what this Client had; nil for most
	privateOf         string             // bridge.Attachment.PrivateOf
	group             *group             // of those with the same tabs; nil for a Client that sees all
	windows           map[int64]struct{} // windows that the Client may name
	lane              lane               // what it has sent and the browser has not taken
	folder            string             // of the Client's downloads; "" until it wants some
}

// Attached implements bridge.Announcer: the browser creates a session for that of
// the hub. The hub calls it under its lock. Commands may come before the browser has
// answered; they are queued.
func (h *Host) Attached(at bridge.Attachment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &session{
		id: at.SessionID, target: at.TargetID, browser: at.TargetID == "", context: h.targets[at.TargetID].Context,
		noFiles: at.NoFiles, readOnly: at.ReadOnly, lasting: at.Lasting, privateOf: at.PrivateOf,
	}
	s.client, s.group = s, h.groups.join(at.Tabs)
	h.conn.Join(&s.lane, at.Account)
	s.barred = h.hiddenLocked(s, s.target, "")
	h.sessions[s.id] = s
	method, params := "Target.attachToBrowserTarget", wire.Empty
	if s.target != "" {
		method = "Target.attachToTarget"
		params = attachTo(s.target)
	}
	h.askLocked(method, params, func(result, _ []byte) { h.attachAnswered(s, readText(result, "sessionId")) })
}

// AttachedToBrowser implements bridge.BrowserSessions.
func (h *Host) AttachedToBrowser(at bridge.Attachment) { h.Attached(at) }

// attachAnswered takes the browser's id for a session; "" when the browser did
// not attach.
func (h *Host) attachAnswered(s *session, upstream string) {
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
	// Released while the browser was attaching: end what it has begun.
	case s.over:
		h.detachOwnLocked(upstream)
	case s.barred:
		h.flushLocked(s, upstream)
		h.detachOwnLocked(upstream) // the browser reports this to the root session
	default:
		h.flushLocked(s, upstream)
	}
	h.mu.Unlock()
}

// flushLocked sends the commands that have waited until the session was attached. From here
// on, events of this session are known by upstream.
func (h *Host) flushLocked(s *session, upstream string) {
	s.upstream, s.tail = upstream, wire.SessionTail(upstream)
	h.upstream[upstream] = s
	queue, shots := s.queue, s.shots
	h.dropQueueLocked(s)
	for _, command := range queue {
		f := wire.Frame{Head: command, Tail: s.tail}
		if err := h.conn.OfferOwn(&s.client.lane, f); err != nil { // it was admitted before
			h.cancel(errBehind)
			return
		}
		h.followHeavyLocked(s, f)
	}
	for _, c := range shots {
		h.askSizeLocked(s, c)
	}
}

// Release implements bridge.Host. The sessions that the browser minted inside a session end
// with it, and so do the contexts of a Client. A session that has not attached yet is
// detached when the browser answers (attachAnswered).
func (h *Host) Release(sessionID, _ string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s := h.sessions[sessionID]; s != nil {
		h.releaseSessionLocked(s)
	}
}

// releaseSessionLocked ends a session with what belongs to it.
func (h *Host) releaseSessionLocked(s *session) {
	held := h.heldLocked(s)
	h.endLocked(s)
	if s.upstream == "" {
		return
	}
	h.resumeLocked(held)
	h.detachLocked(s)
	h.disposeAllLocked(s)
}

// detachLocked ends a session of a Client inside the one that it was minted in, behind what
// the Client has sent.
func (h *Host) detachLocked(s *session) {
	tail := wire.End
	if s.parent != nil {
		tail = s.parent.tail
	}
	h.sendLocked(&s.client.lane, tail, detachMethod, detachFrom(s.upstream), nil)
}

// detachOwnLocked ends a session of the browser that is the root's own.
func (h *Host) detachOwnLocked(upstream string) {
	h.askLocked(detachMethod, detachFrom(upstream), nil)
}

const detachMethod = "Target.detachFromTarget"

// detachFrom is the params of Target.detachFromTarget.
func detachFrom(upstream string) []byte {
	return append(wire.AppendString([]byte(`{"sessionId":`), upstream), '}')
}

// endLocked is removeLocked, and resumes the targets for which no session waits any
// more.
func (h *Host) endLocked(s *session) {
	waiters := len(h.waiters)
	h.removeLocked(s)
	if len(h.waiters) < waiters {
		h.resumeAllLocked()
	}
}

// removeLocked forgets a session and those born inside it. Nothing that comes
// for them any more reaches the hub. Callbacks of their commands are dropped, but for those
// that must run in any case (onAnswer.always), as what a context belongs to must be known.
// There may be thousands of sessions: what is searched, is searched once for all of them.
func (h *Host) removeLocked(s *session) {
	if s.over {
		return
	}
	wanted := make(map[string]struct{})
	h.removeOneLocked(s, wanted)
	h.unwantedLocked(wanted)
	for n, a := range h.onAnswers {
		if of := a.session; of != nil && of.over && (!a.always || of.upstream == "") {
			delete(h.onAnswers, n)
			if a.creates {
				of.client.group.creating--
			}
		}
	}
}

// removeOneLocked forgets a session with those inside it, and notes of which contexts they
// wanted downloads.
func (h *Host) removeOneLocked(s *session, wanted map[string]struct{}) {
	if s.over {
		return
	}
	s.over = true
	for child := range s.children {
		h.removeOneLocked(child, wanted)
	}
	if s.parent != nil {
		delete(s.parent.children, s)
	}
	delete(h.sessions, s.id)
	delete(h.waiters, s)
	for _, p := range h.stuck {
		delete(p.waiting, s)
	}
	delete(h.upstream, s.upstream)
	h.dropQueueLocked(s)
	h.downloads.drop(s, wanted)
	h.downloads.removeFolder(s)
	h.dropShadowsLocked(s)
	if s.group != nil {
		h.groups.leave(s.group)
	}
	if s.client == s {
		h.conn.Leave(&s.lane)
	}
}

// childAttached handles a session that the browser has created inside another,
// and announces it to the hub. It reports false when the Client may not have the
// session: the Host then detaches it, and the Client never sees it. It runs in the reader's
// goroutine, so that nothing that comes for the session is read before.
func (h *Host) childAttached(parent *session, a *attachment, params []byte) bool {
	h.mu.Lock()
	// The Client has released the parent meanwhile: the browser ends what is inside it,
	// too.
	if parent.over || h.sessions[a.SessionID] != nil {
		h.mu.Unlock()
		return false
	}
	if g := parent.client.group; g != nil && !parent.browser && !parent.barred {
		g.tabs.Inherit(a.Info.ID, parent.target) // it is in a tab of the Client's
	}
	if h.holdLocked(parent, "attachedToTarget", a.Info.ID, params) {
		h.mu.Unlock()
		return false
	}
	if parent.barred || h.hiddenInfoLocked(parent, &a.Info) {
		h.shunLocked(parent, a)
		h.mu.Unlock()
		return false
	}
	// Without a command of the Client under way for this target, it is the browser that has
	// attached the session by itself.
	auto := parent.auto && parent.attaching[a.Info.ID] == 0
	standsIn := auto && parent.again[a.Info.ID]
	delete(parent.again, a.Info.ID)
	s := &session{
		id: a.SessionID, standsIn: standsIn, upstream: a.SessionID, tail: wire.SessionTail(a.SessionID), client: parent.client,
		target: a.Info.ID, browser: a.Info.Type == "browser", context: a.Info.Context, parent: parent,
	}
	if parent.children == nil {
		parent.children = make(map[*session]struct{})
	}
	parent.children[s] = struct{}{}
	h.sessions[s.id], h.upstream[s.upstream] = s, s
	if s.held = auto; auto && !parent.waits {
		h.resumeLocked([]*session{s})
	}
	switch {
	case auto && h.stuck[a.Info.ID] != nil:
		h.withdrawSoonLocked(s)
	case auto && h.wasThereLocked(parent, a):
		h.watchLocked(s)
	}
	h.mu.Unlock()
	// Without the lock, which comes after that of the hub.
	if h.events.Opened(bridge.Nested{Parent: parent.id, SessionID: s.id, TargetID: a.Info.ID, Type: a.Info.Type}) {
		return true
	}
	h.refused(s, a)
	return false
}

// refused ends a session that its Client may not have, since it has too many.
func (h *Host) refused(s *session, a *attachment) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.over { // with its parent
		return
	}
	h.endLocked(s)
	h.shunLocked(s.parent, a)
}

// sessionDetached removes a session that the browser has ended, and reports that
// to the hub. It reports false when the hub does not know the session.
func (h *Host) sessionDetached(upstream string) bool {
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

// barLocked ends the sessions on a target of those Clients that may not see the
// document that it is about to show. The browser ends them before it carries out
// later commands, and sends an event for each. The Host forwards nothing else of
// these sessions. Commands that are queued or come later fail with errNoSession.
func (h *Host) barLocked(targetID string) {
	for _, s := range h.sessions {
		if s.target == targetID && s.client.noFiles && !s.barred {
			h.barSessionLocked(s)
		}
	}
}

// barSessionLocked ends a session at the browser; the Client hears nothing else of it.
func (h *Host) barSessionLocked(s *session) {
	s.barred = true
	h.dropQueueLocked(s)
	if s.upstream != "" { // else once it has attached
		h.detachLocked(s)
	}
}
