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
	h := newHub(t, Options{})
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

// opened is two Clients with a session each in one browser, which its Host has named "A"
// and "B", and a session of the first in a frame.
func opened(t *testing.T) (h *Hub, ev, of bridge.Events, roots [2]string, inboxes [2]*inbox, frame string) {
	t.Helper()
	h = newHub(t, Options{})
	ev = setHost(h, &mute{}, []targets.Info{{ID: "T0"}})
	browser := &countingBrowser{}
	of = setHost(h, browser, []targets.Info{{ID: "P"}})
	for i, name := range []string{"A", "B"} {
		inboxes[i] = &inbox{}
		c := join(t, h, inboxes[i])
		c.Receive([]byte(`{"id":1,` + attachPage + `}`))
		frame = text(inboxes[i].take()[0], `"sessionId":"`)
		c.Receive([]byte(`{"id":2,"method":"Target.getTargets"}`))
		roots[i] = browser.root
		of.Opened(bridge.Nested{Parent: roots[i], SessionID: name, TargetID: "P", Type: "page"})
		inboxes[i].take()
	}
	return h, ev, of, roots, inboxes, frame
}

// TestR251SessionIDsAreTakenOnce has a Host name a session that there is already, in each
// way in which ids may meet: of the same Client, of another, and of another Host. The
// session stays whose it was, and each event reaches that Client alone.
func TestR251SessionIDsAreTakenOnce(t *testing.T) {
	for name, taken := range map[string]func(roots [2]string, frame string) (parent, id string){
		"of another Client":    func(roots [2]string, _ string) (string, string) { return roots[0], "B" },
		"of the same Client":   func(roots [2]string, _ string) (string, string) { return roots[0], "A" },
		"of another Host":      func(roots [2]string, frame string) (string, string) { return roots[0], frame },
		"of the browser level": func(roots [2]string, _ string) (string, string) { return roots[0], roots[1] },
		"of its own parent":    func(roots [2]string, _ string) (string, string) { return roots[0], roots[0] },
	} {
		t.Run(name, func(t *testing.T) {
			h, ev, of, roots, in, frame := opened(t)
			before := h.Stats().Sessions
			parent, id := taken(roots, frame)
			if !of.Opened(bridge.Nested{Parent: parent, SessionID: id, TargetID: "P", Type: "page"}) {
				t.Error("the Host is told to end a session that goes on")
			}
			if now := h.Stats().Sessions; now != before {
				t.Errorf("there are %d sessions, %d before", now, before)
			}
			of.SessionEvent("A", "Page.x", []byte(`{}`))
			of.SessionEvent("B", "Page.y", []byte(`{}`))
			ev.SessionEvent(frame, "Page.z", []byte(`{}`))
			a, b := in[0].take(), in[1].take()
			if len(a) != 1 || len(b) != 2 || text(a[0], `"sessionId":"`) != "A" || text(b[0], `"sessionId":"`) != "B" || text(b[1], `"sessionId":"`) != frame {
				t.Errorf("the events came as %q and %q", a, b)
			}
			if id != "A" && id != "B" {
				return
			}
			of.Closed(id) // it ends once, for the Client whose it is
			if now := h.Stats().Sessions; now != before-1 {
				t.Errorf("there are %d sessions after the end of one of %d", now, before)
			}
		})
	}
}

// TestR251SessionsNeedAParent has Hosts name sessions inside of none, or of one that is not
// theirs, or with no name.
func TestR251SessionsNeedAParent(t *testing.T) {
	h, ev, of, roots, in, frame := opened(t)
	before := h.Stats().Sessions
	for _, c := range []struct {
		host bridge.Events
		n    bridge.Nested
	}{
		{of, bridge.Nested{Parent: "none", SessionID: "X", TargetID: "P", Type: "page"}},
		{of, bridge.Nested{Parent: frame, SessionID: "X", TargetID: "P", Type: "page"}},
		{of, bridge.Nested{Parent: roots[0], TargetID: "P", Type: "page"}},
		{ev, bridge.Nested{Parent: roots[0], SessionID: "X", TargetID: "T0", Type: "worker"}},
		{ev, bridge.Nested{Parent: "A", SessionID: "X", TargetID: "T0", Type: "worker"}},
	} {
		if !c.host.Opened(c.n) || h.Stats().Sessions != before {
			t.Errorf("%+v was taken, or is to be ended", c.n)
		}
	}
	of.SessionEvent("X", "Page.x", []byte(`{}`))
	ev.SessionEvent("A", "Page.x", []byte(`{}`))
	ev.SessionsEvent([]string{"A", "B", "X"}, "Page.x", []byte(`{}`))
	of.SessionEvent(frame, "Page.x", []byte(`{}`))
	of.SessionsEvent([]string{frame}, "Page.x", []byte(`{}`))
	ev.Closed("A")
	of.Closed(frame)
	if got := append(in[0].take(), in[1].take()...); len(got) > 0 || h.Stats().Sessions != before {
		t.Errorf("Hosts have reached sessions that are not theirs: %q, %d of %d sessions", got, h.Stats().Sessions, before)
	}
}
