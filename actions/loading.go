package actions

import "strings"

// frameEvent is Page.frameNavigated.
type frameEvent struct {
	Frame struct{ ID, ParentID, LoaderID, URL, UnreachableURL string }
	Type  string
}

// frameRequestedNavigation notes that the document wants to be left for another.
func (p *Page) frameRequestedNavigation(_ string, e struct{ FrameID, Disposition string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.FrameID == p.doc.frame && e.Disposition == "currentTab" {
		p.doc.leaving = true
		p.changeLocked()
	}
}

// frameStoppedLoading notes that the document stays: the answer was no document, such as a
// 204 or a download.
func (p *Page) frameStoppedLoading(_ string, e struct{ FrameID string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.FrameID == p.doc.frame && p.doc.leaving {
		p.doc.leaving = false
		p.changeLocked()
	}
}

// frameNavigated takes Page.frameNavigated. A navigation of a frame inside only ends that
// frame's script.
func (p *Page) frameNavigated(session string, e frameEvent) {
	p.mu.Lock()
	delete(p.frames.worlds, e.Frame.ID)
	if e.Frame.ParentID != "" || p.doc.frame != "" && e.Frame.ID != p.doc.frame {
		p.changeLocked()
		p.mu.Unlock()
		return
	}
	p.frames.clear()
	p.doc.commit(e)
	p.mu.Unlock()
	// Before waiters wake up: they must not read a document that is to be blanked.
	p.blankIfRefused(session, e.Frame.URL)
	p.mu.Lock()
	p.changeLocked()
	p.mu.Unlock()
	p.b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: "navigated", URL: e.Frame.URL}})
}

// refusal is why a document may not be shown, nil if it may. about:blank and the
// browser's error pages are always allowed.
func (b *Browser) refusal(url string) *Error {
	if url == "" || strings.HasPrefix(url, "chrome-error:") || strings.HasPrefix(url, "about:") {
		return nil
	}
	return b.checkName(url)
}

// blankIfRefused blanks the page when its document has an address where no page may be. It
// cannot prevent the load: the browser's own policy does that. This is for redirects
// and links.
func (p *Page) blankIfRefused(session, url string) {
	e := p.b.refusal(url)
	if e == nil {
		return
	}
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	if p.b.closed {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blocked = e
	p.blanking++
	p.changeLocked()
	p.b.loops.Go(func() { p.showBlank(session) })
}

// showBlank has the page show about:blank, and waits until the events of the last
// document have been handled.
func (p *Page) showBlank(session string) {
	ctx, cancel := p.b.while()
	defer cancel()
	_, _ = p.sendCommands(ctx, command{session, "Page.stopLoading", nil, nil}, command{session, "Page.navigate", obj{"url": blank}, nil}) // it may have gone
	_ = p.b.settle(ctx)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.blanking--
	p.changeLocked()
}

// navigatedWithinDocument takes Page.navigatedWithinDocument: a fragment, or
// history.pushState.
func (p *Page) navigatedWithinDocument(_ string, e struct{ FrameID, URL string }) {
	p.mu.Lock()
	main := e.FrameID == p.doc.frame
	if main {
		p.doc.url = e.URL
		p.doc.within++
		p.changeLocked()
	}
	p.mu.Unlock()
	if main {
		p.b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: "navigated", URL: e.URL}})
	}
}

// lifecycleNames are the names of Page.lifecycleEvent that count. Chromium sends
// networkIdle when no request has run for 500 ms.
var lifecycleNames = map[string]LoadState{"commit": Commit, "DOMContentLoaded": DOMContentLoaded, "load": Load, "networkIdle": NetworkIdle}

// lifecycleEvent notes how far a document has come. Before the session knows its main
// frame, every event counts for it.
func (p *Page) lifecycleEvent(_ string, e struct{ FrameID, LoaderID, Name string }) {
	state, counts := lifecycleNames[e.Name]
	if !counts {
		return
	}
	p.mu.Lock()
	main := p.doc.frame == "" || e.FrameID == p.doc.frame
	var url string
	if main {
		p.doc.load(e.LoaderID).reached[state] = true
		url = p.doc.url
		p.changeLocked()
	}
	p.mu.Unlock()
	if main && (state == DOMContentLoaded || state == Load) {
		p.b.emit(Event{Kind: PageEvents, Page: p, Body: PageChange{Type: strings.ToLower(e.Name), URL: url}})
	}
}

func (p *Page) frameDetached(_ string, e struct{ FrameID, Reason string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.Reason == "swap" { // it goes on in another process
		return
	}
	p.frames.forget(e.FrameID)
}
