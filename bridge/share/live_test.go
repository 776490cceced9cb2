package share

import (
	"testing"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/held/heldtest"
)

// TestR401ScreencastOfTwo wants frames to go on while one of two Clients acknowledges them.
func TestR401ScreencastOfTwo(t *testing.T) {
	profile := browsertest.Borrow(t)
	site := servePages(t)
	w := newWorld(t, profile, site, true, false)
	a, b := w.peer("A"), w.peer("B")
	a.do("Page.enable", `{}`)
	a.do("Page.navigate", `{"url":"`+w.url+`/moves"}`)
	a.wait("Page.loadEventFired", 1)
	for _, p := range []*peer{a, b} {
		p.do("Page.startScreencast", `{"format":"jpeg","quality":10}`)
	}
	// Chromium 156 sends no more than three frames that are not acknowledged.
	for n := 1; n <= 12; n++ {
		frame := b.wait("Page.screencastFrame", n)
		b.do("Page.screencastFrameAck", `{"sessionId":`+string(valueOf(frame, "sessionId"))+`}`)
		if n == 6 {
			b.do("Page.startScreencast", `{"format":"png"}`)
		}
	}
	a.wait("Page.screencastFrame", 12)
	b.leave()
	frame := a.wait("Page.screencastFrame", 12)
	for n := 13; n <= 20; n++ {
		a.do("Page.screencastFrameAck", `{"sessionId":`+string(valueOf(frame, "sessionId"))+`}`)
		frame = a.wait("Page.screencastFrame", n)
	}
	a.leave()
	heldtest.WaitsForNothing(t, "the tab", w.tab.Held)
}

// TestR406ALostSessionComesAgain ends the real session, begins another on the same page, and wants the Clients to go on.
func TestR406ALostSessionComesAgain(t *testing.T) {
	profile := browsertest.Borrow(t)
	site := servePages(t)
	w := newWorld(t, profile, site, true, false)
	a, b := w.peer("A"), w.peer("B")
	a.do("Page.enable", `{}`)
	a.do("Runtime.enable", `{}`)
	a.do("Runtime.addBinding", `{"name":"told"}`)
	a.do("Page.addScriptToEvaluateOnNewDocument", `{"source":"told(Intl.DateTimeFormat().resolvedOptions().timeZone)"}`)
	b.do("Emulation.setTimezoneOverride", `{"timezoneId":"Asia/Tokyo"}`)
	b.do("Fetch.enable", `{"patterns":[{"urlPattern":"*two"}]}`)
	a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
	a.wait("Page.loadEventFired", 1)
	a.wait("Runtime.bindingCalled", 1)
	root := string(valueOf(a.do("DOM.getDocument", `{}`), "root", "nodeId"))
	hangs := a.start("", "Runtime.evaluate", `{"expression":"new Promise(() => 0)","awaitPromise":true}`)

	before := w.root
	w.mu.Lock()
	w.root = "none"
	w.mu.Unlock()
	w.ask("", "Target.detachFromTarget", `{"sessionId":"`+before+`"}`)
	w.exclusively(w.tab.Lost)
	if text := textOf(a.await("Runtime.evaluate", hangs), "message"); text != errDetached.Message {
		t.Errorf("what was under way got %q", text)
	}
	a.wait("Runtime.executionContextsCleared", 2) // one was for the navigation
	a.wait("DOM.documentUpdated", 1)
	waits := a.start("", "Runtime.evaluate", `{"expression":"document.title","returnByValue":true}`)
	after := w.attach()
	w.mu.Lock()
	w.root = after
	w.mu.Unlock()
	w.exclusively(w.tab.Again)
	if text := textOf(a.await("Runtime.evaluate", waits), "result", "value"); text != "one" {
		t.Errorf("a command that has waited got %q", text)
	}
	if text := textOf(a.do("DOM.getAttributes", `{"nodeId":`+root+`}`), "message"); text != errNoNode.Message {
		t.Errorf("a node of the session before: %q", text)
	}
	a.start("", "Page.navigate", `{"url":"`+w.url+`/two"}`)
	id := textOf(b.wait("Fetch.requestPaused", 1), "requestId")
	b.do("Fetch.continueRequest", `{"requestId":"`+id+`"}`)
	if called := a.wait("Runtime.bindingCalled", 2); textOf(called, "payload") != "Asia/Tokyo" {
		t.Errorf("the script of the session before has called %s", called)
	}
	a.wait("Page.loadEventFired", 2)
	a.leave()
	b.leave()
	heldtest.WaitsForNothing(t, "the tab", w.tab.Held)
}
