package relay

import (
	"slices"

	"github.com/cdphub/cdphub/targets"
)

// A Target in a browser context of a Client's own is private: no other Client sees it
// in any list, event or answer. The hub knows it for the people who look after the
// browser.

// Watcher sees the Targets of a hub without being a Client, such as a person in front of
// the dashboard. It sees what a Client with its Policy sees, and of private Targets those
// of Clients with the same Account. With a Policy that allows everything, and no tabs of
// its own, it sees all.
type Watcher struct {
	Policy  Policy // nil allows everything
	Account string // as in ClientOptions; "" is the account of no Client
	// Only is the one Target that the Watcher sees, whosever it is; "" is no limit.
	Only string
	// Handoff is the id of the handoff whose guest the Watcher is; "" is none. A guest who has
	// taken the page sees what it shows.
	Handoff string
	// Whole is for a view of Only, which tells the title and the address of a quiet page only
	// to people who may read it.
	Whole bool
}

// Watched is a Target as a Watcher sees it.
type Watched struct {
	targets.Info
	// Client is the name of the Client to which the Target is private; "" for a Target
	// of all Clients.
	Client string
}

// private says whose a private Target is.
type private struct{ client, account string }

// EndedTarget is a Target that has ended.
type EndedTarget struct {
	Watched
	account string
	owners  []string // who had it among tabs of their own
}

// Shows reports whether a Watcher saw the Target when it ended.
func (p *EndedTarget) Shows(w Watcher) bool {
	return w.sees(p.Info, p.account, func(owner string) bool { return slices.Contains(p.owners, owner) })
}

// watchedLocked is a Target as a Watcher sees it, and whether it does.
func (h *Hub) watchedLocked(w Watcher, t targets.Info) (Watched, bool) {
	of := h.private[t.ID]
	t = h.leases.watchedInfo(w, t)
	sees := w.sees(t, of.account, func(owner string) bool { return h.owners[owner] != nil && h.owners[owner].tabs.Has(t.ID) })
	return Watched{shownInfo(w.Policy, t), of.client}, sees
}

// watchedInfo is a Target without what a quiet page shows, unless the Watcher may read
// it.
func (ls *leases) watchedInfo(w Watcher, t targets.Info) targets.Info {
	if !ls.quiet.Load() || w.Whole {
		return t
	}
	privileged := w.Policy != nil && w.Policy.Files()
	for _, l := range ls.list {
		if guest := w.Handoff != "" && l.Handoff == w.Handoff; l.quiet != nil && !guest && l.reaches(t.ID) && !l.holding().Readable(privileged, w.Account) {
			return quietInfo(t)
		}
	}
	return t
}

// WatchedTargets lists the Targets that a Watcher sees, in the order of Targets.
func (h Control) WatchedTargets(w Watcher) (list []Watched) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.sides.list {
		for t := range s.targets.All() {
			if seen, ok := h.watchedLocked(w, t); ok {
				list = append(list, seen)
			}
		}
	}
	return list
}

// WatchedTarget finds a Target by its id, among those of WatchedTargets.
func (h Control) WatchedTarget(w Watcher, id string) (Watched, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t, _, known := h.sides.target(id); known {
		if seen, ok := h.watchedLocked(w, t); ok {
			return seen, true
		}
	}
	return Watched{}, false
}

// notePrivateLocked keeps whose a private Target is, also after its Client has left.
// Targets.Info.Owner is the id of a session, which is gone when the Client has left.
func (h *Hub) notePrivateLocked(t targets.Info) {
	if t.Owner == "" {
		return
	}
	of := private{}
	if s := h.sessions.get(t.Owner); s != nil {
		c := s.client
		of = private{c.observedName(), c.bearer}
	}
	if h.private == nil {
		h.private = make(map[string]private)
	}
	h.private[t.ID] = of
}

// endedLocked is for a Target that has left the registry of its side. The owner of a
// private Target is forgotten last, since the Observer gets it.
func (h *Hub) endedLocked(on *side, t targets.Info) {
	t = h.leases.shown(nil, t)
	h.leases.end(targetEnd{on, t.ID})
	if h.observer != nil {
		of := h.private[t.ID]
		p := EndedTarget{Watched: Watched{t, of.client}, account: of.account}
		for name, o := range h.owners {
			if o.tabs.Has(t.ID) {
				p.owners = append(p.owners, name)
			}
		}
		h.observer.Ended(p)
	}
	delete(h.private, t.ID)
	h.tabs.gone(t.ID)
}
