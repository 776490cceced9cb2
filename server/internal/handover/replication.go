package handover

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/server/internal/front"
)

// A node that dies hands nothing over. So it replicates in the directory the state of each of
// its hubs that has named sessions: who has them, and what of the hub they are attached
// to. The messages are not in it. It is written soon after something has changed, and the
// node that owns the hub next restores it.

const (
	// replicateEvery is how often changes are looked for, and so how much of a session the
	// death of a node can lose.
	replicateEvery = 500 * time.Millisecond
	// refreshEvery is when a state is written that has not changed. The directory forgets
	// states after two hours, see cluster.Directory.Left.
	refreshEvery = 30 * time.Minute
	// writeTimeout is how long it may take to write one.
	writeTimeout = 2 * time.Second
)

// Replicate writes states until ctx ends. It alone calls named.Sessions.Changed, which
// allows one goroutine.
func (h *Handover) Replicate(ctx context.Context) {
	tick, again := time.NewTicker(replicateEvery), time.NewTicker(refreshEvery)
	defer tick.Stop()
	defer again.Stop()
	for {
		var hubs []string
		same := false
		select {
		case <-tick.C:
			hubs = h.Named.Changed()
		case <-again.C:
			hubs, same = h.Named.Hubs(), true
		case <-ctx.Done():
			return
		}
		for _, hub := range hubs {
			h.replicateHub(ctx, hub, same)
		}
	}
}

// replicateHub writes the state of a hub, if this node owns it. Sandboxes have none: they
// end with their node. ErrTaken says that a newer owner has written one, which is not
// to be replaced. A state that is the same as the one before is left out, unless same says
// otherwise: each message of a Client may have changed something, and few have.
func (h *Handover) replicateHub(ctx context.Context, hub string, same bool) {
	if front.IsSandbox(hub) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, writeTimeout)
	defer cancel()
	err := h.Member.Save(ctx, hub, func() []byte { return h.describe(hub) }, same)
	if err != nil && !errors.Is(err, cluster.ErrTaken) {
		h.Named.Touch(hub) // again with the next ones
		h.Member.Log.Debug("the note of a hub was not written", zap.String("hub", hub), zap.Error(err))
	}
}

// describe is the state of a hub for its next owner, in JSON; nil for nothing to say. A
// state of more than cluster.MaxNote bytes leaves out first what the sessions are
// attached to, and then sessions, half of them each time.
func (h *Handover) describe(name string) []byte {
	hub, release := h.Hubs.Peek(name)
	defer release()
	n := hubState{Named: h.Named.Look(name)}
	if n.Named.Empty() {
		return nil
	}
	// The browser runs at this node, and ends with it.
	if h.Browsers.Has(name) {
		n.Named.Lose()
	}
	n.Host = hub.Control().State()
	text, err := json.Marshal(n)
	for try := 0; err == nil && len(text) > cluster.MaxNote; try++ {
		n.Host = relay.HubState{}
		if try == 0 {
			n.Named.Shorten()
		} else {
			n.Named.Halve()
		}
		h.Member.Log.Debug("the note of a hub is too long, and is shortened", zap.String("hub", name), zap.Int("bytes", len(text)))
		text, err = json.Marshal(n)
	}
	if err != nil {
		return nil
	}
	return text
}

// Restore restores what the last owner of a hub has left in the directory. An error
// is only logged: the hub then begins without sessions.
func (h *Handover) Restore(ctx context.Context, hub string) {
	text, err := h.Member.Directory.Left(ctx, hub)
	var n hubState
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		h.Log.Warn("what the owner before has noted of a hub could not be read: its named sessions are lost", zap.String("hub", hub), zap.Error(err))
		return
	}
	if !n.Named.Empty() {
		h.inherit(hub, n, movedRestored)
	}
}
