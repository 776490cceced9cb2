package extension

import (
	"encoding/json"
	"strings"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// message has the members of one message, as they stand in its frame. Those that are absent are nil.
type message struct {
	kind                                string
	v, install, product, userAgent      []byte
	tabs, tab, target, reason           []byte
	id, session, method, result, cdpErr []byte
	params                              []byte
}

func (m *message) set(name string, value []byte) error {
	switch name {
	case "kind":
		m.kind, _ = wire.Text(value)
	case "v":
		m.v = value
	case "install":
		m.install = value
	case "product":
		m.product = value
	case "userAgent":
		m.userAgent = value
	case "tabs":
		m.tabs = value
	case "tab":
		m.tab = value
	case "target":
		m.target = value
	case "reason":
		m.reason = value
	case "id":
		m.id = value
	case "session":
		m.session = value
	case "method":
		m.method = value
	case "params":
		m.params = value
	case "result":
		m.result = value
	case "error":
		m.cdpErr = value
	}
	return nil
}

// Limits on texts of an extension, in bytes.
const (
	maxProduct   = 256
	maxUserAgent = 1 << 10
	maxReason    = 512 // a longer reason is cut
	maxSession   = 128
	minInstall   = 22 // 128 bits in base64
	maxInstall   = 128
)

// isObject reports whether a member is a JSON object. It has been checked as JSON.
func isObject(raw []byte) bool { return len(raw) > 0 && raw[0] == '{' }

// version is how a hello names the browser; what is too long is left out.
func (m *message) version() (v bridge.Version) {
	if text, _ := wire.Text(m.product); len(text) <= maxProduct {
		v.Product = strings.Clone(text)
	}
	if text, _ := wire.Text(m.userAgent); len(text) <= maxUserAgent {
		v.UserAgent = strings.Clone(text)
	}
	return v
}

// sharedTab is a tab as the extension writes it.
type sharedTab struct {
	Target string `json:"target"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Opener string `json:"opener"`
}

// read reads a tab; ok is false when its id is not usable.
func (s *sharedTab) read(raw []byte) (info targets.Info, ok bool) {
	if !isObject(raw) || wire.Decode(raw, s) != nil || s.Target == "" || len(s.Target) > targets.MaxID || len(s.Opener) > targets.MaxID {
		return info, false
	}
	return targets.Info{ID: s.Target, OpenerID: s.Opener, Title: targets.Cut(s.Title, targets.MaxTitle), URL: targets.Cut(s.URL, targets.MaxURL)}, true
}

// receive takes one message. What is wrong with it is logged, and ignored.
func (l *link) receive(frame []byte) {
	var m message
	if err := wire.ReadObject(frame, m.set); err != nil {
		l.warn("message of an extension is not valid", zap.Error(err))
		return
	}
	if m.kind == "hello" {
		l.hello(&m)
		return
	}
	if l.host == nil {
		l.warn("message of an extension came before its hello")
		return
	}
	if !l.host.receive(l, &m) {
		l.warn("message of an extension is not usable", zap.String("kind", targets.Cut(m.kind, maxSession)))
	}
}

// receive takes a message of the Host's connection. It reports false for one that is not usable.
func (h *Host) receive(l *link, m *message) bool {
	h.turn.Lock()
	defer h.turn.Unlock()
	h.mu.Lock()
	outdated := h.link != l || h.over
	h.mu.Unlock()
	if outdated {
		return true
	}
	target, _ := wire.Text(m.target)
	switch m.kind {
	case "tabs":
		return h.receiveTabs(m.tabs)
	case "tab":
		info, ok := new(sharedTab).read(m.tab)
		if ok {
			h.announce(info)
		}
		return ok
	case "gone":
		h.end(target, reasonOf(m))
	case "detached":
		h.detached(target)
	case "answer":
		return h.answer(m)
	case "event":
		return h.event(target, m)
	}
	return true
}

// reasonOf is why a tab is shared no more.
func reasonOf(m *message) string {
	reason, _ := wire.Text(m.reason)
	if reason == "" {
		return "The tab is shared no more."
	}
	return strings.Clone(targets.Cut(reason, maxReason))
}

// receiveTabs takes the list of all tabs that are shared: others are shared no more.
func (h *Host) receiveTabs(raw []byte) bool {
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || wire.Decode(raw, &list) != nil {
		return false
	}
	still := make(map[string]bool, len(list))
	var infos []targets.Info
	for _, item := range list {
		if info, ok := new(sharedTab).read(item); ok && !still[info.ID] {
			still[info.ID] = true
			infos = append(infos, info)
		}
	}
	var gone []string
	h.mu.Lock()
	for id := range h.tabs {
		if !still[id] {
			gone = append(gone, id)
		}
	}
	h.mu.Unlock()
	for _, id := range gone {
		h.end(id, "The user has stopped sharing this tab, or has closed it.")
	}
	for _, info := range infos {
		h.announce(info)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, info := range infos {
		if t := h.tabs[info.ID]; t != nil {
			h.attachLocked(t)
			if t.real != nil {
				h.tellDriversLocked(t)
			}
		}
	}
	return true
}

// detached says that Chromium has ended the session of a tab that goes on: the extension is to attach again.
func (h *Host) detached(target string) {
	h.mu.Lock()
	t := h.tabs[target]
	if t == nil || t.real == nil || !t.real.ready {
		h.mu.Unlock()
		return
	}
	a := t.real
	a.ready = false
	for id, c := range h.calls {
		if c.of == a {
			delete(h.calls, id)
		}
	}
	h.mu.Unlock()
	a.share.Lost()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.attachLocked(t)
}

// invalid is the error for an answer that is none.
var invalid = wire.AppendError(nil, wire.ServerError("Invalid answer from the extension: it and the hub may be of different versions"))

// answer takes {"id":7,"result":{…}} or {"id":7,"error":{…}}. An unknown id is of a session that has ended.
func (h *Host) answer(m *message) bool {
	id, ok := wire.Int(m.id)
	if !ok {
		return false
	}
	h.mu.Lock()
	c, known := h.calls[id]
	delete(h.calls, id)
	h.mu.Unlock()
	if !known {
		return true
	}
	result, cdpErr := m.result, m.cdpErr
	switch {
	case cdpErr != nil && !isObject(cdpErr), cdpErr == nil && result != nil && !isObject(result):
		result, cdpErr = nil, invalid
	case cdpErr != nil:
		result = nil
	case result == nil:
		result = wire.Empty
	}
	switch {
	case c.closes != 0:
		if cdpErr == nil {
			result = isClosed
		}
		h.events.Result(c.closes, "", result, cdpErr)
	case c.n != 0:
		c.of.share.Answer(c.n, result, cdpErr)
	default:
		h.attached(c.of, cdpErr)
	}
	return true
}

// attached is the answer to an attach.
func (h *Host) attached(a *attached, cdpErr []byte) {
	h.mu.Lock()
	a.asked, a.ready = false, cdpErr == nil
	h.mu.Unlock()
	if cdpErr == nil {
		a.share.Again()
		return
	}
	text, _ := wire.Text(wire.MemberOf(cdpErr, "message"))
	reason := "The browser does not let this tab be driven: " + strings.Clone(targets.Cut(text, maxReason))
	h.end(a.tab.target, reason)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tellStopLocked(a.tab.target, reason)
}

// event passes on an event of a tab, if it is of the session that the Clients share.
func (h *Host) event(target string, m *message) bool {
	method, ok := wire.Text(m.method)
	session, _ := wire.Text(m.session)
	if !ok || !wire.IsMethod(method) || m.params != nil && !isObject(m.params) || len(session) > maxSession {
		return false
	}
	if m.params == nil {
		m.params = wire.Empty
	}
	h.mu.Lock()
	var of *attached
	if t := h.tabs[target]; t != nil && t.real != nil && t.real.ready {
		of = t.real
	}
	h.mu.Unlock()
	if of != nil {
		of.share.Event(session, method, m.params)
	}
	return true
}
