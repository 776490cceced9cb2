package named

import (
	"time"

	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/ordered"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// ending is why a session ends. One without a text leaves nothing to remember.
type ending struct {
	text   string
	reason wsconn.Reason // for its connection
}

var (
	graceOver    = ending{"no connection came back within its grace time", wsconn.ReasonSessionEnded}
	deleted      = ending{"it was ended on request", wsconn.ReasonSessionEnded}
	browserEnded = ending{"its browser has ended", wsconn.ReasonSessionEnded}
	revoked      = ending{"its token or its hub has ended", wsconn.ReasonSessionEnded}
	fault        = ending{"the hub had an internal error, which is in its log", wsconn.ReasonInternal}
	replaced     = ending{"", wsconn.ReasonSessionTaken}
	shutdown     = ending{"the hub shuts down", wsconn.ReasonShutdown}
)

// EndedError says that a session has ended, and why.
type EndedError struct{ Why string }

// Error implements error.
func (e *EndedError) Error() string { return advice.SessionEnded.With("why", e.Why).String() }

// endedNames remembers the names of sessions that have ended, the oldest first. Its zero
// value is empty.
type endedNames struct {
	ended ordered.Map[Key, ended]
	count map[Owner]int
}

// ended is a session that has ended.
type ended struct {
	Key
	why string
	at  time.Time
}

// maxRemembered is how many names are remembered in all: about 4 MiB.
const maxRemembered = 16384

// find returns why the session of that name has ended; nil where that is not
// remembered.
func (p *endedNames) find(k Key, within time.Duration) error {
	e, known := p.ended.Get(k)
	if !known || time.Since(e.at) > within {
		return nil
	}
	return &EndedError{e.why}
}

// add remembers a session. Of too many, the oldest of its owner is forgotten, and then
// the oldest of all.
func (p *endedNames) add(k Key, why ending, o *Options) { p.put(ended{k, why.text, time.Now()}, o) }

// put is add for a session that has ended elsewhere, perhaps some time ago.
func (p *endedNames) put(e ended, o *Options) {
	k := e.Key
	p.forget(k)
	p.ended.Set(k, e)
	if p.count == nil {
		p.count = make(map[Owner]int)
	}
	p.count[k.Owner]++
	crowded := p.count[k.Owner] > o.RememberedNames
	for e := range p.ended.All() {
		old := p.ended.Len() > maxRemembered || time.Since(e.at) > o.Remembered
		if !old && !crowded {
			return
		}
		if old || e.Owner == k.Owner {
			crowded = crowded && e.Owner != k.Owner
			p.forget(e.Key)
		}
	}
}

// forget forgets a name.
func (p *endedNames) forget(k Key) {
	if !p.ended.Delete(k) {
		return
	}
	if p.count[k.Owner]--; p.count[k.Owner] == 0 {
		delete(p.count, k.Owner)
	}
}
