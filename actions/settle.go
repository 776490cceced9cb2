package actions

import (
	"context"
	"time"
)

// How long Settle waits: for a page to begin something after an action, and for
// the document of a navigation that has begun.
const (
	settleQuiet    = 500 * time.Millisecond
	settleDocument = 5 * time.Second
)

// Settle gives the page time to react to an action, for a snapshot to be taken
// after it: up to half a second, or until the document of a navigation has been
// parsed, for at most five.
func (p *Page) Settle(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	p.mu.Lock()
	before := p.loader
	p.mu.Unlock()
	quiet, stop := context.WithTimeout(ctx, settleQuiet)
	defer stop()
	moved := p.await(quiet, Timeout, func() (bool, *Error) { return p.loader != before, nil })
	switch {
	case KindOf(moved) == TargetClosed:
		return moved
	case moved != nil:
		return ctx.Err()
	}
	parsed, stop := context.WithTimeout(ctx, settleDocument)
	defer stop()
	if err := p.await(parsed, Timeout, func() (bool, *Error) { return p.loadLocked(p.loader).reached[DOMContentLoaded], nil }); KindOf(err) == TargetClosed {
		return err
	}
	return ctx.Err()
}
