package relay

import (
	"context"
	"sync"
	"time"

	"github.com/cdphub/cdphub/bridge"
)

// Refresh asks Hosts that report changes late (bridge.Refresher) for the titles and
// addresses of their Targets, and waits for their answers for at most a second. The Hosts
// are asked without the lock, all at once.
func (h *Hub) Refresh(ctx context.Context) {
	var late []bridge.Refresher
	h.mu.Lock()
	for _, s := range h.sides.list {
		if r, ok := s.host.(bridge.Refresher); ok {
			late = append(late, r)
		}
	}
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, refreshTimeout)
	defer cancel()
	// Room for all: an answer that comes late must not wait for ever. A Host that calls
	// done twice counts once.
	refreshed := make(chan struct{}, len(late))
	for _, r := range late {
		r.Refresh(sync.OnceFunc(func() { refreshed <- struct{}{} }))
	}
	for range late {
		select {
		case <-refreshed:
		case <-ctx.Done():
			return
		}
	}
}

// refreshTimeout bounds Refresh: a list that is a little old is better than none.
const refreshTimeout = time.Second
