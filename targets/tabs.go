package targets

import (
	"maps"
	"strings"
	"sync"
)

// Tabs are the Targets of Clients that see no others. The hub and its Hosts share
// them, each under its own lock. Its zero value is empty. The Policy relay.OwnTabs makes
// such Clients.
type Tabs struct {
	mu    sync.Mutex      // guards what is below; no lock is taken under it
	given map[string]bool `held:"tabs"`
}

// Has reports whether a Target is one of them.
func (t *Tabs) Has(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.given[id]
	return has
}

// Opened reports whether a Target is one of them, and not one that was given.
func (t *Tabs) Opened(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	given, has := t.given[id]
	return has && !given
}

// Add adds a Target that one of the Clients has opened, or a Target of theirs, and
// reports whether it is new.
func (t *Tabs) Add(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.addLocked(id, false)
}

// Give adds a Target that another Client hands over, and reports whether it is new.
func (t *Tabs) Give(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.addLocked(id, true)
}

// Inherit adds what another Target has opened or contains, and reports whether it is new.
// Of a Target that was given, that was given, too.
func (t *Tabs) Inherit(id, from string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.addLocked(id, t.given[from])
}

// addLocked adds a Target that is not there yet. It copies the id.
func (t *Tabs) addLocked(id string, given bool) bool {
	if _, has := t.given[id]; has || id == "" {
		return false
	}
	if t.given == nil {
		t.given = make(map[string]bool)
	}
	t.given[strings.Clone(id)] = given
	return true
}

// Remove removes a Target that has gone, or was taken back, and reports whether it
// was there.
func (t *Tabs) Remove(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.given[id]
	delete(t.given, id)
	return has
}

// Entries are the Targets, and whether each was given.
func (t *Tabs) Entries() map[string]bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.given)
}

// Put adds Targets as Entries has them.
func (t *Tabs) Put(entries map[string]bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, given := range entries {
		t.addLocked(id, given)
	}
}

// Len is the number of Targets.
func (t *Tabs) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.given)
}
