package browsers

import (
	"context"
	"sync"
)

// profiles are the kept profiles in use, by folder. A browser that ends writes its profile for
// a few seconds more, and Chromium refuses one that another process uses: the next browser
// waits.
type profiles struct {
	mu   sync.Mutex
	ends map[string]chan struct{} `stays:"a browser runs with each"` // closed when the browser has ended
}

// enter waits until no browser uses a folder, "" for a fresh one, until ctx ends. left lets
// the next one in.
func (p *profiles) enter(ctx context.Context, folder string) (left func(), err error) {
	if folder == "" {
		return func() {}, nil
	}
	for {
		p.mu.Lock()
		before := p.ends[folder]
		if before == nil {
			if p.ends == nil {
				p.ends = make(map[string]chan struct{})
			}
			ended := make(chan struct{})
			p.ends[folder] = ended
			p.mu.Unlock()
			return func() {
				p.mu.Lock()
				defer p.mu.Unlock()
				delete(p.ends, folder)
				close(ended)
			}, nil
		}
		p.mu.Unlock()
		select {
		case <-before:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
