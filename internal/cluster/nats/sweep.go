package natsdir

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"
)

// sweepEvery is how often the directory is searched for claims of nodes that have died.
const sweepEvery = time.Hour

// sweeper takes claims out of the directory whose node is dead in two rounds: a node that
// is only cut off keeps its hubs.
type sweeper struct {
	d    *Directory
	dead map[string]bool // the nodes of the last round
}

// run sweeps until ctx ends. One node alone does it.
func (s *sweeper) run(ctx context.Context) {
	for pauseFor(ctx, sweepEvery) == nil {
		if s.d.isFirst() {
			s.round(ctx)
		} else {
			s.dead = nil
		}
	}
}

// isFirst reports whether this node is the first by id of those that are alive.
func (d *Directory) isFirst() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for id := range d.alive {
		if id < d.self.ID {
			return false
		}
	}
	return d.certainLocked() == nil
}

// round looks at all claims once. A claim is removed only at the revision that was read:
// one that was made meanwhile stays.
func (s *sweeper) round(ctx context.Context) {
	dead, taken := make(map[string]bool), 0
	for _, b := range s.d.owners {
		keys, err := b.keys(ctx)
		if err != nil {
			return // the next round begins anew
		}
		for _, key := range keys {
			if key == madeKey || strings.HasPrefix(key, notePrefix) {
				continue
			}
			m, ok, err := b.last(ctx, key)
			var rec record
			if err != nil || !ok || json.Unmarshal(m.Data, &rec) != nil {
				continue
			}
			if _, alive, err := s.d.node(ctx, rec.Node); err != nil || alive {
				continue
			}
			dead[rec.Node] = true
			if s.dead[rec.Node] && b.remove(ctx, key, jetstream.LastRevision(m.Sequence), jetstream.PurgeTTL(markerKept)) == nil {
				taken++
			}
		}
	}
	s.dead = dead
	if taken > 0 {
		s.d.log.Info("claims of dead nodes were removed from the directory", zap.Int("claims", taken))
	}
}
