package jsonrpc

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// handedOff is the result of both methods about handoffs.
type handedOff struct {
	HandoffID string               `json:"handoff_id"`
	URL       string               `json:"url"`        // for the person
	ExpiresMS int64                `json:"expires_ms"` // since 1970
	State     actions.HandoffState `json:"state"`
}

// requestHandoff asks a person to act on the tab; timeout_ms is for the person.
func requestHandoff(ctx context.Context, c *call) (any, error) {
	c.Need("instructions")
	instructions, within := c.Text("instructions"), c.limit(0)
	return c.on(ctx, actWithin, func(ctx context.Context, p *actions.Page) (any, error) {
		return answerHandoff(p.BeginHandoff(ctx, instructions, within))
	})
}

// handoffWait waits until a handoff has ended, or for timeout_ms.
func handoffWait(ctx context.Context, c *call) (any, error) {
	c.Need("handoff_id")
	id := c.Text("handoff_id")
	return c.on(ctx, c.limit(readWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		return answerHandoff(p.AwaitHandoff(ctx, id))
	})
}

func answerHandoff(h actions.Handoff, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return handedOff{h.ID, h.URL, h.Expires.UnixMilli(), h.State}, nil
}
