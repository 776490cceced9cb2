package relay

import (
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// A Client may have tabs of its own: of the Targets it then sees those alone that it
// has opened, that were given to it, and that those have opened. All others are
// unknown to it. Where the hub emulates a browser it decides here. The Host of a browser
// has the same targets.Tabs, and decides for its own sessions.

// OwnTabs is the Policy of Clients that see only their own tabs. It allows in them
// what the Policy inside allows, which must not be nil.
type OwnTabs struct {
	Policy
	// Owner names who has the tabs: all Clients of a hub with the same Owner have them in
	// common. They stay when the Clients have left.
	Owner string
}

// owner is who has tabs, by OwnTabs.Owner.
type owner struct {
	tabs    targets.Tabs `held:"tabs of owners"`
	clients int          `held:"clients with tabs of their own"`
}

// owners are those of a hub. Hub.mu guards them.
type owners map[string]*owner

// tabsOf are the tabs that a Client with this Policy sees; nil is all of them.
func (o owners) tabsOf(p Policy) *targets.Tabs {
	own, is := p.(OwnTabs)
	if !is {
		return nil
	}
	if known := o[own.Owner]; known != nil {
		return &known.tabs
	}
	return new(targets.Tabs)
}

// enter takes the tabs out of the Policy of a Client that comes. What an owner had stays
// for a Client that comes back. Owners that have nothing are dropped when a new one comes.
func (o owners) enter(p Policy) (Policy, *owner) {
	own, is := p.(OwnTabs)
	if !is {
		return p, nil
	}
	of := o[own.Owner]
	if of == nil {
		for name, other := range o { // in the tabs of a browser the hub has no part
			if other.clients == 0 && other.tabs.Len() == 0 {
				delete(o, name)
			}
		}
		of = new(owner)
		o[strings.Clone(own.Owner)] = of
	}
	of.clients++
	return own.Policy, of
}

// gone forgets a Target that has ended.
func (o owners) gone(id string) {
	for _, of := range o {
		of.tabs.Remove(id)
	}
}

// inherit gives a new Target to whoever has the one that opened it.
func (o owners) inherit(t targets.Info) {
	if t.OpenerID == "" {
		return
	}
	for _, of := range o {
		if of.tabs.Has(t.OpenerID) {
			of.tabs.Inherit(t.ID, t.OpenerID)
		}
	}
}

// tabs are those that the Client sees; nil is all.
func (c *Client) tabs() *targets.Tabs {
	if c.owner == nil {
		return nil
	}
	return &c.owner.tabs
}

// opensLocked is what finishes a command that opens a tab; nil for all others.
func (s *side) opensLocked(r *request) func(result []byte) []byte {
	h, client, url := s.hub, r.client, r.opens
	if r.Method != "Target.createTarget" {
		return nil
	}
	return func(result []byte) []byte {
		id := createdTargetID(result)
		if client.owner != nil {
			h.openedLocked(client, id)
		}
		h.coverOpenedLocked(client, s, id, url)
		return result
	}
}

// openedLocked makes a Target of an emulated side one of a Client that has created it, with
// those that it has opened by then. It is announced to the Clients that have it now. It
// runs before the Client gets the answer, so that the Client knows the Target by then.
func (h *Hub) openedLocked(c *Client, id string) {
	t, s, known := h.sides.target(id)
	if !known || s.browser != nil || !c.tabs().Add(id) {
		return
	}
	s.tellLocked(c.owner, t)
	for _, other := range slices.Collect(s.targets.All()) {
		if other.OpenerID == id {
			h.openedLocked(c, other.ID)
		}
	}
}

// tellLocked announces a Target to those that have come to have it.
func (s *side) tellLocked(to *owner, t targets.Info) {
	h := s.hub
	for _, k := range kinds[1:] { // the tab, then the page in it
		at := target{k, s, t}
		for l := range h.subscribers.discovering.All() {
			if l.client.owner == to && l.discover.Takes(typeOf(k)) {
				l.event("Target.targetCreated", h.targetInfoParamsLocked(l.client, at))
			}
		}
		for l := range h.subscribers.attaching.All() {
			if l.client.owner == to && l.attach.Takes(typeOf(k)) {
				h.attachLocked(l, at) //nolint:errcheck // a Client with too many sessions goes without
			}
		}
	}
}

// withdrawLocked takes a Target away from those that have it, for whom it ends.
func (s *side) withdrawLocked(from *owner, t targets.Info) {
	h := s.hub
	for _, k := range [...]session.Kind{session.Page, session.Tab} {
		id := h.idOf(k, t)
		for _, on := range slices.Clone(s.sessions.ofTarget(id)) {
			if on.client.owner == from {
				h.endSessionLocked(on, errDetached)
			}
		}
		for l := range h.subscribers.discovering.All() {
			if l.client.owner == from && l.discover.Takes(typeOf(k)) {
				l.event("Target.targetDestroyed", append(wire.AppendString([]byte(`{"targetId":`), id), '}'))
			}
		}
	}
	from.tabs.Remove(t.ID)
}

// createdTargetID is the targetId in the answer to Target.createTarget; "" for none.
func createdTargetID(result []byte) (id string) {
	_ = wire.ReadObject(result, func(key string, value []byte) error { // a Host's answer that is no object names none
		if key == "targetId" {
			id, _ = wire.Text(value)
		}
		return nil
	})
	return id
}
