package chrome

import (
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// Lists show which pages do not answer (targets.Info.Unresponsive), also while no Client
// attaches to them. So the Host asks the pages for a sign of life while it is asked for
// titles (Refresh), in a session that some Client has there: the Client sees nothing of it.
// A page without a session needs no such check, since no Client waits for its answers.

// lookEvery is the least time between two looks.
const lookEvery = time.Second

// lookLocked asks the pages of which no answer is due.
func (h *Host) lookLocked(now time.Time) {
	if now.Sub(h.looked) < lookEvery {
		return
	}
	h.looked = now
	waits := make(map[string]bool) // for somebody to let it go on
	for _, s := range h.sessions {
		waits[s.target] = waits[s.target] || s.held
	}
	for _, s := range h.sessions {
		_, due := h.onAnswers[h.looks[s.target]]
		switch {
		case due, waits[s.target], h.stuck[s.target] != nil, h.targets[s.target].Type != "page":
		case s.upstream != "" && !s.barred && !s.watched:
			h.lookAtLocked(s)
		}
	}
}

// lookAtLocked asks the page of a session. The command is the root's own, by its negative
// number, but it is sent in the session of a Client. Its answer stops at the Host.
func (h *Host) lookAtLocked(s *session) {
	h.askInLocked(s, signMethod, wire.Empty, func(_, _ []byte) {})
	n := h.lastOwn
	a := h.onAnswers[n]
	a.session = s // with which it goes
	h.onAnswers[n] = a
	h.looks[s.target] = n
	time.AfterFunc(stuckAfter, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if _, due := h.onAnswers[n]; due {
			// What the browser has sent until now is read before its answer.
			h.askLocked("Browser.getVersion", wire.Empty, func(_, _ []byte) { h.silent(s.target, n) })
		}
	})
}

// silent is for a page that has not answered. From then on the page is asked in a session
// of the root, until it answers (awaitPageLocked).
func (h *Host) silent(targetID string, n int32) {
	h.mu.Lock()
	_, due := h.onAnswers[n]
	if _, known := h.targets[targetID]; !due || !known || h.stuck[targetID] != nil {
		h.mu.Unlock()
		return
	}
	h.awaitPageLocked(targetID, nil)
	told := h.noteSilentLocked(targetID, true)
	h.mu.Unlock()
	told()
}
