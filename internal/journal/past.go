package journal

import (
	"cmp"
	"slices"
	"time"

	"github.com/cdphub/cdphub/relay"
)

// Closed is a target that has ended, and whose timeline is still kept.
type Closed struct {
	TargetID string `json:"targetId"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	Client   string `json:"client,omitempty"` // whose browser context it was in; "" for a target of all
	At       int64  `json:"at"`               // when it ended, ms since 1970
}

// endedTarget is what a timeline keeps of a target that has ended, to decide who may still
// see it.
type endedTarget struct {
	relay.EndedTarget
	Closed
}

// Ended implements relay.Observer. A target without a timeline gets none by its end.
func (o *observer) Ended(p relay.EndedTarget) {
	delete(o.shows, p.ID)
	at := time.Now().UnixMilli()
	delete(o.worlds, p.ID)
	delete(o.moving, p.ID)
	delete(o.documents, p.ID)
	delete(o.pulling, p.ID)
	payer := o.payers[p.ID]
	delete(o.payers, p.ID)
	o.j.queue.put(item{key: o.key(p.ID), payer: payer, size: len(p.Title) + len(p.URL) + overhead, ends: true, do: func(_ *Journal, l *line) {
		c := Closed{p.ID, l.text(p.Title), l.address(p.URL), p.Client, at}
		p.Title, p.URL = "", "" // they may be long
		l.closed = &endedTarget{p, c}
	}})
}

// Closed lists targets of a hub that have ended and that a Watcher saw, the newest
// first, at most most of them.
func (j *Journal) Closed(hub string, w relay.Watcher, most int) []Closed {
	j.mu.Lock()
	defer j.mu.Unlock()
	var list []Closed
	for key, l := range j.lines {
		if key.hub == hub && l.closed != nil && len(l.ring.kept) > 0 && l.closed.Shows(w) {
			list = append(list, l.closed.Closed)
		}
	}
	slices.SortFunc(list, func(a, b Closed) int {
		return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.TargetID, b.TargetID))
	})
	return list[:min(len(list), most)]
}

// Shows reports whether a target of a hub has ended that a Watcher saw.
func (j *Journal) Shows(hub, targetID string, w relay.Watcher) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	l := j.lines[lineKey{hub, targetID}]
	return l != nil && l.closed != nil && l.closed.Shows(w)
}
