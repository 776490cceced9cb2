package chrome

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// owning has the Client a see all tabs, and b those of its own, which it discovers and
// is attached to.
func owning(t *testing.T) (*rig, *targets.Tabs) {
	r := greeted(t, Options{})
	r.clients("a")
	r.hub.tabs = new(targets.Tabs)
	r.clients("b")
	for _, s := range []string{"a", "b"} {
		r.must(s, "Target.setDiscoverTargets", `{"discover":true}`)
		r.must(s, "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
	}
	r.forget()
	return r, r.hub.tabs
}

// about is an event's params that show a page.
func about(id, opener string) string {
	if opener != "" {
		opener = `,"openerId":"` + opener + `"`
	}
	return `{"targetInfo":{"targetId":"` + id + `","type":"page"` + opener + `,"browserContextId":"D"}}`
}

// attached is that of a session on one.
func attached(session, id, opener string) string {
	return strings.TrimSuffix(about(id, opener), "}") + `,"sessionId":"` + session + `","waitingForDebugger":true}`
}

// appears has the browser announce a page to the root and to Clients.
func (r *rig) appears(id, opener string, clients ...string) {
	r.says(`{"method":"Target.targetCreated","params":` + about(id, opener) + `}`)
	for _, c := range clients {
		r.says(`{"method":"Target.targetCreated","params":`+about(id, opener)+`,"sessionId":"`+c+`"}`,
			`{"method":"Target.attachedToTarget","params":`+attached(c+id, id, opener)+`,"sessionId":"`+c+`"}`)
	}
}

func TestR147TabsOfOthersAreUnknown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := owning(t)
		r.appears("T1", "", "B")
		r.appears("T2", "T1", "B")
		r.says(`{"method":"Target.targetInfoChanged","params":`+about("T0", "")+`,"sessionId":"B"}`,
			`{"method":"Target.targetDestroyed","params":{"targetId":"T1"},"sessionId":"B"}`)
		r.wantTold("created T1 page", "created T2 page")
		for _, id := range []string{"T0", "T1", "NONE"} {
			for _, method := range []string{"Target.attachToTarget", "Target.closeTarget", "Target.getTargetInfo", "Target.activateTarget"} {
				r.refuses("b", method, `{"targetId":"`+id+`"}`, "-32602 No target with given id found")
			}
			r.refuses("b", "Browser.getWindowForTarget", `{"targetId":"`+id+`"}`, "-32000 No target with given id")
		}
		r.refuses("b", "Fetch.enable", `{}`, "-32000 Fetch.enable is not allowed for a Client with tabs=own")
		r.refuses("b", "Tracing.start", `{}`, "-32000 Tracing.start is not allowed for a Client with tabs=own")
		r.refuses("b", "Page.startScreenRecording", `{"captureArea":"browserWindow"}`, "-32000 Page.startScreenRecording is not allowed for a Client with tabs=own")
		r.refuses("b", "Extensions.triggerAction", `{"id":"E","targetId":"T0"}`, "-32602 No target with given id found")
		// Methods that a later Chromium may have.
		r.refuses("b", "Later.closePage", `{"targetId":"T0"}`, "-32602 No target with given id found")
		r.refuses("b", "Later.closePage", `{"TargetId":"T0"}`, "-32602 ")
		r.forget()
		r.must("b", "Target.getTargets", "")
		r.says(`{"id":` + itoa(r.hub.calls) + `,"result":{"targetInfos":[{"targetId":"T0"},{"targetId":"T2"}]},"sessionId":"B"}`)
		r.wantTold("b " + itoa(r.hub.calls) + ` {"targetInfos":[]}`)
	})
}

// TestR147CreatedTabsAreHeldBack until the answer says whose they are.
func TestR147CreatedTabsAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _ := owning(t)
		r.must("b", "Target.createTarget", `{"url":"u"}`)
		create := itoa(r.hub.calls)
		r.appears("OTHER", "", "B")
		r.appears("MINE", "", "B")
		r.wantTold("created OTHER page", "created MINE page")
		r.forget()
		r.says(`{"id":` + create + `,"result":{"targetId":"MINE"},"sessionId":"B"}`)
		r.wantTold("b < Target.targetCreated "+about("MINE", ""),
			"opened BMINE in b: page MINE", "b < Target.attachedToTarget "+attached("BMINE", "MINE", ""),
			"b "+create+` {"targetId":"MINE"}`)
		if sent := strings.Join(r.browser.sent, "\n"); strings.Contains(sent, `"sessionId":"BMINE"`) {
			t.Errorf("the browser was sent %s: the page waits for its Client", sent)
		}
		// A session that ends while it is held back is never told.
		r.must("b", "Target.createTarget", `{"url":"u"}`)
		create = itoa(r.hub.calls)
		r.appears("SHORT", "", "B")
		r.says(`{"method":"Target.detachedFromTarget","params":{"sessionId":"BSHORT","targetId":"SHORT"},"sessionId":"B"}`)
		r.says(`{"id":` + create + `,"result":{"targetId":"SHORT"},"sessionId":"B"}`)
		r.wantTold("created SHORT page", "b < Target.targetCreated "+about("SHORT", ""), "b "+create+` {"targetId":"SHORT"}`)
		// What the tab opens is the Client's at once; a waits for the other, too.
		r.appears("POPUP", "MINE", "B")
		r.wantTold("created POPUP page", "b < Target.targetCreated "+about("POPUP", "MINE"),
			"opened BPOPUP in b: page POPUP", "b < Target.attachedToTarget "+attached("BPOPUP", "POPUP", "MINE"))
		r.appears("OTHER", "", "A")
		r.forget()
		r.must("AOTHER", resumeMethod, "")
		if sent := strings.Join(r.browser.sent, "\n"); !strings.Contains(sent, `"Target.detachFromTarget","params":{"sessionId":"BOTHER"},"sessionId":"B"}`) {
			t.Errorf("the browser was sent %s: the session that b may not have stays", sent)
		}
	})
}

func TestR147TabsAreGivenAndTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, tabs := owning(t)
		keeper := r.hub.host.(bridge.TabKeeper)
		tabs.Give("T0")
		keeper.Given(tabs, "T0")
		r.says(`{"id":` + r.numberOf("Target.getTargetInfo") + `,"result":` + about("T0", "") + `}`)
		r.says(`{"method":"Target.attachedToTarget","params":` + attached("P", "T0", "") + `,"sessionId":"B"}`)
		r.wantTold("b < Target.targetCreated "+about("T0", ""), "opened P in b: page T0", "b < Target.attachedToTarget "+attached("P", "T0", ""))
		r.must("P", "Page.enable", "")
		r.forget()
		keeper.Taken(tabs, "T0")
		gone := `{"sessionId":"P","targetId":"T0"}`
		last := r.numberOf("Browser.getVersion")
		r.says(`{"method":"Target.detachedFromTarget","params":`+gone+`,"sessionId":"B"}`, `{"id":`+last+`,"result":{}}`)
		r.wantTold("closed P", "b < Target.detachedFromTarget "+gone, `b < Target.targetDestroyed {"targetId":"T0"}`)
		r.refuses("b", "Target.attachToTarget", `{"targetId":"T0"}`, "-32602 No target with given id found")
		if tabs.Len() != 0 {
			t.Errorf("there are %d tabs left", tabs.Len())
		}
	})
}

// TestR147WhatAGivenTabOpensIsGiven, too: its Client has not opened it.
func TestR147WhatAGivenTabOpensIsGiven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, tabs := owning(t)
		tabs.Give("T0")
		r.hub.host.(bridge.TabKeeper).Given(tabs, "T0")
		r.says(`{"method":"Target.attachedToTarget","params":` + attached("P", "T0", "") + `,"sessionId":"B"}`)
		r.appears("POPUP", "T0", "B")
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"W","targetInfo":{"targetId":"WORKER","type":"service_worker"}},"sessionId":"P"}`)
		for _, id := range []string{"POPUP", "WORKER"} {
			if !tabs.Has(id) || tabs.Opened(id) {
				t.Errorf("%s: seen %v, and opened %v", id, tabs.Has(id), tabs.Opened(id))
			}
		}
	})
}

// TestR147TabTargets belong to whom their page belongs.
func TestR147TabTargets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.hub.tabs = new(targets.Tabs)
		r.clients("b")
		r.must("b", "Target.setDiscoverTargets", `{"discover":true,"filter":[{}]}`)
		r.must("b", "Target.createTarget", `{"url":"u"}`)
		create := itoa(r.hub.calls)
		for _, id := range []string{"X1", "X2"} {
			tab := strings.Replace(about(id, ""), `"page"`, `"tab"`, 1)
			r.says(`{"method":"Target.targetCreated","params":`+tab+`}`, `{"method":"Target.targetCreated","params":`+tab+`,"sessionId":"B"}`)
			page := "P" + id
			r.appears(page, "")
			r.says(`{"id":` + r.numberOf("Target.attachToTarget") + `,"result":{"sessionId":"U` + id + `"}}`)
			r.says(`{"method":"Target.attachedToTarget","params":`+attached("V"+id, page, "")+`,"sessionId":"U`+id+`"}`,
				`{"id":`+r.numberOf("Target.setAutoAttach")+`,"result":{},"sessionId":"U`+id+`"}`)
		}
		r.forget()
		r.says(`{"id":` + create + `,"result":{"targetId":"PX2"},"sessionId":"B"}`)
		r.wantTold("b < Target.targetCreated "+strings.Replace(about("X2", ""), `"page"`, `"tab"`, 1), "b "+create+` {"targetId":"PX2"}`)
	})
}

// TestHeldEventsAreBounded has pages of others change while it is not known whose they
// are: all of them together are held back in bounded memory.
func TestHeldEventsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, tabs := owning(t)
		r.must("b", "Target.createTarget", `{"url":"u"}`)
		create := itoa(r.hub.calls)
		for _, id := range []string{"X", "Y"} {
			r.appears(id, "")
			r.says(`{"method":"Target.attachedToTarget","params":`+attached("U"+id, id, "")+`,"sessionId":"B"}`, // one that has ended does not count
				`{"method":"Target.detachedFromTarget","params":{"sessionId":"U`+id+`"},"sessionId":"B"}`)
			r.says(slices.Repeat([]string{`{"method":"Target.targetInfoChanged","params":` + about(id, "") + `,"sessionId":"B"}`}, maxHeld)...)
		}
		h := r.hub.host.(*Host)
		g, n := h.groups[tabs], 0
		for _, list := range g.held {
			n += len(list)
		}
		if n != maxHeld || g.waiting != n {
			t.Errorf("%d events wait, counted as %d, want %d", n, g.waiting, maxHeld)
		}
		r.says(`{"id":` + create + `,"result":{"targetId":"MINE"},"sessionId":"B"}`)
		if g.waiting != 0 || len(g.held) != 0 {
			t.Errorf("after the answer %d events wait, for %d targets", g.waiting, len(g.held))
		}
	})
}
