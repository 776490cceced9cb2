package ndjson

import (
	"context"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
)

// handedOff is the result of the actions about handoffs.
type handedOff struct {
	PageID string `json:"page_id"`
	envelope.Handoff
}

// requestHandoff asks a person to act on the page; timeout_ms is for the person.
func requestHandoff(ctx context.Context, c *call) (any, error) {
	c.Need("instructions")
	instructions, within := c.Text("instructions"), c.Milliseconds("timeout_ms")
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		h, err := page.BeginHandoff(ctx, instructions, within)
		return handedOff{page.Alias, envelope.HandoffOf(h)}, err
	})
}

// onHandoff makes the actions on a handoff that was begun: to wait until it has ended, or for
// timeout_ms, and to take it back.
func onHandoff(do func(*actions.Page, context.Context, string) (actions.Handoff, error)) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		c.Need("handoff_id")
		id := c.Text("handoff_id")
		return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
			h, err := do(page, ctx, id)
			return handedOff{page.Alias, envelope.HandoffOf(h)}, err
		})
	}
}
