package relay

import (
	"context"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A hub may have a browser, beside a page's Host or alone. Each Client has a
// session of its own there, its root, for what it sends at browser level; so
// what it enables, attaches to and creates is its own, and ends with it.
// Sessions inside the root are the browser's to mint and to announce. The hub
// only keeps account of whose they are.

// browser is one generation of the hub's browser. It is what that speaks to:
// once it is not the hub's current one, nothing it says counts.
type browser struct {
	hub     *Hub
	host    bridge.Host
	version bridge.Version
	before  bridge.CallID    // the last command that was not for it
	targets targets.Registry // those that any Client may see
}

// setBrowser makes a Host the hub's browser.
func (h *Hub) setBrowser(host bridge.Host, a bridge.Announcement) bridge.Events {
	h.mu.Lock()
	defer h.mu.Unlock()
	if old := h.browser; old != nil {
		old.dropLocked(errHostReplaced)
		old.host.Close(bridge.ReasonReplaced)
	}
	b := &browser{hub: h, host: host, before: h.calls.last}
	h.log.Info("browser connected", zap.String("product", a.Version.Product), zap.Int("targets", len(a.Targets)))
	b.adoptLocked(a)
	return b
}

// adoptLocked makes the browser the hub's, and asks it for what Clients have
// asked for before.
func (b *browser) adoptLocked(a bridge.Announcement) {
	h := b.hub
	h.browser, b.version = b, a.Version
	for _, t := range a.Targets {
		b.createdLocked(t)
	}
	for l := range h.levels.discovering.All() {
		if l.session == nil {
			b.askLocked(l.client, l.discover.asked)
		}
	}
	for l := range h.levels.attaching.All() {
		if l.session == nil {
			b.askLocked(l.client, l.attach.asked)
		}
	}
}

// askLocked sends a command in a Client's name, which is not told the answer.
func (b *browser) askLocked(c *Client, asked request) {
	b.hub.ledger.Received++
	b.forwardLocked(&asked, b.rootLocked(c))
}

// dropLocked ends everything of the browser, as when it has crashed.
func (b *browser) dropLocked(why *wire.Error) {
	h := b.hub
	h.browser = nil
	for c := range h.clients {
		for s := range c.sessions {
			if s.Upstream {
				h.endSessionLocked(s, why)
			}
		}
		if c.root != nil {
			b.endRootLocked(c, why)
		}
	}
	for t := range b.targets.Clear() {
		for l := range h.levels.discovering.All() {
			if l.discover.Takes(or(t.Type, "page")) && shows(l.client.policy, t) {
				l.event("Target.targetDestroyed", append(wire.AppendString([]byte(`{"targetId":`), t.ID), '}'))
			}
		}
	}
}

// rootLocked is the Client's own session of the browser.
func (b *browser) rootLocked(c *Client) *session.Session {
	if c.root == nil {
		c.root = session.NewImplicit(b.hub.opts.NewID(), "", c)
		c.root.Kind, c.root.Upstream = session.Browser, true
		b.hub.sessions.Add(c.root)
		b.announceLocked(c.root)
	}
	return c.root
}

// endRootLocked ends it, after the sessions inside it.
func (b *browser) endRootLocked(c *Client, why *wire.Error) (ended *session.Session) {
	ended, c.root = c.root, nil
	b.hub.failLocked(ended, why)
	b.hub.sessions.Remove(ended)
	return ended
}

// leaveLocked ends what a Client that leaves has in the browser; its other
// sessions have ended.
func (b *browser) leaveLocked(c *Client) {
	b.host.Release(b.endRootLocked(c, errDetached).ID, "")
}

// announceLocked tells the browser of a session that the hub has begun.
func (b *browser) announceLocked(s *session.Session) {
	if a, ok := b.host.(bridge.Announcer); ok {
		a.Attached(attachment(s, ""))
	}
}

// serveLocked takes a message that concerns the browser, and reports whether
// it did.
func (b *browser) serveLocked(r *request) bool {
	switch s := r.session; {
	case s == nil:
	case !s.Upstream:
		return false
	case s.Kind != session.Browser:
		b.forwardLocked(r, s)
		return true
	}
	own := *r // the original need not escape to the heap
	return b.serveBrowserLevelLocked(&own)
}

// serveBrowserLevelLocked takes a message at browser level, unless it names
// something that is not the browser's, or belongs to neither.
func (b *browser) serveBrowserLevelLocked(r *request) bool {
	if b.isElsewhereLocked(&r.args) || r.Method == "Browser.close" {
		return false
	}
	into := r.session
	if into == nil {
		into = b.rootLocked(r.client)
	}
	switch r.Method {
	case "Target.setAutoAttach", "Target.setDiscoverTargets":
		if _, err := methods[r.Method].browser(b.hub, r); err != nil {
			r.client.answer(r.ID, nil, r.tail(), err)
			return true
		}
		b.forwardLocked(r, into)
	case "Target.getTargets":
		if c := b.forwardLocked(r, into); c != nil {
			c.finish = func(result []byte) []byte { return b.hub.withTargetsLocked(result, r.args.filter) }
		}
	default:
		b.forwardLocked(r, into)
	}
	return true
}

// isElsewhereLocked reports whether params name a Target, a session or the
// context of the page's Host, or the tab or the browser that the hub has made
// up around those.
func (b *browser) isElsewhereLocked(p *params) bool {
	h := b.hub
	if p.hasTargetID {
		_, _, known := h.find(p.targetID)
		return known
	}
	if p.hasSessionID {
		s := h.sessions.Get(p.sessionID)
		return s != nil && !s.Upstream
	}
	return p.browserContextID == h.contextID
}

// forwardLocked sends the browser a message for one of its sessions.
func (b *browser) forwardLocked(r *request, s *session.Session) *call {
	return b.hub.sendLocked(r, s, bridge.Command{SessionID: s.ID, TargetID: s.TargetID, Method: r.Method, Params: r.Params, Args: r.members})
}

// withTargetsLocked adds the Targets of a page's Host to a browser's answer to
// Target.getTargets, {"targetInfos":[…]}.
func (h *Hub) withTargetsLocked(result []byte, f targets.Filter) []byte {
	if f == nil {
		f = targets.Usual
	}
	own := h.appendTargetsLocked(nil, slices.Concat(targets.Filter{{Type: "browser", Exclude: true}}, f))
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
	merged := append([]byte(`{"targetInfos":`), theirs[:len(theirs)-1]...)
	if len(theirs) > len("[]") {
		merged = append(merged, ',')
	}
	return append(merged, list...)
}

// Refresh waits until the titles and addresses of a browser's Targets are those
// of now, as far as the browser answers within a second.
func (h *Hub) Refresh(ctx context.Context) {
	h.mu.Lock()
	var r bridge.Refresher
	if h.browser != nil {
		r, _ = h.browser.host.(bridge.Refresher)
	}
	h.mu.Unlock()
	if r == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	r.Refresh(cancel)
	<-ctx.Done()
}

const refreshTimeout = time.Second

// lock takes the hub's lock if this generation is current.
func (b *browser) lock() bool {
	b.hub.mu.Lock()
	if b.hub.browser == b {
		return true
	}
	b.hub.mu.Unlock()
	return false
}

// Reannounced implements bridge.Events.
func (b *browser) Reannounced(a bridge.Announcement) {
	if b.lock() {
		defer b.hub.mu.Unlock()
		b.dropLocked(errHostReannounced)
		b.adoptLocked(a)
	}
}

// TargetCreated implements bridge.Events.
func (b *browser) TargetCreated(t targets.Info) bool {
	if !b.lock() {
		return true
	}
	defer b.hub.mu.Unlock()
	return b.createdLocked(t)
}

func (b *browser) createdLocked(t targets.Info) bool {
	if _, _, known := b.hub.find(t.ID); known {
		return false
	}
	_, ok := b.targets.Set(t)
	return ok
}

// TargetChanged implements bridge.Events.
func (b *browser) TargetChanged(t targets.Info) {
	if b.lock() {
		defer b.hub.mu.Unlock()
		if _, known := b.targets.Get(t.ID); known {
			b.targets.Set(t)
		}
	}
}

// TargetGone implements bridge.Events. Its sessions have ended by Closed.
func (b *browser) TargetGone(targetID string) {
	if b.lock() {
		defer b.hub.mu.Unlock()
		b.targets.Delete(targetID)
	}
}

// Result implements bridge.Events.
func (b *browser) Result(id bridge.CallID, sessionID string, result, cdpErr []byte) {
	h := b.hub
	if !b.lock() {
		h.bookOutdated()
		return
	}
	defer h.mu.Unlock()
	h.resultLocked(true, b.before, id, sessionID, result, cdpErr)
}

// Event implements bridge.Events: a browser sends each session its own.
func (b *browser) Event(_, method string, _ []byte) {
	b.hub.log.Debug("event of the browser dropped: it names no session", zap.String("method", method))
}

// SessionEvent implements bridge.Events.
func (b *browser) SessionEvent(sessionID, method string, params []byte) {
	seen := b.hub.viewsOf(method, params)
	if b.lock() {
		defer b.hub.mu.Unlock()
		b.hub.sessionEventLocked(true, sessionID, &seen)
	}
}

// Opened implements bridge.Events.
func (b *browser) Opened(n bridge.Nested) {
	if !b.lock() {
		return
	}
	h := b.hub
	defer h.mu.Unlock()
	parent := h.sessions.Get(n.Parent)
	if parent == nil || !parent.Upstream || n.SessionID == "" || h.sessions.Get(n.SessionID) != nil {
		h.log.Warn("session of the browser refused: it was born in none, or its id is taken")
		return
	}
	c := parent.Peer.(*Client)
	s := session.New(strings.Clone(n.SessionID), strings.Clone(n.TargetID), c)
	s.Upstream, s.Parent = true, parent
	if n.Type == "browser" {
		s.Kind = session.Browser
	}
	h.fileLocked(c, s)
}

// Closed implements bridge.Events. The browser tells of it itself, but for the
// session of a connection that belongs to one Target.
func (b *browser) Closed(sessionID string) {
	if !b.lock() {
		return
	}
	defer b.hub.mu.Unlock()
	if s := b.hub.sessions.Get(sessionID); s != nil && s.Upstream {
		b.closedLocked(s)
	}
}

func (b *browser) closedLocked(s *session.Session) {
	h, c := b.hub, s.Peer.(*Client)
	for _, inner := range slices.Clone(s.Inside()) {
		if inner.Upstream {
			b.closedLocked(inner)
		} else {
			h.endSessionLocked(inner, errDetached)
		}
	}
	if s == c.root { // the next command gets another
		b.endRootLocked(c, errDetached)
		return
	}
	h.unfileLocked(c, s, errDetached)
	if s == c.page {
		c.endPageLocked()
	}
}

// PutScript implements bridge.Events. A browser needs none.
func (b *browser) PutScript(string, string) bool { return false }

// HostGone implements bridge.Events. A browser that has lost its connection
// has lost its sessions, so it does not come back to them.
func (b *browser) HostGone(bool) {
	if b.lock() {
		defer b.hub.mu.Unlock()
		b.hub.log.Info("browser disconnected")
		b.dropLocked(errHostGone)
	}
}
