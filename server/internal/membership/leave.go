package membership

import (
	"context"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/wsconn"
)

const (
	// leaveTimeout is how long the directory may take to note that this node ends.
	leaveTimeout = 1500 * time.Millisecond
	// drainRate is how many Hosts a node sends away in a second when it ends: they all
	// come to other nodes, which claim their hubs.
	drainRate = 5000
	// drainSpread is how long it may take to send them all away.
	drainSpread = 10 * time.Second
)

// Drain tells the other nodes that this one ends, so that they place no browser here.
// An error is only logged: the node ends all the same.
func (m *Member) Drain() {
	if m == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	if err := m.Directory.Drain(ctx); err != nil {
		m.Log.Warn("the other nodes could not be told that this node ends", zap.Error(err))
	}
}

// Leave gives all hubs back, and then sends their Hosts away, which find a node that
// is free to claim them.
func (m *Member) Leave() {
	if m == nil {
		return
	}
	// Not a context of the server: those have ended by now.
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	m.mu.Lock()
	hosts := m.leaving
	m.leaving = nil
	for hub, h := range m.owned {
		hosts = append(hosts, h.hosts()...)
		delete(m.owned, hub)
		close(h.done)
	}
	m.mu.Unlock()
	if err := m.Directory.Close(ctx); err != nil {
		m.Log.Warn("the hubs of this node could not be given back: other nodes wait for the end of its lease", zap.Error(err))
	}
	// With few Hosts the pause is that of drainRate. With many it shrinks, so that
	// all have gone within drainSpread.
	pause := min(time.Second/drainRate, drainSpread/time.Duration(max(len(hosts), 1)))
	// A pause for each Host would be 0.2 ms, less than timers keep to.
	const atOnce = 50
	for i, u := range hosts {
		if i > 0 && i%atOnce == 0 {
			time.Sleep(atOnce * pause)
		}
		u.end(wsconn.ReasonShutdown)
	}
}
