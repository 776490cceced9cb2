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
