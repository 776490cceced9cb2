package server

import (
	"cmp"
	"runtime/debug"

	"github.com/KimMachineGun/automemlimit/memlimit"

	"github.com/cdphub/cdphub/bridge/page"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
)

// peer has the limits of a connection of either kind.
func (l Limits) peer() wsconn.Limits {
	return wsconn.Limits{
		PingEvery:      l.PingEvery,
		PongWithin:     l.PongWithin,
		MessageTimeout: l.MessageTimeout,
		WriteTimeout:   l.WriteTimeout,
	}
}

// client has the limits of a Client: zero fields take the defaults of package wsconn.
func (l Limits) client() wsconn.Limits {
	c := l.peer()
	c.Patient = true
	c.MaxMessage, c.MaxPending, c.MaxQueued = cmp.Or(l.MaxClientMessage, 100<<20), int(l.MaxClientQueue), l.MaxClientQueued
	return c
}

// action has the limits of a client of an action API. longest is how many bytes one
// of its messages may have.
func (l Limits) action(longest int64) wsconn.Limits {
	c := l.client()
	c.MaxMessage = min(c.MaxMessage, longest)
	return c
}

// host has the limits of a Host. Its messages carry screenshots and bodies of
// responses, so the defaults are those of the bridge.
func (l Limits) host() wsconn.Limits {
	h, page := l.peer(), page.Limits()
	h.MaxMessage = cmp.Or(l.MaxHostMessage, page.MaxMessage)
	h.MaxPending = cmp.Or(int(l.MaxHostQueue), page.MaxPending)
	h.MaxQueued = cmp.Or(l.MaxHostQueued, page.MaxQueued)
	return h
}

func (l Limits) hub() relay.Limits {
	return relay.Limits{Clients: l.MaxClients, Sessions: l.MaxSessions, ClientSessions: l.MaxClientSessions, ClientCalls: l.MaxClientCalls, Calls: l.MaxCalls}
}

// budget is what connections may hold in all, in bytes, without what others use. It
// is nil where the size of the memory is unknown: then only the limits of each
// connection count.
func (l Limits) budget(others int64) *wsconn.Budget {
	n := l.memory()
	if n == 0 {
		return nil
	}
	return wsconn.NewBudget(n - others)
}

// memory is what connections and timelines may hold in all, in bytes:
// Limits.MemoryBudget, or three quarters of the usable memory. It is 0 when the size
// is unknown. The last quarter is for the heap of everything else.
func (l Limits) memory() int64 { return cmp.Or(l.MemoryBudget, usableMemory()/4*3) }

// usableMemory is how much memory the process may use, in bytes: the limit of its
// cgroup, else the machine's memory, or GOMEMLIMIT where that is lower; 0 when it is
// unknown. SetMemoryLimit with a negative number changes nothing and returns the
// limit (runtime/debug).
func usableMemory() int64 {
	soft := debug.SetMemoryLimit(-1) // the largest int64 without GOMEMLIMIT
	there, err := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)()
	switch {
	case err == nil && there > 0 && there < uint64(soft):
		return int64(there)
	// Without a limit soft is math.MaxInt64. No machine has 4 EiB.
	case soft < 1<<62:
		return soft
	}
	return 0
}
