package actions

import "strings"

// load is what is known of one document of the main frame. Page.mu guards it.
type load struct {
	reached [NetworkIdle + 1]bool
	status  int
	headers map[string]string
	failed  string // "net::ERR_…"
}

// maxLoads is how many documents are remembered.
const maxLoads = 16

// loadLocked is the record of a document, by its loader. The record is made with the
// first event: the response to a document comes before the document is committed.
func (p *Page) loadLocked(loader string) *load {
	if len(loader) > longestWord { // those of a browser are short
		loader = strings.Clone(loader[:longestWord])
	}
	l := p.loads[loader]
	if l == nil {
		if len(p.loads) >= maxLoads {
			for id := range p.loads {
				if id != p.loader {
					delete(p.loads, id)
				}
			}
		}
		l = new(load)
		p.loads[loader] = l
	}
	return l
}

// frameEvent is Page.frameNavigated.
type frameEvent struct {
	Frame struct{ ID, ParentID, LoaderID, URL, UnreachableURL string }
	Type  string
}

// frameRequestedNavigation notes that the document wants to be left for another.
func (p *Page) frameRequestedNavigation(_ string, e struct{ FrameID, Disposition string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.FrameID == p.main && e.Disposition == "currentTab" {
		p.leaving = true
		p.changeLocked()
	}
}

// frameStoppedLoading notes that the document stays: the answer was no document, such as a
// 204 or a download.
func (p *Page) frameStoppedLoading(_ string, e struct{ FrameID string }) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.FrameID == p.main && p.leaving {
		p.leaving = false
		p.changeLocked()
	}
}

// frameNavigated takes Page.frameNavigated. A navigation of a frame inside only ends that
// frame's script.
func (p *Page) frameNavigated(session string, e frameEvent) {
	p.mu.Lock()
	delete(p.worlds, e.Frame.ID)
	if e.Frame.ParentID != "" || p.main != "" && e.Frame.ID != p.main {
		p.changeLocked()
		p.mu.Unlock()
		return
	}
	// Frames and refs of the last document mean nothing any more.
	clear(p.worlds)
	clear(p.refFrames)
	p.loader, p.url, p.unreachable = e.Frame.LoaderID, e.Frame.URL, e.Frame.UnreachableURL
	p.leaving = false
	p.frame = ""
	l := p.loadLocked(p.loader)
	l.reached[Commit] = true
	if e.Type == "BackForwardCacheRestore" { // which is as complete as it was left
		l.reached = [...]bool{true, true, true, true}
	}
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
	main := e.FrameID == p.main
	if main {
		p.url = e.URL
		p.within++
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
	main := p.main == "" || e.FrameID == p.main
	var url string
	if main {
		p.loadLocked(e.LoaderID).reached[state] = true
		url = p.url
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
	delete(p.worlds, e.FrameID)
	delete(p.children, e.FrameID)
	if p.frame == e.FrameID {
		p.frame = ""
	}
}
