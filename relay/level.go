package relay

import (
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// level is where a command of the Target domain applies: the connection of a
// Client, or one of its sessions. Events of the domain go where they were
// asked for.
type level struct {
	client   *Client
	session  *session.Session // nil for the connection
	discover filter           // Target.setDiscoverTargets; nil while off
	attach   filter           // Target.setAutoAttach; nil while off
	// What a browser that comes later is asked; nil while off.
	discoverParams, attachParams []byte
}

// event sends an event of the Target domain.
func (l *level) event(method string, body []byte) {
	l.client.Deliver(wire.Frame{Head: wire.AppendEventHead(nil, method), Body: body, Tail: tailOf(l.session)})
}

// tailOf ends the messages of a session, or of the connection.
func tailOf(s *session.Session) []byte {
	if s == nil {
		return wire.End
	}
	return s.Tail()
}

// rule is one entry of a filter. An empty type is any.
type rule struct {
	Type    string `json:"type"`
	Exclude bool   `json:"exclude"`
}

// filter selects kinds of targets: the first rule that fits decides, and what
// fits none is left out.
type filter []rule

// usual is the filter where none is given, as in Chromium: pages, and neither
// the browser nor tabs.
var usual = filter{{Type: "browser", Exclude: true}, {Type: "tab", Exclude: true}, {}}

func (f filter) takes(k session.Kind) bool { return f.takesType(typeOf(k)) }

func (f filter) takesType(name string) bool {
	for _, r := range f {
		if r.Type == "" || r.Type == name {
			return !r.Exclude
		}
	}
	return false
}

// typeOf is the type in a targetInfo.
func typeOf(k session.Kind) string {
	switch k {
	case session.Tab:
		return "tab"
	case session.Browser:
		return "browser"
	}
	return "page"
}

// levelLocked is where a request's commands of the Target domain apply.
func (h *Hub) levelLocked(r *request) *level {
	i := slices.IndexFunc(h.levels, func(l *level) bool { return l.client == r.client && l.session == r.session })
	if i >= 0 {
		return h.levels[i]
	}
	return &level{client: r.client, session: r.session}
}

// keepLocked remembers a level as long as anything is on there.
func (h *Hub) keepLocked(l *level) {
	i := slices.Index(h.levels, l)
	switch on := l.discover != nil || l.attach != nil; {
	case on && i < 0:
		h.levels = append(h.levels, l)
	case !on && i >= 0:
		h.levels = slices.Delete(h.levels, i, i+1)
	}
}

// forgetLocked drops the levels of a session that ends, or with nil those of
// a whole Client.
func (h *Hub) forgetLocked(c *Client, s *session.Session) {
	h.levels = slices.DeleteFunc(h.levels, func(l *level) bool {
		return l.client == c && (s == nil || l.session == s)
	})
}

// tellLocked sends an event about a target of one kind to every level that
// discovers those.
func (h *Hub) tellLocked(method string, k session.Kind, body func() []byte) {
	var made []byte
	for _, l := range h.levels {
		if l.discover.takes(k) {
			if made == nil {
				made = body()
			}
			l.event(method, made)
		}
	}
}

// tellInfoLocked sends an event with the targetInfo of a Target or its tab.
func (h *Hub) tellInfoLocked(method string, k session.Kind, t targets.Info) {
	h.tellLocked(method, k, func() []byte { return h.targetInfoParamsLocked(k, t) })
}

// autoAttachLocked attaches every level that wants to be to a Target that has
// appeared, or to its tab. Pages inside a tab's session come when that asks.
func (h *Hub) autoAttachLocked(k session.Kind, t targets.Info) {
	for _, l := range slices.Clone(h.levels) {
		if l.attach.takes(k) && (l.session == nil || l.session.Kind == session.Browser) {
			h.attachOnceLocked(l, k, t) //nolint:errcheck // a Client with too many sessions goes without
		}
	}
}

// attachOnceLocked attaches a level, unless it has a session there already.
func (h *Hub) attachOnceLocked(l *level, k session.Kind, t targets.Info) *wire.Error {
	if h.sessionOnLocked(l.client, l.session, h.idOf(k, t)) != nil {
		return nil
	}
	_, err := h.attachLocked(l, k, t)
	return err
}

// sessionOnLocked is the session of a Client on a target below one parent, or
// nil.
func (h *Hub) sessionOnLocked(c *Client, parent *session.Session, targetID string) *session.Session {
	list := h.sessions.OfTarget(targetID)
	i := slices.IndexFunc(list, func(s *session.Session) bool {
		return s.Peer == session.Peer(c) && s.Parent == parent
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// attachLocked begins a session of a level and announces it there.
func (h *Hub) attachLocked(l *level, k session.Kind, t targets.Info) (*session.Session, *wire.Error) {
	c := l.client
	if len(c.sessions) >= h.opts.Limits.ClientSessions {
		return nil, errTooMany
	}
	s := session.New(h.opts.NewID(), h.idOf(k, t), c)
	s.Kind, s.Parent = k, l.session
	h.beginLocked(c, s, t)
	body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
	body = h.appendTargetInfoLocked(append(body, `,"targetInfo":`...), k, t)
	body = append(body, `,"waitingForDebugger":false}`...)
	l.event("Target.attachedToTarget", body)
	return s, nil
}

// beginLocked files a session and tells who has to know.
func (h *Hub) beginLocked(c *Client, s *session.Session, t targets.Info) {
	h.fileLocked(c, s)
	if len(h.sessions.OfTarget(s.TargetID)) == 1 {
		h.attachedFlippedLocked(s.Kind, t)
	}
	if s.Kind == session.Page {
		h.announceLocked(s)
	}
}

// fileLocked adds a session to the Client's.
func (h *Hub) fileLocked(c *Client, s *session.Session) {
	h.sessions.Add(s)
	c.sessions[s] = struct{}{}
}

// unfileLocked takes a session away, whose commands fail with why.
func (h *Hub) unfileLocked(c *Client, s *session.Session, why *wire.Error) {
	h.failLocked(s, why)
	h.sessions.Remove(s)
	delete(c.sessions, s)
	h.forgetLocked(c, s)
}

// endSessionLocked ends a session: those inside it end, its commands fail with
// why, its Client is told, its Host lets go.
func (h *Hub) endSessionLocked(s *session.Session, why *wire.Error) {
	c := s.Peer.(*Client)
	if s.Kind != session.Page || s == c.page || s.Upstream {
		for inner := range c.sessions {
			if inner.Parent == s {
				h.endSessionLocked(inner, why)
			}
		}
	}
	h.unfileLocked(c, s, why)
	if s.PageEvents {
		h.checkDialogLocked(s.TargetID)
	}
	switch {
	case s.Upstream:
		if s == c.page && h.browser != nil {
			h.browser.host.Release(s.ID, s.TargetID)
		}
	case s.Kind == session.Page && h.host != nil:
		h.host.Release(s.ID, s.TargetID)
	}
	if s == c.page {
		c.endPageLocked()
	} else {
		body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
		body = append(wire.AppendString(append(body, `,"targetId":`...), s.TargetID), '}')
		c.Deliver(wire.Frame{
			Head: wire.AppendEventHead(nil, "Target.detachedFromTarget"), Body: body, Tail: tailOf(s.Parent),
		})
	}
	if s.Upstream {
		return
	}
	if t, known := h.targetOf(s); known && len(h.sessions.OfTarget(s.TargetID)) == 0 {
		h.attachedFlippedLocked(s.Kind, t)
	}
}

// attachedFlippedLocked tells of a target whose first session has begun or
// whose last has ended.
func (h *Hub) attachedFlippedLocked(k session.Kind, t targets.Info) {
	if k == session.Browser {
		return // it is attached for as long as anybody is there to ask
	}
	h.stale = true
	h.tellInfoLocked("Target.targetInfoChanged", k, t)
}
