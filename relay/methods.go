package relay

import (
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// action answers one message under the hub's lock. A nil result is {}.
type action func(h *Hub, r *request) (result []byte, err *wire.Error)

// method is what the hub itself answers: at browser level, and inside the
// session of a Target. Without an action there, the method is unknown at
// browser level, and the Host's inside a session.
type method struct {
	browser, page action
}

// methods is every CDP method that the hub answers from its own registry.
var methods = map[string]method{
	"Browser.getVersion":                  {getVersion, getVersion},
	"Browser.close":                       {browser: ok},
	"Browser.setDownloadBehavior":         {browser: ok},
	"Browser.setWindowBounds":             {browser: ok},
	"Schema.getDomains":                   {getDomains, getDomains},
	"Security.setIgnoreCertificateErrors": {browser: ok},
	"Target.activateTarget":               {ok, ok},
	"Target.attachToTarget":               {browser: attachToTarget},
	"Target.closeTarget":                  {browser: closeTarget},
	"Target.createTarget":                 {browser: createTarget},
	"Target.detachFromTarget":             {browser: detachFromTarget},
	"Target.getTargetInfo":                {getTargetInfo, ownTargetInfo},
	"Target.getTargets":                   {browser: getTargets},
	"Target.setAutoAttach":                {setAutoAttach, ok},
	"Target.setDiscoverTargets":           {setDiscoverTargets, ok},
	"Target.setRemoteLocations":           {ok, ok},
}

// ok answers {}: the method is accepted and changes nothing.
func ok(*Hub, *request) ([]byte, *wire.Error) { return nil, nil }

var (
	errNoTarget       = &wire.Error{Code: wire.CodeInvalidParams, Message: "No target with given id found"}
	errNotYours       = &wire.Error{Code: wire.CodeInvalidParams, Message: "No session with given id"}
	errNoSessionID    = &wire.Error{Code: wire.CodeInvalidParams, Message: "Session id must be specified"}
	errTooMany        = wire.ServerError("Too many sessions")
	errNoCreateTarget = wire.ServerError("Target.createTarget is not supported: icdp targets are iframes paired by the Host.")
)

func getVersion(h *Hub, _ *request) ([]byte, *wire.Error) {
	product, userAgent := h.versionLocked()
	b := wire.AppendString([]byte(`{"protocolVersion":"1.3","product":`), product)
	b = wire.AppendString(append(b, `,"revision":"icdp-v1","userAgent":`...), userAgent)
	return append(b, `,"jsVersion":"synthetic"}`...), nil
}

func getDomains(*Hub, *request) ([]byte, *wire.Error) { return []byte(`{"domains":[]}`), nil }

func createTarget(*Hub, *request) ([]byte, *wire.Error) { return nil, errNoCreateTarget }

func closeTarget(*Hub, *request) ([]byte, *wire.Error) { return []byte(`{"success":true}`), nil }

func getTargets(h *Hub, _ *request) ([]byte, *wire.Error) {
	if h.stale {
		h.listing = append(h.listing[:0], `{"targetInfos":[`...)
		for i, t := range h.targets.All() {
			if i > 0 {
				h.listing = append(h.listing, ',')
			}
			h.listing = h.appendTargetInfoLocked(h.listing, t)
		}
		h.listing = append(h.listing, ']', '}')
		h.stale = false
	}
	return h.listing, nil
}

func getTargetInfo(h *Hub, r *request) ([]byte, *wire.Error) {
	p, err := readParams(r.Params)
	if err != nil {
		return nil, err
	}
	if !p.hasTargetID {
		b := wire.AppendString([]byte(`{"targetInfo":{"targetId":`), h.browserID)
		return append(b, `,"type":"browser","title":"","url":"","attached":true,"canAccessOpener":false}}`...), nil
	}
	t, known := h.targets.Get(p.targetID)
	if !known {
		return nil, errNoTarget
	}
	return h.targetInfoParamsLocked(t), nil
}

// ownTargetInfo answers inside a session, for the session's own Target.
func ownTargetInfo(h *Hub, r *request) ([]byte, *wire.Error) {
	t, _ := h.targets.Get(r.session.TargetID) // a session ends before its Target
	return h.targetInfoParamsLocked(t), nil
}

func attachToTarget(h *Hub, r *request) ([]byte, *wire.Error) {
	p, err := readParams(r.Params)
	if err != nil {
		return nil, err
	}
	if !p.hasTargetID {
		return nil, missing("targetId")
	}
	t, known := h.targets.Get(p.targetID)
	if !known {
		return nil, errNoTarget
	}
	if len(r.client.sessions) >= h.opts.Limits.ClientSessions {
		return nil, errTooMany
	}
	s := h.attachLocked(r.client, t)
	return append(wire.AppendString([]byte(`{"sessionId":`), s.ID), '}'), nil
}

// detachFromTarget ends the session that params name, or, as Chromium still
// allows, one of this Client on the Target that they name.
func detachFromTarget(h *Hub, r *request) ([]byte, *wire.Error) {
	p, err := readParams(r.Params)
	if err != nil {
		return nil, err
	}
	var s *session.Session
	switch {
	case p.hasSessionID:
		s = h.sessions.Get(p.sessionID)
	case p.hasTargetID:
		s = h.sessionOnLocked(r.client, p.targetID)
	default:
		return nil, errNoSessionID
	}
	if s == nil || s.Peer != session.Peer(r.client) {
		return nil, errNotYours
	}
	h.endSessionLocked(s, errDetached)
	return nil, nil
}

// sessionOnLocked is a session of the Client on a Target, or nil.
func (h *Hub) sessionOnLocked(c *Client, targetID string) *session.Session {
	list := h.sessions.OfTarget(targetID)
	i := slices.IndexFunc(list, func(s *session.Session) bool { return s.Peer == session.Peer(c) })
	if i < 0 {
		return nil
	}
	return list[i]
}

func setAutoAttach(h *Hub, r *request) ([]byte, *wire.Error) {
	p, err := readParams(r.Params)
	if err != nil {
		return nil, err
	}
	if !p.hasAutoAttach {
		return nil, missing("autoAttach")
	}
	r.client.autoAttach = p.autoAttach
	if !p.autoAttach {
		return nil, nil
	}
	for _, t := range h.targets.All() {
		if h.sessionOnLocked(r.client, t.ID) != nil {
			continue
		}
		if len(r.client.sessions) >= h.opts.Limits.ClientSessions {
			return nil, errTooMany
		}
		h.attachLocked(r.client, t)
	}
	return nil, nil
}

func setDiscoverTargets(h *Hub, r *request) ([]byte, *wire.Error) {
	p, err := readParams(r.Params)
	if err != nil {
		return nil, err
	}
	if !p.hasDiscover {
		return nil, missing("discover")
	}
	r.client.discover = p.discover
	if p.discover {
		for _, t := range h.targets.All() {
			r.client.event("Target.targetCreated", h.targetInfoParamsLocked(t))
		}
	}
	return nil, nil
}

// targetInfoParamsLocked is {"targetInfo":{…}}.
func (h *Hub) targetInfoParamsLocked(t targets.Info) []byte {
	return append(h.appendTargetInfoLocked([]byte(`{"targetInfo":`), t), '}')
}

// appendTargetInfoLocked appends a Target as Clients see it:
//
//	{"targetId":"…","type":"page","title":"…","url":"…","attached":false,"canAccessOpener":false,"browserContextId":"…"}
//
// Without browserContextId, Playwright shows no page.
func (h *Hub) appendTargetInfoLocked(b []byte, t targets.Info) []byte {
	b = wire.AppendString(append(b, `{"targetId":`...), t.ID)
	b = wire.AppendString(append(b, `,"type":"page","title":`...), t.Title)
	b = wire.AppendString(append(b, `,"url":`...), t.URL)
	if len(h.sessions.OfTarget(t.ID)) > 0 {
		b = append(b, `,"attached":true`...)
	} else {
		b = append(b, `,"attached":false`...)
	}
	b = wire.AppendString(append(b, `,"canAccessOpener":false,"browserContextId":`...), h.contextID)
	return append(b, '}')
}
