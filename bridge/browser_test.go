package bridge

import "testing"

// A Host that is a browser: its sessions name no Target at browser level, and
// are born inside each other.
func TestPageThatIsABrowser(t *testing.T) {
	p := connect(t)
	p.say(`{"kind":"ready","v":1,"targets":[{"targetId":"T1","type":"iframe"}],"features":["browser","nested"],"browser":{"product":"Chrome/156"}}`)
	want(t, p.hub.lines, "ready browser [{T1    iframe}] Chrome/156|")
	h := p.hub.host
	h.(Announcer).Attached("R", "", "")
	for _, c := range []Command{
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
}
