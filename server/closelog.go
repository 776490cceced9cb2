package server

import (
	"slices"
	"sync"

	"github.com/cdphub/cdphub/internal/uiwire"
)

// maxCloses is how many ends a closeLog remembers.
const maxCloses = 64

// closeLog remembers the last connections that have ended, so that an operator can see who has
// left and why without searching the log.
type closeLog struct {
	mu   sync.Mutex `stays:"has a fixed size"` // guards everything below
	list []uiwire.Close
	next int // where the next one goes, once the list is full
}

// add remembers an end, and forgets the oldest one when there are too many.
func (l *closeLog) add(c uiwire.Close) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) < maxCloses {
		l.list = append(l.list, c)
		return
	}
	l.list[l.next] = c
	l.next = (l.next + 1) % maxCloses
}

// last returns the ends, the newest first. The list is the caller's; it is never
// nil.
func (l *closeLog) last() []uiwire.Close {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := slices.Concat(l.list[l.next:], l.list[:l.next])
	if list == nil {
		list = []uiwire.Close{}
	}
	slices.Reverse(list)
	return list
}
