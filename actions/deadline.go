package actions

import (
	"context"
	"time"
)

// MaxTimeout is the longest that any call may take.
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

// bounded gives a call a deadline if its context has none, or one too late.
func bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	at, ok := ctx.Deadline()
	switch {
	case !ok:
		return context.WithTimeout(ctx, defaultTimeout)
	case time.Until(at) > MaxTimeout:
		return context.WithTimeout(ctx, MaxTimeout)
	}
	return ctx, func() {}
}

// waiting is how long the page may wait for an element: what is left of the
// call's time but a tenth, at most half a second, which is for acting and for
// the answer.
func waiting(ctx context.Context) time.Duration {
	at, ok := ctx.Deadline()
	if !ok {
		return defaultTimeout
	}
	left := time.Until(at)
	return max(left-min(left/10, 500*time.Millisecond), 0)
}
