package relay

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// Interception at browser level. go-rod's HandleAuth and HijackRequests send Fetch.enable
// without a session, upon which Chromium pauses the requests of all pages. At a hub these are
// pages of other Clients, too. So Fetch.enable means the pages that the Client has opened or
// has a session on. The Client gets a session on each, and in those of a browser one on each
// frame and worker inside, in which the domain is on. What these sessions send is the Client's
// at the level where it has asked. The ids of requests get a prefix, which names the session.

// interception is what one Client has asked for at browser level.
type interception struct {
	origin
	params   []byte                    // of Fetch.enable
	last     int                       // prefix of the newest session
	sessions map[string]*clientSession // by prefix
	streams  map[string]*clientSession // by the handle of a stream
}

// maxOpened is how many of the pages that a Client has opened the hub remembers.
const maxOpened = 256

// longestSettling is how long a Client's next message waits until interception has begun in a
// page, so that what the Client does then is intercepted.
const longestSettling = time.Second

// settling is closed when every Fetch.enable of the hub's own was answered.
type settling struct {
	due  int // without an answer
	done chan struct{}
}

var (
	errNotEnabled     = wire.ServerError("Fetch domain is not enabled")
	errNoInterception = &wire.Error{Code: wire.CodeInvalidParams, Message: "Invalid InterceptionId."}
	autoAttachInside  = []byte(`{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
)

// interceptLocked takes a command at browser level that is about interception, and reports
// whether it has answered. A command for one page goes on in the session there.
func (h *Hub) interceptLocked(r *request) (answered bool) {
	domain, name, _ := strings.Cut(r.Method, ".")
	it := h.interceptions[origin{r.client, r.session}]
	switch {
	case r.session != nil && r.session.Kind != session.Browser:
		return false
	case it == nil && r.Method != "Fetch.enable":
		return domain == "Fetch" && h.browserOfLocked(r) == nil && h.refuseFetchLocked(r)
	case r.Method == "Fetch.enable":
		return h.beginInterceptionLocked(r, it)
	case r.Method == "Fetch.disable":
		h.endInterceptionLocked(it)
		r.client.answer(r.session, r.ID, nil, nil)
		return true
	case r.Method == "Target.createTarget":
		it.holdAddressLocked(r)
		return false
	case domain == "Fetch":
		return it.routeLocked(r, "requestId")
	case domain == "IO" && (name == "read" || name == "close"):
		return it.routeStreamLocked(r)
	}
	return false
}

// fetchMethods are those of the domain (Chromium 156), with the answer of a hub of iframes while
// it is off.
var fetchMethods = map[string]*wire.Error{
	"Fetch.enable": nil, "Fetch.disable": nil,
	"Fetch.continueRequest": errNotEnabled, "Fetch.continueResponse": errNotEnabled, "Fetch.failRequest": errNotEnabled, "Fetch.fulfillRequest": errNotEnabled, "Fetch.getResponseBody": errNotEnabled,
	"Fetch.continueWithAuth":         wire.ServerError("Fetch.continueWithAuth is not possible in an embedded frame: authentication belongs to the browser"),
	"Fetch.takeResponseBodyAsStream": wire.ServerError("Fetch.takeResponseBodyAsStream is not possible in an embedded frame: the IO domain needs the browser process"),
}

// refuseFetchLocked answers a command of the domain while it is off, if the domain has it.
func (h *Hub) refuseFetchLocked(r *request) (answered bool) {
	why, answered := fetchMethods[r.Method]
	if answered {
		r.client.answer(r.session, r.ID, nil, why)
	}
	return answered
}

// beginInterceptionLocked turns interception on, or has it go on with other params. The
// Client's own command goes to one of the pages, whose answer it gets: the params may be wrong.
func (h *Hub) beginInterceptionLocked(r *request, it *interception) (answered bool) {
	if len(r.Params) > maxKept {
		r.client.answer(r.session, r.ID, nil, errTooLong)
		return true
	}
	if it == nil {
		it = &interception{origin: origin{r.client, r.session}, sessions: map[string]*clientSession{}, streams: map[string]*clientSession{}}
		if h.interceptions == nil {
			h.interceptions = make(map[origin]*interception)
		}
		h.interceptions[it.origin] = it
	}
	it.params = bytes.Clone(r.Params)
	for _, s := range it.sessions {
		it.enableLocked(s)
	}
	for _, on := range h.sides.list {
		for t := range on.targets.All() {
			if it.wantsLocked(on, t) {
				it.addLocked(on, t.ID)
			}
		}
	}
	for _, s := range it.sessions {
		if s.parent == nil {
			r.inLocked(s)
			return false
		}
	}
	r.client.answer(r.session, r.ID, nil, nil)
	return true
}

// inLocked has a command go on in a session.
func (r *request) inLocked(s *clientSession) {
	r.session, r.SessionID, r.InSession = s, s.ID, true
}

// wantsLocked reports whether interception is for a target.
func (it *interception) wantsLocked(on *side, t targets.Info) bool {
	c := it.client
	if cmp.Or(t.Type, "page") != "page" || !c.sees(t) || it.pageOn(t.ID) != nil {
		return false
	}
	root := on.roots[c]
	return slices.Contains(c.opened, t.ID) || root != nil && t.Owner == root.ID || t.OpenerID != "" && it.pageOn(t.OpenerID) != nil ||
		slices.ContainsFunc(on.sessions.ofTarget(t.ID), func(s *clientSession) bool { return s.client == c && s.intercepts == nil })
}

// pageOn is the session of an interception on a page; nil for none.
func (it *interception) pageOn(targetID string) *clientSession {
	for _, s := range it.sessions {
		if s.TargetID == targetID && s.parent == nil {
			return s
		}
	}
	return nil
}

// addLocked begins interception in a page. A Client with too many sessions goes without.
func (it *interception) addLocked(on *side, targetID string) *clientSession {
	h := it.client.hub
	if it.client.refusesSessionLocked() != nil {
		return nil
	}
	s := &clientSession{client: it.client, side: on, Session: it.newSession(h.opts.NewID(), targetID)}
	it.ownLocked(s)
	info, _ := on.targets.Get(targetID)
	h.beginLocked(it.client, s, target{session.Page, on, info})
	it.enableLocked(s)
	if on.browser != nil {
		it.askLocked(s, "Target.setAutoAttach", autoAttachInside, nil)
	}
	return s
}

// newSession names a session whose messages are those of the level where the Client has asked.
func (it *interception) newSession(id, targetID string) session.Session {
	return session.NewInside(id, strings.Clone(targetID), it.session.shown())
}

// ownLocked makes a session one of the interception's.
func (it *interception) ownLocked(s *clientSession) {
	it.last++
	s.intercepts, s.prefix = it, strconv.Itoa(it.last)+"."
	it.sessions[s.prefix] = s
}

// openedInsideLocked begins interception in a frame or a worker of a page, which waits for
// that.
func (it *interception) openedInsideLocked(s *clientSession) {
	it.enableLocked(s)
	it.askLocked(s, "Target.setAutoAttach", autoAttachInside, nil)
	it.askLocked(s, "Runtime.runIfWaitingForDebugger", nil, nil)
}

// enableLocked turns the domain on in a session. The Client's next message waits for that.
func (it *interception) enableLocked(s *clientSession) {
	c := it.client
	if c.settling == nil {
		c.settling = &settling{done: make(chan struct{})}
		c.unsettled.Store(c.settling)
	}
	w := c.settling
	w.due++
	it.askLocked(s, "Fetch.enable", it.params, func([]byte, *wire.Error) {
		if w.due--; w.due == 0 {
			close(w.done)
			c.settledLocked(w)
		}
	})
}

// settledLocked has the Client's messages no longer wait for w.
func (c *Client) settledLocked(w *settling) {
	if c.settling == w {
		c.settling = nil
		c.unsettled.Store(nil)
	}
}

// settle waits until interception has begun where it is to begin. It runs in the goroutine
// that reads the Client's connection, without the hub's lock.
func (c *Client) settle() {
	w := c.unsettled.Load()
	if w == nil {
		return
	}
	select {
	case <-w.done:
	case <-time.After(longestSettling): // a page that hangs must not hold up every message
		c.hub.mu.Lock()
		defer c.hub.mu.Unlock()
		c.settledLocked(w)
	}
}

// askLocked sends a command of the hub's own in a session of an interception; done may be nil.
func (it *interception) askLocked(s *clientSession, method string, params []byte, done func([]byte, *wire.Error)) {
	h := it.client.hub
	r := request{Envelope: wire.Envelope{Method: method, Params: params}, client: it.client, session: s, isMethod: true}
	r.members, r.Params, _ = scope.Privileged.Read(method, params) // the hub's own, or judged before
	h.counters.Received++
	call := h.sendLocked(&r, s.side, s, bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: method, Params: r.Params, Args: r.members})
	switch {
	case done == nil:
	case call == nil:
		done(nil, errNotTaken)
	default:
		call.ended = done
	}
}

// routeLocked has a command go on in the session that a prefix in its params names. It
// answers one that names none.
func (it *interception) routeLocked(r *request, member string) (answered bool) {
	id, _ := wire.Text(wire.MemberOf(r.Params, member))
	number, own, _ := strings.Cut(id, ".")
	s := it.sessions[number+"."]
	if s == nil {
		why := errNoInterception
		if off := fetchMethods[r.Method]; off != nil && off != errNotEnabled && r.client.hub.browserOfLocked(r) == nil {
			why = off // whatever the id, a page of a Host cannot do it
		}
		r.client.answer(r.session, r.ID, nil, why)
		return true
	}
	r.Params = replaceText(r.Params, member, own)
	r.inLocked(s)
	return false
}

// routeStreamLocked has a command about a stream go on in the session that has it.
func (it *interception) routeStreamLocked(r *request) (answered bool) {
	handle, _ := wire.Text(wire.MemberOf(r.Params, "handle"))
	if s := it.streams[handle]; s != nil {
		r.inLocked(s)
		if r.Method == "IO.close" {
			delete(it.streams, handle)
		}
	}
	return false
}

// maxStreams is how many streams one interception may have open.
const maxStreams = 256

// noteStream remembers the stream in an answer to Fetch.takeResponseBodyAsStream.
func (it *interception) noteStream(s *clientSession, result []byte) {
	if handle, ok := wire.Text(wire.MemberOf(result, "stream")); ok && len(it.streams) < maxStreams && len(handle) <= maxSessionID {
		it.streams[strings.Clone(handle)] = s
	}
}

// replaceText writes another text for a member of a JSON object that has it.
func replaceText(object []byte, member, text string) []byte {
	value := wire.MemberOf(object, member)
	if value == nil {
		return object
	}
	at := cap(object) - cap(value) // value is a part of object
	out := wire.AppendString(bytes.Clone(object[:at]), text)
	return append(out, object[at+len(value):]...)
}

// rewriteEvent reports whether the Client gets an event of a session of an interception, and
// puts the prefix before the id of the request.
func (s *clientSession) rewriteEvent(e *session.Event) bool {
	if e.Method != "Fetch.requestPaused" && e.Method != "Fetch.authRequired" {
		return false
	}
	id, _ := wire.Text(wire.MemberOf(e.Params, "requestId"))
	e.Params = replaceText(e.Params, "requestId", s.prefix+id)
	return true
}

// holdAddressLocked has a page that the Client opens in a browser begin blank: its address is
// loaded once its requests are intercepted (coverOpenedLocked).
func (it *interception) holdAddressLocked(r *request) {
	url, _ := r.members.Text("url")
	if url == "" || url == "about:blank" || it.client.hub.browserOfLocked(r) == nil || it.client.refusesSessionLocked() != nil {
		return
	}
	r.opens = strings.Clone(url)
	r.Params = replaceText(r.Params, "url", "about:blank")
}

// coverOpenedLocked notes a page that a Client has opened, and begins its interceptions there.
// url is the address to be loaded then; "" for none.
func (h *Hub) coverOpenedLocked(c *Client, on *side, id, url string) {
	if id == "" || len(id) > targets.MaxID {
		return
	}
	id = strings.Clone(id)
	if len(c.opened) == maxOpened {
		c.opened = slices.Delete(c.opened, 0, 1)
	}
	c.opened = append(c.opened, id)
	for _, it := range h.interceptionsOf(c) {
		s := it.pageOn(id)
		if s == nil {
			s = it.addLocked(on, id)
		}
		if s != nil && url != "" {
			it.askLocked(s, "Page.navigate", append(wire.AppendString([]byte(`{"url":`), url), '}'), nil)
			url = ""
		}
	}
}

// interceptionsOf lists the interceptions of a Client, of which most have none.
func (h *Hub) interceptionsOf(c *Client) (list []*interception) {
	for at, it := range h.interceptions {
		if at.client == c {
			list = append(list, it)
		}
	}
	return list
}

// coverLocked begins interception in a page on which a Client has got a session, or which a
// page of it has opened.
func (h *Hub) coverLocked(on *side, targetID string) {
	if len(h.interceptions) == 0 || on == nil {
		return
	}
	t, known := on.targets.Get(targetID)
	for _, it := range h.interceptions {
		if known && it.wantsLocked(on, t) {
			it.addLocked(on, t.ID)
		}
	}
}

// endInterceptionLocked ends an interception with its sessions. What is paused goes on.
func (h *Hub) endInterceptionLocked(it *interception) {
	delete(h.interceptions, it.origin)
	for _, s := range it.sessions {
		if s.parent == nil {
			h.endSessionLocked(s, errDetached)
		}
	}
}

// forgetInterceptionLocked forgets what an interception has of a session that has ended, and
// ends one that was asked for in it.
func (h *Hub) forgetInterceptionLocked(s *clientSession) {
	if it := s.intercepts; it != nil {
		delete(it.sessions, s.prefix)
		for handle, of := range it.streams {
			if of == s {
				delete(it.streams, handle)
			}
		}
	}
	if it := h.interceptions[origin{s.client, s}]; it != nil {
		h.endInterceptionLocked(it)
	}
}
