package relay

import (
	"slices"

	"github.com/cdphub/cdphub/internal/ordered"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// level is where a command of the Target domain applies: the connection of a
// Client, or one of its sessions. Events of the domain go where they were
// asked for.
type level struct {
	place
	discover wish // Target.setDiscoverTargets
	attach   wish // Target.setAutoAttach
}

// wish is what a Client wants to hear of, or be attached to.
type wish struct {
	targets.Filter         // nil while off
	asked          request // what a browser that comes later is asked
}

func (w *wish) on() bool { return w.Filter != nil }

// place is a session of a Client, or its connection.
type place struct {
	client  *Client
	session *session.Session // nil for the connection
}

// levels are the levels where anything is discovered or attached to. Those that
// hear of every Target are walked for each one that comes, changes and goes;
// the others, of tabs, may be as many as there are sessions.
type levels struct {
	at                     map[place]*level
	discovering, attaching ordered.Map[place, *level] // in the order in which they began to
}

// maxHearing is how many levels of one Client hear of every Target: a message
// about one Target must not make as many as the Client has sessions.
// Yet chromedp discovers in each of its sessions.
const maxHearing = 256

var errTooManyLevels = wire.ServerError("Too many sessions discover targets or attach to them: turn it off in one, or use the connection's")

// maxKept is how long params may be that are kept, in bytes.
const maxKept = 16 << 10

var errTooLong = wire.InvalidParams("The params are longer than 16384 bytes: give fewer entries of the filter")

// attachesToAll reports whether the level's auto-attach is of all Targets: in a
// tab it is of the page inside, which comes when that asks.
func (l *level) attachesToAll() bool { return l.session == nil || l.session.Kind == session.Browser }

// turn turns one of the level's wishes on, as the request has it, or off.
func (l *level) turn(w *wish, on bool, r *request) *wire.Error {
	switch hears := w == &l.discover || l.attachesToAll(); {
	case !on:
		*w = wish{}
		return nil
	case len(r.Params) > maxKept:
		return errTooLong
	case hears && !w.on() && l.client.hearing >= maxHearing:
		return errTooManyLevels
	}
	*w = wish{r.args.filter, r.again()}
	if w.Filter == nil {
		w.Filter = targets.Usual
	}
	return nil
}

// event sends an event of the Target domain.
func (l *level) event(method string, body []byte) {
	l.client.event(l.session, method, body)
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
	at := place{r.client, r.session}
	if l := h.levels.at[at]; l != nil {
		return l
	}
	return &level{place: at}
}

// keep remembers a level as long as anything is on there.
func (ls *levels) keep(l *level) {
	hear := func(list *ordered.Map[place, *level], on bool) {
		switch {
		case on && list.Set(l.place, l):
			l.client.hearing++
		case !on && list.Delete(l.place):
			l.client.hearing--
		}
	}
	hear(&ls.discovering, l.discover.on())
	hear(&ls.attaching, l.attach.on() && l.attachesToAll())
	if !l.discover.on() && !l.attach.on() {
		delete(ls.at, l.place)
		return
	}
	if ls.at == nil {
		ls.at = make(map[place]*level)
	}
	ls.at[l.place] = l
}

// forget drops the level of a session that ends, or of a connection.
func (ls *levels) forget(at place) {
	if l := ls.at[at]; l != nil {
		l.discover, l.attach = wish{}, wish{}
		ls.keep(l)
	}
}

// tellLocked sends an event about a target of one kind to every level that
// discovers those.
func (h *Hub) tellLocked(method string, k session.Kind, body func() []byte) {
	var made []byte
	for l := range h.levels.discovering.All() {
		if l.discover.Takes(typeOf(k)) {
			if made == nil {
				made = body()
			}
			l.event(method, made)
		}
	}
}

// tellInfoLocked sends an event with the targetInfo of a Target or its tab.
func (h *Hub) tellInfoLocked(method string, t target) {
	h.tellLocked(method, t.kind, func() []byte { return h.targetInfoParamsLocked(t) })
}

// autoAttachLocked attaches every level that wants to be to a Target that has
// just appeared, or to its tab. Pages inside a tab's session come when that asks.
func (h *Hub) autoAttachLocked(t target) {
	for l := range h.levels.attaching.All() {
		if l.attach.Takes(typeOf(t.kind)) {
			h.attachLocked(l, t) //nolint:errcheck // a Client with too many sessions goes without
		}
	}
}

// attachOnceLocked attaches a level, unless it has a session there already.
func (h *Hub) attachOnceLocked(l *level, t target) *wire.Error {
	if h.sessionOnLocked(l.client, l.session, h.idOf(t.kind, t.Info)) != nil {
		return nil
	}
	_, err := h.attachLocked(l, t)
	return err
}

// sessionOnLocked is the session of a Client on a target below one parent, or
// nil.
func (h *Hub) sessionOnLocked(c *Client, parent *session.Session, targetID string) *session.Session {
	t, _ := h.find(targetID)
	list := t.onLocked(h, targetID)
	i := slices.IndexFunc(list, func(s *session.Session) bool {
		return s.Peer == session.Peer(c) && s.Parent == parent
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// attachLocked begins a session of a level and announces it there.
func (h *Hub) attachLocked(l *level, t target) (*session.Session, *wire.Error) {
	c := l.client
	if len(c.sessions) >= h.opts.Limits.ClientSessions {
		return nil, errTooMany
	}
	s := session.New(h.opts.NewID(), h.idOf(t.kind, t.Info), c)
	s.Kind, s.Parent = t.kind, l.session
	if t.side != nil {
		s.Side = t.side
	}
	h.beginLocked(c, s, t)
	body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
	body = h.appendTargetInfoLocked(append(body, `,"targetInfo":`...), t)
	body = append(body, `,"waitingForDebugger":false}`...)
	l.event("Target.attachedToTarget", body)
	return s, nil
}

// beginLocked files a session and tells who has to know.
func (h *Hub) beginLocked(c *Client, s *session.Session, t target) {
	h.fileLocked(c, s)
	if len(t.onLocked(h, s.TargetID)) == 1 {
		h.attachedFlippedLocked(t)
	}
	if s.Kind == session.Page {
		t.side.announceLocked(s)
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
	h.levels.forget(place{c, s})
}

// endSessionLocked ends a session: those inside it end, its commands fail with
// why, its Client is told, its Host lets go.
func (h *Hub) endSessionLocked(s *session.Session, why *wire.Error) {
	c := s.Peer.(*Client)
	for _, inner := range slices.Clone(s.Inside()) {
		h.endSessionLocked(inner, why)
	}
	h.unfileLocked(c, s, why)
	h.pageEventsLocked(s, false)
	sideOf(s).releaseLocked(s)
	if s == c.page {
		c.endPageLocked()
	} else {
		body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
		body = append(wire.AppendString(append(body, `,"targetId":`...), s.TargetID), '}')
		c.event(s.Parent, "Target.detachedFromTarget", body)
	}
	if t, known := h.find(s.TargetID); known && t.side == sideOf(s) && len(t.onLocked(h, s.TargetID)) == 0 {
		h.attachedFlippedLocked(t)
	}
}

// attachedFlippedLocked tells of a target whose first session has begun or
// whose last has ended.
func (h *Hub) attachedFlippedLocked(t target) {
	if t.kind == session.Browser || t.side.browser != nil {
		return // it is attached for as long as anybody is there to ask, or others tell of it
	}
	h.stale = true
	h.tellInfoLocked("Target.targetInfoChanged", t)
}
