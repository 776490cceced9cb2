package relay

import (
	"cmp"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Host may serve the browser level itself. Each Client then has a session of
// its own there, its root, for what it sends at browser level; so what it
// enables, attaches to and creates is its own, and ends with it. Sessions inside
// the root are the Host's to mint and to announce. The hub only keeps account of
// whose they are.

// askAllLocked asks the Host for what Clients have asked for before it came. A Client that
// has turned on discovery or auto-attach before the browser was there expects events of the
// browser, too.
func (s *side) askAllLocked() {
	h := s.hub
	for l := range h.subscribers.discovering.All() {
		if l.session == nil && s.keepsTabsOf(l.client) {
			s.askLocked(l.client, l.discover.asked)
		}
	}
	for l := range h.subscribers.attaching.All() {
		if l.session == nil && s.keepsTabsOf(l.client) {
			s.askLocked(l.client, l.attach.asked)
		}
	}
}

// askLocked sends a command in a Client's name, which does not get the answer.
func (s *side) askLocked(c *Client, asked request) {
	s.hub.counters.Received++
	s.hub.forwardLocked(&asked, s.rootLocked(c))
}

// dropBrowserLocked ends everything of the Host, as when it has crashed: it
// gets no ends of its sessions. While it runs, side.host is nil, so that endSessionLocked
// releases no session to a Host that has gone.
func (s *side) dropBrowserLocked(why *wire.Error) {
	h, host := s.hub, s.host
	s.host = nil
	defer func() { s.host = host }()
	for c := range h.clients {
		if l, ok := c.peer.(*Local); ok {
			l.browserEnded()
		}
		for on := range c.sessions {
			if sideOf(on) == s {
				h.endSessionLocked(on, why)
			}
		}
		if s.roots[c] != nil {
			s.endRootLocked(c, why)
			if p, ok := c.peer.(Lasting); ok {
				p.BrowserEnded()
			}
		}
	}
	// The browser cannot announce these ends any more.
	for t := range s.targets.Clear() {
		h.endedLocked(s, t)
		for l := range h.subscribers.discovering.All() {
			if l.discover.Takes(cmp.Or(t.Type, "page")) && l.client.sees(t) {
				l.event("Target.targetDestroyed", append(wire.AppendString([]byte(`{"targetId":`), t.ID), '}'))
			}
		}
	}
}

// rootLocked is the Client's own session at the browser level of the Host. It is made with
// the Client's first command. Its id is for the hub and the Host alone: the Client's
// messages at browser level name no session.
func (s *side) rootLocked(c *Client) *clientSession {
	root := s.roots[c]
	if root == nil {
		root = &clientSession{Session: session.NewImplicit(s.hub.opts.NewID(), ""), client: c, side: s}
		root.Kind = session.Browser
		s.hub.sessions.add(root)
		if s.roots == nil {
			s.roots = make(map[*Client]*clientSession)
		}
		s.roots[c] = root
		s.browser.AttachedToBrowser(attachmentOf(root, ""))
	}
	return root
}

// endRootLocked ends it, after the sessions inside it.
func (s *side) endRootLocked(c *Client, why *wire.Error) (ended *clientSession) {
	ended = s.roots[c]
	delete(s.roots, c)
	s.hub.calls.failIn(ended, why)
	s.hub.sessions.remove(ended)
	return ended
}

// leaveLocked ends what a Client that leaves has at the browser level; its other
// sessions have ended.
func (s *side) leaveLocked(c *Client) {
	if s.roots[c] != nil {
		s.host.Release(s.endRootLocked(c, errDetached).ID, "")
	}
}

// browserOfLocked returns the side whose Host serves a message itself, if it is
// not for one that the hub emulates a browser around; nil when there is none.
func (h *Hub) browserOfLocked(r *request) *side {
	if r.session == nil {
		return h.sides.browser()
	}
	if s := sideOf(r.session); s != nil && s.browser != nil {
		return s
	}
	return nil
}

// serveLocked takes a message for the Host of a browser, and reports whether it
// did. It refuses to attach a Client that has too many sessions, before the browser does so.
func (s *side) serveLocked(r *request) bool {
	if strings.HasPrefix(r.Method, "CdpHub.") { // they are the hub's
		return false
	}
	if !s.keepsTabsOf(r.client) {
		return s.withholdLocked(r)
	}
	if isAttach(r.Method) {
		if err := r.client.refusesSessionLocked(); err != nil {
			r.client.answer(r.session, r.ID, nil, err)
			return true
		}
	}
	if r.session != nil && r.session.Kind != session.Browser {
		s.hub.forwardLocked(r, r.session)
		return true
	}
	own := *r // the original need not escape to the heap
	return s.serveBrowserLevelLocked(&own)
}

// keepsTabsOf reports whether a Client may use the browser: one with tabs of its own would
// see all tabs of a browser that keeps none apart.
func (s *side) keepsTabsOf(c *Client) bool {
	_, keeps := s.host.(bridge.TabKeeper)
	return c.owner == nil || keeps
}

var errTabsShared = wire.ServerError("The browser of this hub cannot keep the tabs of Clients apart: connect without tabs=own, with a token that sees all tabs")

// withholdLocked answers a message that the browser must not get, unless the hub can
// answer it without the browser; it reports whether it did.
func (s *side) withholdLocked(r *request) bool {
	m := s.hub.methods[r.Method]
	if r.session == nil && m.browser != nil && !m.real || s.namesOtherLocked(&r.args) {
		return false
	}
	r.client.answer(r.session, r.ID, nil, errTabsShared)
	return true
}

// isAttach reports whether a method begins a session, and does nothing else.
func isAttach(method string) bool {
	return method == "Target.attachToTarget" || method == "Target.attachToBrowserTarget"
}

// serveBrowserLevelLocked takes a message at browser level, unless it names
// something that is not the Host's, or belongs to neither. Browser.close stays with the
// hub, which answers {} and closes nothing: other Clients use the browser, too.
func (s *side) serveBrowserLevelLocked(r *request) bool {
	if s.namesOtherLocked(&r.args) || r.Method == "Browser.close" {
		return false
	}
	into := r.session
	if into == nil {
		into = s.rootLocked(r.client)
	}
	switch r.Method {
	// The hub keeps the subscription, for Targets of other Hosts, and the browser gets the
	// command as well, for its own.
	case "Target.setAutoAttach", "Target.setDiscoverTargets":
		if _, err := s.hub.methods[r.Method].browser(s.hub, r); err != nil {
			r.client.answer(r.session, r.ID, nil, err)
			return true
		}
		s.hub.forwardLocked(r, into)
	case "Target.getTargets":
		if c := s.hub.forwardLocked(r, into); c != nil {
			c.finish = func(result []byte) []byte {
				return s.hub.withTargetsLocked(s.hub.leases.hushList(r.client, result), r.client, r.args.filter)
			}
		}
	case "Target.createTarget":
		if c := s.hub.forwardLocked(r, into); c != nil {
			c.finish = s.opensLocked(r)
		}
	default:
		s.hub.forwardLocked(r, into)
	}
	return true
}

// namesOtherLocked reports whether params name a Target, a session or the context
// that are not the Host's, but emulated around those of other Hosts.
func (s *side) namesOtherLocked(p *params) bool {
	h := s.hub
	if p.hasTargetID {
		_, known := h.find(p.targetID)
		return known
	}
	if p.hasSessionID {
		named := h.sessions.get(p.sessionID)
		return named != nil && sideOf(named) != s
	}
	return p.browserContextID == h.contextID
}

// withTargetsLocked adds the Targets around which the hub emulates a browser to a Host's answer to
// Target.getTargets, {"targetInfos":[…]}. An answer that is no such object is passed on
// unchanged.
func (h *Hub) withTargetsLocked(result []byte, c *Client, f targets.Filter) []byte {
	if f == nil {
		f = targets.Usual
	}
	// The browser has its own entry already: that of the emulated one is left out.
	own := h.appendTargetsLocked(nil, c, slices.Concat(targets.Filter{{Type: "browser", Exclude: true}}, f))
	if len(own) == len(`{"targetInfos":[]}`) {
		return result
	}
	list := own[len(`{"targetInfos":[`):]
	var theirs []byte
	err := wire.ReadObject(result, func(key string, value []byte) error {
		if key == "targetInfos" && value[0] == '[' {
			theirs = value
		}
		return nil
	})
	if err != nil || theirs == nil {
		return result
	}
	// The Host's list without its last bracket, a comma, and the hub's list with its own
	// end.
	merged := append([]byte(`{"targetInfos":`), theirs[:len(theirs)-1]...)
	if len(theirs) > len("[]") {
		merged = append(merged, ',')
	}
	return append(merged, list...)
}
