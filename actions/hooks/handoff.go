package hooks

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// handedOff is a handoff, as its hooks answer it.
type handedOff struct {
	HandoffID string               `json:"handoffId"`
	URL       string               `json:"url"`       // for the person
	ExpiresMs int64                `json:"expiresMs"` // since 1970
	State     actions.HandoffState `json:"state"`
}

type handoffParams struct {
	onBrowser
	Instructions *string  `json:"instructions"`
	TimeoutMs    *float64 `json:"timeoutMs"` // for the person
}

// requestHandoff asks a person to act on the page. A handoff ends with the connection that
// has asked for it. For a hook over HTTP that would be at once, so it is refused
// there.
func requestHandoff(ctx context.Context, c *call, p handoffParams) (any, error) {
	if p.Instructions == nil {
		return nil, missingParam("instructions")
	}
	if !c.lasts {
		return nil, newError(actions.Unsupported, "not supported by HTTP: a handoff ends with the connection that has asked for it. Use the WebSocket /hooks")
	}
	within := time.Duration(0)
	if p.TimeoutMs != nil {
		if within = time.Duration(min(*p.TimeoutMs, float64(actions.MaxHandoff.Milliseconds())) * float64(time.Millisecond)); within <= 0 {
			return nil, invalidParam("timeoutMs must be above 0")
		}
	}
	return answerHandoff(c.page.BeginHandoff(ctx, *p.Instructions, within))
}

type handoffWaitParams struct {
	onBrowser
	HandoffID string   `json:"handoffId"`
	TimeoutMs *float64 `json:"timeoutMs"`
}

// handoffWait waits until a handoff has ended, or for timeoutMs.
func handoffWait(ctx context.Context, c *call, p handoffWaitParams) (any, error) {
	ctx, cancel, err := withTimeoutMs(ctx, p.TimeoutMs, loadWithin)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return answerHandoff(c.page.AwaitHandoff(ctx, p.HandoffID))
}

type handoffCancelParams struct {
	onBrowser
	HandoffID string `json:"handoffId"`
}

// handoffCancel takes a handoff back.
func handoffCancel(ctx context.Context, c *call, p handoffCancelParams) (any, error) {
	return answerHandoff(c.page.CancelHandoff(ctx, p.HandoffID))
}

func answerHandoff(h actions.Handoff, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return handedOff{h.ID, h.URL, h.Expires.UnixMilli(), h.State}, nil
}
