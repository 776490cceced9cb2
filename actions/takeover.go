package actions

import "context"

// While a person has taken over a page, agents may read it but not act on it. The hub
// refuses commands that act, such as Input.dispatchMouseEvent. To the hub all calls
// of the page script look the same, so the ones that act ask the hub first.

// taker is a Client that can ask whether somebody has taken over a page. relay.Local
// can, and package remote for a hub elsewhere.
type taker interface {
	// MayAct fails while somebody else has taken over the page. It may wait until
	// that is over.
	MayAct(ctx context.Context, targetID string) error
}

// reading are the verbs of the page script that do not act on the page. All others
// act, so that a new verb is refused until it is listed here.
var reading = map[string]bool{
	"box": true, "boxes": true, "checked": true, "content": true, "depth": true, "elements": true, "hit": true, "metrics": true,
	"observe": true, "overlay": true, "secrets": true, "state": true, "storage": true, "tagged": true, "turn": true, "wait": true,
	"yaml": true,
}

// mayAct fails with Paused while somebody else has taken over the page.
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
