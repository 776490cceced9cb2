package relay

// Stats counts what a hub, or all hubs of a process, have done and hold. The counters
// of commands always add up:
//
//	Received = AnsweredByHost + AnsweredByHub + ClientGone + Pending
//
// and each event was offered to every session that its Target had when it
// came: Sent + ClientClosed is their sum.
type Stats struct {
	Received       uint64 // messages of Clients
	AnsweredByHost uint64
	AnsweredByHub  uint64 // results of its own, and errors
	ClientGone     uint64 // ended with their Client, and so have no answer
	Pending        uint64 // commands that the Host has and has not answered

	// Answers of Hosts that the hub dropped, by what they answered.
	AnswersDuplicate    uint64 // a command that was answered before, or had failed
	AnswersUnsolicited  uint64 // a command that no Host was sent
	AnswersOutdated     uint64 // a command that an earlier Host was sent
	AnswersWrongSession uint64 // a command of another session, which stays in flight

	EventsIn     uint64 // events of Hosts
	Sent         uint64 // copies of them that Clients' connections took
	ClientClosed uint64 // copies for connections that were closing
	Misrouted    uint64 // answers that would have reached another Client than the one that asked; above 0 the hub has a bug

	Latency Latency // of commands that Hosts have answered

	Hubs, Hosts, Clients, Sessions, Targets int

	Unresponsive int // of the Targets
}

// answered counts the answer to one message. The connection has taken it, or was on
// its way out.
func (s *Stats) answered(by *uint64, taken bool) {
	if taken {
		*by++
	} else {
		s.ClientGone++
	}
}

// delivered counts one copy of an event.
func (s *Stats) delivered(taken bool) {
	if taken {
		s.Sent++
	} else {
		s.ClientClosed++
	}
}

// add takes the numbers of o into account.
func (s *Stats) add(o Stats) {
	s.Received += o.Received
	s.AnsweredByHost += o.AnsweredByHost
	s.AnsweredByHub += o.AnsweredByHub
	s.ClientGone += o.ClientGone
	s.Pending += o.Pending
	s.AnswersDuplicate += o.AnswersDuplicate
	s.AnswersUnsolicited += o.AnswersUnsolicited
	s.AnswersOutdated += o.AnswersOutdated
	s.AnswersWrongSession += o.AnswersWrongSession
	s.EventsIn += o.EventsIn
	s.Sent += o.Sent
	s.ClientClosed += o.ClientClosed
	s.Misrouted += o.Misrouted
	s.Latency.add(o.Latency)
	s.Hubs += o.Hubs
	s.Hosts += o.Hosts
	s.Clients += o.Clients
	s.Sessions += o.Sessions
	s.Targets += o.Targets
	s.Unresponsive += o.Unresponsive
}

// Stats returns the counters of the hub.
func (h *Hub) Stats() Stats {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.counters
	s.Pending = uint64(h.calls.len())
	s.Hubs, s.Clients, s.Sessions = 1, len(h.clients), h.sessions.len()
	for _, side := range h.sides.list {
		if side.host != nil {
			s.Hosts++
		}
		s.Targets += side.targets.Len()
		s.Unresponsive += side.targets.Unresponsive()
	}
	return s
}

// Driven are the counters of what drivers have sent and received: without what Clients without a
// name have, such as those that show a Target to people.
func (h Control) Driven() (received, answered, pending, events uint64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	all, viewed := &h.counters, &h.viewed
	answered = all.AnsweredByHost + all.AnsweredByHub - viewed.AnsweredByHost - viewed.AnsweredByHub
	// A command that waits is counted later.
	received = all.Received - min(all.Received, viewed.Received)
	looking := viewed.Received - min(viewed.Received, viewed.AnsweredByHost+viewed.AnsweredByHub+viewed.ClientGone)
	pending = uint64(h.calls.len())
	return received, answered, pending - min(pending, looking), all.Sent - viewed.Sent
}

// Stats adds up the counters of all hubs, and of those that have ended. Each hub is locked
// for itself, one after the other: the sum is of no single moment.
func (hs *Hubs) Stats() Stats {
	hs.mu.Lock()
	sum := hs.past
	list := hs.byNameLocked()
	hs.mu.Unlock()
	for _, h := range list {
		sum.add(h.Stats())
	}
	return sum
}
