package actions

import (
	"context"

	"github.com/cdphub/cdphub/internal/wire"
)

// handlers are the events of CDP that change what is known of pages. Others are
// ignored.
var handlers = map[string]handler{
	"Target.targetCreated":     atBrowser(func(b *Browser, e targetEvent) { b.targetChanged(e.TargetInfo) }),
	"Target.targetInfoChanged": atBrowser(func(b *Browser, e targetEvent) { b.targetChanged(e.TargetInfo) }),
	"Target.targetDestroyed":   atBrowser(func(b *Browser, e targetEvent) { b.targetGone(e.TargetID) }),
	"Target.targetCrashed":     atBrowser(func(b *Browser, e targetEvent) { b.drop(e.TargetID) }),
	"Target.detachedFromTarget": {do: func(b *Browser, _ string, params []byte) {
		var e targetEvent
		if wire.Decode(params, &e) == nil {
			b.detached(e.SessionID)
		}
	}},
	"Target.attachedToTarget": onPage((*Page).childAttached),

	"Page.frameRequestedNavigation": onPage((*Page).frameRequestedNavigation),
	"Page.frameStoppedLoading":      onPage((*Page).frameStoppedLoading),
	"Page.frameNavigated":           onPage((*Page).frameNavigated),
	"Page.navigatedWithinDocument":  onPage((*Page).navigatedWithinDocument),
	"Page.lifecycleEvent":           onPage((*Page).lifecycleEvent),
	"Page.frameDetached":            onPage((*Page).frameDetached),

	"Page.javascriptDialogOpening": onPage((*Page).dialogOpening),
	"Page.javascriptDialogClosed":  onPage((*Page).dialogClosed),

	"Network.requestWillBeSent": onPage((*Page).requestWillBeSent),
	"Network.responseReceived":  onPage((*Page).responseReceived),
	"Network.loadingFinished":   onPageEvent((*Page).loadingFinished),
	"Network.loadingFailed":     onPage((*Page).loadingFailed),
	"Fetch.requestPaused":       onPage((*Page).requestPaused),

	"CdpHub.handoffComplete":   onPage((*Page).handoffComplete),
	"CdpHub.downloadFinished":  atBrowser((*Browser).downloadFinished),
	"Input.dragIntercepted":    onPage((*Page).dragIntercepted),
	"Runtime.consoleAPICalled": onPageEvent((*Page).consoleAPICalled),
	"Runtime.exceptionThrown":  onPageEvent((*Page).exceptionThrown),
	"Log.entryAdded":           onPageEvent((*Page).logEntryAdded),
	"Page.downloadWillBegin":   onPageEvent((*Page).downloadWillBegin),
	"Page.downloadProgress":    onPageEvent((*Page).downloadProgress),
}

// event takes an event of the connection. It is called under the lock of the
// connection, so that it only queues. A connection whose events nobody can keep up with
// ends, since its pages would not be what they seem: all calls fail then.
func (b *Browser) event(sessionID, method string, params []byte) {
	if method == BrowserEnded && sessionID == "" {
		if params != nil {
			b.lost.Store(new(string(params)))
		}
		b.ended.Store(true) // at once: calls that wait fail with it
		return
	}
	h, known := handlers[method]
	if known && !b.events.put(func() { h.do(b, sessionID, params) }, len(params), h.tells) {
		go b.Close() // ends with the connection, which cannot end under its own lock
	}
}

// handler is what an event does. One that only tells subscribers may be
// dropped when there are too many.
type handler struct {
	tells bool
	do    func(b *Browser, sessionID string, params []byte)
}

// targetEvent is the params of the events of the domain Target.
type targetEvent struct {
	TargetInfo targetInfo
	TargetID   string
	SessionID  string
}

// atBrowser handles an event of the browser level. The same event of a session, such
// as one of Target, is not for it.
func atBrowser[T any](f func(*Browser, T)) handler {
	return handler{do: func(b *Browser, sessionID string, params []byte) {
		var v T
		if sessionID == "" && wire.Decode(params, &v) == nil {
			f(b, v)
		}
	}}
}

// onPage handles an event of a page's session, or of the session of a frame inside of
// it. Events of other sessions, such as one that sight makes, are dropped.
func onPage[T any](f func(p *Page, sessionID string, v T)) handler {
	return handler{do: func(b *Browser, sessionID string, params []byte) {
		b.mu.Lock()
		p := b.sessions[sessionID]
		b.mu.Unlock()
		var v T
		if p != nil && wire.Decode(params, &v) == nil {
			f(p, sessionID, v)
		}
	}}
}

// onPageEvent is onPage for events that nothing depends on.
func onPageEvent[T any](f func(p *Page, sessionID string, v T)) handler {
	h := onPage(f)
	h.tells = true
	return h
}

// detached forgets a session that has ended.
func (b *Browser) detached(session string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.sessions[session]
	delete(b.sessions, session)
	if p != nil && p.forgetSession(session) {
		// A target that is still there is attached to again, or its subscribers would
		// hear nothing more.
		b.watchLocked(p, func() {}) // in another session
	}
}

// forgetSession forgets a session, and reports whether it was the page's own. All that was
// enabled or installed in it has ended with it.
func (p *Page) forgetSession(session string) (own bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if own = p.session == session && !p.gone; own {
		p.session = "" // the next call makes another, if the target is still there
		p.network.on, p.console.on, p.log.on = false, false, false
		clear(p.frames.worlds)
		p.handoffs.close()
		p.changeLocked()
	}
	p.frames.detach(session)
	return own
}

// childAttached notes the session of a frame in another process (site isolation). It
// attaches to the frames in that one, too, since Target.setAutoAttach goes only one
// level deep.
func (p *Page) childAttached(_ string, e targetEvent) {
	if e.TargetInfo.Type != "iframe" {
		return
	}
	p.b.mu.Lock()
	p.b.sessions[e.SessionID] = p
	p.b.mu.Unlock()
	p.mu.Lock()
	room := p.frames.attach(e.TargetInfo.TargetID, e.SessionID)
	p.mu.Unlock()
	if !room {
		return
	}
	for method, params := range map[string]obj{
		"Page.enable": {}, "Target.setAutoAttach": {"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true},
	} {
		p.b.background(e.SessionID, method, params)
	}
	p.b.watchFields(e.SessionID)
}

// background sends a command whose answer does not matter. It never waits, and may be
// called under no lock: it takes Browser.mu.
func (b *Browser) background(session, method string, params obj) {
	if params == nil {
		params = obj{} // null is no object
	}
	b.later(func(ctx context.Context) ([]byte, error) {
		return b.client.Send(session, method, mustJSON(params))(ctx)
	})
}

// later waits in the background for answers that do not matter. They must be waited
// for all the same, see Client.Send.
func (b *Browser) later(waits ...func(context.Context) ([]byte, error)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed { // its events have ended
		return
	}
	b.loops.Go(func() {
		ctx, cancel := b.while()
		defer cancel()
		for _, wait := range waits {
			_, _ = wait(ctx)
		}
	})
}
