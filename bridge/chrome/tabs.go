package chrome

import (
	"maps"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// A Client may have tabs of its own (bridge.Attachment.Tabs): it sees the targets that
// it has created, that were given to it, and that those have opened or contain. All
// others are unknown to it, as private contexts are.
//
// Only the answer to Target.createTarget says who has created a target, and Chromium
// sends the events of the target before that answer (Chromium 156). So while such a
// command is under way, the Host holds back the events about new targets. The answer
// decides who gets them. Only a session inside a tab learns which page the tab
// contains: the root session attaches to each tab once to find out.

// foreignLocked reports whether a target is no tab of a Client's own. The browser as a
// whole is everybody's.
func (h *Host) foreignLocked(client *session, targetID string) bool {
	return client.group != nil && targetID != "" && h.targets[targetID].Type != "browser" && !client.group.tabs.Has(targetID)
}

// claimLocked gives a target to the groups that have what has opened it, what it is
// in, or its context.
func (h *Host) claimLocked(i *info) {
	for tabs, g := range h.groups {
		if owner := h.contexts[i.Context]; owner != nil && owner.group == g {
			tabs.Add(i.ID)
		}
		for _, from := range []string{i.Opener, i.ParentTarget, i.Parent} {
			if tabs.Has(from) {
				tabs.Inherit(i.ID, from)
			}
		}
	}
}

// foundLocked says what to do for a target that the browser has just announced.
func (h *Host) foundLocked(i *info) {
	if len(h.groups) == 0 {
		return
	}
	h.claimLocked(i)
	if i.Type == "tab" {
		h.probeLocked(i.ID)
	}
}

// undecidedLocked reports whether it is not known yet if a target is one of the
// group's: it is new, or a tab whose page is new, or is not known.
func (h *Host) undecidedLocked(g *group, targetID string) bool {
	t, known := h.targets[targetID]
	_, probing := h.probes[targetID]
	return probing || g.creating > 0 && (!known || t.born >= g.since)
}

// holdLocked holds back an event about a target that may be one of the Client's. It
// reports false for an event that does not have to wait.
func (h *Host) holdLocked(s *session, name, targetID string, params []byte) bool {
	g := s.client.group
	if g == nil || s.over || s.barred || !h.foreignLocked(s.client, targetID) || !h.undecidedLocked(g, targetID) {
		return false
	}
	return g.hold(s, name, targetID, params)
}

// opened takes the answer to a Target.createTarget of a group, "" for an error. It
// runs before the Client gets that: it then knows the target.
func (h *Host) opened(g *group, targetID string) {
	h.mu.Lock()
	g.creating--
	if targetID != "" {
		h.groups[g.tabs] = g // its Clients may have left
		g.tabs.Add(targetID)
		g.tie(h.targets)
	}
	told := h.releaseLocked(g)
	h.mu.Unlock()
	h.tell(told)
}

// releaseLocked takes out the events of targets that are decided, in the order in
// which the targets have come.
func (h *Host) releaseLocked(g *group) (told []heldEvent) {
	ids := slices.SortedFunc(maps.Keys(g.held), func(a, b string) int { return h.targets[a].born - h.targets[b].born })
	for _, id := range ids {
		if g.tabs.Has(id) || !h.undecidedLocked(g, id) {
			told = append(told, g.take(id)...)
		}
	}
	return told
}

// tell handles events that have been held back. It is called without the lock, by the
// reader.
func (h *Host) tell(list []heldEvent) {
	for _, e := range list {
		h.mu.Lock()
		over := e.session.over || e.session.barred
		h.mu.Unlock()
		if !over && h.targetEvent(e.session, e.name, e.params) {
			h.events.SessionEvent(e.session.id, "Target."+e.name, e.params)
		}
	}
}

// probeLocked finds out which page a tab contains: the root attaches to it, and to
// pages from there.
func (h *Host) probeLocked(tabID string) {
	if _, probing := h.probes[tabID]; probing || h.targets[tabID].page != "" {
		return
	}
	h.probes[tabID] = ""
	h.askLocked("Target.attachToTarget", attachTo(tabID), func(result, _ []byte) {
		upstream := readText(result, "sessionId")
		h.mu.Lock()
		if upstream != "" {
			h.probes[tabID] = upstream
			h.sendLocked(nil, wire.SessionTail(upstream), "Target.setAutoAttach", []byte(`{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}`),
				func(_, _ []byte) { h.probed(tabID) })
		}
		h.mu.Unlock()
		if upstream == "" { // it has gone
			h.probed(tabID)
		}
	})
}

// probeEvent takes an event of the session of a probe, if it is one.
func (h *Host) probeEvent(upstream, method string, params []byte) {
	if method != "Target.attachedToTarget" {
		return
	}
	a, err := readAttachment(params)
	if err != nil || a.Info.Type != "page" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for tabID, probe := range h.probes {
		if t, known := h.targets[tabID]; known && probe == upstream && t.page == "" {
			t.page = a.Info.ID
			h.targets[tabID] = t
		}
	}
}

// probed ends a probe: what waits for it is decided.
func (h *Host) probed(tabID string) {
	h.mu.Lock()
	if upstream := h.probes[tabID]; upstream != "" {
		h.detachOwnLocked(upstream)
	}
	delete(h.probes, tabID)
	var told []heldEvent
	for _, g := range h.groups {
		for _, id := range g.tie(h.targets) {
			if len(g.held[id]) == 0 { // it was given, or has been there
				h.introduceLocked(g, id)
			}
		}
		told = append(told, h.releaseLocked(g)...)
	}
	h.mu.Unlock()
	h.tell(told)
}

// Given implements bridge.TabKeeper.
func (h *Host) Given(tabs *targets.Tabs, targetID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	g := h.groups.of(tabs)
	h.introduceLocked(g, targetID)
	for id, t := range h.targets {
		switch {
		case t.Type == "tab" && t.page == "":
			h.probeLocked(id)
		case h.pageOfLocked(id) == targetID && tabs.Give(id): // its tab, frames and workers, also inside of others
			h.introduceLocked(g, id)
		}
	}
}

// introduceLocked announces an existing target to the Clients of a group, with the
// events that the browser sends for a new target.
func (h *Host) introduceLocked(g *group, targetID string) {
	t := h.targets[targetID]
	for _, s := range h.sessions {
		if s.client.group != g || !s.browser || s.upstream == "" || s.barred {
			continue
		}
		if s.discovers.Takes(t.Type) {
			h.askLocked("Target.getTargetInfo", append(wire.AppendString([]byte(`{"targetId":`), targetID), '}'), func(result, _ []byte) {
				if result != nil && h.targetEvent(s, "targetCreated", result) {
					h.events.SessionEvent(s.id, "Target.targetCreated", result)
				}
			})
		}
		if s.auto && s.waitsFor(t.Type) {
			h.attachAgainLocked(s, targetID)
		}
	}
}

// Taken implements bridge.TabKeeper.
func (h *Host) Taken(tabs *targets.Tabs, targetID string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := []string{targetID}
	for id := range h.targets {
		if id != targetID && h.pageOfLocked(id) == targetID {
			all = append(all, id)
		}
	}
	g := h.groups[tabs]
	for _, id := range all {
		has := tabs.Remove(id)
		if g != nil && has {
			h.withdrawLocked(g, id)
		}
	}
}

// withdrawLocked ends the sessions of a group on a target that it no longer has, and
// sends it the event that the target has ended. The browser itself sends the events
// about the sessions.
func (h *Host) withdrawLocked(g *group, targetID string) {
	var discovering []*session
	for _, s := range h.sessions {
		switch {
		case s.client.group != g:
		case s.target == targetID && !s.barred:
			h.barSessionLocked(s)
		case s.browser && s.discovers.Takes(h.targets[targetID].Type):
			discovering = append(discovering, s)
		}
	}
	gone := append(wire.AppendString([]byte(`{"targetId":`), targetID), '}')
	if len(discovering) == 0 {
		return
	}
	// Events are sent without the lock, after the browser's events about the sessions.
	h.askLocked("Browser.getVersion", wire.Empty, func(_, _ []byte) {
		for _, s := range discovering {
			h.events.SessionEvent(s.id, "Target.targetDestroyed", gone)
		}
	})
}

// forgetTargetLocked forgets a target that has gone.
func (h *Host) forgetTargetLocked(id string) {
	delete(h.targets, id)
	delete(h.shadows, id)
	delete(h.looks, id)
	h.groups.forget(id)
}

// forgetTabs takes the targets of a browser that has ended from all Clients.
func (h *Host) forgetTabs() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for tabs := range h.groups {
		for id := range h.targets {
			tabs.Remove(id)
		}
	}
}

// refusedOwn says why a Client with tabs of its own may not send a command: because it
// shows all pages, or acts on them.
func refusedOwn(s *session, c *bridge.Command) string {
	method := c.Method
	switch {
	case s.client.group == nil:
	case method == "Page.startScreenRecording" && c.Args.Get("captureArea") != nil && string(c.Args.Get("captureArea")) != `"target"`:
		return "it would record the window, which shows tabs of other Clients"
	case method == "Tracing.start", method == "Tracing.requestMemoryDump":
		return "it would record the tabs of other Clients"
	case s.browser && strings.HasPrefix(method, "Fetch."):
		return "it would pause the requests in tabs of other Clients: send it in the session of a page"
	}
	return ""
}
