package relay

import (
	"testing"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// TestR124HostsCannotSpeakForTheHub has a Host send the hub's own events in every way: a
// page could say that a person has done what was asked, or have a Client that counts
// messages send all of its commands again (CdpHub.session).
func TestR124HostsCannotSpeakForTheHub(t *testing.T) {
	h := New(Options{})
	p := &inbox{}
	ev := setHost(h, &mute{}, []targets.Info{{ID: "T0"}})
	c := join(t, h, p)
	c.Receive([]byte(`{"id":1,` + attachPage + `}`))
	session := text(p.take()[0], `"sessionId":"`)
	browser := &countingBrowser{}
	of := setHost(h, browser, []targets.Info{{ID: "P"}})
	c.Receive([]byte(`{"id":2,"method":"Target.getTargets"}`))
	of.Opened(bridge.Nested{Parent: browser.root, SessionID: "N", TargetID: "P", Type: "page"})
	p.take()
	for _, method := range []string{"CdpHub.handoffComplete", "CdpHub.session", "CdpHub.gap", "CdpHub.anything"} {
		params := []byte(`{"handoffId":"H","success":true,"stream":"S","sent":0,"received":0,"from":1,"to":9}`)
		ev.Event("T0", method, params)
		ev.SessionEvent(session, method, params)
		ev.SessionsEvent([]string{session}, method, params)
		of.SessionEvent("N", method, params)
		if got := p.take(); len(got) > 0 {
			t.Errorf("a Host has sent %q", got)
		}
	}
	ev.Event("T0", "CdpHubX.y", []byte(`{}`))
	if len(p.take()) != 1 {
		t.Error("an event of another domain was dropped")
	}
}
