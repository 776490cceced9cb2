package server

import (
	"context"
	"slices"
	"time"

	"github.com/cdphub/cdphub/internal/cluster"
)

// countEvery is how often a node that is drained looks which sessions are left.
const countEvery = time.Second

// end has Run drain the server and return, as if its context had ended: at once, or when the
// sessions of this node have ended, and after wait at the latest. Another call replaces the time.
func (s *Server) end(wait time.Duration) {
	if wait <= 0 {
		s.endOnce.Do(func() { close(s.endAsked) })
		return
	}
	select {
	case s.waits <- wait:
	case <-s.ending:
	}
}

// waitForSessions waits until an end is asked for that is to wait, and then for the
// sessions. Meanwhile this node claims no hub, refuses connections to hubs of others, and gives
// each hub back that no session uses. It returns when ctx ends, or the server does.
func (s *Server) waitForSessions(ctx context.Context) {
	tick := time.NewTicker(countEvery)
	defer tick.Stop()
	var until time.Time
	for {
		select {
		case wait := <-s.waits:
			until = time.Now().Add(wait).UTC().Truncate(time.Millisecond) // as the directory has it
		case <-tick.C:
			if until.IsZero() {
				continue
			}
		case <-s.ending:
			return
		case <-ctx.Done():
			return
		}
		// First nothing new may begin, then it is counted what is left.
		left := s.sessionsLeft(until)
		s.cluster.Drain(&left)
		if s.sessionsLeft(until).Left() == 0 || !time.Now().Before(until) {
			s.end(0)
			return
		}
		s.giveBackQuiet(ctx)
	}
}

// sessionsLeft counts what ends with this node.
func (s *Server) sessionsLeft(until time.Time) cluster.Waits {
	return cluster.Waits{Until: until, Clients: s.hubs.Stats().Clients, Forwarded: s.forward.Clients(), Browsers: s.browsers.Numbers().Running}
}

// giveBackQuiet gives the hubs back that have no session: what connects to them from now on finds
// another node.
func (s *Server) giveBackQuiet(ctx context.Context) {
	named := s.named.Hubs()
	for _, hub := range s.cluster.Quiet() {
		h, release := s.hubs.Peek(hub)
		clients := h.Stats().Clients
		release()
		if clients == 0 && !s.browsers.Runs(hub) && !slices.Contains(named, hub) {
			s.cluster.GiveBack(ctx, hub)
		}
	}
}
