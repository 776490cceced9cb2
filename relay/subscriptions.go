package relay

import (
	"slices"

	"github.com/cdphub/cdphub/internal/ordered"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// subscriber is a connection or a session that has asked for events of the Target
// domain (a TargetHandler in Chromium): they go to where they were asked for.
type subscriber struct {
	origin
	discover subscription // Target.setDiscoverTargets
	attach   subscription // Target.setAutoAttach
}

// subscription says of which targets a subscriber gets events, or to which it is
// attached.
type subscription struct {
	targets.Filter         // nil while off
	asked          request // for a Host that connects later and serves the browser level
}

// on reports whether the subscription is turned on.
func (w *subscription) on() bool { return w.Filter != nil }

// origin is where a Client sends a command: in a session, or on its connection.
type origin struct {
	client  *Client
	session *clientSession // nil for the connection
}

// subscribers are all of a hub. For each Target that comes, changes or goes, the
// hub walks those that get events of every Target. The others, in tabs, may be as
// many as there are sessions. Hub.mu guards them.
type subscribers struct {
	at                     map[origin]*subscriber           `held:"subscribers"`
	discovering, attaching ordered.Map[origin, *subscriber] `held:"subscriptions"` // in the order in which they began to
}

// maxSubscriptions is how many subscriptions to every Target one Client may have:
// one message of a Host must not become thousands. It is more than one since
// chromedp calls Target.setDiscoverTargets in each of its sessions.
const maxSubscriptions = 256

var errTooManySubscriptions = wire.ServerError("Too many sessions have discovery of targets or auto-attach on: turn it off in one of them, or use the connection itself")

// maxKept is how long params may be that are kept, in bytes.
const maxKept = 16 << 10

var errTooLong = wire.InvalidParams("The params are longer than 16384 bytes: use a shorter filter")

// attachesToAll reports whether auto-attach is to all Targets. In a tab's session it
// is to the page inside.
func (l *subscriber) attachesToAll() bool {
	return l.session == nil || l.session.Kind == session.Browser
}

// set turns one of the subscriptions on, as the request says, or off. It changes nothing
// when it fails. Without a filter the usual one holds (CDP, Target.TargetFilter).
func (l *subscriber) set(w *subscription, on bool, r *request) *wire.Error {
	switch every := w == &l.discover || l.attachesToAll(); {
	case !on:
		*w = subscription{}
		return nil
	case len(r.Params) > maxKept:
		return errTooLong
	case every && !w.on() && l.client.subscriptions >= maxSubscriptions:
		return errTooManySubscriptions
	}
	*w = subscription{r.args.filter, r.again()}
	if w.Filter == nil {
		w.Filter = targets.Usual
	}
	return nil
}

// event sends an event of the Target domain.
func (l *subscriber) event(method string, body []byte) {
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

// subscriberLocked returns the subscriber at the origin of a request.
func (h *Hub) subscriberLocked(r *request) *subscriber {
	at := origin{r.client, r.session}
	if l := h.subscribers.at[at]; l != nil {
		return l
	}
	return &subscriber{origin: at}
}

// keep files a subscriber for as long as a subscription of it is on.
func (ls *subscribers) keep(l *subscriber) {
	list := func(list *ordered.Map[origin, *subscriber], on bool) {
		switch {
		case on && list.Set(l.origin, l):
			l.client.subscriptions++
		case !on && list.Delete(l.origin):
			l.client.subscriptions--
		}
	}
	list(&ls.discovering, l.discover.on())
	list(&ls.attaching, l.attach.on() && l.attachesToAll())
	if !l.discover.on() && !l.attach.on() {
		delete(ls.at, l.origin)
		return
	}
	if ls.at == nil {
		ls.at = make(map[origin]*subscriber)
	}
	ls.at[l.origin] = l
}

// forget drops the subscriber of a session or a connection that ends.
func (ls *subscribers) forget(at origin) {
	if l := ls.at[at]; l != nil {
		l.discover, l.attach = subscription{}, subscription{}
		ls.keep(l)
	}
}

// notifyLocked sends an event about a Target, or its tab, to every subscriber that
// discovers that kind and sees the Target.
func (h *Hub) notifyLocked(method string, k session.Kind, t targets.Info, body func(c *Client) []byte) {
	// The params are written once, and only if somebody gets them. While a page is quiet,
	// Clients see different ones.
	var made []byte
	for l := range h.subscribers.discovering.All() {
		if l.discover.Takes(typeOf(k)) && l.client.sees(t) {
			if made == nil || h.leases.quiet.Load() {
				made = body(l.client)
			}
			l.event(method, made)
		}
	}
}

// notifyInfoLocked sends an event with the targetInfo of a Target or its tab.
func (h *Hub) notifyInfoLocked(method string, t target) {
	h.notifyLocked(method, t.kind, t.Info, func(c *Client) []byte { return h.targetInfoParamsLocked(c, t) })
}

// autoAttachLocked attaches the subscribers with auto-attach to a Target that has
// just appeared, or to its tab. The session is announced where the Client has asked, on its
// connection or in its browser session.
func (h *Hub) autoAttachLocked(t target) {
	for l := range h.subscribers.attaching.All() {
		if l.attach.Takes(typeOf(t.kind)) && l.client.sees(t.Info) {
			h.attachLocked(l, t) //nolint:errcheck // a Client with too many sessions goes without
		}
	}
}

// attachOnceLocked attaches a subscriber, unless it has a session there already.
func (h *Hub) attachOnceLocked(l *subscriber, t target) *wire.Error {
	if h.sessionOnLocked(l.client, l.session, h.idOf(t.kind, t.Info)) != nil {
		return nil
	}
	_, err := h.attachLocked(l, t)
	return err
}

// sessionOnLocked is the session of a Client on a target below one parent, or
// nil.
func (h *Hub) sessionOnLocked(c *Client, parent *clientSession, targetID string) *clientSession {
	t, _ := h.find(targetID)
	list := t.onLocked(h, targetID)
	i := slices.IndexFunc(list, func(s *clientSession) bool {
		return s.client == c && s.parent == parent && s.intercepts == nil
	})
	if i < 0 {
		return nil
	}
	return list[i]
}

// attachLocked begins a session for a subscriber and announces it there. waitingForDebugger
// is false: the script of a frame runs already when the frame is announced.
func (h *Hub) attachLocked(l *subscriber, t target) (*clientSession, *wire.Error) {
	c := l.client
	if err := c.refusesSessionLocked(); err != nil {
		return nil, err
	}
	s := &clientSession{Session: session.New(h.opts.NewID(), h.idOf(t.kind, t.Info)), client: c, parent: l.session, side: t.side}
	s.Kind = t.kind
	h.beginLocked(c, s, t)
	body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
	body = h.appendTargetInfoLocked(append(body, `,"targetInfo":`...), c, t)
	body = append(body, `,"waitingForDebugger":false}`...)
	l.event("Target.attachedToTarget", body)
	return s, nil
}

// beginLocked files a session, and announces it to its Host and to the Clients that
// discover targets.
func (h *Hub) beginLocked(c *Client, s *clientSession, t target) {
	h.registerLocked(c, s)
	// Only the first session changes "attached" of the target.
	if len(t.onLocked(h, s.TargetID)) == 1 {
		h.attachedFlippedLocked(t)
	}
	if s.Kind == session.Page {
		t.side.announceLocked(s)
	}
}

// registerLocked files a session. From then on commands in it are known.
func (h *Hub) registerLocked(c *Client, s *clientSession) {
	h.inheritPulseLocked(s)
	h.sessions.add(s)
	c.sessions[s] = struct{}{}
	c.account.sessions.AddLocked(1)
	if s.Kind == session.Page && s.intercepts == nil {
		h.coverLocked(s.side, s.TargetID)
	}
}

// unregisterLocked forgets a session. Its commands in flight fail with why.
func (h *Hub) unregisterLocked(c *Client, s *clientSession, why *wire.Error) {
	h.leavePulseLocked(s)
	h.calls.failIn(s, why)
	h.handoffs.forget(s)
	if h.observer != nil {
		h.observer.Detached(s.ID)
	}
	h.sessions.remove(s)
	delete(c.sessions, s)
	c.account.sessions.AddLocked(-1)
	delete(h.downloads.takers, origin{c, s})
	h.subscribers.forget(origin{c, s})
	h.forgetInterceptionLocked(s)
}

// endSessionLocked ends a session: those inside it end, its commands fail with
// why, its Client gets Target.detachedFromTarget, its Host releases it. The commands fail
// before the event, so that no answer comes for a session that the Client knows to have
// ended.
func (h *Hub) endSessionLocked(s *clientSession, why *wire.Error) {
	c := s.client
	// A copy, since each end changes the list.
	for _, inner := range slices.Clone(s.inside) {
		h.endSessionLocked(inner, why)
	}
	h.unregisterLocked(c, s, why)
	h.dialogs.setPageEvents(s, false)
	sideOf(s).releaseLocked(s)
	switch {
	case s.intercepts != nil: // the Client does not know it
	case s == c.page:
		c.endPageLocked()
	default:
		body := wire.AppendString([]byte(`{"sessionId":`), s.ID)
		body = append(wire.AppendString(append(body, `,"targetId":`...), s.TargetID), '}')
		c.event(s.parent, "Target.detachedFromTarget", body)
	}
	// The Target may have left the registry before, or another side may have one with its
	// id by now.
	if t, known := h.find(s.TargetID); known && t.side == sideOf(s) && len(t.onLocked(h, s.TargetID)) == 0 {
		h.attachedFlippedLocked(t)
	}
}

// attachedFlippedLocked announces that "attached" of a target has changed: its first
// session has begun, or its last one has ended.
func (h *Hub) attachedFlippedLocked(t target) {
	if t.kind == session.Browser || t.side.browser != nil {
		return // it is attached for as long as anybody is there to ask, or others tell of it
	}
	h.listing.note(t.ID, false)
	h.notifyInfoLocked("Target.targetInfoChanged", t)
}
