package jsonrpc

import (
	"context"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
)

// requestHandoff asks a person to act on the tab; timeout_ms is for the person.
func requestHandoff(ctx context.Context, c *call) (any, error) {
	c.Need("instructions")
	instructions, within := c.Text("instructions"), c.Limit(0)
	return c.onTab(ctx, actWithin, func(ctx context.Context, p *actions.Page) (any, error) {
		h, err := p.BeginHandoff(ctx, instructions, within)
		return envelope.HandoffOf(h), err
	})
}

// handoffWait waits until a handoff has ended, or for timeout_ms.
func handoffWait(ctx context.Context, c *call) (any, error) {
	c.Need("handoff_id")
	id := c.Text("handoff_id")
	return c.onTab(ctx, c.Limit(readWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		h, err := p.AwaitHandoff(ctx, id)
		return envelope.HandoffOf(h), err
	})
}

// handoffCancel takes a handoff back.
func handoffCancel(ctx context.Context, c *call) (any, error) {
	c.Need("handoff_id")
	id := c.Text("handoff_id")
	return c.onTab(ctx, actWithin, func(ctx context.Context, p *actions.Page) (any, error) {
		h, err := p.CancelHandoff(ctx, id)
		return envelope.HandoffOf(h), err
	})
}
