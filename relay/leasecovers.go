package relay

import (
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/scope"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
)

// pageOf returns the page that a target is part of; "" where the Host does not know
// the target, or what it is part of. The id of an emulated tab is that of its page
// with a prefix.
func (s *side) pageOf(targetID string) string {
	targetID = strings.TrimPrefix(targetID, s.hub.tabPrefix)
	if f, ok := s.host.(bridge.Families); ok {
		return f.PageOf(targetID)
	}
	return targetID
}

// covers reports whether a session is on the page of a lease: on itself, its tab, a
// frame in it that is a target of its own, a worker of it, or inside such a session.
func (l *lease) covers(s *session.Session) bool {
	for ; s != nil; s = s.Parent {
		if s.Kind == session.Browser || sideOf(s) != l.side {
			continue
		}
		if page := l.side.pageOf(s.TargetID); page == l.target {
			return true
		}
	}
	return false
}

// intercepts reports whether a session gets requests of all pages of the browser, and so
// those of the page of a lease: Fetch.enable works at browser level, too, where that is
// allowed. A session of nil is at browser level.
func (l *lease) intercepts(s *session.Session, method string) bool {
	return strings.HasPrefix(method, "Fetch.") && (s == nil || s.Kind == session.Browser && sideOf(s) == l.side)
}

// unsure reports whether a session may be on the page of a lease: the Host does not
// know what its target is part of.
func (l *lease) unsure(s *session.Session) bool {
	return s != nil && s.Kind != session.Browser && sideOf(s) == l.side && l.side.pageOf(s.TargetID) == ""
}

// hears reports whether a session may show what a person does on the page of a quiet lease:
// it is on the page, or on a worker that may serve the page, or perhaps on a part of it.
func (l *lease) hears(s *session.Session) bool {
	if l.covers(s) || l.unsure(s) {
		return true
	}
	f, ok := l.side.host.(bridge.Families)
	return ok && s != nil && s.Kind != session.Browser && sideOf(s) == l.side && f.MayServe(s.TargetID, l.target)
}

// concerns reports whether a command may be for the page of a lease: by its session,
// by the target, the context or the window that it names, or because it acts and names
// nothing. In doubt it says yes: a command that is kept from others by mistake waits or is
// refused, one that gets through could act against the person.
func (l *lease) concerns(r *request, acts bool) bool {
	if inside := r.session != nil && r.session.Kind != session.Browser; inside && (l.covers(r.session) || acts && l.unsure(r.session) || l.Quiet && l.hears(r.session)) {
		return true
	}
	switch {
	case r.args.hasTargetID:
		return l.side.pageOf(r.args.targetID) == l.target
	case !acts:
		return l.intercepts(r.session, r.Method)
	case r.Method == "Target.disposeBrowserContext":
		f, ok := l.side.host.(bridge.Families)
		return !ok || f.InContext(l.target, r.args.browserContextID)
	case r.session != nil && r.session.Kind != session.Browser:
		return strings.HasPrefix(r.Method, "Browser.") && sideOf(r.session) == l.side // it names a window, perhaps that of this page
	}
	return true // at browser level: the hub cannot tell what it would act on
}

// leasedLocked keeps a command of another Client from a page that somebody has taken
// over, and reports whether it did: the command waits, or has been refused. The holder's
// own commands pass, and renew the lease if they act.
func (h *Hub) leasedLocked(r *request) bool {
	acts := scope.Acts(r.Method)
	for _, l := range h.leases.list {
		switch {
		case l.owner == r.client:
			if acts && !l.away && l.concerns(r, true) {
				l.usedLocked()
			}
			if h.holderDialogLocked(l, r) {
				return true
			}
		// It reads, and the page is not quiet; or it is for another page.
		case !acts && (!l.Quiet || goesOn(r)), !l.concerns(r, acts):
		case l.Wait > 0 && h.keepLocked(l, r):
			return true
		default:
			r.client.answer(r.session, r.ID, nil, l.paused())
			return true
		}
	}
	return false
}

// goesOn reports whether a command that does not act may go to a page that is quiet. A
// request must go on unchanged: a Client could send it, with the person's input, to another
// address. A redirect with 307 or 308 (RFC 9110, sections 15.4.8 and 15.4.9) would do so,
// too. A paused request of the page must be answered by the Client that has intercepted it,
// or the page would hang.
func goesOn(r *request) bool {
	for _, m := range r.members {
		switch r.Method + "." + m.Name {
		case "Fetch.continueRequest.url", "Fetch.continueRequest.method", "Fetch.continueRequest.postData", "Fetch.continueRequest.headers",
			"Fetch.continueResponse.responseCode", "Fetch.continueResponse.responseHeaders", "Fetch.continueResponse.binaryResponseHeaders":
			return false
		case "Fetch.fulfillRequest.responseCode":
			if code, ok := wire.Int(m.Value); !ok || code >= 300 && code < 400 {
				return false
			}
		}
	}
	return scope.GoesOn(r.Method)
}
