package actions

import (
	"context"
	"slices"
	"strings"
)

// OpenPage is NewPage, and waits for the page's load event. A page whose
// document may not be shown, or cannot be had, is closed again; when time runs
// out before the load event the page stays, and Reached is false.
func (b *Browser) OpenPage(ctx context.Context, url, contextID string) (p *Page, n Navigation, err error) {
	ctx, cancel := bounded(ctx)
	defer cancel()
	if p, err = b.NewPage(ctx, url, contextID); err != nil {
		return nil, n, err
	}
	if n, err = p.arrive(ctx, url); err == nil {
		return p, n, nil
	}
	closing, stop := b.while() // even when the caller's time is over
	defer stop()
	_ = b.ClosePage(closing, p.ID) // else it has gone by itself
	return nil, n, err
}

// arrive waits for the load event of the document that a new page shows.
func (p *Page) arrive(ctx context.Context, url string) (n Navigation, err error) {
	session, err := p.attach(ctx)
	if err != nil {
		return n, err
	}
	p.guard(session, p.URL()) // which may have come before there was a session to tell
	inTime, stop := context.WithTimeout(ctx, waiting(ctx))
	defer stop()
	err = p.await(inTime, NavigationTimeout, func() (bool, *Error) {
		switch {
		case p.blocked != nil:
			return false, p.blocked
		case strings.HasPrefix(p.url, "chrome-error:"):
			return false, errorf(NavigationFailed, "navigation failed: %s cannot be reached", url)
		}
		n.Committed = url == "" || url == "about:blank" || p.url != "" && p.url != "about:blank"
		n.Reached = n.Committed && p.loadLocked(p.loader).reached[Load]
		return n.Reached, nil
	})
	if err != nil && !n.Committed {
		return n, err
	}
	if err != nil && KindOf(err) != NavigationTimeout {
		return n, err
	}
	p.describe(ctx, &n)
	return n, nil
}

// List is Pages with the titles that they have now: a browser does not tell
// when one changes.
func (b *Browser) List(ctx context.Context) ([]PageInfo, error) {
	ctx, cancel := bounded(ctx)
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
