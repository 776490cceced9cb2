package relay

import (
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
)

// A document of a Host page may stop answering: its script does not end, it waits for a request
// that never ends, it is at a breakpoint, or the browser shows a dialog of its own. A worker may do
// so, too. While a session has commands in flight, the hub asks what it is on for a sign of life. If
// none comes, the commands fail with the reason, and later ones at once, until it answers.
//
// The times are those of the promise that a command fails within 10 s: one that is sent
// right after a sign is followed by the next question 2 s later, and fails 7 s after that.
const (
	signEvery   = 2 * time.Second
	silentAfter = 7 * time.Second
)

// signMethod is answered by the agent itself, in the document and in a worker, and changes nothing.
const signMethod = "Runtime.getIsolateId"

// pulse is whether that which a session is on answers. Hub.mu guards it.
type pulse struct {
	felt   bool          // a timer looks at it again
	asked  bridge.CallID // the question in flight; 0 for none
	since  time.Time     // when it was asked, or when a silent document got a chance
	silent bool          // for all sessions on the same at once
}

// feelLocked has the pulse of a session taken soon, since a command is in flight.
func (h *Hub) feelLocked(s *clientSession) {
	if s == nil || s.pulse.felt || !s.answersSigns() {
		return
	}
	s.pulse.felt = true
	wait := signEvery
	if s.pulse.asked != 0 || s.pulse.silent {
		wait = silentAfter - time.Since(s.pulse.since)
	}
	id := s.ID
	time.AfterFunc(wait, func() { h.takePulse(id) })
}

// answersSigns reports whether the session is on something that can be asked.
func (s *clientSession) answersSigns() bool {
	on := sideOf(s)
	if !inTarget(s) || on == nil || on.browser != nil {
		return false
	}
	d, ok := on.host.(bridge.Documents)
	return ok && d.AnswerSigns()
}

// takePulse asks for a sign of life, or finds that none has come. It does so until the session
// has no command in flight.
func (h *Hub) takePulse(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.sessions.get(id)
	if s == nil {
		return
	}
	p := &s.pulse
	p.felt = false
	if !s.answersSigns() || !h.isAwaitedLocked(s) {
		return
	}
	defer h.feelLocked(s)
	switch {
	case p.asked == 0 && !p.silent:
		h.askSignLocked(s)
	case h.asksClientsLocked(s) || sideOf(s).host.(bridge.Documents).Busy() && !sideOf(s).hangs():
		p.since = time.Now() // the answer may be behind what is on its way
	case time.Since(p.since) >= silentAfter:
		h.silenceLocked(s)
	}
}

// isAwaitedLocked reports whether a session has commands in flight but for the question.
func (h *Hub) isAwaitedLocked(s *clientSession) bool {
	for c := s.newest; c != nil; c = c.next {
		if c.session == s && c.number != s.pulse.asked {
			return true
		}
	}
	return false
}

// asksClientsLocked reports whether the page of a session shows a dialog that its Clients were told
// of. It goes on when one of them answers, or after dialogTimeout.
func (h *Hub) asksClientsLocked(s *clientSession) bool {
	for ; s != nil; s = s.parent {
		if d := h.dialogs[s.TargetID]; d != nil && d.open != nil {
			return true
		}
	}
	return false
}

// askSignLocked asks for a sign of life. A question that cannot be sent, since too much is in
// flight already, is asked at the next time.
func (h *Hub) askSignLocked(s *clientSession) {
	h.counters.Received++
	r := request{Envelope: wire.Envelope{Method: signMethod, Params: wire.Empty}, client: s.client, session: s, isMethod: true}
	c := h.sendLocked(&r, sideOf(s), s, bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: signMethod, Params: wire.Empty})
	if c == nil {
		return
	}
	n := c.number
	s.pulse.asked, s.pulse.since = n, time.Now()
	c.ended = func([]byte, *wire.Error) {
		if s.pulse.asked != n { // the session ends
			return
		}
		s.pulse.asked = 0
		for _, on := range sideOf(s).sessions.ofTarget(s.TargetID) {
			on.pulse.silent = false
		}
	}
}

// silenceLocked fails the commands in flight of all sessions on something that does not answer.
func (h *Hub) silenceLocked(s *clientSession) {
	for _, on := range sideOf(s).sessions.ofTarget(s.TargetID) {
		on.pulse.silent = true
		h.calls.failWhere(h.silentDocument(s), func(c *call) bool { return c.session == on && c.number != on.pulse.asked })
	}
}

// inheritPulseLocked has a new session on something that does not answer know of it.
func (h *Hub) inheritPulseLocked(s *clientSession) {
	if sideOf(s) == nil || !inTarget(s) {
		return
	}
	for _, on := range sideOf(s).sessions.ofTarget(s.TargetID) {
		s.pulse.silent = s.pulse.silent || on.pulse.silent
	}
}

// leavePulseLocked has another session ask on when one ends.
func (h *Hub) leavePulseLocked(s *clientSession) {
	asked, silent := s.pulse.asked, s.pulse.silent
	s.pulse = pulse{}
	if asked == 0 || !silent {
		return
	}
	for _, on := range sideOf(s).sessions.ofTarget(s.TargetID) {
		if on != s && on.answersSigns() {
			if on.pulse.asked == 0 {
				h.askSignLocked(on)
			}
			return
		}
	}
}

// silentDocument says that a document, or worker, does not answer.
func (h *Hub) silentDocument(s *clientSession) *wire.Error {
	why := advice.DocumentHangs
	if sideOf(s).hangs() {
		why = advice.PageHangs
	}
	return h.advised(errDocumentSilent, why)
}

// passesSilence reports whether a command is sent to something that does not answer: the question,
// and what the Host can carry out without the document, which gets as much time.
func (s *clientSession) passesSilence(method string) bool {
	switch method {
	case signMethod:
	case "Page.navigate", "Page.reload", "Page.close", "Page.bringToFront":
		s.pulse.since = time.Now()
	default:
		return false
	}
	return true
}
