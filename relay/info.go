package relay

import (
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// The hub emulates a tab target around each Target, since Puppeteer finds pages
// through their tabs. The id of the tab is that of the Target with a prefix that no
// Host knows.

// idOf returns the targetId of the browser, of a Target, or of its tab.
func (h *Hub) idOf(k session.Kind, t targets.Info) string {
	switch k {
	case session.Browser:
		return h.browserID
	case session.Tab:
		return h.tabPrefix + t.ID
	}
	return t.ID
}

// Emulated reports whether a Target is one around which the hub emulates a browser: a
// frame, and no page of a browser of its own.
func (h Control) Emulated(targetID string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, on, known := h.sides.target(targetID)
	return known && on.browser == nil
}

// target is what Clients know by a targetId: a Target of an emulated side, the
// tab around it, or the emulated browser, which has neither side nor Info.
type target struct {
	kind session.Kind
	side *side
	targets.Info
}

// find looks up a targetId of any kind. An id that only looks like that of a tab, with a
// prefix but without such a Target, is not known.
func (h *Hub) find(id string) (t target, known bool) {
	if id == h.browserID {
		return target{kind: session.Browser}, true
	}
	inner, isTab := strings.CutPrefix(id, h.tabPrefix)
	if isTab {
		t.kind = session.Tab
	}
	for _, s := range h.sides.emulated() {
		if t.Info, known = s.targets.Get(inner); known {
			t.side = s
			break
		}
	}
	return t, known
}

// onLocked returns the sessions on a target with this targetId.
func (t target) onLocked(h *Hub, id string) []*clientSession {
	if t.side == nil {
		return h.sessions.ofTarget(id)
	}
	return t.side.sessions.ofTarget(id)
}

// targetInfoParamsLocked is {"targetInfo":{…}}.
func (h *Hub) targetInfoParamsLocked(c *Client, t target) []byte {
	return append(h.appendTargetInfoLocked([]byte(`{"targetInfo":`), c, t), '}')
}

// appendTargetInfoLocked appends a target as a Client sees it:
//
//	{"targetId":"…","type":"page","title":"…","url":"…","attached":false,"canAccessOpener":false,"browserContextId":"…"}
//
// and, before the last member, "openerId" and "openerFrameId" of a page that
// another has opened. Without browserContextId, Playwright shows no page. (CDP,
// Target.TargetInfo.) The browser counts as attached, as in Chromium.
func (h *Hub) appendTargetInfoLocked(b []byte, c *Client, t target) []byte {
	if t.kind == session.Browser {
		b = wire.AppendString(append(b, `{"targetId":`...), h.browserID)
		return append(b, `,"type":"browser","title":"","url":"","attached":true,"canAccessOpener":false}`...)
	}
	id := h.idOf(t.kind, t.Info)
	t.Info = h.leases.shown(c, t.Info)
	b = wire.AppendString(append(b, `{"targetId":`...), id)
	b = append(append(append(b, `,"type":"`...), typeOf(t.kind)...), '"')
	b = wire.AppendString(append(b, `,"title":`...), t.Title)
	b = wire.AppendString(append(b, `,"url":`...), t.URL)
	// Whose sessions they are does not matter, as in Chromium.
	if len(t.onLocked(h, id)) > 0 {
		b = append(b, `,"attached":true`...)
	} else {
		b = append(b, `,"attached":false`...)
	}
	b = append(b, `,"canAccessOpener":false`...)
	if t.kind == session.Page && t.OpenerID != "" {
		b = wire.AppendString(append(b, `,"openerId":`...), t.OpenerID)
		b = wire.AppendString(append(b, `,"openerFrameId":`...), t.OpenerID)
	}
	b = wire.AppendString(append(b, `,"browserContextId":`...), h.contextID)
	return append(b, '}')
}
