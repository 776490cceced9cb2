package chrome

import (
	"slices"
	"testing"

	"github.com/cdphub/cdphub/targets"
)

// TestGroupsEnd wants a group to stay while it has Clients or tabs.
func TestGroupsEnd(t *testing.T) {
	gs, tabs := make(groups), &targets.Tabs{}
	g := gs.join(tabs)
	if gs.join(nil) != nil || gs.join(tabs) != g || gs.of(&targets.Tabs{}) == g {
		t.Error("a Client is in the group of others")
	}
	tabs.Add("T")
	g.hold(&session{}, "targetCreated", "T", nil)
	gs.leave(g)
	gs.leave(g)
	if gs[tabs] != g {
		t.Error("a group with a tab has ended")
	}
	if gs.forget("T"); gs[tabs] != nil || g.waiting != 0 {
		t.Errorf("a group without Clients and tabs goes on; %d events wait", g.waiting)
	}
}

// TestGroupsHoldEvents checks which events wait, and what is taken out again.
func TestGroupsHoldEvents(t *testing.T) {
	g := make(groups).of(&targets.Tabs{})
	params := []byte(`{"sessionId":"S"}`)
	g.hold(&session{}, "targetCreated", "T", params)
	g.hold(&session{}, "attachedToTarget", "T", params)
	params[14] = 'X' // the memory of the reader
	if g.unhold("S"); g.waiting != 1 {
		t.Errorf("%d events wait, want the one that is not about the session", g.waiting)
	}
	if list := g.take("T"); len(list) != 1 || string(list[0].params) != `{"sessionId":"S"}` || g.waiting != 0 {
		t.Errorf("%v, %d wait", list, g.waiting)
	}
}

// TestGroupsTieTabsToPages wants a tab to follow its page, and a page its tab.
func TestGroupsTieTabsToPages(t *testing.T) {
	g := make(groups).of(&targets.Tabs{})
	g.tabs.Add("page 1")
	g.tabs.Add("tab 2")
	come := g.tie(map[string]target{"tab 1": {page: "page 1"}, "tab 2": {page: "page 2"}, "tab 3": {page: "page 3"}, "page 3": {}})
	slices.Sort(come)
	if want := []string{"page 2", "tab 1"}; !slices.Equal(come, want) {
		t.Errorf("%q have come, want %q", come, want)
	}
}
