package ndjson

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// handedOff is the result of both actions about handoffs.
type handedOff struct {
	PageID    string               `json:"page_id"`
	HandoffID string               `json:"handoff_id"`
	URL       string               `json:"url"`        // for the person
	ExpiresMS int64                `json:"expires_ms"` // since 1970
	State     actions.HandoffState `json:"state"`
}

// requestHandoff asks a person to act on the page; timeout_ms is for the person.
func requestHandoff(ctx context.Context, c *call) (any, error) {
	c.Need("instructions")
	instructions, within := c.Text("instructions"), c.Milliseconds("timeout_ms")
	ctx, cancel, page, err := c.on(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return answerHandoff(page)(page.BeginHandoff(ctx, instructions, within))
}

// handoffWait waits until a handoff has ended, or for timeout_ms.
func handoffWait(ctx context.Context, c *call) (any, error) {
	c.Need("handoff_id")
	id := c.Text("handoff_id")
	ctx, cancel, page, err := c.on(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return answerHandoff(page)(page.AwaitHandoff(ctx, id))
}

func answerHandoff(p *actions.Page) func(actions.Handoff, error) (any, error) {
	return func(h actions.Handoff, err error) (any, error) {
		if err != nil {
			return nil, err
		}
		return handedOff{p.Alias, h.ID, h.URL, h.Expires.UnixMilli(), h.State}, nil
	}
}
