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
// after it: half a second, or until the document of a navigation has been
// parsed, for at most five.
func (p *Page) Settle(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	p.mu.Lock()
	before := p.loader
	p.mu.Unlock()
	quiet, stop := context.WithTimeout(ctx, settleQuiet)
	defer stop()
	if err := p.await(quiet, Timeout, func() (bool, *Error) { return p.loader != before, nil }); KindOf(err) == TargetClosed {
		return err
	}
	return p.parsed(ctx, before)
}

// Follow waits for the document to which the latest action leads, if that has
// begun a navigation: until it has been parsed, for at most five seconds.
func (p *Page) Follow(ctx context.Context) error {
	ctx, cancel := bounded(ctx)
	defer cancel()
	quiet, stop := context.WithTimeout(ctx, settleQuiet)
	defer stop()
	if err := p.scriptIn(quiet, "", scriptCall{verb: "turn"}); KindOf(err) == TargetClosed {
		return err
	}
	p.mu.Lock()
	before := p.acted
	p.mu.Unlock()
	return p.parsed(ctx, before)
}

// parsed waits for the document after another one, if there is one or will be.
func (p *Page) parsed(ctx context.Context, before string) error {
	inTime, stop := context.WithTimeout(ctx, settleDocument)
	defer stop()
	err := p.await(inTime, Timeout, func() (bool, *Error) {
		return !p.leaving && (p.loader == before || p.loadLocked(p.loader).reached[DOMContentLoaded]), nil
	})
	if KindOf(err) == TargetClosed {
		return err
	}
	return ctx.Err()
}
