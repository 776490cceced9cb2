package bap

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// handedOff is the result of the methods about handoffs. The protocol has no such
// methods: these are the hub's own.
type handedOff struct {
	HandoffID string               `json:"handoffId"`
	URL       string               `json:"url"`     // for the person
	Expires   int64                `json:"expires"` // milliseconds since 1970
	State     actions.HandoffState `json:"state"`
}

type handoffParams struct {
	Instructions string
	Within       int // milliseconds that the person has; 0 is five minutes
}

func (p *handoffParams) check() *failure {
	if p.Within < 0 || p.Within > int(actions.MaxHandoff.Milliseconds()) {
		return invalidParam("within", "must be 1 to 3600000")
	}
	return nil
}

// requestHandoff asks a person to act on the page.
func requestHandoff(ctx context.Context, page *actions.Page, p handoffParams) (any, error) {
	return answerHandoff(page.BeginHandoff(ctx, p.Instructions, time.Duration(p.Within)*time.Millisecond))
}

type handoffWaitParams struct {
	HandoffID string
	Timeout   int // milliseconds
}

func (p *handoffWaitParams) check() *failure {
	if p.Timeout < 0 {
		return invalidParam("timeout", "must be 0 or more")
	}
	return nil
}

// handoffWait waits until a handoff has ended, or until the time is over.
func handoffWait(ctx context.Context, page *actions.Page, p handoffWaitParams) (any, error) {
	const byDefault = 30 * time.Second
	ctx, cancel := actions.WithTimeout(ctx, time.Duration(p.Timeout)*time.Millisecond, byDefault)
	defer cancel()
	return answerHandoff(page.AwaitHandoff(ctx, p.HandoffID))
}

type handoffCancelParams struct{ HandoffID string }

// handoffCancel takes a handoff back.
func handoffCancel(ctx context.Context, page *actions.Page, p handoffCancelParams) (any, error) {
	return answerHandoff(page.CancelHandoff(ctx, p.HandoffID))
}

func answerHandoff(h actions.Handoff, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return handedOff{h.ID, h.URL, h.Expires.UnixMilli(), h.State}, nil
}
