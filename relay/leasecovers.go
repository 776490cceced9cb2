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
func (l *lease) covers(s *clientSession) bool {
	for ; s != nil; s = s.parent {
		if s.Kind == session.Browser || sideOf(s) != l.side {
			continue
		}
		if page := l.side.pageOf(s.TargetID); page == l.target {
			return true
		}
	}
	return false
}

// reaches reports whether a target is the page of a quiet lease or a part of it, or a page,
// or a part of one, whose script may reach it. By window handles do so the pages that have
// opened one another, whatever their origin: a frame in one may be of the page's origin. By
// storage and channels do so those of the same origin and browser context. All frames of a
// Host page are in one window, and in one context.
func (l *lease) reaches(targetID string) bool {
	page := l.side.pageOf(targetID)
	if page == l.target {
		return true
	}
	if f, ok := l.side.host.(bridge.Families); ok {
		if f.Related(page, l.target) {
			return true
		}
		if !f.SharesContext(targetID, l.target) {
			return false
		}
	}
	return l.shows(targetID) || l.shows(page)
}

// shows reports whether a target of the lease's side shows a document of an origin that the
// page of the lease has shown.
func (l *lease) shows(targetID string) bool {
	t, known := l.side.targets.Get(strings.TrimPrefix(targetID, l.side.hub.tabPrefix))
	return known && l.quiet.has(t.URL)
}

// intercepts reports whether a session gets at what belongs to all pages of the browser, and
// so to the page of a lease. Fetch.enable works at browser level, too, where that is
// allowed; a session of nil is there. The heap of a page is that of all pages in its process.
func (l *lease) intercepts(s *clientSession, method string) bool {
	switch {
	case strings.HasPrefix(method, "Fetch."):
		return s == nil || s.Kind == session.Browser && sideOf(s) == l.side
	case strings.HasPrefix(method, "HeapProfiler."):
		return s != nil && sideOf(s) == l.side
	}
	return false
}

// unsure reports whether a session may be on the page of a lease: the Host does not
// know what its target is part of.
func (l *lease) unsure(s *clientSession) bool {
	return s != nil && s.Kind != session.Browser && sideOf(s) == l.side && l.side.pageOf(s.TargetID) == ""
}

// hears reports whether a session may show what a person does on the page of a quiet lease:
// it is on the page, on one that reaches it, or on a worker that may serve the page, or
// perhaps on a part of it.
func (l *lease) hears(s *clientSession) bool {
	switch {
	case l.covers(s) || l.unsure(s):
		return true
	case s == nil || s.Kind == session.Browser || sideOf(s) != l.side:
		return false
	}
	if f, ok := l.side.host.(bridge.Families); ok && f.MayServe(s.TargetID, l.target) {
		return true
	}
	return l.reaches(s.TargetID) || s.parent != nil && l.hears(s.parent)
}

// concerns reports whether a command may be for the page of a lease: by its session,
// by the target, the context or the window that it names, or because it acts and names
// nothing; hushes says that the lease keeps from its Client what the person does. In doubt it
// says yes: a command that is kept from others by mistake waits or is refused, one that gets
// through could act against the person.
func (l *lease) concerns(r *request, acts, hushes bool) bool {
	if inside := r.session != nil && r.session.Kind != session.Browser; inside && (l.covers(r.session) || acts && l.unsure(r.session) || hushes && l.hears(r.session)) {
		return true
	}
	switch {
	case r.args.hasTargetID:
		return l.side.pageOf(r.args.targetID) == l.target || hushes && l.reaches(r.args.targetID)
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

// withhold keeps a command of another Client from a page that somebody has taken
// over, and reports whether it did: the command waits, or has been refused. The holder's
// own commands pass, and renew the lease if they act. Privileged Clients may always close
// the page, and read it (hushesLocked).
func (ls *leases) withhold(r *request) bool {
	acts := scope.Acts(r.Method)
	for _, l := range ls.list {
		hushes := l.hushesLocked(r.client)
		switch {
		case l.owner == r.client:
			if acts && !l.away && l.concerns(r, true, false) {
				l.usedLocked()
			}
			if l.answerDialog(r) {
				return true
			}
		case closes[r.Method] && r.client.privileged():
		// It reads, and the page is not quiet for its Client; or it is for another page.
		case !acts && (!hushes || goesOn(r)), !l.concerns(r, acts, hushes):
		case l.Wait > 0 && l.keep(r):
			return true
		default:
			r.client.answer(r.session, r.ID, nil, l.pausedFor(r.client))
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
