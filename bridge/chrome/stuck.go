package chrome

import (
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
)

// A page answers no command while its process is stopped, its script does not end,
// or it shows a dialog. Chromium attaches sessions to it nevertheless, and whoever
// enters waits: Playwright's connectOverCDP wants answers from every page, and fails
// with its time-out (Chromium 156). So the Host asks a page for a sign of life when
// a session is attached to it by itself, Target.setAutoAttach. If none comes, the
// session ends, and its commands in flight fail by name. The page stays listed.
// Once it answers, the Host attaches those sessions anew that would have it.
//
// Sessions that a Client asks for, Target.attachToTarget, wait as in Chromium.

// signMethod is answered by the page's own thread, whatever is enabled.
const signMethod = "Runtime.getIsolateId"

// stuckAfter is how long a page may take for its first answer. Nothing tells a process
// that is stopped from one whose script is busy: Chromium 156 carries out no command
// amid a script.
const stuckAfter = 2 * time.Second

var errStuck = wire.ServerError("The page does not answer: its process is stopped, its script does not end, or it shows a dialog. " +
	"The command may still be carried out. This session ends, and another one begins when the page answers")

// stuckPage is a page that does not answer.
type stuckPage struct {
	asked   int32                 // the root's command that it will answer; 0 before it was sent
	waiting map[*session]struct{} // sessions that are to have a session on it
}

// wasThereLocked reports whether a page was there before a session asked to be
// attached to pages by itself. A page that has just been made answers later.
func (h *Host) wasThereLocked(parent *session, a *attachment) bool {
	t, known := h.targets[a.Info.ID]
	return a.Info.Type == "page" && !a.Waiting && known && t.born < parent.autoFrom
}

// withdrawSoonLocked ends a session at once whose page is known not to answer. The session
// is announced to the Client before: Puppeteer waits for one on each page.
func (h *Host) withdrawSoonLocked(s *session) {
	s.watched = true
	h.askLocked("Browser.getVersion", wire.Empty, func(_, _ []byte) { h.withdraw(s) })
}

// watchLocked asks the page of a session for a sign of life. The Client's commands are sent
// meanwhile: most pages answer at once.
func (h *Host) watchLocked(s *session) {
	s.watched = true
	h.askInLocked(s, signMethod, wire.Empty, func(_, _ []byte) {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.watched = false
	})
	a := h.onAnswers[h.lastOwn]
	a.session = s // with which it goes
	h.onAnswers[h.lastOwn] = a
	time.AfterFunc(stuckAfter, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if s.watched && !s.over {
			// What the browser has sent until now is read before its answer.
			h.askLocked("Browser.getVersion", wire.Empty, func(_, _ []byte) { h.withdraw(s) })
		}
	})
}

// withdraw ends a session whose page has not answered.
func (h *Host) withdraw(s *session) {
	h.mu.Lock()
	if !s.watched || s.over {
		h.mu.Unlock()
		return
	}
	// Before the session ends: the page is asked again from now on.
	h.awaitPageLocked(s.target, s.parent)
	h.detachLocked(s)
	h.endLocked(s)
	told := h.noteSilentLocked(s.target, true)
	h.mu.Unlock()
	told()
	h.announceEnd(s, errStuck)
}

// awaitPageLocked has a session, unless it is nil, attached to a page as soon as that
// answers.
func (h *Host) awaitPageLocked(targetID string, parent *session) {
	p := h.stuck[targetID]
	if p == nil {
		p = &stuckPage{waiting: make(map[*session]struct{})}
		h.stuck[targetID] = p
		h.askLocked("Target.attachToTarget", attachTo(targetID), func(result, _ []byte) { h.askStuck(targetID, readText(result, "sessionId")) })
	}
	if parent != nil {
		p.waiting[parent] = struct{}{}
	}
}

// askStuck asks a page that does not answer, in a session of the root. It waits without a
// limit of time: a page may be stopped for hours.
func (h *Host) askStuck(targetID, upstream string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	p := h.stuck[targetID]
	switch {
	case upstream == "":
		delete(h.stuck, targetID) // it has gone
	case p == nil:
		h.detachOwnLocked(upstream)
	default:
		h.sendLocked(nil, wire.SessionTail(upstream), signMethod, wire.Empty, func(_, _ []byte) { h.answersAgain(targetID, upstream) })
		p.asked = h.lastOwn
	}
}

// answersAgain attaches the sessions that wait for a page.
func (h *Host) answersAgain(targetID, upstream string) {
	h.mu.Lock()
	p := h.stuck[targetID]
	h.forgetStuckLocked(targetID)
	h.detachOwnLocked(upstream)
	for s := range p.waiting {
		if s.auto {
			h.attachAgainLocked(s, targetID)
		}
	}
	told := h.noteSilentLocked(targetID, false)
	h.mu.Unlock()
	told()
}

// attachAgainLocked has a session attached to a target as the browser would do by
// itself. When the Client turns that off, the Host ends it.
func (h *Host) attachAgainLocked(s *session, targetID string) {
	if s.again == nil {
		s.again = make(map[string]bool)
	}
	s.again[targetID] = true
	h.askInLocked(s, "Target.attachToTarget", attachTo(targetID), nil)
}

// endAgainLocked ends the sessions of attachAgainLocked: Chromium ends those alone
// that it has begun itself.
func (h *Host) endAgainLocked(parent *session) {
	clear(parent.again)
	for child := range parent.children {
		if child.standsIn {
			h.detachLocked(child)
		}
	}
}

// noteSilentLocked records whether a page answers. What it returns tells the hub, and
// is called without the lock.
func (h *Host) noteSilentLocked(targetID string, silent bool) (tell func()) {
	t, known := h.targets[targetID]
	if !known || t.silent == silent {
		return func() {}
	}
	t.silent = silent
	h.targets[targetID] = t
	what := "tab_responsive"
	if silent {
		what = "tab_unresponsive"
	}
	return func() {
		h.log.Info(what, zap.String("target", targetID))
		if t.listed {
			h.events.TargetChanged(t.registered())
		}
	}
}

// forgetStuckLocked forgets a page that answers, or has gone.
func (h *Host) forgetStuckLocked(targetID string) {
	if p := h.stuck[targetID]; p != nil {
		delete(h.onAnswers, p.asked)
		delete(h.stuck, targetID)
	}
}

// attachTo is the params of Target.attachToTarget.
func attachTo(targetID string) []byte {
	return append(wire.AppendString([]byte(`{"targetId":`), targetID), `,"flatten":true}`...)
}
