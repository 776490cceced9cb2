package actions

import "context"

// While a person has taken over a page, agents read it and do not act on it. A hub
// refuses the commands that act. What acts by the page script asks before, since such
// a call is to the hub the same as one that reads.

// taker is a Client that knows who has taken over a page, as relay.Local does, and
// package remote for a hub elsewhere.
type taker interface {
	// MayAct fails while somebody else has taken over the page. It may wait until
	// that is over.
	MayAct(ctx context.Context, targetID string) error
}

// reading is what the page script does that does not act on the page. Any other of
// its verbs acts.
var reading = map[string]bool{
	"box": true, "boxes": true, "checked": true, "content": true, "depth": true, "elements": true, "hit": true, "metrics": true,
	"observe": true, "overlay": true, "secrets": true, "state": true, "storage": true, "tagged": true, "turn": true, "wait": true,
	"yaml": true,
}

// mayAct refuses to act on a page that somebody else has taken over.
func (p *Page) mayAct(ctx context.Context) error {
	t, ok := p.b.client.(taker)
	if !ok {
		return nil
	}
	if err := t.MayAct(ctx, p.ID); err != nil {
		return p.translate("CdpHub.mayAct", err)
	}
	return nil
}
