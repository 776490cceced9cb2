package httpserver

import (
	"net/netip"
	"sync"

	"github.com/cdphub/cdphub/internal/auth"
)

// PerAddress counts connections by where they come from. Its zero value works.
type PerAddress struct {
	mu   sync.Mutex           // guards open
	open map[netip.Prefix]int `held:"addresses with connections"`
}

// Enter counts a connection until left is called, once. It returns false if that
// address has most connections already.
func (a *PerAddress) Enter(from netip.Addr, most int) (left func(), ok bool) {
	at := auth.Place(from)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open[at] >= most {
		return nil, false
	}
	if a.open == nil {
		a.open = make(map[netip.Prefix]int)
	}
	a.open[at]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.open[at]--; a.open[at] == 0 {
			delete(a.open, at)
		}
	}, true
}
