package chrome

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/cdphub/cdphub/bridge"
)

// ofFile is an event's params that show a page of a file.
const ofFile = `{"targetInfo":{"targetId":"TF","type":"page","title":"secret","url":"file:///etc/passwd","browserContextId":"D"}}`

// withoutFiles starts a Host with the Clients a, who may use files, and b, who
// may not.
func withoutFiles(t *testing.T) *rig {
	r := greeted(t, Options{})
	r.clients("a")
	r.hub.noFiles = true
	r.clients("b")
	return r
}

func TestR113OnlyPagesOfTheWebAreSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withoutFiles(t)
		r.says(`{"method":"Target.targetCreated","params":` + ofFile + `}`)
		if got := r.hub.lines[len(r.hub.lines)-1]; got != "created TF page" {
			t.Errorf("the hub was told %q", got)
		}
		r.forget()
		for _, s := range []string{"A", "B"} {
			r.says(`{"method":"Target.targetCreated","params":` + ofFile + `,"sessionId":"` + s + `"}`)
		}
		r.wantTold("a < Target.targetCreated " + ofFile)
		r.refuses("b", "Target.attachToTarget", `{"targetId":"TF"}`, "-32602 No target with given id found")
		r.refuses("b", "Target.getTargetInfo", `{"targetId":"TF"}`, "-32602 No target with given id found")
		for _, info := range []string{
			`"type":"browser_ui","url":"chrome://omnibox-popup.top-chrome/"`, `"type":"page","url":"devtools://devtools/x"`,
			`"type":"service_worker","url":"chrome-extension://x/y.js"`, `"type":"page","url":"view-source:http://a/"`,
			`"type":"page","url":"about:blank","openerId":"TF"`, `"type":"iframe","url":"about:srcdoc","parentFrameId":"TF"`,
			`"type":"worker","url":"blob:null/x"`, `"type":"tab","url":"file:///etc"`,
		} {
			// The Client may get the event before the root session.
			params := `{"sessionId":"NB","targetInfo":{"targetId":"N",` + info + `},"waitingForDebugger":false}`
			r.says(`{"method":"Target.targetCreated","params":{"targetInfo":{"targetId":"N",` + info + `}},"sessionId":"B"}`)
			r.says(`{"method":"Target.attachedToTarget","params":` + params + `,"sessionId":"B"}`)
			for _, line := range r.hub.lines {
				if strings.Contains(line, "N") {
					t.Errorf("%s: the hub was told %q", info, line)
				}
			}
			r.forget()
		}
	})
}

// TestR113PagesThatLeaveTheWeb wants the sessions of Clients that may see no
// files to end when a page goes to one, and to stay ended on what that makes.
func TestR113PagesThatLeaveTheWeb(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := withoutFiles(t)
		attach := func(session, in string) {
			r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"` + session + `","targetInfo":{"targetId":"T0","type":"page","url":"http://a/","browserContextId":"D"}},"sessionId":"` + in + `"}`)
		}
		attach("PA", "A")
		attach("PB", "B")
		r.hub.attach("whole", "T0") // a connection that belongs to the page
		r.says(`{"id":` + r.numberOf("Target.attachToTarget") + `,"result":{"sessionId":"W"}}`)
		r.must("PB", "Runtime.evaluate", `{"expression":"1"}`)
		asked := r.hub.calls
		r.forget()
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"file:///etc/passwd","browserContextId":"D"}}}`)
		sent := strings.Join(r.browser.sent, "\n")
		for _, want := range []string{`"Target.detachFromTarget","params":{"sessionId":"PB"},"sessionId":"B"`, `"Target.detachFromTarget","params":{"sessionId":"W"}}`} {
			if !strings.Contains(sent, want) {
				t.Errorf("the browser was sent %s\nwant %s", sent, want)
			}
		}
		r.forget()
		r.refuses("PB", "Runtime.evaluate", `{"expression":"document.body.innerText"}`, "-32001 ")
		r.says(
			`{"method":"Runtime.consoleAPICalled","params":{"secret":1},"sessionId":"PB"}`,
			`{"id":`+itoa(asked)+`,"result":{"secret":1},"sessionId":"PB"}`,
			`{"method":"Runtime.consoleAPICalled","params":{"secret":1},"sessionId":"PA"}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"PB","targetId":"T0"},"sessionId":"B"}`,
			`{"method":"Target.detachedFromTarget","params":{"sessionId":"W","targetId":"T0"}}`,
		)
		r.wantTold(
			`PA < Runtime.consoleAPICalled {"secret":1}`,
			"closed PB", `b < Target.detachedFromTarget {"sessionId":"PB","targetId":"T0"}`,
			"closed whole",
		)
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"about:blank","browserContextId":"D"}}}`)
		r.refuses("b", "Target.attachToTarget", `{"targetId":"T0"}`, "-32602 ") // still the file's
		r.says(`{"method":"Target.targetInfoChanged","params":{"targetInfo":{"targetId":"T0","type":"page","url":"http://a/","browserContextId":"D"}}}`)
		r.must("b", "Target.attachToTarget", `{"targetId":"T0"}`)
	})
}

func TestR114DialogsLeftToReadersAreClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.clients("a")
		r.hub.readOnly = true
		r.clients("b")
		for _, s := range []string{"A", "B"} {
			r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"P` + s + `","targetInfo":{"targetId":"T0","type":"page"}},"sessionId":"` + s + `"}`)
		}
		opens := func(kind string) {
			r.forget()
			r.says(`{"method":"Page.javascriptDialogOpening","params":{"type":"` + kind + `"},"sessionId":"PB"}`)
		}
		wants := func(accept string) {
			r.Helper()
			if got := strings.Join(r.browser.sent, "\n"); accept == "" && got != "" || !strings.Contains(got, accept) {
				t.Errorf("the browser was sent %q, want %q", got, accept)
			}
		}
		r.must("PB", "Page.enable", "")
		opens("confirm")
		wants(`"Page.handleJavaScriptDialog","params":{"accept":false},"sessionId":"PB"`)
		opens("beforeunload")
		wants(`"params":{"accept":true}`)
		r.must("PA", "Page.enable", "")
		opens("confirm")
		wants("") // the other Client may answer
		r.must("PA", "Page.disable", "")
		opens("alert")
		wants(`"params":{"accept":true}`)
	})
}

func itoa(n bridge.CallID) string { return strconv.Itoa(int(n)) }
