package chrome

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
)

// looks has somebody look at the pages, and returns the command that asks T0 for a sign
// of life in a session; "" when none was sent.
func (r *rig) looks(session string) string {
	r.forget()
	r.hub.host.(bridge.Refresher).Refresh(func() {})
	synctest.Wait()
	if sent := r.browser.text(); !strings.Contains(sent, signMethod) {
		return ""
	} else if !strings.Contains(sent, signMethod+`","params":{},"sessionId":"`+session+`"}`) {
		r.Errorf("the browser was sent %s", sent)
	}
	return r.numberOf(signMethod)
}

// TestPageThatHangsIsNoticedByWhoLooks has a page answer, then hang, then answer again,
// while a Client has a session there and none enters.
func TestPageThatHangsIsNoticedByWhoLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		if n := r.looks(""); n != "" {
			t.Error("a page without a session was asked")
		}
		r.must("a", "Target.attachToTarget", `{"targetId":"T0","flatten":true}`)
		r.attaches("A", "P", "T0")
		r.forget()
		r.passes(lookEvery)
		n := r.looks("P")
		if r.looks("P") != "" {
			t.Error("a second look follows at once")
		}
		r.says(`{"id":` + n + `,"result":{"id":"1"},"sessionId":"P"}`)
		r.passes(stuckAfter)
		r.wantTold()

		n = r.looks("P")
		r.passes(lookEvery)
		if r.looks("P") != "" {
			t.Error("it is asked again before it has answered")
		}
		r.passes(stuckAfter)
		r.wantTold("changed T0 unresponsive")
		r.says(`{"id":` + r.numberOf("Target.attachToTarget") + `,"result":{"sessionId":"R"}}`)
		sign := r.numberOf(signMethod)
		r.hub.release("a") // and it is asked nevertheless
		r.says(`{"id":` + n + `,"result":{"id":"1"},"sessionId":"P"}`)
		r.wantTold()
		r.says(`{"id":` + sign + `,"result":{"id":"1"},"sessionId":"R"}`)
		r.wantTold("changed T0 ")
	})
}

// TestPageThatWaitsIsNotAsked until somebody has let it go on.
func TestPageThatWaitsIsNotAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.must("a", "Target.setAutoAttach", autoAttach)
		r.says(`{"method":"Target.targetCreated","params":`+about("T1", "")+`}`,
			`{"method":"Target.attachedToTarget","params":`+attached("P1", "T1", "")+`,"sessionId":"A"}`)
		if r.looks("P1") != "" {
			t.Error("it is asked")
		}
		r.must("P1", "Runtime.runIfWaitingForDebugger", "")
		r.passes(lookEvery)
		if r.looks("P1") == "" {
			t.Error("it is not asked")
		}
	})
}
