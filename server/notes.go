package server

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/cluster"
	"github.com/cdphub/cdphub/relay"
)

// A node that dies hands nothing over. So it leaves a note in the directory for each of
// its hubs that has named sessions: who has them, and what of the hub they are attached
// to. The messages are not in it. It is written soon after something has changed, and the
// node that owns the hub next restores what it says.

const (
	// noteEvery is how often changes are looked for, and so how much of a session the
	// death of a node can lose.
	noteEvery = 500 * time.Millisecond
	// noteAgain is when a note is written that has not changed. The directory forgets
	// notes after two hours, see cluster.Directory.Left.
	noteAgain = 30 * time.Minute
	// noteWithin is how long it may take to write one.
	noteWithin = 2 * time.Second
)

// keepNotes writes notes until ctx ends. It alone calls named.Sessions.Changed, which
// allows one goroutine.
func (s *Server) keepNotes(ctx context.Context) {
	tick, again := time.NewTicker(noteEvery), time.NewTicker(noteAgain)
	defer tick.Stop()
	defer again.Stop()
	for {
		var hubs []string
		same := false
		select {
		case <-tick.C:
			hubs = s.named.Changed()
		case <-again.C:
			hubs, same = s.named.Hubs(), true
		case <-ctx.Done():
			return
		}
		for _, hub := range hubs {
			s.writeNote(ctx, hub, same)
		}
	}
}

// writeNote writes the note of a hub, if this node owns it. Sandboxes have none: they
// end with their node. ErrTaken says that a newer owner has written one, which is not
// to be replaced. A note that says the same as the one before is left out, unless same says
// otherwise: each message of a Client may have changed something, and few have.
func (s *Server) writeNote(ctx context.Context, hub string, same bool) {
	h := s.cluster.holdingOf(hub)
	if h == nil || isSandbox(hub) {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, noteWithin)
	defer cancel()
	text := s.noteOf(hub)
	sum := sha256.Sum256(text)
	if sum == h.noted && !same {
		return
	}
	// A write that fails may still have come through, and one that same asks for is to be
	// tried again.
	h.noted = [sha256.Size]byte{}
	err := h.claim.Note(ctx, text)
	switch {
	case err == nil:
		h.noted = sum
	case !errors.Is(err, cluster.ErrTaken):
		s.named.Touch(hub) // again with the next ones
		s.cluster.log.Debug("the note of a hub was not written", zap.String("hub", hub), zap.Error(err))
	}
}

// holdingOf is the hub that this node owns by a name, or nil.
func (m *membership) holdingOf(hub string) *holding {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held[hub]
}

// noteOf is the note for the next owner of a hub, in JSON; nil for nothing to say. A
// note of more than cluster.MaxNote bytes leaves out first what the sessions are
// attached to, and then sessions, half of them each time.
func (s *Server) noteOf(hub string) []byte {
	h, release := s.hubs.Peek(hub)
	defer release()
	n := handover{Named: s.named.Look(hub)}
	if n.Named.Empty() {
		return nil
	}
	// The browser runs at this node, and ends with it.
	if s.browsers.Has(hub) {
		n.Named.Lose()
	}
	n.Host = h.Control().State()
	text, err := json.Marshal(n)
	for try := 0; err == nil && len(text) > cluster.MaxNote; try++ {
		n.Host = relay.HubState{}
		if try == 0 {
			n.Named.Shorten()
		} else {
			n.Named.Halve()
		}
		s.cluster.log.Debug("the note of a hub is too long, and is shortened", zap.String("hub", hub), zap.Int("bytes", len(text)))
		text, err = json.Marshal(n)
	}
	if err != nil {
		return nil
	}
	return text
}

// readNote restores what the last owner of a hub has left in the directory. An error
// is only logged: the hub then begins without sessions.
func (s *Server) readNote(ctx context.Context, hub string) {
	text, err := s.cluster.dir.Left(ctx, hub)
	var n handover
	if err == nil && len(text) > 0 {
		err = json.Unmarshal(text, &n)
	}
	if err != nil {
		s.log.Warn("what the owner before has noted of a hub could not be read: its named sessions are lost", zap.String("hub", hub), zap.Error(err))
		return
	}
	if !n.Named.Empty() {
		s.adopt(hub, n, movedRestored)
	}
}
