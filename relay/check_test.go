package relay

import (
	"fmt"
	"slices"

	"github.com/cdphub/cdphub/relay/quota"
	"github.com/cdphub/cdphub/session"
)

// check recounts the hub's books and says where they disagree.
func (h *Hub) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	owned := 0
	for c := range h.clients {
		owned += len(c.sessions)
		for _, side := range h.sides.list {
			if side.roots[c] != nil {
				owned++
			}
		}
		for s := range c.sessions {
			if h.sessions.get(s.ID) != s {
				return fmt.Errorf("session %s of a client is not in the table", s.ID)
			}
			if s.Kind == session.Worker {
				if !inTarget(s.parent) || h.sessions.get(s.parent.ID) != s.parent {
					return fmt.Errorf("session %s of a worker is in no session of a page", s.ID)
				}
				continue
			}
			if side := sideOf(s); side != nil && !slices.Contains(h.sides.list, side) {
				return fmt.Errorf("session %s is of a Host that has gone", s.ID)
			} else if t, ok := h.find(s.TargetID); (!ok || t.side != side) && (side == nil || side.browser == nil) {
				return fmt.Errorf("session %s is on the missing target %s", s.ID, s.TargetID)
			}
		}
	}
	hearing := make(map[*Client]int)
	for at, l := range h.subscribers.at {
		if _, ok := h.clients[l.client]; !ok || at != l.origin || l.session != nil && h.sessions.get(l.session.ID) != l.session {
			return fmt.Errorf("something is discovered or attached to for a client or a session that has ended")
		}
		if l.discover.on() {
			hearing[l.client]++
		}
		if l.attach.on() && l.attachesToAll() {
			hearing[l.client]++
		}
	}
	heard := h.subscribers.discovering.Len() + h.subscribers.attaching.Len()
	for c := range h.clients {
		heard -= hearing[c]
		if c.subscriptions != hearing[c] {
			return fmt.Errorf("a client counts %d levels that hear of targets, there are %d", c.subscriptions, hearing[c])
		}
	}
	if heard != 0 {
		return fmt.Errorf("%d more levels are told of targets than want to be", heard)
	}
	for id, d := range h.dialogs {
		if _, ok := d.side.targets.Get(id); !ok {
			return fmt.Errorf("there are dialogs of the missing target %s", id)
		}
		wanted := 0
		for _, s := range d.side.sessions.ofTarget(id) {
			if s.pageEvents && s.client.answers() {
				wanted++
			}
		}
		if d.wanted != wanted {
			return fmt.Errorf("%d sessions would answer the dialogs of %s, counted are %d", wanted, id, d.wanted)
		}
	}
	if owned != h.sessions.len() {
		return fmt.Errorf("clients own %d sessions, the table has %d", owned, h.sessions.len())
	}
	if err := h.checkSides(); err != nil {
		return err
	}
	return h.checkCalls()
}

// checkSides wants each side to have a Host, connected or away, and a slot of its
// own, and emulated ones to come first.
func (h *Hub) checkSides() error {
	for i, s := range h.sides.list {
		if (s.host == nil) != (s.connection == nil) || (s.host == nil) != (s.disconnected != nil) {
			return fmt.Errorf("the side %q has neither a host nor waits for one, or both", s.slot)
		}
		if h.sides.inSlot(s.slot) != s || (i < h.sides.emulatedCount) != (s.browser == nil) {
			return fmt.Errorf("the side %q is not where it belongs", s.slot)
		}
	}
	for n, c := range h.calls.byNumber {
		if !slices.Contains(h.sides.list, c.side) {
			return fmt.Errorf("call %d waits for a Host that has gone", n)
		}
	}
	return nil
}

func (h *Hub) checkCalls() error {
	byClient := make(map[*Client]int)
	linked := 0
	for _, c := range h.calls.byNumber {
		byClient[c.client]++
		linked++
		if c.session != nil && h.sessions.get(c.session.ID) != c.session {
			return fmt.Errorf("call %d waits for the ended session %s", c.number, c.session.ID)
		}
	}
	for c := range h.clients {
		if c.calls != byClient[c] {
			return fmt.Errorf("a client counts %d calls, there are %d", c.calls, byClient[c])
		}
		delete(byClient, c)
	}
	if len(byClient) > 0 {
		return fmt.Errorf("%d clients that left still have calls", len(byClient))
	}
	if err := h.checkAccounts(); err != nil {
		return err
	}
	walked := 0
	heads := make(map[origin]*call)
	for _, c := range h.calls.byNumber {
		heads[c.origin()] = newestCall(c.origin())
	}
	for at, head := range heads {
		var prev *call
		for c := head; c != nil; prev, c = c, c.next {
			if c.prev != prev || c.origin() != at {
				return fmt.Errorf("the list of %v is broken at call %d", at, c.number)
			}
			walked++
		}
	}
	if walked != linked {
		return fmt.Errorf("%d calls are in lists, %d should be", walked, linked)
	}
	s := h.counters
	if done := s.AnsweredByHost + s.AnsweredByHub + s.ClientGone + uint64(h.calls.len()); s.Received != done || s.Misrouted != 0 {
		return fmt.Errorf("the ledger does not close: %+v with %d calls", s, h.calls.len())
	}
	return nil
}

// checkAccounts wants each Payer to be counted what its Clients have.
func (h *Hub) checkAccounts() error {
	type counts struct{ calls, sessions, clients, parked, tabs int64 }
	want := make(map[string]*counts)
	for c := range h.clients {
		id := c.account.payer.ID
		if want[id] == nil {
			want[id] = new(counts)
		}
		want[id].calls += int64(c.calls)
		want[id].sessions += int64(len(c.sessions))
		want[id].clients++
	}
	for _, p := range h.awaited.parked.list {
		want[p.client.account.payer.ID].parked++
	}
	for _, c := range h.calls.byNumber {
		if c.opens {
			want[c.client.account.payer.ID].tabs++
		}
	}
	for id, a := range h.tabs {
		if _, _, known := h.sides.target(id); !known {
			return fmt.Errorf("the missing target %s is counted", id)
		}
		if w := want[a.Payer().ID]; w != nil {
			w.tabs++
		}
	}
	for id, w := range want {
		for i, p := range []*quota.Pool{h.pools.calls, h.pools.sessions, h.pools.clients, h.pools.parked, h.pools.tabs} {
			a := p.OpenLocked(quota.Payer{ID: id})
			got := a.UsedLocked()
			a.CloseLocked()
			if is := []int64{w.calls, w.sessions, w.clients, w.parked, w.tabs}[i]; got != is {
				return fmt.Errorf("%q is counted %d of resource %d, and has %d", id, got, i, is)
			}
		}
	}
	return nil
}
