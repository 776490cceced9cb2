package targets

import (
	"strings"
	"unicode/utf8"
)

// Registry holds the Targets of one Host, in order of appearance. It is not
// safe for concurrent use: a hub's lock guards it.
type Registry struct {
	byID map[string]int // index into list
	list []Info
}

// Set adds a Target or updates the one with the same id. It reports whether
// the Target is new; ok is false, and nothing is changed, when the id is empty
// or too long or the registry is full. Title and URL are cut to their limits.
func (r *Registry) Set(t Info) (added, ok bool) {
	if t.ID == "" || len(t.ID) > MaxID {
		return false, false
	}
	t.Title, t.URL = Cut(t.Title, MaxTitle), Cut(t.URL, MaxURL)
	if i, known := r.byID[t.ID]; known {
		r.list[i] = t
		return false, true
	}
	if len(r.list) >= MaxCount {
		return false, false
	}
	if r.byID == nil {
		r.byID = make(map[string]int)
	}
	t.ID = strings.Clone(t.ID)
	r.byID[t.ID] = len(r.list)
	r.list = append(r.list, t)
	return true, true
}

// Get finds a Target by its id.
func (r *Registry) Get(id string) (Info, bool) {
	i, ok := r.byID[id]
	if !ok {
		return Info{}, false
	}
	return r.list[i], true
}

// Delete removes a Target and reports whether there was one.
func (r *Registry) Delete(id string) bool {
	i, ok := r.byID[id]
	if !ok {
		return false
	}
	delete(r.byID, id)
	r.list = append(r.list[:i], r.list[i+1:]...)
	for ; i < len(r.list); i++ {
		r.byID[r.list[i].ID] = i
	}
	return true
}

// Clear removes all Targets, which it returns. To delete them one by one would
// take a time that grows with the square of their number.
func (r *Registry) Clear() []Info {
	list := r.list
	*r = Registry{}
	return list
}

// All returns the Targets in order of appearance. The slice is the registry's
// own, good until its next change.
func (r *Registry) All() []Info { return r.list }

// Cut shortens s to at most limit bytes without splitting a character. What
// it returns shares no memory with s.
func Cut(s string, limit int) string {
	if len(s) > limit {
		for limit > 0 && !utf8.RuneStart(s[limit]) {
			limit--
		}
		s = s[:limit]
	}
	return strings.Clone(s)
}
