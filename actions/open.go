package actions

import (
	"context"
	"slices"
	"strings"
)

// NewPage is OpenPage without the Navigation.
func (b *Browser) NewPage(ctx context.Context, url, contextID string) (*Page, error) {
	p, _, err := b.OpenPage(ctx, url, contextID)
	return p, err
}

// OpenPage opens a page, waits for its load event, and makes it the active one.
// A url of "" is about:blank, a context of "" the default one. A page whose
// document may not be shown, or cannot be had, is closed again; when time runs
// out before the load event the page stays, and Reached is false.
func (b *Browser) OpenPage(ctx context.Context, url, contextID string) (*Page, Navigation, error) {
	return b.OpenPrepared(ctx, url, contextID, nil)
}

// OpenPrepared is OpenPage for a page that needs something before its document is
// asked for, such as cookies or an emulated device. prepare may be nil; its error
// closes the page.
func (b *Browser) OpenPrepared(ctx context.Context, url, contextID string, prepare func(context.Context, *Page) error) (p *Page, n Navigation, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	if err := b.Loss(); err != nil {
		return nil, n, err
	}
	if url == "" {
		url = blank
	}
	if err := b.check(ctx, url); err != nil {
		return nil, n, err
	}
	first := url
	if prepare != nil {
		first = blank
	}
	if p, err = b.create(ctx, first, contextID); err != nil {
		return nil, n, err
	}
	if n, err = p.awaitNewDocument(ctx, first); err == nil && prepare != nil {
		n, err = p.prepareAndShow(ctx, url, prepare)
	}
	if err == nil {
		b.use(p)
		return p, n, nil
	}
	// The context of the caller may be over, and the page must go all the same.
	closing, stop := b.while() // even when the caller's time is over
	defer stop()
	_ = b.ClosePage(closing, p.ID) // else it has gone by itself
	return nil, n, err
}

// blank is the address of a page that shows nothing.
const blank = "about:blank"

// create makes a page (Target.createTarget). A frame's Host opens a frame for it.
func (b *Browser) create(ctx context.Context, url, contextID string) (*Page, error) {
	params := obj{"url": url}
	if contextID != "" {
		params["browserContextId"] = contextID
	}
	var made struct{ TargetID string }
	failed := b.call(ctx, "Target.createTarget", params, &made)
	if failed == nil {
		b.hasOpened(made.TargetID)
	}
	// After this, the events of the new page have been handled, and the list has it.
	if err := b.settle(ctx); err != nil && failed == nil { // a page that could not be shown has come and gone
		return nil, err
	}
	if failed != nil {
		return nil, notOpened(url, failed)
	}
	return b.Page(made.TargetID)
}

// withoutAgent are the words of a Host whose new frame shows no document of the
// app's, which it has closed again.
const withoutAgent = "Frame Agent did not connect"

// notOpened is the error for a page that could not be made. It is NavigationFailed
// where the document was the reason.
func notOpened(url string, err error) error {
	switch {
	case url == blank:
		return err
	case strings.Contains(err.Error(), withoutAgent):
		return newError(NavigationFailed, "navigation failed: %s cannot be reached, or has no Frame Agent", url)
	case strings.Contains(err.Error(), "opens no frame for"):
		return navigationError(err)
	}
	return err
}

// prepareAndShow prepares a blank page, and then shows its document.
func (p *Page) prepareAndShow(ctx context.Context, url string, prepare func(context.Context, *Page) error) (n Navigation, err error) {
	if err := prepare(ctx, p); err != nil {
		return n, err
	}
	if url == blank {
		p.describeDocument(ctx, &n)
		return n, nil
	}
	n, err = p.Goto(ctx, url, GotoOptions{})
	if n.Committed && KindOf(err) == NavigationTimeout {
		err = nil
	}
	return n, err
}

// awaitNewDocument waits for the load event of the document that a new page shows. When the
// time is over after the document was committed, there is no error, and Reached is
// false.
func (p *Page) awaitNewDocument(ctx context.Context, url string) (n Navigation, err error) {
	session, err := p.attach(ctx)
	if err != nil {
		return n, err
	}
	p.blankIfRefused(session, p.address()) // which may have come before there was a session for its events
	inTime, stop := context.WithTimeout(ctx, elementPatience(ctx))
	defer stop()
	err = p.awaitState(inTime, NavigationTimeout, func() (bool, *Error) {
		switch {
		case p.blocked != nil:
			return false, p.blocked
		case strings.HasPrefix(p.doc.url, "chrome-error:"):
			return false, newError(NavigationFailed, "navigation failed: %s cannot be reached", url)
		}
		n.Committed = url == blank || p.doc.url != "" && p.doc.url != blank
		n.Reached = n.Committed && p.doc.reached(Load)
		return n.Reached, nil
	})
	if err != nil && !n.Committed {
		return n, p.whyUnreachable(ctx, err)
	}
	if err != nil && KindOf(err) != NavigationTimeout {
		return n, err
	}
	p.describeDocument(ctx, &n)
	return n, nil
}

// whyUnreachable is the URL policy's error if the policy was the reason that a new
// page shows an error page, else err. The request may have failed before there was a
// session for its events; the error page names the address.
func (p *Page) whyUnreachable(ctx context.Context, err error) error {
	p.mu.Lock()
	url := p.doc.unreachable
	p.mu.Unlock()
	if url != "" {
		if why := p.b.check(ctx, url); why != nil {
			return why
		}
	}
	return err
}

// List is Pages with the titles of this moment. Chromium does not report each change
// of a title by an event, so it asks for all targets.
func (b *Browser) List(ctx context.Context) ([]PageInfo, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	var now struct{ TargetInfos []targetInfo }
	if err := b.call(ctx, "Target.getTargets", nil, &now); err != nil {
		return nil, err
	}
	b.mu.Lock()
	for _, t := range now.TargetInfos {
		if i := slices.IndexFunc(b.pages, func(p *Page) bool { return p.ID == t.TargetID }); i >= 0 {
			b.pages[i].setInfo(t)
		}
	}
	b.mu.Unlock()
	return b.Pages(), nil
}
