package chrome

import (
	"fmt"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wire"
)

// A page decides how much its browser has to say: a script returns a text of 300 MB, or
// writes one to the console. Such a message concerns the session that it is for, and nobody
// else. An answer becomes an error. An event cannot be left out without notice, since its
// Client may wait for it or count on it: the session ends.

// errAnswerTooLarge is the answer in place of one that is too large.
var errAnswerTooLarge = wire.ServerError(fmt.Sprintf("The answer is larger than %d MiB, which is the most that the hub passes on. "+
	"The command was carried out. Ask for less at a time", maxMessage>>20))

// errEventTooLarge is why a session ends that was to get such an event.
var errEventTooLarge = wire.ServerError(fmt.Sprintf("The browser sent this session an event larger than %d MiB, which is the most that the hub passes on. "+
	"The session ends, since it cannot go on without the event. Attach to the target again", maxMessage>>20))

// receiveCut takes what is left of a message that was too large.
func (h *Host) receiveCut(c *wire.Cut) {
	h.heard.Add(1)
	m := &h.in
	if !m.parseCut(c) {
		h.cancel(errNotCDP) // some command would wait for ever
		return
	}
	if m.id != nil {
		h.log.Warn("an answer of the browser is too large: its command fails", zap.Int64("bytes", c.Size))
		m.result, m.cdpErr = nil, wire.AppendError(nil, errAnswerTooLarge)
		h.answer(m)
		return
	}
	method, _ := wire.Text(m.method)
	h.log.Warn("an event of the browser is too large: its session ends", zap.String("method", method), zap.Int64("bytes", c.Size))
	h.mu.Lock()
	s := h.findLocked(m)
	h.mu.Unlock()
	switch {
	case s != nil:
		h.closeSession(s, errEventTooLarge)
	case m.sessionID == nil && method == "Fetch.requestPaused":
		h.refusePaused(c.Head) // its page would wait for ever
	}
}

// closeSession ends a session of a Client, and says why.
func (h *Host) closeSession(s *session, why *wire.Error) {
	h.mu.Lock()
	over, barred := s.over, s.barred
	if !over {
		h.releaseSessionLocked(s)
	}
	h.mu.Unlock()
	if over {
		return
	}
	if !barred {
		h.events.SessionEvent(s.id, "Inspector.detached", append(wire.AppendString([]byte(`{"reason":`), why.Message), '}'))
	}
	h.announceEnd(s, why)
}

// announceEnd tells the Client of a session that has ended. The end is announced before its
// commands fail: else Playwright would show a page for a moment that does not answer.
func (h *Host) announceEnd(s *session, why *wire.Error) {
	if s.parent != nil {
		gone := wire.AppendString([]byte(`{"sessionId":`), s.id)
		gone = append(wire.AppendString(append(gone, `,"targetId":`...), s.target), '}')
		h.events.SessionEvent(s.parent.id, "Target.detachedFromTarget", gone)
	}
	h.events.Fail(s.id, why)
	h.events.Closed(s.id)
}
