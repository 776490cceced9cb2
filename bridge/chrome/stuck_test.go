package chrome

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const autoAttach = `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`

// enters has the Client a attach to pages by itself, among them T0.
func enters(t *testing.T) *rig {
	r := greeted(t, Options{})
	r.clients("a")
	r.must("a", "Target.setAutoAttach", autoAttach)
	r.attaches("A", "P", "T0")
	return r
}

// attaches has the browser attach a session to a page.
func (r *rig) attaches(session, id, target string) {
	r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"` + id + `","targetInfo":{"targetId":"` + target + `","type":"page","browserContextId":"D"},"waitingForDebugger":false},"sessionId":"` + session + `"}`)
}

// passes lets time pass; the browser itself answers.
func (r *rig) passes(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
	if strings.Contains(r.browser.text(), `"Browser.getVersion"`) {
		r.says(`{"id":` + r.numberOf("Browser.getVersion") + `,"result":{}}`)
	}
}

// TestStuckPageIsWithdrawn from a session that began by itself, and given back.
func TestStuckPageIsWithdrawn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := enters(t)
		r.must("P", "Page.enable", "")
		r.must("P", "Target.setAutoAttach", autoAttach)
		r.says(`{"id":` + itoa(r.hub.calls) + `,"result":{},"sessionId":"P"}`)
		r.forget()
		r.passes(stuckAfter)
		r.wantTold("changed T0 unresponsive", `a < Target.detachedFromTarget {"sessionId":"P","targetId":"T0"}`,
			"P fails: "+errStuck.Message, "closed P")
		root := r.numberOf("Target.attachToTarget")
		if sent := strings.Join(r.browser.sent, "\n"); !strings.Contains(sent, `"Target.detachFromTarget","params":{"sessionId":"P"},"sessionId":"A"}`) {
			t.Errorf("the browser was sent %s", sent)
		}
		r.says(`{"id":`+root+`,"result":{"sessionId":"R"}}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"P","targetId":"T0"},"sessionId":"A"}`)
		sign := r.numberOf(signMethod)
		r.wantTold()

		// Whoever enters now is not kept waiting.
		r.clients("b")
		r.must("b", "Target.setAutoAttach", autoAttach)
		r.attaches("B", "Q", "T0")
		r.wantTold("opened Q in b: page T0",
			`b < Target.attachedToTarget {"sessionId":"Q","targetInfo":{"targetId":"T0","type":"page","browserContextId":"D"},"waitingForDebugger":false}`)
		r.must("Q", "Page.enable", "")
		r.passes(0)
		r.wantTold(`b < Target.detachedFromTarget {"sessionId":"Q","targetId":"T0"}`,
			"Q fails: "+errStuck.Message, "closed Q")
		r.says(`{"method":"Target.detachedFromTarget","params":{"sessionId":"Q","targetId":"T0"},"sessionId":"B"}`)
		r.wantTold()

		// One that turns it off meanwhile does not come back.
		r.clients("c")
		r.must("c", "Target.setAutoAttach", autoAttach)
		r.attaches("C", "S", "T0")
		r.passes(0)
		r.must("c", "Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`)
		r.forget()

		r.says(`{"id":` + sign + `,"result":{"id":"1"},"sessionId":"R"}`)
		sent := strings.Join(r.browser.sent, "\n")
		for _, want := range []string{
			`"Target.attachToTarget","params":{"targetId":"T0","flatten":true},"sessionId":"A"}`,
			`"Target.attachToTarget","params":{"targetId":"T0","flatten":true},"sessionId":"B"}`,
			`"Target.detachFromTarget","params":{"sessionId":"R"}}`,
		} {
			if !strings.Contains(sent, want) {
				t.Errorf("the browser was sent %s, want %s", sent, want)
			}
		}
		if strings.Contains(sent, `"sessionId":"C"`) {
			t.Errorf("the browser was sent %s for a Client that wants no sessions", sent)
		}
		r.attaches("A", "P2", "T0")
		r.wantTold("changed T0 ", "opened P2 in a: page T0",
			`a < Target.attachedToTarget {"sessionId":"P2","targetInfo":{"targetId":"T0","type":"page","browserContextId":"D"},"waitingForDebugger":false}`)

		// Turned off, the session ends, which the browser has not begun by itself.
		r.forget()
		r.must("a", "Target.setAutoAttach", `{"autoAttach":false,"waitForDebuggerOnStart":false,"flatten":true}`)
		if sent := strings.Join(r.browser.sent, "\n"); !strings.Contains(sent, `"Target.detachFromTarget","params":{"sessionId":"P2"},"sessionId":"A"}`) {
			t.Errorf("the browser was sent %s", sent)
		}
	})
}

// TestPagesThatAnswerAreKept and so are the sessions of those who leave.
func TestPagesThatAnswerAreKept(t *testing.T) {
	for name, play := range map[string]func(r *rig){
		"it answers":        func(r *rig) { r.says(`{"id":` + r.numberOf(signMethod) + `,"result":{"id":"1"},"sessionId":"P"}`) },
		"it refuses":        func(r *rig) { r.says(`{"id":` + r.numberOf(signMethod) + `,"error":{"code":-32601},"sessionId":"P"}`) },
		"its Client leaves": func(r *rig) { r.hub.release("a") },
	} {
		synctest.Test(t, func(t *testing.T) {
			r := enters(t)
			play(r)
			r.forget()
			r.passes(2 * stuckAfter)
			if sent := strings.Join(r.browser.sent, "\n"); strings.Contains(sent, `"Target.detachFromTarget"`) {
				t.Errorf("%s: the browser was sent %s", name, sent)
			}
		})
	}
}

// TestNewPagesAreNotWatched since their processes have yet to start, nor those that a
// Client attaches to itself.
func TestNewPagesAreNotWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "Target.setAutoAttach", autoAttach)
		r.says(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"T1","type":"page","browserContextId":"D"}}}`)
		r.must("a", "Target.attachToTarget", `{"targetId":"T0","flatten":true}`)
		r.forget()
		r.attaches("A", "P0", "T0")
		r.attaches("A", "P1", "T1")
		r.wantSent()
	})
}
