package relay

import (
	"bytes"
	"slices"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/session"
	"github.com/cdphub/cdphub/targets"
)

// listing is the answer to getTargets for Clients that see all Targets. Few Targets
// change between two questions: only these are written anew. Otherwise the text of up to
// 8,192 Targets would be written under the hub's lock for each question.
type listing struct {
	text    []byte   `stays:"cache of the list of targets"`
	stale   bool     // text must be written anew
	partial bool     // there has been a Target that some of these Clients do not see
	changed []string `stays:"at most maxChanged"` // Targets whose part of text must be
	scratch []byte   `stays:"its memory serves the next list"`
}

// maxChanged is how many Targets may have changed: to find the part of each costs a
// walk over the text.
const maxChanged = 4

// note says that a Target, or whether a session is on it, has changed.
func (l *listing) note(targetID string, added bool) {
	switch {
	case l.stale || slices.Contains(l.changed, targetID):
	// A new Target has its place at the end of its side's, which need not be the end of the
	// text.
	case added || len(l.changed) == maxChanged:
		l.stale = true
	default:
		l.changed = append(l.changed, targetID)
	}
}

// listingLocked is the answer to getTargets, for one of these Clients. The caller must not
// change it, and not keep it: the next call may write over it.
func (h *Hub) listingLocked(c *Client) []byte {
	l := &h.listing
	for _, id := range l.changed {
		l.stale = l.stale || !h.relistLocked(id)
	}
	clear(l.changed)
	l.changed = l.changed[:0]
	if l.stale {
		l.text = h.appendTargetsLocked(l.text[:0], c, targets.Usual)
		l.stale = false
	}
	return l.text
}

// relistLocked writes the part of one Target anew. Its beginning and its end stand
// nowhere else: the quotes of what they could be in are escaped there. It reports false
// when the Target is not in the text, which is then written anew as a whole.
func (h *Hub) relistLocked(id string) bool {
	l := &h.listing
	t, on, known := h.sides.target(id)
	l.scratch = append(wire.AppendString(append(l.scratch[:0], `{"targetId":`...), id), ',')
	from := bytes.Index(l.text, l.scratch)
	if !known || from < 0 {
		return false
	}
	l.scratch = append(wire.AppendString(append(l.scratch[:0], `,"browserContextId":`...), h.contextID), '}')
	size := bytes.Index(l.text[from:], l.scratch) + len(l.scratch)
	l.scratch = h.appendTargetInfoLocked(l.scratch[:0], nil, target{session.Page, on, t})
	l.text = slices.Replace(l.text, from, from+size, l.scratch...)
	return true
}
