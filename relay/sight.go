package relay

import (
	"strings"

	"github.com/cdphub/cdphub/targets"
)

// sight is how somebody, a Client or a person, stands to one Target. Whatever the hub shows of
// its Targets, in lists, events, answers, files and timelines, sees decides for whom.
type sight struct {
	files   bool // they may see what is no page of the web
	private bool // they see what is private to the owner of the Target, if it has one
	tab     bool // it is one of the tabs of their own, or they see all tabs
}

// sees reports whether they see the Target.
func (s sight) sees(t targets.Info) bool {
	switch {
	case t.NotWeb && !s.files:
		return false
	case t.Owner != "":
		return s.private
	}
	return s.tab
}

// seesFiles reports whether a Policy, nil for one that allows everything, shows what is no page
// of the web.
func seesFiles(p Policy) bool { return p == nil || p.Files() }

// policyShows reports whether a Policy, nil for one that allows everything, and tabs, nil
// for all, let a Client see a Target.
func policyShows(p Policy, tabs *targets.Tabs, t targets.Info) bool {
	return sight{files: seesFiles(p), tab: tabs == nil || tabs.Has(t.ID)}.sees(t)
}

// sees reports whether a Client sees a Target. Where it has tabs of its own, the
// Policy inside is asked for the rest.
func (c *Client) sees(t targets.Info) bool {
	own := c.tabs()
	return sight{files: !c.noFiles, private: c.seesOwnerOf(t), tab: own == nil || own.Has(t.ID)}.sees(t)
}

// seesOwnerOf reports whether a Client sees what is private to the owner of a Target: its own, and
// that of the Target which it shows to a Watcher.
func (c *Client) seesOwnerOf(t targets.Info) bool {
	if t.Owner == "" {
		return false
	}
	if root := c.hub.sessions.get(t.Owner); root != nil && root.client == c {
		return true
	}
	at, _, _ := c.hub.sides.target(c.privateOf) // "" is none
	return at.Owner == t.Owner
}

// hidesLocked reports whether a command names a Target that its Client does not see. The answer
// is then that for an unknown id. A Client with tabs of its own gets that answer, too, for what
// is no Target.
func (h *Hub) hidesLocked(r *request) bool {
	if !r.args.hasTargetID || r.args.targetID == h.browserID {
		return false
	}
	id := strings.TrimPrefix(r.args.targetID, h.tabPrefix)
	if t, _, known := h.sides.target(id); known {
		return !r.client.sees(t)
	}
	own := r.client.tabs()
	return own != nil && !own.Has(id)
}

// SeesFiles reports whether a Watcher sees what is no page of the web.
func (w Watcher) SeesFiles() bool { return seesFiles(w.Policy) }

// sees reports whether a Watcher sees a Target; account is that of the Client to which
// it is private, and has says whether it is one of the tabs of an owner.
func (w Watcher) sees(t targets.Info, account string, has func(owner string) bool) bool {
	own, inTabs := w.Policy.(OwnTabs)
	s := sight{files: w.SeesFiles(), private: w.Only == t.ID, tab: w.Only == t.ID}
	if w.Only == "" {
		s.private = w.Account != "" && w.Account == account || !inTabs && s.files
		s.tab = !inTabs || has(own.Owner)
	}
	return s.sees(t)
}
