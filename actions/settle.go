package actions

import (
	"context"
	"time"
)

// How long Settle waits: for a page to begin something after an action, and for
// the document of a navigation that has begun.
//
// In a frame that document must come sooner. Chromium 156 tells a page that it
// wants to leave (navigate, beforeunload), and then nothing when the answer is a
// 204 or a download: only the browser can tell such a document from a slow
// one.
const (
	settleQuiet    = 500 * time.Millisecond
	settleDocument = 5 * time.Second
	settleFrame    = 2 * time.Second
)

// Settle gives the page time to react to an action, for a snapshot that is taken
// after it: half a second, or until the document of a navigation has been parsed, for
// at most five seconds.
func (p *Page) Settle(ctx context.Context) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	p.mu.Lock()
	before := p.doc.loader
	p.mu.Unlock()
	quiet, stop := context.WithTimeout(ctx, settleQuiet)
	defer stop()
	// TargetClosed is the only failure: that nothing happened within half a second is
	// the normal case.
	if err := p.awaitState(quiet, Timeout, func() (bool, *Error) { return p.doc.loader != before, nil }); KindOf(err) == TargetClosed {
		return err
	}
	return p.awaitParsed(ctx, before)
}

// Follow waits for the document to which the latest action leads, if the action has
// begun a navigation: until it has been parsed, for at most five seconds. In a frame
// the document must come within two seconds.
func (p *Page) Follow(ctx context.Context) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	quiet, stop := context.WithTimeout(ctx, settleQuiet)
	defer stop()
	// The answer of the script comes after what the action has begun in the page's
	// own turn, such as a navigation.
	if err := p.callScriptIn(quiet, "", scriptCall{verb: "turn"}); KindOf(err) == TargetClosed {
		return err
	}
	_ = p.b.settle(quiet) // the page's events until then
	p.mu.Lock()
	before := p.acted
	p.mu.Unlock()
	return p.awaitParsed(ctx, before)
}

// awaitParsed waits for the document after another one, if there is one or is about to be.
func (p *Page) awaitParsed(ctx context.Context, before string) error {
	inTime, stop := context.WithTimeout(ctx, settleDocument)
	defer stop()
	if p.kindNow() == FrameTarget {
		p.awaitLeft(inTime)
	}
	err := p.awaitState(inTime, Timeout, func() (bool, *Error) {
		return !p.doc.leaving && (p.doc.loader == before || p.doc.reached(DOMContentLoaded)), nil
	})
	if KindOf(err) == TargetClosed {
		return err
	}
	return ctx.Err()
}

// awaitLeft waits until a frame's document has been left. If the document is still there
// after settleFrame, it counts as staying.
func (p *Page) awaitLeft(ctx context.Context) {
	inTime, stop := context.WithTimeout(ctx, settleFrame)
	defer stop()
	err := p.awaitState(inTime, Timeout, func() (bool, *Error) { return !p.doc.leaving, nil })
	if KindOf(err) != Timeout || ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doc.leaving = false // or every later action would wait for it, too
}
