package relay

import (
	"slices"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/targets"
)

// sides are the Hosts of a hub, each with its Targets. Hub.mu guards them.
type sides struct {
	list          []*side       `held:"hosts"`          // the emulated ones come first
	emulatedCount int           `held:"emulated hosts"` // of list
	hadPage       bool          // a Host page has been here
	freed         chan struct{} `stays:"one signal for all waiters"` // closed when a Host leaves its slot; nil: nobody waits
}

// inSlot returns the side in a slot; nil when the slot is free.
func (ss *sides) inSlot(slot string) *side {
	for _, s := range ss.list {
		if s.slot == slot {
			return s
		}
	}
	return nil
}

// isFree reports whether no Host has the slot "".
func (ss *sides) isFree() bool { return ss.inSlot("") == nil }

// awaitFreed returns a channel that is closed when a Host leaves its slot. Every waiter looks
// again, so one that is woken for nothing does no harm.
func (ss *sides) awaitFreed() <-chan struct{} {
	if ss.freed == nil {
		ss.freed = make(chan struct{})
	}
	return ss.freed
}

// browser returns the side whose Host serves the browser level; nil while the hub does.
func (ss *sides) browser() *side {
	if len(ss.list) > ss.emulatedCount {
		return ss.list[ss.emulatedCount]
	}
	return nil
}

// emulated returns the sides around whose Targets the hub emulates a browser, in the order in
// which they came.
func (ss *sides) emulated() []*side { return ss.list[:ss.emulatedCount] }

// onlySharedTabs reports whether all emulated Hosts are browsers of which a user shares tabs.
func (ss *sides) onlySharedTabs() bool {
	for _, s := range ss.emulated() {
		if tabs, is := s.host.(bridge.SharedTabs); !is || !tabs.SharesTabs() {
			return false
		}
	}
	return ss.emulatedCount > 0
}

// target finds a Target, and the side that has it. It asks each side in turn: a hub has few.
func (ss *sides) target(id string) (t targets.Info, on *side, known bool) {
	for _, on = range ss.list {
		if t, known = on.targets.Get(id); known {
			return t, on, true
		}
	}
	return targets.Info{}, nil, false
}

// add adds a side: emulated ones come before all others.
func (ss *sides) add(s *side) {
	if s.browser != nil {
		ss.list = append(ss.list, s)
		return
	}
	ss.hadPage = true
	ss.list = slices.Insert(ss.list, ss.emulatedCount, s)
	ss.emulatedCount++
}

// remove removes a side, and wakes the Hosts on standby.
func (ss *sides) remove(s *side) {
	i := slices.Index(ss.list, s)
	if i < 0 {
		return
	}
	if ss.freed != nil {
		close(ss.freed)
		ss.freed = nil
	}
	ss.list = slices.Delete(ss.list, i, i+1)
	if i < ss.emulatedCount {
		ss.emulatedCount--
	}
}
