package main

import (
	"net/netip"
	"sync"
)

// addresses counts connections by where they come from. Its zero value works.
type addresses struct {
	mu   sync.Mutex // guards open
	open map[netip.Addr]int
}

// enter counts a connection until left is called. It refuses one too many.
func (a *addresses) enter(from netip.Addr, most int) (left func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[from] >= most {
		return nil, false
	}
	if a.open == nil {
		a.open = make(map[netip.Addr]int)
	}
	a.open[from]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.open[from]--; a.open[from] == 0 {
			delete(a.open, from)
		}
	}, true
}
