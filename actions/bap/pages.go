package bap

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"time"

	"github.com/dustin/go-humanize/english"

	"github.com/cdphub/cdphub/actions"
)

var pageMethods = map[string]method{
	"page/create":    mayBeFirst(runsAlone(methodOf("page:create", createPage))),
	"page/list":      methodOf("page:read", listPages),
	"page/navigate":  mayBeFirst(onPageOf("page:navigate", navigatePage)),
	"page/reload":    pageAction("page:navigate", reloadPage),
	"page/goBack":    pageAction("page:navigate", goBack),
	"page/goForward": pageAction("page:navigate", goForward),
	"page/close":     runsAlone(methodOf("page:close", closePage)),
	"page/evaluate":  onPage("script:evaluate", evaluateExpression), // "page:*" is of scope standard
	"page/activate":  runsAlone(methodOf("page:read", activatePage)),
	"frame/list":     onPage("page:read", listFrames),
	"frame/switch":   onPage("page:navigate", switchFrame),
	"frame/main":     onPage("page:navigate", mainFrame),
}

// pageInfo is a page, as Page in the protocol.
type pageInfo struct {
	ID       string           `json:"id"`
	URL      string           `json:"url"`
	Title    string           `json:"title"`
	Viewport actions.Viewport `json:"viewport"` // 0×0 when the page does not say
	Status   string           `json:"status"`   // "loading", "ready" or "error"
}

// sizing is how long a page may take to tell its size, for a list of pages.
const sizing = 2 * time.Second

// describePage returns a page in the form of answers and events. It never fails: a page
// that hangs has the size 0×0.
func describePage(ctx context.Context, p *actions.Page) pageInfo {
	ctx, cancel := context.WithTimeout(ctx, sizing)
	defer cancel()
	size, _ := p.ViewportSize(ctx) // a page that hangs is listed all the same
	at := p.Info()
	info := pageInfo{ID: at.Alias, URL: at.URL, Title: at.Title, Viewport: size, Status: "ready"}
	if n, err := p.WaitForLoadState(ctx, actions.Commit); err == nil { // the page knows its title before others do
		info.URL, info.Title = n.URL, n.Title
	}
	switch {
	case strings.HasPrefix(info.URL, "chrome-error:"):
		info.Status = "error"
	case p.Loading():
		info.Status = "loading"
	}
	return info
}

type createPageParams struct {
	ContextID, URL string

	pageOptions
}

func (p *createPageParams) check() *failure { return p.pageOptions.check() }

func createPage(ctx context.Context, k *call, p createPageParams) (any, error) {
	s := k.session
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	contextID := ""
	options := p.pageOptions
	if p.ContextID != "" && p.ContextID != defaultContext {
		c, bad := s.context(p.ContextID)
		if bad != nil {
			return nil, bad
		}
		contextID = c.target
		options = c.options.with(options)
	}
	page, err := s.openPage(ctx, b, p.URL, contextID, options)
	if err != nil {
		return nil, err
	}
	return describePage(ctx, page), nil
}

// openPage opens a page of the session's own.
func (s *session) openPage(ctx context.Context, b *actions.Browser, url, contextID string, o pageOptions) (*actions.Page, error) {
	if bad := s.mayOpen(b); bad != nil {
		return nil, bad
	}
	page, err := newPage(ctx, b, url, contextID, o)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.created[page.ID] = true
	s.mu.Unlock()
	s.use(page, 0)
	return page, nil
}

// firstPage is the page of a client that has begun with page/navigate. none is the error for
// all others, who know page/create.
func (s *session) firstPage(ctx context.Context, none error) (*actions.Page, error) {
	s.mu.Lock()
	assumed := s.assumed
	s.mu.Unlock()
	if !assumed {
		return nil, none
	}
	if bad := requireScope(s.caller.Scope, "page/create", "page:create"); bad != nil {
		return nil, bad
	}
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	return s.openPage(ctx, b, "", "", pageOptions{})
}

// mayOpen refuses a page before browser/launch, and one more than Options.Pages.
func (s *session) mayOpen(b *actions.Browser) *failure {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.created {
		if _, err := b.Page(id); err != nil { // another Client has closed it
			delete(s.created, id)
		}
	}
	switch most := s.srv.options.Pages; {
	case !s.launched && s.caller.Options.Own: // else the hub's pages, which are seen before, say that there is a browser
		return notLaunched()
	case len(s.created) >= most:
		return limitFailure("Page limit reached: %s at most", retryLimited, english.Plural(most, "page", ""))
	}
	return nil
}

// newPage opens a page. What changes how it is shown is set on a blank page, before
// the document is asked for.
func newPage(ctx context.Context, b *actions.Browser, url, contextID string, o pageOptions) (*actions.Page, error) {
	var prepare func(context.Context, *actions.Page) error
	if _, changed := o.emulation(); changed || o.StorageState != nil {
		prepare = o.apply
	}
	page, _, err := b.OpenPrepared(ctx, url, contextID, prepare)
	return page, err
}

// with is the options, overridden by those that others set.
func (o *pageOptions) with(others pageOptions) pageOptions {
	all := *o
	all.StorageState = cmp.Or(others.StorageState, o.StorageState)
	all.Viewport = cmp.Or(others.Viewport, o.Viewport)
	all.UserAgent = cmp.Or(others.UserAgent, o.UserAgent)
	all.Locale = cmp.Or(others.Locale, o.Locale)
	all.TimezoneID = cmp.Or(others.TimezoneID, o.TimezoneID)
	all.Timezone = cmp.Or(others.Timezone, o.Timezone)
	all.Geolocation = cmp.Or(others.Geolocation, o.Geolocation)
	all.ColorScheme = cmp.Or(others.ColorScheme, o.ColorScheme)
	all.Offline = cmp.Or(others.Offline, o.Offline)
	return all
}

func listPages(ctx context.Context, k *call, _ none) (any, error) {
	s := k.session
	s.mu.Lock()
	closed := s.closed
	s.mu.Unlock()
	if closed {
		return obj{"pages": []pageInfo{}, "activePage": ""}, nil
	}
	b, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	infos := b.Pages()
	list := make([]pageInfo, len(infos))
	active := ""
	var all sync.WaitGroup
	// At most 8 pages are asked at the same time, so that a list is no load.
	atATime := make(chan struct{}, 8)
	for i, info := range infos {
		if info.Active {
			active = info.Alias
		}
		list[i] = pageInfo{ID: info.Alias, URL: info.URL, Title: info.Title, Status: "ready"}
		page, err := b.Page(info.ID)
		if err != nil {
			continue // it has just gone
		}
		all.Go(func() {
			atATime <- struct{}{}
			defer func() { <-atATime }()
			list[i] = describePage(ctx, page)
		})
	}
	all.Wait()
	return obj{"pages": list, "activePage": active}, nil
}

// pageID is the param of methods whose page must be named.
type pageID struct{ PageID string }

func (p *pageID) check() *failure { return requireValue("pageId", p.PageID) }

func closePage(ctx context.Context, k *call, p pageID) (any, error) {
	b, page, err := k.session.page(ctx, p.PageID)
	if err != nil {
		return nil, err
	}
	if err := b.ClosePage(ctx, page.ID); err != nil {
		return nil, err
	}
	k.session.forget(page.ID)
	return none{}, nil
}

// forget removes what the session keeps for a page that was closed.
func (s *session) forget(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.created, id)
	delete(s.heard, id)
	delete(s.limits, id)
	delete(s.intercepts, id)
}

// activatePage brings a page to the front. For a caller that may only read, the page
// becomes only the session's own active page.
func activatePage(ctx context.Context, k *call, p pageID) (any, error) {
	b, page, err := k.session.page(ctx, p.PageID)
	if err != nil {
		return nil, err
	}
	if k.c.caller.Permit(k.method, false) != nil {
		return none{}, b.UsePage(page.ID)
	}
	return none{}, b.ActivatePage(ctx, page.ID)
}
