package chrome

import (
	"bytes"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/targets"
)

// group is all Clients that have the same tabs.
type group struct {
	tabs     *targets.Tabs
	clients  int
	creating int // Target.createTarget commands without an answer
	since    int // how many targets there had been when the first of them was sent
	held     map[string][]heldEvent
	waiting  int // events in held
}

// heldEvent is an event of the Target domain that waits.
type heldEvent struct {
	session *session
	name    string
	params  []byte
}

// maxHeld is how many events of one group wait: pages could open any number.
const maxHeld = 4096

// groups are the groups of a browser, also those of which no Client is left but tabs. Host.mu
// guards them.
type groups map[*targets.Tabs]*group

// of finds the group that has tabs.
func (gs groups) of(tabs *targets.Tabs) *group {
	g := gs[tabs]
	if g == nil {
		g = &group{tabs: tabs, held: make(map[string][]heldEvent)}
		gs[tabs] = g
	}
	return g
}

// join finds the group of a Client that comes; nil for one that sees all.
func (gs groups) join(tabs *targets.Tabs) *group {
	if tabs == nil {
		return nil
	}
	g := gs.of(tabs)
	g.clients++
	return g
}

// leave is for a Client that has left. Its tabs stay, and with them the group: it goes on
// having what they open.
func (gs groups) leave(g *group) {
	g.clients--
	gs.drop(g)
}

// drop forgets a group that has neither Clients nor tabs.
func (gs groups) drop(g *group) {
	if g.clients == 0 && g.tabs.Len() == 0 {
		delete(gs, g.tabs)
	}
}

// forget forgets a target that has gone.
func (gs groups) forget(targetID string) {
	for tabs, g := range gs {
		tabs.Remove(targetID)
		g.take(targetID)
		gs.drop(g)
	}
}

// creates counts a Target.createTarget that is under way, where so many targets have been.
func (g *group) creates(born int) {
	if g.creating++; g.creating == 1 {
		g.since = born
	}
}

// hold holds back an event about a target, and reports whether there was room for it.
func (g *group) hold(s *session, name, targetID string, params []byte) bool {
	if g.waiting >= maxHeld {
		return false
	}
	g.held[targetID] = append(g.held[targetID], heldEvent{s, strings.Clone(name), bytes.Clone(params)})
	g.waiting++
	return true
}

// take takes out the events that wait for one target.
func (g *group) take(targetID string) []heldEvent {
	list := g.held[targetID]
	delete(g.held, targetID)
	g.waiting -= len(list)
	return list
}

// unhold forgets that a session has begun which has ended meanwhile.
func (g *group) unhold(upstream string) {
	for id, list := range g.held {
		g.held[id] = slices.DeleteFunc(list, func(e heldEvent) bool {
			return e.name == "attachedToTarget" && readText(e.params, "sessionId") == upstream
		})
		g.waiting -= len(list) - len(g.held[id])
	}
}

// tie adds to the group the tab of each of its pages, and the page of each of its
// tabs.
func (g *group) tie(all map[string]target) (come []string) {
	for id, t := range all {
		if t.page == "" {
			continue
		}
		if g.tabs.Has(t.page) && g.tabs.Inherit(id, t.page) {
			come = append(come, id)
		} else if g.tabs.Has(id) && g.tabs.Inherit(t.page, id) {
			come = append(come, t.page)
		}
	}
	return come
}
