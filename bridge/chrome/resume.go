package chrome

import (
	"slices"

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
// inside of a page, such as workers, are waited for by sessions on that page. Those of the
// Client but do not count.
func (h *Host) awaitedLocked(i *info, page string, but *session) bool {
	whole := i.Type == "page" || i.Type == "tab"
	for s := range h.waiters {
		waits := false
		switch {
		// A session of the browser, or of the tab around the page.
		case whole:
			waits = s.browser && (s.waitsFor("page") || s.waitsFor("tab")) || h.targets[s.target].Type == "tab"
		// A session of the page around the frame or worker, or one of the browser.
		case s.target == page || s.browser:
			waits = s.waitsFor(i.Type)
		}
		// The Client of a session that is barred or does not see the target does not know of
		// it, and will not let it go on. To find out takes longest, and so comes last.
		if waits && s.client != but && !s.barred && !h.hiddenInfoLocked(s, i) {
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
// wait for them. It is asked before the sessions end, while they can still be named.
func (h *Host) heldLocked(s *session) (list []*session) {
	if s.held {
		list = append(list, s)
	}
	for child := range s.children {
		list = append(list, h.heldLocked(child)...)
	}
	return list
}

// resumeLocked resumes the targets of sessions, unless another session will. Chromium
// answers {} to a target that does not wait, so that one command too many does no harm.
// There may be as many sessions in the list as one Client may have, on the same few targets,
// and as many that wait: each target is asked for once.
func (h *Host) resumeLocked(list []*session) {
	type place struct{ target, around string }
	awaited := make(map[place]bool)
	for _, s := range list {
		at := place{s.target, s.around()}
		waits, asked := awaited[at]
		if !asked {
			waits = h.awaitedSessionLocked(s)
			awaited[at] = waits
		}
		if !waits {
			s.held = false
			h.askInLocked(s, resumeMethod, wire.Empty, nil)
			h.goesOnLocked(s.target)
		}
	}
}

// awaitedSessionLocked is awaitedLocked for the target of a session.
func (h *Host) awaitedSessionLocked(s *session) bool {
	i := h.targets[s.target].info
	i.ID = s.target
	return h.awaitedLocked(&i, s.around(), nil)
}

// around is the target of the session that this one was born in; "" for none.
func (s *session) around() string {
	if s.parent == nil {
		return ""
	}
	return s.parent.target
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
	for id, shadows := range h.shadows {
		i := h.targets[id].info
		if parent := shadows[0].parent; !h.awaitedLocked(&i, parent.target, parent.client) {
			h.endShadowsLocked(id)
		}
	}
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
		if !s.auto {
			h.endAgainLocked(s)
		}
		h.setWaitsLocked(s, s.auto && args.True("waitForDebuggerOnStart"))
	case "Target.setDiscoverTargets":
		s.discovers = nil
		if args.True("discover") {
			if s.discovers, _ = targets.ReadFilter(args.Get("filter")); s.discovers == nil {
				s.discovers = targets.Usual
			}
		}
	case resumeMethod:
		s.held = false
		h.goesOnLocked(s.target)
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

// shadow is a session of the browser on a target that its Client may not see. Where
// the target waits, it stays until another Client lets that go on: a document that a
// page opens with rel=noopener is never loaded when one of the sessions that it waits
// for ends before (Chromium 156).
type shadow struct {
	parent   *session
	upstream string
}

// shunLocked ends a session that a Client may not have, as soon as that may be.
func (h *Host) shunLocked(parent *session, a *attachment) {
	own := shadow{parent, a.SessionID}
	if !h.targets[a.Info.ID].goesOn && h.awaitedLocked(&a.Info, parent.target, parent.client) {
		h.shadows[a.Info.ID] = append(h.shadows[a.Info.ID], own)
		return
	}
	h.endShadowLocked(own)
}

// endShadowLocked lets the target go on before it ends the session: the order in which
// Chromium gets the commands.
func (h *Host) endShadowLocked(s shadow) {
	l := &s.parent.client.lane
	h.sendLocked(l, wire.SessionTail(s.upstream), resumeMethod, wire.Empty, nil)
	h.sendLocked(l, s.parent.tail, detachMethod, detachFrom(s.upstream), nil)
}

// goesOnLocked ends the shadows on a target that goes on, and those on its tab. Of
// most tabs it is not known which page they have.
func (h *Host) goesOnLocked(targetID string) {
	h.endShadowsLocked(targetID)
	for id := range h.shadows {
		if t := h.targets[id]; t.Type == "tab" && (t.page == "" || t.page == targetID) {
			h.endShadowsLocked(id)
		}
	}
}

// endShadowsLocked ends the shadows on a target, and notes that it goes on.
func (h *Host) endShadowsLocked(targetID string) {
	for _, s := range h.shadows[targetID] {
		if !s.parent.over {
			h.endShadowLocked(s)
		}
	}
	delete(h.shadows, targetID)
	if t, known := h.targets[targetID]; known && !t.goesOn {
		t.goesOn = true
		h.targets[targetID] = t
	}
}

// dropShadowsLocked ends those inside a session that ends.
func (h *Host) dropShadowsLocked(parent *session) {
	for id, list := range h.shadows {
		list = slices.DeleteFunc(list, func(s shadow) bool {
			if s.parent == parent {
				h.sendLocked(&parent.client.lane, wire.SessionTail(s.upstream), resumeMethod, wire.Empty, nil)
			}
			return s.parent == parent
		})
		if h.shadows[id] = list; len(list) == 0 {
			delete(h.shadows, id)
		}
	}
}
