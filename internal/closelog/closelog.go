// Package closelog remembers the last connections that have ended, so that an
// operator can see who has left and why without searching the log:
//
//	var ring closelog.Ring
//	ring.Add(closelog.Close{Time: time.Now(), Side: "client", Code: 1000})
//	list := ring.Last()
package closelog

import (
	"slices"
	"sync"
	"time"
)

// Size is how many ends a Ring remembers.
const Size = 64

// Close is the end of one connection. It has neither a token nor a URL, which
// may hold one.
//
//	{"time":"2026-01-02T15:04:05Z","side":"client","hub":"","peer":"127.0.0.1:5","code":4302,"reason":"token revoked"}
type Close struct {
	Time   time.Time `json:"time"`
	Side   string    `json:"side"`   // "client", "host", or the name of an action API
	Hub    string    `json:"hub"`    // "" is the one at the root
	Peer   string    `json:"peer"`   // address and port
	Code   uint16    `json:"code"`   // of the WebSocket close frame (docs/bridge.md); 1006 when there was none
	Reason string    `json:"reason"` // at most 123 bytes
}

// Ring remembers the last Size ends. Its zero value is empty and ready for use,
// also by several goroutines.
type Ring struct {
	mu   sync.Mutex `stays:"has a fixed size"` // guards everything below
	list []Close
	next int // where the next one goes, once the list is full
}

// Add remembers an end, and forgets the oldest one when there are too many.
func (r *Ring) Add(c Close) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) < Size {
		r.list = append(r.list, c)
		return
	}
	r.list[r.next] = c
	r.next = (r.next + 1) % Size
}

// Last returns the ends, the newest first. The list is the caller's; it is never
// nil.
func (r *Ring) Last() []Close {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := slices.Concat(r.list[r.next:], r.list[:r.next])
	if list == nil {
		list = []Close{}
	}
	slices.Reverse(list)
	return list
}
