package targets

import (
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/ordered"
)

// Registry holds the Targets of one Host, in order of appearance. It is not
// safe for concurrent use: a hub's lock guards it, so that each change and each
// look at one Target takes constant time.
type Registry struct {
	byID ordered.Map[string, Info]
	text int // bytes of all titles and URLs
	// silent is how many are unresponsive.
	silent int
	// active says when each Target was last active, as Activate has counted.
	active map[string]uint64
}

// Set adds a Target or updates the one with the same id. It reports whether the Target is
// new; ok is false, and nothing is changed, when the id is empty or too long or the
// registry is full. Title and URL are cut to their limits. The Registry copies the id and
// the texts: the strings of t may point into a read buffer.
func (r *Registry) Set(t Info) (added, ok bool) {
	if t.ID == "" || len(t.ID) > MaxID {
		return false, false
	}
	old, known := r.byID.Get(t.ID)
	switch {
	case known:
		// The key of the map stays the one that was copied when the Target was new.
		t.ID = old.ID
	case r.Len() >= MaxCount:
		return false, false
	default:
		t.ID = strings.Clone(t.ID)
	}
	title, url := MaxTitle, MaxURL
	if r.text-old.text() > MaxText {
		title, url = MaxShort, MaxShort
	}
	t.Title, t.URL = Cut(t.Title, title), Cut(t.URL, url)
	r.text += t.text() - old.text()
	r.silent += t.silent() - old.silent()
	return r.byID.Set(t.ID, t), true
}

// Activate says that a Target is active at a time that the caller counts. An unknown Target is no
// error: it may just have gone.
func (r *Registry) Activate(id string, at uint64) {
	if t, known := r.Get(id); known {
		if r.active == nil {
			r.active = make(map[string]uint64)
		}
		r.active[t.ID] = at
	}
}

// Active is when a Target was last active.
func (r *Registry) Active(id string) uint64 { return r.active[id] }

// Get finds a Target by its id.
func (r *Registry) Get(id string) (Info, bool) {
	if len(id) > MaxID { // it may be as long as a message
		return Info{}, false
	}
	return r.byID.Get(id)
}

// Delete removes a Target and reports whether there was one.
func (r *Registry) Delete(id string) bool {
	t, known := r.Get(id)
	r.text -= t.text()
	r.silent -= t.silent()
	delete(r.active, id)
	return known && r.byID.Delete(id)
}

// text is how many bytes count against MaxText.
func (t *Info) text() int { return len(t.Title) + len(t.URL) }

// silent is 1 for a Target that does not respond, else 0.
func (t *Info) silent() int {
	if t.Unresponsive {
		return 1
	}
	return 0
}

// Unresponsive is how many of the Targets do not respond.
func (r *Registry) Unresponsive() int { return r.silent }

// Clear removes all Targets, which it returns in order of appearance.
func (r *Registry) Clear() iter.Seq[Info] {
	old := *r
	*r = Registry{}
	return old.All()
}

// Len is the number of Targets.
func (r *Registry) Len() int { return r.byID.Len() }

// All walks the Targets in order of appearance. The one that it is at may be
// deleted meanwhile.
func (r *Registry) All() iter.Seq[Info] { return r.byID.All() }

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
