package chrome

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// popupIn has the browser attach a session to a new popup by itself.
func (r *rig) popupIn(session, id, target string) {
	r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"` + id + `","targetInfo":{"targetId":"` + target + `","type":"page","url":""},"waitingForDebugger":false},"sessionId":"` + session + `"}`)
}

// resumed are the sessions that the Host has let go on, since the last look.
func (r *rig) resumed() (ids []string) {
	synctest.Wait()
	for _, m := range r.browser.sent {
		if _, rest, ok := strings.Cut(m, `"method":"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"`); ok {
			ids = append(ids, strings.TrimSuffix(rest, `"}`))
		}
	}
	r.forget()
	return ids
}

func TestR114TargetsGoOn(t *testing.T) {
	auto := func(wait string) string {
		return `{"autoAttach":true,"waitForDebuggerOnStart":` + wait + `,"flatten":true}`
	}
	for name, play := range map[string]func(r *rig) (want []string){
		"nobody waits": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("false"))
			r.popupIn("A", "P", "N")
			return []string{"P"}
		},
		"the Client attaches itself": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("false"))
			r.must("a", "Target.attachToTarget", `{"targetId":"N"}`)
			r.popupIn("A", "P", "N")
			return nil
		},
		"another waits": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("false"))
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("A", "PA", "N")
			r.popupIn("B", "PB", "N")
			return nil
		},
		"who waits leaves": func(r *rig) []string {
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("B", "PB", "N")
			r.hub.release("b")
			return []string{"PB"}
		},
		"who waits detaches": func(r *rig) []string {
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("B", "PB", "N")
			r.must("b", "Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`)
			return []string{"PB"}
		},
		"two wait, one leaves": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("true"))
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("A", "PA", "N")
			r.popupIn("B", "PB", "N")
			r.hub.release("b")
			return nil
		},
		"another waits for others": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("false"))
			r.must("b", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true,"filter":[{"type":"service_worker"}]}`)
			r.popupIn("A", "PA", "N")
			return []string{"PA"}
		},
		"who waits leaves before it is attached": func(r *rig) []string {
			r.must("a", "Target.setAutoAttach", auto("false"))
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("A", "PA", "N")
			r.hub.release("b")
			return []string{"PA"}
		},
		"who waits may not see the page any more": func(r *rig) []string {
			r.hub.noFiles = true
			r.clients("c")
			r.must("c", "Target.attachToTarget", `{"targetId":"T0"}`)
			r.attaches("C", "PC", "T0")
			r.must("PC", "Target.setAutoAttach", auto("true"))
			r.hub.noFiles = false
			r.must("a", "Target.attachToTarget", `{"targetId":"T0"}`)
			r.attaches("A", "PA", "T0")
			r.must("PA", "Target.setAutoAttach", auto("false"))
			r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"file:///x","browserContextId":"D"}}}`)
			r.forget()
			r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"W","targetInfo":{"targetId":"N","type":"worker","url":"http://app/"}},"sessionId":"PA"}`)
			return []string{"W"}
		},
		"it has been let go on": func(r *rig) []string {
			r.must("b", "Target.setAutoAttach", auto("true"))
			r.popupIn("B", "PB", "N")
			r.must("PB", "Runtime.runIfWaitingForDebugger", "")
			r.forget()
			r.hub.release("b")
			return nil
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := greeted(t, Options{})
			r.clients("a", "b")
			want := play(r)
			if got := r.resumed(); !slices.Equal(got, want) {
				t.Errorf("%s: the Host has let %q go on, want %q", name, got, want)
			}
		})
	}
}

// TestR114ReadersLetNothingGoOn that another Client waits for.
func TestR114ReadersLetNothingGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("b")
		r.hub.readOnly = true
		r.clients("a")
		r.must("a", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`)
		r.must("b", "Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`)
		r.popupIn("A", "PA", "N")
		r.popupIn("B", "PB", "N")
		r.forget()
		r.must("PA", "Runtime.runIfWaitingForDebugger", "")
		r.wantSent(`{"id":` + itoa(r.hub.calls) + `,"method":"Browser.getVersion","params":{},"sessionId":"PA"}`)
		r.says(`{"id":` + itoa(r.hub.calls) + `,"result":{"product":"x"},"sessionId":"PA"}`)
		r.wantTold("PA " + itoa(r.hub.calls) + " {}")
		r.must("PB", "Runtime.runIfWaitingForDebugger", "")
		if got := r.resumed(); !slices.Equal(got, []string{"PB"}) {
			t.Errorf("the Client that waits has let %q go on", got)
		}
	})
}

// TestR113InterceptedFilesAreNotTold has a Client's own interception pause the
// request for a file: its session ends, and it cannot answer.
func TestR113InterceptedFilesAreNotTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withoutFiles(t)
		r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"PB","targetInfo":{"targetId":"T0","type":"page","url":"http://a/","browserContextId":"D"}},"sessionId":"B"}`)
		r.forget()
		r.says(`{"method":"Fetch.requestPaused","params":{"requestId":"1","frameId":"T0","request":{"url":"http://a/"}},"sessionId":"PB"}`)
		r.wantTold(`PB < Fetch.requestPaused {"requestId":"1","frameId":"T0","request":{"url":"http://a/"}}`)
		r.says(`{"method":"Fetch.requestPaused","params":{"requestId":"2","frameId":"T0","request":{"url":"file:///etc/passwd"}},"sessionId":"PB"}`)
		r.wantTold()
		if sent := r.browser.text(); !strings.Contains(sent, `"Target.detachFromTarget","params":{"sessionId":"PB"}`) {
			t.Errorf("the browser was sent %s", sent)
		}
		r.refuses("PB", "Fetch.fulfillRequest", `{"requestId":"2","responseCode":200}`, "-32001 ")
	})
}

// TestHiddenSessionsStayWhileAPageWaits since it would never be loaded otherwise. They let it go
// on, that on the page and that on its tab, when another Client does, and when their own leaves.
func TestHiddenSessionsStayWhileAPageWaits(t *testing.T) {
	for name, ends := range map[string]func(r *rig){
		"another lets it go on": func(r *rig) { r.must("PA", resumeMethod, "") },
		"their Client leaves":   func(r *rig) { r.hub.release("b") },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := withContext(t, Options{})
			for _, s := range []string{"a", "b"} {
				r.must(s, "Target.setAutoAttach", autoAttach)
			}
			at := func(session, id, target, kind string) string {
				return `{"method":"Target.attachedToTarget","params":{"sessionId":"` + id + `","targetInfo":{"targetId":"` + target + `","type":"` + kind + `","browserContextId":"CA"},"waitingForDebugger":true},"sessionId":"` + session + `"}`
			}
			r.says(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"X","type":"tab","browserContextId":"CA"}}}`,
				`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"P","type":"page","browserContextId":"CA"}}}`)
			r.forget()
			r.says(at("A", "PA", "P", "page"), at("B", "PB", "P", "page"), at("B", "XB", "X", "tab"))
			r.wantSent()
			ends(r)
			synctest.Wait()
			sent := r.browser.text()
			for _, id := range []string{"PB", "XB"} {
				resumed := strings.Index(sent, `"Runtime.runIfWaitingForDebugger","params":{},"sessionId":"`+id+`"}`)
				ended := strings.Index(sent, `"Target.detachFromTarget","params":{"sessionId":"`+id+`"},"sessionId":"B"}`)
				if name != "another lets it go on" { // they end with the session that they are in
					ended = strings.Index(sent, `"Target.detachFromTarget","params":{"sessionId":"B"}}`)
				}
				if resumed < 0 || ended < resumed {
					t.Errorf("%s: the browser was sent\n%s\nwant %s resumed, and then ended", name, sent, id)
				}
			}
		})
	}
}
