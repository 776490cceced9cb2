package envelope

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// Call is one request as its method sees it. Params notes the first wrong param, which
// OnPage returns.
type Call struct {
	Scheduler *actions.Scheduler
	*actions.Params
}

// OnPage runs do on the page that a param of the call names, within a time, of which an element gets
// actions.ElementTime unless the call has timeout_ms. It fails first if one of the params that were
// read before was wrong.
func (c Call) OnPage(ctx context.Context, param string, within time.Duration, do func(context.Context, *actions.Page) (any, error)) (any, error) {
	if err := c.Err(); err != nil {
		return nil, err
	}
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	page, err := b.Page(c.Text(param))
	if err != nil {
		return nil, err
	}
	ctx, cancel := actions.WithTimeout(ctx, within, within)
	defer cancel()
	if !c.Has("timeout_ms") {
		ctx = actions.WithElementTime(ctx, actions.ElementTime)
	}
	return do(ctx, page)
}

// Limit is what the param timeout_ms says, or the default; actions.MaxTimeout at most.
func (c Call) Limit(byDefault time.Duration) time.Duration {
	if d := c.Milliseconds("timeout_ms"); d > 0 {
		return d
	}
	return byDefault
}

// Handoff is a handoff in an answer.
type Handoff struct {
	HandoffID string               `json:"handoff_id"`
	URL       string               `json:"url"`        // for the person
	ExpiresMS int64                `json:"expires_ms"` // since 1970
	State     actions.HandoffState `json:"state"`
}

// HandoffOf is a handoff in the form of answers.
func HandoffOf(h actions.Handoff) Handoff {
	return Handoff{h.ID, h.URL, h.Expires.UnixMilli(), h.State}
}
