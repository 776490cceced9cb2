package share

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/held/heldtest"
)

// without are members whose values are never the same.
var without = map[string]bool{"timestamp": true, "wallTime": true, "monotonicTime": true, "time": true, "responseTime": true, "timing": true, "connectionId": true, "connectTiming": true, "searchId": true, "remotePort": true, "encodedDataLength": true, "headersText": true, "date": true, "Date": true, "reusedConnection": true, "connectionReused": true, "buildId": true}

// chancy are events that come, or do not, as the machine is fast.
var chancy = regexp.MustCompile(`^! (Page.frameSt(art|opp)edLoading|CSS.mediaQueryResultChanged|Network.dataReceived|.*"name":"[a-zA-Z]*Paint)`)

var hexID = regexp.MustCompile(`^[0-9A-F]{32}$`)

// plain writes a message with such names.
func (n *plainer) plain(text string) string {
	what, body, _ := strings.Cut(text, "{")
	if what == "= DOM.getDocument " {
		delete(n.names, "node") // which has new nodeIds in a session of its own
	}
	var v any
	if json.Unmarshal([]byte("{"+body), &v) != nil {
		return text
	}
	out, _ := json.Marshal(n.walk("", v))
	return what + string(out)
}

func (n *plainer) walk(kind string, v any) any {
	switch x := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(x))
		for key := range x {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			k := idKinds[key]
			switch {
			case without[key]:
				delete(x, key)
				continue
			case key == "id" && x["auxData"] != nil:
				k = "context"
			case key == "id" && x["loaderId"] != nil:
				k = "frame"
			case key == "parentId" && x["loaderId"] != nil:
				k = "frame"
			}
			x[key] = n.walk(k, x[key])
		}
		return x
	case []any:
		for i := range x {
			x[i] = n.walk(kind, x[i])
		}
		return x
	case string:
		if kind == "" && hexID.MatchString(x) {
			kind = "hex"
		}
		if kind != "" && x != "" {
			return n.name(kind, x)
		}
	case float64:
		if kind != "" && x != 0 {
			return n.name(kind, fmt.Sprint(x))
		}
	}
	return v
}

func (n *plainer) name(kind, value string) string {
	if n.names[kind] == nil {
		n.names[kind] = map[string]string{}
	}
	if n.names[kind][value] == "" {
		n.names[kind][value] = fmt.Sprintf("%s-%d", kind, len(n.names[kind])+1)
	}
	return n.names[kind][value]
}

// scripts are what the Clients do. Each is run on sessions of their own and on one that is shared.
var scripts = map[string]func(w *world, a, b *peer){
	"runtime": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Runtime.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Page.loadEventFired", 1)
		b.do("Runtime.enable", `{}`)
		a.do("Runtime.evaluate", `{"expression":"console.info(document.body)"}`)
		a.wait("Runtime.consoleAPICalled", 2)
		args := b.wait("Runtime.consoleAPICalled", 2)
		id := textOf(valueOf(args, "args")[1:], "objectId")
		own := textOf(a.do("Runtime.evaluate", `{"expression":"({x: [1, 2]})"}`), "result", "objectId")
		a.do("Runtime.getProperties", `{"objectId":"`+own+`","ownProperties":true}`)
		a.do("Runtime.callFunctionOn", `{"objectId":"`+own+`","functionDeclaration":"function(o) { return o.x.length }","arguments":[{"objectId":"`+own+`"}],"returnByValue":true}`)
		b.do("Runtime.callFunctionOn", `{"objectId":"`+id+`","functionDeclaration":"function() { return this.tagName }"}`)
		a.do("Runtime.evaluate", `{"expression":"throw new Error('x')"}`)
		b.do("Runtime.releaseObject", `{"objectId":"`+id+`"}`)
		b.do("Runtime.callFunctionOn", `{"objectId":"nonsense","functionDeclaration":"f"}`)
		a.do("Runtime.evaluate", `{"expression":"1","objectGroup":"g"}`)
		a.do("Runtime.releaseObjectGroup", `{"objectGroup":"g"}`)
		b.do("Runtime.disable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/two"}`)
		a.wait("Page.loadEventFired", 2)
		b.do("Runtime.enable", `{}`)
	},
	"own": func(w *world, a, b *peer) {
		for _, p := range []*peer{a, b} {
			p.do("Page.enable", `{}`)
			p.do("Page.setLifecycleEventsEnabled", `{"enabled":true}`)
			p.do("Runtime.enable", `{}`)
			p.do("Runtime.addBinding", `{"name":"told"}`)
			p.do("Page.addScriptToEvaluateOnNewDocument", `{"source":"told('`+p.name+`')"}`)
		}
		b.do("Runtime.addBinding", `{"name":"only"}`)
		b.do("Page.addScriptToEvaluateOnNewDocument", `{"source":"only('a')"}`)
		a.do("Page.removeScriptToEvaluateOnNewDocument", `{"identifier":"7"}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		for _, p := range []*peer{a, b} {
			p.wait("Page.loadEventFired", 1)
			p.wait("Runtime.bindingCalled", 2)
		}
		b.wait("Runtime.bindingCalled", 3)
		frame := textOf(a.do("Page.getFrameTree", `{}`), "frameTree", "frame", "id")
		a.do("Page.createIsolatedWorld", `{"frameId":"`+frame+`","worldName":"same"}`)
		b.do("Page.createIsolatedWorld", `{"frameId":"`+frame+`","worldName":"same"}`)
		a.do("Runtime.removeBinding", `{"name":"told"}`)
		b.do("Runtime.evaluate", `{"expression":"told('again')"}`)
		b.wait("Runtime.bindingCalled", 4)
		a.leave()
		b.do("Page.reload", `{}`)
		b.wait("Page.loadEventFired", 2)
		b.wait("Runtime.bindingCalled", 5)
	},
	"dom": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Page.loadEventFired", 1)
		one := a.do("DOM.getDocument", `{"depth":1}`)
		root := string(valueOf(one, "root", "nodeId"))
		p := string(valueOf(a.do("DOM.querySelector", `{"nodeId":`+root+`,"selector":"#p"}`), "nodeId"))
		two := b.do("DOM.getDocument", `{}`)
		broot := string(valueOf(two, "root", "nodeId"))
		bp := string(valueOf(b.do("DOM.querySelector", `{"nodeId":`+broot+`,"selector":"#p"}`), "nodeId"))
		b.do("DOM.querySelector", `{"nodeId":`+broot+`,"selector":"#i"}`)
		a.do("DOM.setAttributeValue", `{"nodeId":`+p+`,"name":"title","value":"t"}`)
		a.wait("DOM.attributeModified", 1)
		b.wait("DOM.attributeModified", 1)
		b.do("DOM.getAttributes", `{"nodeId":`+bp+`}`)
		a.do("DOM.getOuterHTML", `{"nodeId":`+p+`}`)
		a.do("DOM.getBoxModel", `{"nodeId":`+p+`}`)
		b.do("DOM.describeNode", `{"nodeId":`+bp+`,"depth":-1}`)
		b.do("DOM.resolveNode", `{"nodeId":`+bp+`}`)
		a.do("DOM.requestChildNodes", `{"nodeId":`+p+`,"depth":1}`)
		b.do("DOM.requestChildNodes", `{"nodeId":`+bp+`,"depth":1}`)
		// In a session of its own, a second document makes the nodeIds of that session out of date, and only those.
		b.do("DOM.getDocument", `{"depth":-1,"pierce":true}`)
		a.do("DOM.getAttributes", `{"nodeId":`+p+`}`)
		a.do("DOM.querySelectorAll", `{"nodeId":`+root+`,"selector":"p, b"}`)
		a.do("DOM.performSearch", `{"query":"p"}`)
		a.do("DOM.removeNode", `{"nodeId":`+p+`}`)
		a.wait("DOM.childNodeRemoved", 1)
		b.wait("DOM.childNodeRemoved", 1)
		a.do("DOM.getAttributes", `{"nodeId":`+p+`}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/two"}`)
		a.wait("Page.loadEventFired", 2) // after it, no more documentUpdated comes
		a.wait("DOM.documentUpdated", 1)
		b.wait("DOM.documentUpdated", 1)
	},
	"domains": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		for _, d := range []string{"DOM", "CSS", "Debugger", "Log", "Audits", "Overlay", "Accessibility", "Profiler", "HeapProfiler", "Inspector", "Performance", "DOMStorage"} {
			a.do(d+".enable", `{}`)
		}
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Page.loadEventFired", 1)
		a.wait("Accessibility.loadComplete", 1)
		a.wait("CSS.styleSheetAdded", 1)
		a.do("Runtime.evaluate", `{"expression":"fetch('/missing').catch(() => 0)","awaitPromise":true}`)
		a.wait("Log.entryAdded", 1)
		b.do("CSS.enable", `{}`)
		b.do("Overlay.enable", `{}`)
		for _, d := range []string{"DOM", "CSS", "Debugger", "Log", "Audits", "Overlay", "Accessibility", "Profiler", "HeapProfiler", "Inspector", "Performance", "DOMStorage"} {
			b.do(d+".enable", `{}`)
		}
		b.do("CSS.enable", `{}`)
		a.do("CSS.disable", `{}`)
		b.do("Debugger.setBreakpointByUrl", `{"lineNumber":0,"url":"`+w.url+`/"}`)
		b.do("Debugger.removeBreakpoint", `{"breakpointId":"nonsense"}`)
		b.do("Cast.enable", `{}`)
		b.do("Nonsense.enable", `{}`)
		b.do("Nonsense.thing", `{}`)
		a.leave()
		b.do("Log.clear", `{}`)
	},
	"crash": func(_ *world, a, b *peer) {
		a.do("Inspector.enable", `{}`)
		b.do("Page.enable", `{}`)
		a.start("", "Page.crash", `{}`)
		a.wait("Inspector.targetCrashed", 1)
		b.do("Page.reload", `{}`)
		a.wait("Inspector.targetReloadedAfterCrash", 1)
		b.wait("Page.loadEventFired", 1)
	},
	"debugger": func(_ *world, a, b *peer) {
		a.do("Debugger.enable", `{}`)
		b.do("Debugger.enable", `{}`)
		paused := a.start("", "Runtime.evaluate", `{"expression":"debugger; 42"}`)
		a.wait("Debugger.paused", 1)
		b.wait("Debugger.paused", 1)
		b.do("Debugger.resume", `{}`)
		a.wait("Debugger.resumed", 1)
		b.wait("Debugger.resumed", 1)
		a.await("Runtime.evaluate", paused)
	},
	"network": func(w *world, a, b *peer) {
		a.do("Network.enable", `{}`)
		a.do("Page.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Network.loadingFinished", 1)
		body := a.wait("Network.loadingFinished", 1)
		b.do("Network.enable", `{}`)
		a.do("Network.getResponseBody", `{"requestId":"`+textOf(body, "requestId")+`"}`)
		a.do("Network.setExtraHTTPHeaders", `{"headers":{"X-One":"1","X-Same":"a"}}`)
		b.do("Network.setExtraHTTPHeaders", `{"headers":{"X-Two":"2","X-Same":"b"}}`)
		a.do("Network.setCacheDisabled", `{"cacheDisabled":true}`)
		b.do("Network.setCacheDisabled", `{"cacheDisabled":false}`)
		echo := `{"expression":"fetch('/echo').then(r => r.text())","awaitPromise":true}`
		a.do("Runtime.evaluate", echo)
		a.leave()
		b.do("Runtime.evaluate", echo)
		b.do("Network.disable", `{}`)
		b.do("Runtime.evaluate", echo)
	},
	"emulation": func(_ *world, a, b *peer) {
		zone := `{"expression":"Intl.DateTimeFormat().resolvedOptions().timeZone + navigator.userAgent.slice(0, 5) + matchMedia('print').matches + innerWidth"}`
		a.do("Emulation.setUserAgentOverride", `{"userAgent":"One/1"}`)
		a.do("Emulation.setDeviceMetricsOverride", `{"width":400,"height":300,"deviceScaleFactor":1,"mobile":false}`)
		b.do("Runtime.evaluate", zone)
		b.do("Emulation.setEmulatedMedia", `{"media":"print"}`)
		a.do("Runtime.evaluate", zone)
		a.do("Emulation.clearDeviceMetricsOverride", `{}`)
		a.do("Emulation.setEmulatedMedia", `{"media":""}`)
		a.do("Emulation.setLocaleOverride", `{"locale":"nonsense!"}`)
	},
	"fetch": func(w *world, a, b *peer) {
		a.do("Fetch.enable", `{"patterns":[{"urlPattern":"*two*"}]}`)
		b.do("Fetch.enable", `{"patterns":[{"urlPattern":"*"}]}`)
		a.do("Page.enable", `{}`)
		nav := a.start("", "Page.navigate", `{"url":"`+w.url+`/two"}`)
		id := textOf(w.first(a, b, "Fetch.requestPaused"), "requestId")
		w.pausedFirst.do("Fetch.continueRequest", `{"requestId":"`+id+`"}`)
		id = textOf(w.other(a, b).wait("Fetch.requestPaused", 1), "requestId")
		w.other(a, b).do("Fetch.fulfillRequest", `{"requestId":"`+id+`","responseCode":200,"body":"aGk="}`)
		a.await("Page.navigate", nav)
		a.wait("Page.loadEventFired", 1)
		a.do("Fetch.continueRequest", `{"requestId":"nonsense"}`)
		a.do("Runtime.evaluate", `{"expression":"document.body.textContent"}`)
		b.do("Fetch.disable", `{}`)
		a.do("Fetch.disable", `{}`)
	},
	"responses": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		for _, p := range []*peer{a, b} {
			p.do("Fetch.enable", `{"patterns":[{"urlPattern":"*two*","requestStage":"Response"}]}`)
		}
		nav := a.start("", "Page.navigate", `{"url":"`+w.url+`/two"}`)
		id := textOf(w.first(a, b, "Fetch.requestPaused"), "requestId")
		w.pausedFirst.note("", "first", "Fetch.first", nil)
		w.pausedFirst.do("Fetch.getResponseBody", `{"requestId":"`+id+`"}`)
		w.pausedFirst.do("Fetch.continueResponse", `{"requestId":"`+id+`"}`)
		other := w.other(a, b)
		id = textOf(other.wait("Fetch.requestPaused", 1), "requestId")
		other.do("Fetch.fulfillRequest", `{"requestId":"`+id+`","responseCode":200,"body":"aGk="}`)
		a.await("Page.navigate", nav)
		a.wait("Page.loadEventFired", 1)
		a.do("Runtime.evaluate", `{"expression":"document.body.textContent"}`)
	},
	"auth": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Fetch.enable", `{"handleAuthRequests":true}`)
		b.do("Fetch.enable", `{"handleAuthRequests":true,"patterns":[{"urlPattern":"*secret*"}]}`)
		nav := a.start("", "Page.navigate", `{"url":"`+w.url+`/secret"}`)
		for limit := time.After(patience); ; {
			for _, p := range []*peer{b, a} {
				if paused, is := p.takeEvent("Fetch.requestPaused"); is {
					p.do("Fetch.continueRequest", `{"requestId":"`+textOf(paused, "requestId")+`"}`)
				}
				if asked, is := p.takeEvent("Fetch.authRequired"); is {
					response := `{"response":"Default"}`
					if p == a {
						response = `{"response":"ProvideCredentials","username":"u","password":"p"}`
					}
					p.do("Fetch.continueWithAuth", `{"requestId":"`+textOf(asked, "requestId")+`","authChallengeResponse":`+response+`}`)
				}
			}
			select {
			case <-nav:
				a.wait("Page.loadEventFired", 1)
				a.do("Runtime.evaluate", `{"expression":"document.title"}`)
				a.do("Fetch.disable", `{}`)
				b.do("Fetch.disable", `{}`)
				return
			case <-a.change:
			case <-b.change:
			case <-limit:
				w.t.Fatal("the page does not load")
			}
		}
	},
	"dialogs": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		b.do("Page.enable", `{}`)
		alert := a.start("", "Runtime.evaluate", `{"expression":"prompt('why', 'because')"}`)
		a.wait("Page.javascriptDialogOpening", 1)
		b.wait("Page.javascriptDialogOpening", 1)
		b.do("Page.handleJavaScriptDialog", `{"accept":true,"promptText":"so"}`)
		a.await("Runtime.evaluate", alert)
		a.wait("Page.javascriptDialogClosed", 1)
		b.wait("Page.javascriptDialogClosed", 1)
		a.do("Page.handleJavaScriptDialog", `{"accept":true}`)
		b.leave()
		alert = a.start("", "Runtime.evaluate", `{"expression":"confirm('still')"}`)
		a.wait("Page.javascriptDialogOpening", 2)
		a.do("Page.handleJavaScriptDialog", `{"accept":false}`)
		a.await("Runtime.evaluate", alert)
	},
	"breakpoints": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Page.loadEventFired", 1)
		at := fmt.Sprintf(`{"lineNumber":0,"columnNumber":%d,"url":"%s/"}`, strings.Index(pages["/"], "return 1"), w.url)
		set := ""
		for _, p := range []*peer{a, b} {
			p.do("Debugger.enable", `{}`)
			set = textOf(p.do("Debugger.setBreakpointByUrl", at), "breakpointId")
		}
		a.do("Debugger.setBreakpointByUrl", at)
		call := a.start("", "Runtime.evaluate", `{"expression":"f()"}`)
		stack := valueOf(a.wait("Debugger.paused", 1), "callFrames")
		b.wait("Debugger.paused", 1)
		frame := ""
		eachElement(stack, func(from, to int) {
			if frame == "" {
				frame = textOf(stack[from:to], "callFrameId")
			}
		})
		a.do("Debugger.evaluateOnCallFrame", `{"callFrameId":"`+frame+`","expression":"this === window"}`)
		b.do("Debugger.stepOver", `{}`)
		a.wait("Debugger.paused", 2)
		b.wait("Debugger.paused", 2)
		a.do("Debugger.disable", `{}`)
		b.do("Debugger.resume", `{}`)
		a.await("Runtime.evaluate", call)
		b.do("Debugger.removeBreakpoint", `{"breakpointId":"`+set+`"}`)
		b.do("Runtime.evaluate", `{"expression":"f()"}`)
	},
	"overlay": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/"}`)
		a.wait("Page.loadEventFired", 1)
		for _, p := range []*peer{a, b} {
			p.do("DOM.enable", `{}`)
			p.do("Overlay.enable", `{}`)
			p.do("CSS.enable", `{}`)
		}
		root := string(valueOf(b.do("DOM.getDocument", `{}`), "root", "nodeId"))
		p := string(valueOf(b.do("DOM.querySelector", `{"nodeId":`+root+`,"selector":"#p"}`), "nodeId"))
		b.do("Overlay.highlightNode", `{"nodeId":`+p+`,"highlightConfig":{"contentColor":{"r":1,"g":2,"b":3}}}`)
		a.do("Overlay.hideHighlight", `{}`)
		a.do("Overlay.highlightNode", `{"nodeId":`+p+`999,"highlightConfig":{}}`)
		b.do("CSS.forcePseudoState", `{"nodeId":`+p+`,"forcedPseudoClasses":["hover"]}`)
		b.do("CSS.getComputedStyleForNode", `{"nodeId":`+p+`}`)
		b.do("CSS.getInlineStylesForNode", `{"nodeId":`+p+`}`)
		b.do("CSS.getMatchedStylesForNode", `{"nodeId":`+p+`}`)
		a.do("CSS.getInlineStylesForNode", `{"nodeId":0}`)
		a.do("Overlay.setInspectMode", `{"mode":"none"}`)
		b.do("Overlay.getHighlightObjectForTest", `{"nodeId":`+p+`}`)
		a.do("DOMDebugger.setXHRBreakpoint", `{"url":"a"}`)
		a.do("DOMDebugger.removeXHRBreakpoint", `{"url":"a"}`)
		b.do("Accessibility.queryAXTree", `{"nodeId":`+p+`}`)
		b.do("Accessibility.getPartialAXTree", `{"nodeId":`+p+`,"fetchRelatives":false}`)
	},
	"streams": func(_ *world, a, b *peer) {
		pdf := textOf(a.do("Page.printToPDF", `{"transferMode":"ReturnAsStream","pageRanges":"1"}`), "stream")
		a.in("", "IO.read", `{"handle":"`+pdf+`","size":4}`)
		b.do("IO.read", `{"handle":"nonsense"}`)
		a.do("IO.close", `{"handle":"`+pdf+`"}`)
		a.do("IO.read", `{"handle":"`+pdf+`"}`)
		a.do("Profiler.enable", `{}`)
		a.do("Profiler.startPreciseCoverage", `{}`)
		a.do("Profiler.stopPreciseCoverage", `{}`)
	},
	"frames": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Runtime.enable", `{}`)
		a.do("DOM.enable", `{}`)
		// Chromium repeats several contexts in an order of its own.
		b.do("Page.enable", `{}`)
		b.do("Runtime.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/frames"}`)
		a.wait("Page.loadEventFired", 1)
		b.wait("Page.loadEventFired", 1)
		a.do("Runtime.evaluate", `{"expression":"new Promise(r => document.body.append(Object.assign(document.createElement('iframe'), {src: '/two', onload: () => r(1)})))","awaitPromise":true}`)
		a.do("Page.getFrameTree", `{}`)
		b.do("DOM.getDocument", `{"depth":-1,"pierce":true}`)
		a.do("DOM.getDocument", `{"depth":3}`)
		root := string(valueOf(a.do("DOM.getDocument", `{"depth":0}`), "root", "nodeId"))
		a.do("DOM.requestChildNodes", `{"nodeId":`+root+`,"depth":-1,"pierce":true}`)
		a.do("Runtime.evaluate", `{"expression":"document.querySelector('iframe').remove()"}`)
		a.wait("Page.frameDetached", 1)
		b.wait("Page.frameDetached", 1)
		b.wait("Runtime.executionContextDestroyed", 1)
	},
	"workers": func(w *world, a, b *peer) {
		a.do("Page.enable", `{}`)
		a.do("Page.navigate", `{"url":"`+w.url+`/worker"}`)
		a.wait("Page.loadEventFired", 1)
		auto := `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`
		a.do("Target.setAutoAttach", auto)
		b.do("Target.setAutoAttach", auto)
		a.do("Runtime.evaluate", `{"expression":"window.n = 0; window.w = new Worker('/work.js'); w.onmessage = e => { n = e.data }; w.postMessage(1)"}`)
		in := map[*peer]string{}
		for _, p := range []*peer{a, b} {
			in[p] = textOf(p.wait("Target.attachedToTarget", 1), "sessionId")
			p.in(in[p], "Runtime.enable", `{}`)
		}
		for _, p := range []*peer{a, b} {
			p.in(in[p], "Runtime.runIfWaitingForDebugger", `{}`)
		}
		a.wait("Runtime.consoleAPICalled", 1)
		b.wait("Runtime.consoleAPICalled", 1)
		b.in(in[b], "Runtime.evaluate", `{"expression":"1 + 1"}`)
		a.do("Target.detachFromTarget", `{"sessionId":"`+in[a]+`"}`)
		b.do("Runtime.evaluate", `{"expression":"w.terminate()"}`)
		b.wait("Target.detachedFromTarget", 1)
		a.do("Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`)
	},
}

// first waits for an event at any of two, and notes which.
func (w *world) first(a, b *peer, method string) json.RawMessage {
	w.t.Helper()
	limit := time.After(patience)
	for {
		for _, p := range []*peer{a, b} {
			p.mu.Lock()
			last := p.last[method]
			p.mu.Unlock()
			if last != nil {
				w.pausedFirst = p
				return last
			}
		}
		select {
		case <-a.change:
		case <-b.change:
		case <-limit:
			w.t.Fatalf("no %s", method)
		}
	}
}

func (w *world) other(a, b *peer) *peer {
	if w.pausedFirst == a {
		return b
	}
	return a
}

// TestR405SharedIsAsOwn runs each script on real sessions of the Clients' own and on one that is shared.
func TestR405SharedIsAsOwn(t *testing.T) {
	profile := browsertest.Borrow(t)
	site := servePages(t)
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			var logs [2]map[string][]string
			for i, shared := range []bool{false, true} {
				w := newWorld(t, profile, site, shared, true)
				a, b := w.peer("A"), w.peer("B")
				script(w, a, b)
				logs[i] = map[string][]string{}
				for _, p := range []*peer{a, b} {
					p.do("Runtime.evaluate", `{"expression":"0"}`)
					p.mu.Lock()
					for key, lines := range p.log {
						n := &plainer{map[string]map[string]string{}}
						for _, line := range lines {
							if chancy.MatchString(line) {
								continue
							}
							logs[i][p.name+key] = append(logs[i][p.name+key], n.plain(line))
						}
					}
					p.mu.Unlock()
				}
				if shared {
					a.leave()
					b.leave()
					heldtest.WaitsForNothing(t, "the tab", w.tab.Held)
				}
			}
			compare(t, name, logs[0], logs[1])
		})
	}
}

func compare(t *testing.T, name string, own, shared map[string][]string) {
	t.Helper()
	keys := map[string]bool{}
	for _, log := range []map[string][]string{own, shared} {
		for key := range log {
			keys[key] = true
		}
	}
	for key := range keys {
		a, b := own[key], shared[key]
		for i := range max(len(a), len(b)) {
			line := func(list []string) string {
				if i < len(list) {
					return list[i]
				}
				return "(nothing)"
			}
			x, y := line(a), line(b)
			if x != y {
				same := 0
				for same < min(len(x), len(y)) && x[same] == y[same] {
					same++
				}
				same = max(0, same-200)
				t.Errorf("%s: %s, line %d %.40s, from %d\n  own    %.500s\n  shared %.500s", name, key, i, x, same, x[min(same, len(x)):], y[min(same, len(y)):])
				break
			}
		}
	}
}
