package relay

import (
	"errors"
	"strings"
	"testing"

	"github.com/cdphub/cdphub/targets"
)

// TestR147WhatAGivenTabOpensIsNotTakenAway gives a tab to another Client: what that tab
// opens or contains the other one cannot take away.
func TestR147WhatAGivenTabOpensIsNotTakenAway(t *testing.T) {
	h := newHub(t, Options{})
	ev := setHost(h, &mute{}, []targets.Info{{ID: "MINE"}})
	owner, guest := &inbox{}, &inbox{}
	var clients []*Client
	for name, in := range map[string]*inbox{"owner": owner, "guest": guest} {
		c, err := h.Admit(ClientOptions{Name: name, Policy: OwnTabs{allowAll, name}})
		if err != nil {
			t.Fatal(err)
		}
		c.Connect(in)
		clients = append(clients, c)
	}
	if clients[0].peer != owner {
		clients[0], clients[1] = clients[1], clients[0]
	}
	by := func(in *inbox, method, target, client string) string {
		in.take()
		c := clients[0]
		if in == guest {
			c = clients[1]
		}
		c.Receive([]byte(`{"id":1,"method":"` + method + `","params":{"targetId":"` + target + `","client":"` + client + `"}}`))
		return in.take()[0]
	}
	clients[0].tabs().Add("MINE")
	if got := by(owner, "CdpHub.grant", "MINE", clients[1].name); strings.Contains(got, "error") {
		t.Fatal(got)
	}
	ev.TargetCreated(targets.Info{ID: "POPUP", OpenerID: "MINE"})
	ev.TargetCreated(targets.Info{ID: "WORKER", Type: "service_worker", OpenerID: "MINE"})
	for _, target := range []string{"MINE", "POPUP", "WORKER"} {
		if got := by(guest, "CdpHub.revoke", target, clients[0].name); !strings.Contains(got, "error") || !clients[0].tabs().Has(target) {
			t.Errorf("%s: the guest has taken it away from its owner: %s", target, got)
		}
	}
	// A worker may be in pages of both Clients, so that neither can take it away.
	clients[1].tabs().Remove("WORKER")
	clients[1].tabs().Add("WORKER")
	if got := by(guest, "CdpHub.revoke", "WORKER", clients[0].name); !strings.Contains(got, errNoTarget.Message) || !clients[0].tabs().Has("WORKER") {
		t.Errorf("a worker was taken away: %s", got)
	}
	if got := by(owner, "CdpHub.revoke", "POPUP", clients[1].name); strings.Contains(got, "error") || clients[1].tabs().Has("POPUP") {
		t.Errorf("the owner cannot take away what its tab has opened: %s", got)
	}
}

// TestR147BrowserThatKeepsNoTabsApart has a browser that cannot say which tabs are whose:
// a Client with tabs of its own gets nothing of it.
func TestR147BrowserThatKeepsNoTabsApart(t *testing.T) {
	h := newHub(t, Options{})
	p := &inbox{}
	c, err := h.Admit(ClientOptions{Name: "own", Policy: OwnTabs{allowAll, "me"}})
	if err != nil {
		t.Fatal(err)
	}
	c.Connect(p)
	for _, m := range []string{discovers, autoPages} {
		c.Receive([]byte(`{"id":1,` + m + `}`))
	}
	host := &countingBrowser{}
	ev := setHost(h, host, []targets.Info{{ID: "PAGE"}})
	setHost(h, &mute{}, []targets.Info{{ID: "FRAME"}})
	p.take()
	for _, m := range []string{
		`"method":"Target.attachToTarget","params":{"targetId":"PAGE"}`, `"method":"Target.getTargetInfo","params":{"targetId":"PAGE"}`,
		`"method":"Target.createTarget","params":{"url":"about:blank"}`, `"method":"Storage.getCookies"`, `"method":"Target.getTargets"`,
		`"method":"Target.closeTarget","params":{"targetId":"PAGE"}`, `"method":"Target.attachToBrowserTarget"`, discovers, autoPages,
	} {
		c.Receive([]byte(`{"id":2,` + m + `}`))
		if got := p.take(); len(got) == 0 || strings.Contains(strings.Join(got, ""), `"PAGE"`) || host.commands > 0 {
			t.Errorf("%s: %q, and %d commands for the browser", m, got, host.commands)
		}
	}
	c.Receive([]byte(`{"id":3,"method":"Storage.getCookies"}`))
	if got := p.take(); len(got) != 1 || !strings.Contains(got[0], errTabsShared.Message) {
		t.Errorf("%q does not say why", got)
	}
	if ev.TargetCreated(targets.Info{ID: "NEW"}); len(p.take()) > 0 {
		t.Error("a new tab was announced")
	}
	if err := h.Control().Grant("PAGE", c.name); !errors.Is(err, errShared) || c.tabs().Len() > 0 {
		t.Errorf("a tab of it was granted: %v", err)
	}
	if err := h.Control().Grant("FRAME", c.name); err != nil || !c.tabs().Has("FRAME") {
		t.Errorf("a frame was not granted: %v", err)
	}
}
