package relay

import (
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// Each Target stands in a tab of its own, which exists for Puppeteer alone: it
// finds pages through their tabs. A tab's id is the Target's behind a prefix
// that no Host is told.

// idOf is the targetId of the browser, of a Target, or of its tab.
func (h *Hub) idOf(k session.Kind, t targets.Info) string {
	switch k {
	case session.Browser:
		return h.browserID
	case session.Tab:
		return h.tabPrefix + t.ID
	}
	return t.ID
}

// find looks up a targetId of any kind. For the browser itself there is no
// more than that.
func (h *Hub) find(id string) (k session.Kind, t targets.Info, known bool) {
	if id == h.browserID {
		return session.Browser, t, true
	}
	if inner, is := strings.CutPrefix(id, h.tabPrefix); is {
		t, known = h.targets.Get(inner)
		return session.Tab, t, known
	}
	t, known = h.targets.Get(id)
	return session.Page, t, known
}

// targetOf is the Target that a session is on or around.
func (h *Hub) targetOf(s *session.Session) (targets.Info, bool) {
	_, t, known := h.find(s.TargetID)
	return t, known
}

// targetInfoParamsLocked is {"targetInfo":{…}}.
func (h *Hub) targetInfoParamsLocked(k session.Kind, t targets.Info) []byte {
	return append(h.appendTargetInfoLocked([]byte(`{"targetInfo":`), k, t), '}')
}

// appendTargetInfoLocked appends a target as Clients see it:
//
//	{"targetId":"…","type":"page","title":"…","url":"…","attached":false,"canAccessOpener":false,"browserContextId":"…"}
//
// and, before the last member, "openerId" and "openerFrameId" of a page that
// another has opened. Without browserContextId, Playwright shows no page.
func (h *Hub) appendTargetInfoLocked(b []byte, k session.Kind, t targets.Info) []byte {
	if k == session.Browser {
		b = wire.AppendString(append(b, `{"targetId":`...), h.browserID)
		return append(b, `,"type":"browser","title":"","url":"","attached":true,"canAccessOpener":false}`...)
	}
	id := h.idOf(k, t)
	b = wire.AppendString(append(b, `{"targetId":`...), id)
	b = append(append(append(b, `,"type":"`...), typeOf(k)...), '"')
	b = wire.AppendString(append(b, `,"title":`...), t.Title)
	b = wire.AppendString(append(b, `,"url":`...), t.URL)
	if len(h.sessions.OfTarget(id)) > 0 {
		b = append(b, `,"attached":true`...)
	} else {
		b = append(b, `,"attached":false`...)
	}
	b = append(b, `,"canAccessOpener":false`...)
	if k == session.Page && t.OpenerID != "" {
		b = wire.AppendString(append(b, `,"openerId":`...), t.OpenerID)
		b = wire.AppendString(append(b, `,"openerFrameId":`...), t.OpenerID)
	}
	b = wire.AppendString(append(b, `,"browserContextId":`...), h.contextID)
	return append(b, '}')
}
