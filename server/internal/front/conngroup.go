package front

import (
	"context"
	"sync"

	"github.com/cdphub/cdphub/internal/wsconn"
)

// ConnGroup is the connections of one kind of peer. It has a context in place of a
// list: each connection ends itself when the context does, and knows the reason by
// context.Cause.
type ConnGroup struct {
	Context context.Context // ends with the reason to close them
	end     context.CancelCauseFunc

	mu    sync.Mutex // guards ended, so that nothing joins conns once it is waited for
	ended bool
	conns sync.WaitGroup
}

// NewConnGroup makes a group without connections.
func NewConnGroup() *ConnGroup {
	ctx, end := context.WithCancelCause(context.Background())
	return &ConnGroup{Context: ctx, end: end}
}

// Enter counts a connection in; the function it returns counts it out. One
// that comes too late is not waited for: it ends at once, since ctx has ended.
func (g *ConnGroup) Enter() (left func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ended {
		return func() {}
	}
	g.conns.Add(1)
	return g.conns.Done
}

// Close ends every connection and reports whether they were gone before ctx
// ended.
func (g *ConnGroup) Close(ctx context.Context, why wsconn.Reason) bool {
	g.end(why)
	return g.Wait(ctx)
}

// Wait lets no more connections in, and reports whether all were gone before ctx
// ended. The goroutine stays when ctx ends first, and ends with the last connection.
func (g *ConnGroup) Wait(ctx context.Context) bool {
	g.mu.Lock()
	g.ended = true
	g.mu.Unlock()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		g.conns.Wait()
	}()
	select {
	case <-gone:
		return true
	case <-ctx.Done():
		return false
	}
}
