package chrome

import (
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// invalidAnswer is the error for a command whose answer has another shape than CDP's. A
// browser at an address of its own may send anything.
var invalidAnswer = wire.AppendError(nil, wire.ServerError("Invalid answer from the browser: it may be of another kind than Chromium, or have failed; try again"))

// receive takes one message of the browser. It runs in the goroutine of conn.Serve, the
// reader, and uses frame only until it returns.
func (h *Host) receive(frame []byte) {
	h.heard.Add(1)
	m := &h.in
	switch {
	case !m.parse(frame):
		h.cancel(errNotCDP) // some command would wait for ever
	case m.id != nil:
		h.answer(m)
	case m.method != nil:
		h.event(m)
	}
}

// findLocked returns the session that a message is for; nil for one that has ended. An
// answer or event without a sessionId is the root's, and finds none.
func (h *Host) findLocked(m *message) *session {
	id, _ := wire.Text(m.sessionID)
	return h.upstream[id]
}

// answer passes on the answer to a command. One that names no session, or one
// that has ended, is of a command that has failed before. observe runs for every answer
// that the Host has asked for; rewrite and the Client's answer only while the session
// lives.
func (h *Host) answer(m *message) {
	number, ok := wire.Int(m.id)
	if !ok {
		return
	}
	n := int32(number)
	h.mu.Lock()
	s, call, a := h.findLocked(m), h.callLocked(n), h.onAnswers[n]
	delete(h.onAnswers, n)
	if s != nil && s.barred {
		s = nil
	}
	h.mu.Unlock()
	// Without the lock: it may call the hub.
	if a.observe != nil {
		a.observe(m.result, m.cdpErr)
	}
	// The command was the Host's own, or its session has ended.
	if n < 0 || s == nil {
		return
	}
	result, cdpErr := m.result, m.cdpErr
	if cdpErr != nil && cdpErr[0] != '{' || cdpErr == nil && result != nil && result[0] != '{' {
		result, cdpErr = nil, invalidAnswer
	}
	if a.rewrite != nil {
		result, cdpErr = a.rewrite(result, cdpErr)
	}
	if cdpErr == nil && result == nil {
		result = wire.Empty
	}
	h.events.Result(call, s.id, result, cdpErr)
}

// event passes on an event, or acts on it. An event without a sessionId is for the root
// session, which is the connection itself.
func (h *Host) event(m *message) {
	method, ok := wire.Text(m.method)
	params := m.params
	if params == nil {
		params = wire.Empty
	}
	// Clients, logs and the tables of domains take the name of an event as it is.
	if !ok || !wire.IsMethod(method) || params[0] != '{' {
		return
	}
	if m.sessionID == nil {
		h.rootEvent(method, params)
		return
	}
	h.mu.Lock()
	s := h.findLocked(m)
	barred, probes := s != nil && s.barred, len(h.probes) > 0
	h.mu.Unlock()
	if s == nil && probes {
		id, _ := wire.Text(m.sessionID)
		h.probeEvent(id, method, params)
	}
	// Of a barred session the Client gets the ends of the sessions inside it, and nothing else.
	if s != nil && h.filterEvent(s, method, params) && (!barred || method == "Target.detachedFromTarget") {
		h.events.SessionEvent(s.id, method, params)
	}
}

// filterEvent acts on an event of a session, and reports whether the Client gets
// it.
func (h *Host) filterEvent(s *session, method string, params []byte) bool {
	switch domain, name, _ := strings.Cut(method, "."); {
	case domain == "Target":
		return h.targetEvent(s, name, params)
	case method == "Fetch.requestPaused" && s.client.noFiles:
		return h.mayPassPaused(s, params)
	case method == "Tracing.tracingComplete":
		h.registerStream(s, readText(params, "stream"))
	case method == "Page.javascriptDialogOpening":
		h.dialogOpens(s, params)
	case method == "Page.downloadWillBegin":
		h.locateDownload(s, params)
	case method == "Browser.downloadWillBegin", method == "Browser.downloadProgress":
		return false // the root session passes them on to the sessions that may see them
	}
	return true
}

// dialogOpens closes a dialog when only read-only Clients have Page enabled, which
// may not answer it. Chromium does so by itself when no session has Page enabled.
// Otherwise the page would wait for ever.
func (h *Host) dialogOpens(s *session, params []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !s.client.readOnly {
		return
	}
	for _, other := range h.sessions {
		if other.target == s.target && other.page && !other.client.readOnly {
			return
		}
	}
	answer := `{"accept":false}`
	if kind := readText(params, "type"); kind == "alert" || kind == "beforeunload" {
		answer = `{"accept":true}`
	}
	h.askInLocked(s, "Page.handleJavaScriptDialog", []byte(answer), nil)
}
