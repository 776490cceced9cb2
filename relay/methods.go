package relay

import (
	"slices"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// action answers one message, whose args have been read, under the hub's
// lock. A nil result is {}.
type action func(h *Hub, r *request) (result []byte, err *wire.Error)

// method is what the hub itself answers: at browser level, inside a session
// on a Target, and inside one on a tab. Without an action there, the method
// is the Host's inside a session on a Target, and unknown elsewhere.
type method struct {
	browser, page, tab action
	// real marks what only a real browser can do. While one is being started again
	// at the hub, the command waits for it.
	real bool
	// note sees a command that goes to the Host.
	note func(h *Hub, r *request)
}

// methods is every CDP method that the hub answers from its own registry. Most are of the
// CDP domains Browser and Target; CdpHub.… are the hub's own. Browser.close answers {} and
// closes nothing, since other Clients use the same page.
var methods = map[string]method{
	"CdpHub.cancelHandoff":                {page: cancelHandoff},
	"CdpHub.handoff":                      {page: beginHandoff},
	"Browser.getVersion":                  {browser: getVersion, page: getVersion},
	"Browser.close":                       {browser: answerOK},
	"Browser.grantPermissions":            {browser: notYours("permissions belong to the embedding browser"), real: true},
	"Browser.resetPermissions":            {browser: notYours("permissions belong to the embedding browser"), real: true},
	"Browser.setDownloadBehavior":         {browser: setDownloads, real: true},
	"Browser.setPermission":               {browser: notYours("permissions belong to the embedding browser"), real: true},
	"Browser.setWindowBounds":             {browser: answerOK},
	"CdpHub.getClients":                   {browser: getClients, page: getClients},
	"CdpHub.grant":                        {browser: grantTab, page: grantTab},
	"CdpHub.mayAct":                       {browser: mayAct, page: mayAct},
	"CdpHub.revoke":                       {browser: revokeTab, page: revokeTab},
	"Page.close":                          {note: notePageClose},
	"Page.disable":                        {note: notePage(false)},
	"Page.enable":                         {note: notePage(true)},
	answerDialog:                          {page: handleDialog},
	"Runtime.runIfWaitingForDebugger":     {browser: answerOK, tab: answerOK},
	"Schema.getDomains":                   {browser: getDomains, page: getDomains},
	"Security.disable":                    {browser: answerOK},
	"Security.enable":                     {browser: answerOK},
	"Security.setIgnoreCertificateErrors": {browser: answerOK, real: true},
	"Target.activateTarget":               {browser: answerOK, page: answerOK},
	"Target.attachToBrowserTarget":        {browser: attachToBrowserTarget, page: notAllowed},
	"Target.attachToTarget":               {browser: attachToTarget},
	"Target.closeTarget":                  {browser: closeTarget, note: noteCloseTarget},
	"Target.createBrowserContext":         {browser: notYours("frames share the storage of the embedding browser"), page: notAllowed, real: true},
	"Target.createTarget":                 {browser: createTarget, real: true},
	"Target.detachFromTarget":             {browser: detachFromTarget, page: detachFromTarget, tab: detachFromTarget},
	"Target.disposeBrowserContext":        {browser: disposeBrowserContext},
	"Target.getBrowserContexts":           {browser: getBrowserContexts},
	"Target.getTargetInfo":                {browser: getTargetInfo, page: ownTargetInfo, tab: ownTargetInfo},
	"Target.getTargets":                   {browser: getTargets},
	"Target.setAutoAttach":                {browser: setAutoAttach, page: setAutoAttachInPage, tab: setAutoAttach},
	"Target.setDiscoverTargets":           {browser: setDiscoverTargets, page: setDiscoverTargets, tab: setDiscoverTargets},
	"Target.setRemoteLocations":           {browser: answerOK, page: answerOK},
}

// of is the action for a message, or nil.
func (m method) of(r *request) action {
	switch {
	case r.session == nil, r.session.Kind == session.Browser:
		return m.browser
	case r.session.Kind == session.Tab:
		return m.tab
	case r.session.Kind == session.Worker:
		return nil
	case m.page == nil && r.session == r.client.page:
		return m.browser // the only level that such a connection has
	}
	return m.page
}

// noteLocked lets the hub see a command on its way to the Host.
func (m method) noteLocked(h *Hub, r *request) {
	if m.note != nil {
		own := *r // the original need not escape to the heap
		m.note(h, &own)
	}
}

// answerOK answers {}: the method is accepted and changes nothing.
func answerOK(*Hub, *request) ([]byte, *wire.Error) { return nil, nil }

// notYours refuses what only the browser around the frames could do.
func notYours(why string) action {
	return func(h *Hub, r *request) ([]byte, *wire.Error) {
		if len(h.sides.list) == 0 {
			return nil, h.noHostLocked()
		}
		if h.sides.onlySharedTabs() {
			e := wire.ServerError(r.Method + " is not possible in a tab that its user shares: it is about the whole browser")
			return nil, h.advised(e, advice.OnlySharedTabs)
		}
		e := wire.ServerError(r.Method + " is not possible in an embedded frame: " + why)
		return nil, h.advised(e, advice.NoBrowserHere)
	}
}

// notAllowed refuses what only the browser's socket may do, as Chromium 156 does.
func notAllowed(*Hub, *request) ([]byte, *wire.Error) {
	return nil, wire.ServerError("Not allowed: only the browser's socket may do this; connect to /devtools/browser")
}

// errPassOn is what an action returns to leave its method to the Host after
// all.
var errPassOn = &wire.Error{}

var (
	errNoTarget       = &wire.Error{Code: wire.CodeInvalidParams, Message: "No target with given id found"}
	errNotYours       = &wire.Error{Code: wire.CodeInvalidParams, Message: "No session with given id"}
	errNoSessionID    = &wire.Error{Code: wire.CodeInvalidParams, Message: "Session id must be specified"}
	errTooMany        = wire.ServerError("Too many sessions: detach from some targets first")
	errNoCreateTarget = wire.ServerError("Target.createTarget is not supported")
)

// getVersion answers Browser.getVersion:
// {"protocolVersion":"1.3","product":"…","revision":"…","userAgent":"…","jsVersion":"…"}.
func getVersion(h *Hub, _ *request) ([]byte, *wire.Error) {
	v := h.versionLocked()
	b := wire.AppendString([]byte(`{"protocolVersion":"1.3","product":`), v.Product)
	b = wire.AppendString(append(b, `,"revision":"`+targets.EmulatedRevision+`","userAgent":`...), v.UserAgent)
	return append(b, `,"jsVersion":"synthetic"}`...), nil
}

// getDomains answers Schema.getDomains with an empty list: what a Host knows, the hub
// cannot say.
func getDomains(*Hub, *request) ([]byte, *wire.Error) { return []byte(`{"domains":[]}`), nil }

// createTarget refuses: no Host makes Targets. Once a Host page was here, the message begins
// as that of icdp, also when it has gone.
func createTarget(h *Hub, _ *request) ([]byte, *wire.Error) {
	switch emulated := h.sides.emulated(); {
	case h.sides.onlySharedTabs():
		return nil, h.advised(errNoCreateTarget, advice.OnlyUserOpens)
	case len(emulated) > 0 && !slices.ContainsFunc(emulated, func(s *side) bool { return s.host != nil }):
		return nil, h.advised(errNoCreateTarget, advice.PageAway)
	case len(h.sides.list) > 0:
		return nil, h.advised(errNoCreateTarget, advice.NoHook)
	case h.sides.hadPage:
		return nil, h.advised(errNoCreateTarget, advice.NoPage)
	}
	return nil, h.noHostLocked()
}

// closeTarget answers Target.closeTarget where no Host handles it: {"success":true}, and
// nothing is closed.
func closeTarget(*Hub, *request) ([]byte, *wire.Error) { return []byte(`{"success":true}`), nil }

// getTargets answers Target.getTargets. The ready-made listing is for the usual filter and
// Clients that see all.
func getTargets(h *Hub, r *request) ([]byte, *wire.Error) {
	if r.args.filter != nil || r.client.owner != nil || h.listing.partial || h.leases.quiet.Load() {
		f := r.args.filter
		if f == nil {
			f = targets.Usual
		}
		return h.appendTargetsLocked(nil, r.client, f), nil
	}
	return h.listingLocked(r.client), nil
}

// kinds are the kinds of targets, in the order in which Chromium announces
// them.
var kinds = [...]session.Kind{session.Browser, session.Tab, session.Page}

// appendTargetsLocked appends {"targetInfos":[…]} of what a Client sees.
func (h *Hub) appendTargetsLocked(b []byte, c *Client, f targets.Filter) []byte {
	b = append(b, `{"targetInfos":[`...)
	empty := len(b)
	h.eachLocked(c, f, func(t target) *wire.Error { //nolint:errcheck // it has none
		if len(b) > empty {
			b = append(b, ',')
		}
		b = h.appendTargetInfoLocked(b, c, t)
		return nil
	})
	return append(b, ']', '}')
}

// eachLocked calls fn for every target that a Client sees and a filter takes, until
// one fails. Tabs come before their pages, as in Chromium.
func (h *Hub) eachLocked(c *Client, f targets.Filter, fn func(target) *wire.Error) *wire.Error {
	for _, k := range kinds {
		if !f.Takes(typeOf(k)) {
			continue
		}
		if k == session.Browser {
			if err := fn(target{kind: k}); err != nil {
				return err
			}
			continue
		}
		for _, s := range h.sides.emulated() {
			for t := range s.targets.All() {
				if !c.sees(t) {
					continue
				}
				if err := fn(target{k, s, t}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// getTargetInfo answers Target.getTargetInfo: without a targetId it is about the browser
// itself, as in Chromium.
func getTargetInfo(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	if !p.hasTargetID {
		return h.targetInfoParamsLocked(r.client, target{kind: session.Browser}), nil
	}
	t, known := h.find(p.targetID)
	if !known {
		return nil, errNoTarget
	}
	return h.targetInfoParamsLocked(r.client, t), nil
}

// ownTargetInfo answers inside a session, for the session's own Target.
func ownTargetInfo(h *Hub, r *request) ([]byte, *wire.Error) {
	t, _ := h.find(r.session.TargetID) // a session ends before its Target
	return h.targetInfoParamsLocked(r.client, t), nil
}

// getBrowserContexts names the one context that all Targets share: as in
// Chromium, the default one is not in the list.
func getBrowserContexts(h *Hub, _ *request) ([]byte, *wire.Error) {
	b := wire.AppendString([]byte(`{"browserContextIds":[],"defaultBrowserContextId":`), h.contextID)
	return append(b, '}'), nil
}

// disposeBrowserContext knows no context that could end: the default one can
// not.
func disposeBrowserContext(_ *Hub, r *request) ([]byte, *wire.Error) {
	id := targets.Cut(r.args.browserContextID, targets.MaxID) // it may be as long as a message
	return nil, wire.ServerError("Failed to find browser context with id " + id)
}

// attachToTarget answers Target.attachToTarget: {"sessionId":"…"}. Sessions are always
// flat, whether flatten is given or not. The event Target.attachedToTarget comes before the
// answer, as in Chromium.
func attachToTarget(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	if !p.hasTargetID {
		return nil, missingParam("targetId")
	}
	t, known := h.find(p.targetID)
	if !known {
		return nil, errNoTarget
	}
	return h.attachForLocked(r, t)
}

// attachToBrowserTarget begins a session of the browser as a whole, in which
// its methods work as they do on the connection.
func attachToBrowserTarget(h *Hub, r *request) ([]byte, *wire.Error) {
	return h.attachForLocked(r, target{kind: session.Browser})
}

// attachForLocked begins a session for the Client that asks, inside the session in which it
// asks.
func (h *Hub) attachForLocked(r *request, t target) ([]byte, *wire.Error) {
	s, err := h.attachLocked(h.subscriberLocked(r), t)
	if err != nil {
		return nil, err
	}
	return append(wire.AppendString([]byte(`{"sessionId":`), s.ID), '}'), nil
}

// detachFromTarget ends the session that params name, or, as Chromium still
// allows, one of this Client on the Target that they name. A session of another Client is
// as unknown as none.
func detachFromTarget(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	var s *clientSession
	switch {
	case p.hasSessionID:
		s = h.sessions.get(p.sessionID)
	case p.hasTargetID:
		s = h.sessionOnLocked(r.client, r.session, p.targetID)
	default:
		return nil, errNoSessionID
	}
	if s == nil || s.client != r.client {
		return nil, errNotYours
	}
	h.endSessionLocked(s, errDetached)
	return nil, nil
}

// again is the same command, for a browser that comes later; nobody waits for
// its answer.
func (r *request) again() request {
	return request{
		Envelope: wire.Envelope{Method: strings.Clone(r.Method), Params: r.Params}, client: r.client, members: r.members,
	}
}

// setAutoAttach attaches to what the filter takes, now and later: on the
// connection and in a session of the browser to pages and tabs, in that of a
// tab to its page.
func setAutoAttach(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	if !p.hasAutoAttach {
		return nil, missingParam("autoAttach")
	}
	l := h.subscriberLocked(r)
	if err := l.set(&l.attach, p.autoAttach, r); err != nil {
		return nil, err
	}
	h.subscribers.keep(l)
	if r.session != nil && r.session.Kind == session.Tab {
		t, _ := h.find(r.session.TargetID)
		if t.kind = session.Page; l.attach.Takes(typeOf(t.kind)) {
			return nil, h.attachOnceLocked(l, t)
		}
		return nil, nil
	}
	// To call it again changes the filter. It attaches to no target a second time.
	attached := make(map[string]bool)
	for s := range r.client.sessions {
		if s.parent == r.session && s.intercepts == nil {
			attached[s.TargetID] = true
		}
	}
	return nil, h.eachLocked(l.client, l.attach.Filter, func(t target) *wire.Error {
		if t.kind == session.Browser || attached[h.idOf(t.kind, t.Info)] {
			return nil
		}
		_, err := h.attachLocked(l, t)
		return err
	})
}

// setAutoAttachInPage leaves the workers of a page to its Host. For others there is
// nothing to attach to.
func setAutoAttachInPage(_ *Hub, r *request) ([]byte, *wire.Error) {
	if s := sideOf(r.session); s.host != nil {
		if n, ok := s.host.(bridge.Nesting); ok && n.NestsSessions() {
			return nil, errPassOn
		}
	}
	return nil, nil
}

// setDiscoverTargets turns on Target.targetCreated, targetInfoChanged and targetDestroyed
// for the targets that the filter takes. Those that exist are announced before the answer,
// as in Chromium.
func setDiscoverTargets(h *Hub, r *request) ([]byte, *wire.Error) {
	p := &r.args
	if !p.hasDiscover {
		return nil, missingParam("discover")
	}
	l := h.subscriberLocked(r)
	if err := l.set(&l.discover, p.discover, r); err != nil {
		return nil, err
	}
	h.subscribers.keep(l)
	return nil, h.eachLocked(l.client, l.discover.Filter, func(t target) *wire.Error {
		l.event("Target.targetCreated", h.targetInfoParamsLocked(l.client, t))
		return nil
	})
}
