package page

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
)

// A Host that is a browser: its sessions name no Target at browser level, and
// are born inside each other.
func TestPageThatIsABrowser(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[{"targetId":"T1","type":"iframe"}],"features":["browser","nested"],"browser":{"product":"Chrome/156"}}`)
	want(t, p.hub.lines, "ready browser [{T1    iframe}] Chrome/156|")
	h := p.hub.host
	h.(bridge.Announcer).Attached(bridge.Attachment{SessionID: "R"})
	for _, c := range []bridge.Command{
		{Call: 1, SessionID: "R", Method: "Target.getTargets"},
		{Call: 2, SessionID: "N", TargetID: "T1", Method: "Page.enable"},
	} {
		if err := h.Send(c); err != nil {
			t.Errorf("Send: %v", err)
		}
	}
	h.Release("R", "")
	want(t, p.frames,
		`{"kind":"accepted","features":["browser","nested"]}`,
		`{"kind":"attached","sessionId":"R"}`,
		`{"kind":"command","sessionId":"R","id":1,"method":"Target.getTargets","params":{}}`,
		`{"kind":"command","sessionId":"N","targetId":"T1","id":2,"method":"Page.enable","params":{}}`,
		`{"kind":"detached","sessionId":"R"}`)
	p.say(`{"kind":"event","sessionId":"R","method":"Target.attachedToTarget","params":{"n":1},"opens":{"sessionId":"N","targetId":"T1","type":"page"}}`)
	p.say(`{"kind":"response","sessionId":"R","id":1,"result":{},"opens":{"sessionId":"N2","targetId":"","type":"browser"}}`)
	p.say(`{"kind":"event","sessionId":"R","method":"A.b","opens":{"sessionId":""}}`)
	p.say(`{"kind":"event","sessionId":"R","method":"Target.detachedFromTarget","params":{},"closes":"N"}`)
	want(t, p.hub.lines,
		"opened N in R on T1 page", `session event R Target.attachedToTarget {"n":1}`,
		"opened N2 in R on  browser", "result 1 R {}",
		"session event R A.b {}",
		"closed N", "session event R Target.detachedFromTarget {}")
	// A session that the hub refuses is not announced.
	p.say(`{"kind":"event","sessionId":"R","method":"Target.attachedToTarget","params":{"n":2},"opens":{"sessionId":"N3","targetId":"REFUSED","type":"page"}}`)
	p.say(`{"kind":"response","sessionId":"R","id":3,"result":{},"opens":{"sessionId":"N4","targetId":"REFUSED","type":"page"}}`)
	want(t, p.hub.lines, "opened N3 in R on REFUSED page", "opened N4 in R on REFUSED page", "result 3 R {}")
	want(t, p.frames, `{"kind":"detached","sessionId":"N3","targetId":"REFUSED"}`, `{"kind":"detached","sessionId":"N4","targetId":"REFUSED"}`)
}

// TestR134PageTurnsIntoNoBrowser has a Host start over as what it was not.
func TestR134PageTurnsIntoNoBrowser(t *testing.T) {
	page, browser := `{"kind":"ready","v":1,"targets":[]}`, `{"kind":"ready","v":1,"targets":[],"features":["browser"]}`
	for _, first := range []string{page, browser} {
		p := connect(t)
		p.say(first)
		<-p.hub.lines
		for _, again := range []string{page, browser} {
			if again != first {
				p.say(again)
			}
		}
		p.say(`{"kind":"targetDestroyed","targetId":"T9"}`)
		want(t, p.hub.lines, "gone T9")
	}
}

// TestSessionsAreNotBornUnasked has a Host that has not said that its sessions
// nest say that some begin and end.
func TestSessionsAreNotBornUnasked(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[],"features":["sessions"]}`)
	want(t, p.hub.lines, "ready [] |")
	p.say(`{"kind":"event","sessionId":"R","method":"A.b","opens":{"sessionId":"N","targetId":"T1","type":"page"}}`)
	p.say(`{"kind":"response","sessionId":"R","id":1,"result":{},"opens":{"sessionId":"N","targetId":"T1","type":"page"}}`)
	p.say(`{"kind":"event","sessionId":"R","method":"A.c","closes":"N"}`)
	want(t, p.hub.lines, "session event R A.b {}", "result 1 R {}", "session event R A.c {}")
}
