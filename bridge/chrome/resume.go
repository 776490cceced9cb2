package chrome

import (
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// A new target that a session is attached to by itself, Target.setAutoAttach,
// waits until one of the sessions on it sends Runtime.runIfWaitingForDebugger,
// even where waitForDebuggerOnStart is false. Until then a popup has no
// document, and the page that opened it waits for that. When the session ends
// before, it stays so for ever (Chromium 156). So the Host lets a target go on
// when none of the sessions that want to wait is left.

const resumeMethod = "Runtime.runIfWaitingForDebugger"

// awaitedLocked reports whether there is a session that lets a target go on by
// itself: it has asked to wait for such targets, and may see this one. Those
// inside of a page, such as workers, are waited for by sessions on that page.
func (h *Host) awaitedLocked(i *info, page string) bool {
	whole := i.Type == "page" || i.Type == "tab"
	for s := range h.waiters {
		switch {
		case s.barred || h.hiddenInfoLocked(s, i):
		case whole && (s.browser && (s.waitsFor("page") || s.waitsFor("tab")) || h.targets[s.target].Type == "tab"):
			return true
		case !whole && (s.target == page || s.browser) && s.waitsFor(i.Type):
			return true
		}
	}
	return false
}

// waitsFor reports whether a session that waits is attached to a type of targets
// by itself.
func (s *session) waitsFor(kind string) bool {
	if s.filter == nil {
		return targets.Usual.Takes(kind)
	}
	return s.filter.Takes(kind)
}

// heldLocked returns the sessions inside another, and itself, whose targets may
// wait for them.
func (h *Host) heldLocked(s *session) (list []*session) {
	if s.held {
		list = append(list, s)
	}
	for child := range s.children {
		list = append(list, h.heldLocked(child)...)
	}
	return list
}

// resumeLocked resumes the targets of sessions, unless another session will.
func (h *Host) resumeLocked(list []*session) {
	for _, s := range list {
		if !h.awaitedSessionLocked(s) {
			s.held = false
			h.sendLocked(s.tail, resumeMethod, wire.Empty, nil)
		}
	}
}

// awaitedSessionLocked is awaitedLocked for the target of a session.
func (h *Host) awaitedSessionLocked(s *session) bool {
	i := h.targets[s.target].info
	i.ID = s.target
	page := ""
	if s.parent != nil {
		page = s.parent.target
	}
	return h.awaitedLocked(&i, page)
}

// resumeAllLocked resumes the targets for which no session waits any more.
func (h *Host) resumeAllLocked() {
	var list []*session
	for _, s := range h.sessions {
		if s.held && !s.over && s.parent != nil && !s.parent.waits {
			list = append(list, s)
		}
	}
	h.resumeLocked(list)
}

// resumeBeforeDetachLocked resumes targets before a command of a Client ends the
// sessions on them.
func (h *Host) resumeBeforeDetachLocked(s *session, method string, args wire.Object) {
	switch method {
	case "Target.setAutoAttach":
		if !args.True("autoAttach") {
			h.setWaitsLocked(s, false)
			for child := range s.children {
				h.resumeLocked(h.heldLocked(child))
			}
		}
	case "Target.detachFromTarget":
		id, _ := args.Text("sessionId")
		if ending := h.sessions[id]; ending != nil && ending.client == s.client {
			h.resumeLocked(h.heldLocked(ending))
		}
	}
}

// noteAutoAttachLocked records what an accepted command has changed about
// auto-attach.
func (h *Host) noteAutoAttachLocked(s *session, method string, args wire.Object) {
	switch method {
	case "Target.setAutoAttach", "Target.autoAttachRelated":
		s.autoFrom = h.born
		s.auto = method == "Target.autoAttachRelated" || args.True("autoAttach")
		s.filter, _ = targets.ReadFilter(args.Get("filter")) // one that is no good the browser refuses
		h.setWaitsLocked(s, s.auto && args.True("waitForDebuggerOnStart"))
	case resumeMethod:
		s.held = false
	}
}

// setWaitsLocked records whether new targets wait for a session.
func (h *Host) setWaitsLocked(s *session, waits bool) {
	was := s.waits
	if s.waits = waits; waits {
		h.waiters[s] = struct{}{}
		return
	}
	delete(h.waiters, s)
	if was {
		h.resumeAllLocked()
	}
}
