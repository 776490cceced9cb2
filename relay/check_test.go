package relay

import "fmt"

// check recounts the hub's books and says where they disagree.
func (h *Hub) check() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	owned := 0
	for c := range h.clients {
		owned += len(c.sessions)
		if c.root != nil {
			owned++
		}
		for s := range c.sessions {
			if h.sessions.Get(s.ID) != s {
				return fmt.Errorf("session %s of a client is not in the table", s.ID)
			}
			if s.Upstream && h.browser == nil {
				return fmt.Errorf("session %s is in a browser that has gone", s.ID)
			}
			if _, _, ok := h.find(s.TargetID); !ok && !s.Upstream {
				return fmt.Errorf("session %s is on the missing target %s", s.ID, s.TargetID)
			}
		}
	}
	for _, l := range h.levels {
		if _, ok := h.clients[l.client]; !ok || l.session != nil && h.sessions.Get(l.session.ID) != l.session {
			return fmt.Errorf("something is discovered or attached to for a client or a session that has ended")
		}
	}
	for id := range h.dialogs {
		if _, ok := h.targets.Get(id); !ok {
			return fmt.Errorf("there are dialogs of the missing target %s", id)
		}
	}
	if owned != h.sessions.Len() {
		return fmt.Errorf("clients own %d sessions, the table has %d", owned, h.sessions.Len())
	}
	if h.host == nil && h.away == nil && h.browser == nil && (len(h.targets.All()) > 0 || h.calls.len() > 0) {
		return fmt.Errorf("without a host there are %d targets and %d calls", len(h.targets.All()), h.calls.len())
	}
	return h.checkCalls()
}

func (h *Hub) checkCalls() error {
	byClient := make(map[*Client]int)
	linked := 0
	for _, c := range h.calls.byNumber {
		byClient[c.client]++
		if c.session != nil {
			linked++
			if h.sessions.Get(c.session.ID) != c.session {
				return fmt.Errorf("call %d waits for the ended session %s", c.number, c.session.ID)
			}
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
	walked := 0
	for s, head := range h.calls.heads {
		var prev *call
		for c := head; c != nil; prev, c = c, c.next {
			if c.prev != prev || c.session != s {
				return fmt.Errorf("the list of session %s is broken at call %d", s.ID, c.number)
			}
			walked++
		}
	}
	if walked != linked {
		return fmt.Errorf("%d calls are in lists, %d should be", walked, linked)
	}
	s := h.ledger
	if done := s.AnsweredByHost + s.AnsweredByHub + s.ClientGone + uint64(h.calls.len()); s.Received != done || s.Misrouted != 0 {
		return fmt.Errorf("the ledger does not close: %+v with %d calls", s, h.calls.len())
	}
	return nil
}
