package actions

import (
	"context"
	"time"
)

// MaxTimeout is the longest that any call may take. It keeps a client from holding a
// page with one call for ever.
const MaxTimeout = 300 * time.Second

// defaultTimeout bounds calls whose context has no deadline.
const defaultTimeout = 30 * time.Second

// WithTimeout bounds a call: by d, or by the adapter's default where d is 0,
// and by MaxTimeout in any case.
func WithTimeout(ctx context.Context, d, byDefault time.Duration) (context.Context, context.CancelFunc) {
	if d <= 0 {
		d = byDefault
	}
	return context.WithTimeout(ctx, min(d, MaxTimeout))
}

// ElementTime is how long the adapters let a call wait for its element where the client gives no
// time: Playwright MCP's "action timeout". What lets an element become ready comes within seconds of
// the action before; a wrong selector never does, and an agent can do better than to wait for it.
const ElementTime = 5 * time.Second

type elementTimeKey struct{}

// WithElementTime bounds how long the calls with a context wait for an element to be there, visible,
// enabled and not covered, where they have more time for the rest. It does not bound WaitForSelector.
func WithElementTime(ctx context.Context, d time.Duration) context.Context {
	return context.WithValue(ctx, elementTimeKey{}, d)
}

// elementTime is what WithElementTime says; MaxTimeout without it.
func elementTime(ctx context.Context) time.Duration {
	if d, ok := ctx.Value(elementTimeKey{}).(time.Duration); ok {
		return d
	}
	return MaxTimeout
}

// withDeadline gives a call a deadline if its context has none, or one too late.
func withDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	at, ok := ctx.Deadline()
	switch {
	case !ok:
		return context.WithTimeout(ctx, defaultTimeout)
	case time.Until(at) > MaxTimeout:
		return context.WithTimeout(ctx, MaxTimeout)
	}
	return ctx, func() {}
}

// elementPatience is how long the page may wait for an element: the rest of the call's time
// without a tenth of it, at most half a second. That tenth is for acting and for the
// answer, so that the caller learns what was missing and not only that time is up.
func elementPatience(ctx context.Context) time.Duration {
	at, ok := ctx.Deadline()
	if !ok {
		return defaultTimeout
	}
	left := time.Until(at)
	return max(left-min(left/10, 500*time.Millisecond), 0)
}
