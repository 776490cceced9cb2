package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// tabTools are the tools for pages as a whole.
var tabTools = []tool{
	defineTool("browser_tabs", "Pages", "Lists the pages, opens one, selects one as the current page, or closes one.", alters|modal|pageless|reading|loadTime|mayShow, useTabs),
	defineTool("browser_close", "Close the page", "Closes the page.", alters|modal|actTime, closePage),
}

// tabs are the pages of a client, among those of its hub: the ones that it has opened
// or selected, and the ones that these have opened.
type tabs struct {
	list    []string // IDs, in the order in which they became the client's
	current string   // "" for none
	listed  []string // list, as the client knows it
}

// add makes a page the client's.
func (t *tabs) add(id string) {
	if !slices.Contains(t.list, id) {
		t.list = append(t.list, id)
	}
}

// update adds pages that the client's pages have opened, and drops pages that are
// gone. If the current page is gone, the next one in the list takes its place, or the
// one before.
func (t *tabs) update(pages []actions.PageInfo) {
	for _, p := range pages {
		if slices.Contains(t.list, p.Opener) {
			t.add(p.ID)
		}
	}
	gone := func(id string) bool {
		return !slices.ContainsFunc(pages, func(p actions.PageInfo) bool { return p.ID == id })
	}
	if at := slices.Index(t.list, t.current); at >= 0 && gone(t.current) {
		t.current = ""
		after := slices.DeleteFunc(slices.Concat(t.list[at+1:], reversedCopy(t.list[:at])), gone)
		if len(after) > 0 {
			t.current = after[0]
		}
	}
	t.list = slices.DeleteFunc(t.list, gone)
}

// toldAt finds a page by its index in the list that the client knows. The page may have closed
// since: the index never means the one that has moved up to its place.
func (t *tabs) toldAt(index float64) (id string, ok bool) {
	i := int(index)
	if i < 0 || i >= len(t.listed) || float64(i) != index {
		return "", false
	}
	return t.listed[i], true
}

func reversedCopy(list []string) []string {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// pageOf finds the page that a call is for, and makes it one of the client's. A
// client that never had a page gets the first one of the hub, if the tool needs a
// page.
func (s *session) pageOf(b *actions.Browser, id string, needed bool) (*actions.Page, error) {
	pages := b.Pages()
	s.mu.Lock()
	fresh := s.tabs.list == nil
	s.tabs.update(pages)
	if id == "" {
		id = s.tabs.current
	}
	s.mu.Unlock()
	// A client that has closed its last page must not be given one of others.
	if id == "" && (!fresh || !needed) && len(pages) > 0 {
		return nil, &actions.Error{Kind: actions.PageNotFound, Message: noPageOpen}
	}
	p, err := b.Page(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tabs.add(p.ID)
	if s.tabs.current == "" {
		s.tabs.current = p.ID
	}
	if fresh {
		s.tabs.listed = slices.Clone(s.tabs.list)
	}
	return p, nil
}

// app is the page that browser_navigate takes in a hub whose pages are apps in
// frames: such a hub may not be able to open another. It is nil where a page can be
// opened.
func (c *call) app(ctx context.Context) *actions.Page {
	c.mu.Lock()
	fresh := c.session.tabs.list == nil
	c.mu.Unlock()
	pages := c.b.Pages()
	if !fresh || len(pages) == 0 {
		return nil
	}
	p, err := c.b.Page(pages[0].ID)
	if err != nil {
		return nil
	}
	if kind, err := p.Kind(ctx); err != nil || kind != actions.FrameTarget {
		return nil
	}
	return p
}

// makeCurrent makes a page the current one, and one of the client's.
func (s *session) makeCurrent(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tabs.add(id)
	s.tabs.current = id
}

type tabArgs struct {
	onPage
	Action tabAction `json:"action" jsonschema:"What to do"`
	Index  *float64  `json:"index,omitempty" jsonschema:"To select or close, from 0"`
	URL    string    `json:"url,omitempty" jsonschema:"What to show in a new page"`
}

func useTabs(ctx context.Context, c *call, in tabArgs) error {
	if err := c.caller.Permit("browser_tabs with the action "+string(in.Action), in.Action == "list"); err != nil {
		return err
	}
	id, err := c.tab(in)
	if err != nil {
		return err
	}
	switch in.Action {
	case "new":
		if err = c.newTab(ctx, in.URL); err == nil && in.URL != "" {
			c.calm = true
			c.look(ctx)
		}
	case "select":
		if id == "" {
			return invalidArgument("index must say which page to select")
		}
		if err = c.b.ActivatePage(ctx, id); err == nil {
			c.makeCurrent(id)
		}
	case "close":
		err = c.closeTab(ctx, id)
	}
	c.listTabs(ctx)
	return err
}

// tab is the ID of the page that is meant; "" means the current one. Indices are
// those of the list that the client has seen.
func (c *call) tab(in tabArgs) (string, error) {
	if in.Index == nil {
		if in.PageID != "" {
			return c.page.ID, nil
		}
		return "", nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	id, ok := c.session.tabs.toldAt(*in.Index)
	if !ok {
		return "", &actions.Error{Kind: actions.PageNotFound, Message: fmt.Sprintf("page not found: there is none with index %g", *in.Index)}
	}
	return id, nil
}

// newTab opens a page, waits until it has loaded, and makes it the page of the call
// and the current one.
func (c *call) newTab(ctx context.Context, url string) error {
	url = completeAddress(url)
	p, n, err := c.b.OpenPrepared(ctx, url, "", c.routed())
	if err != nil {
		return err
	}
	if url != "" {
		c.ran("await page.goto(%s);", jsLiteral(url))
	}
	c.page, c.status = p, n.Status
	c.makeCurrent(p.ID)
	c.watch(ctx, p)
	c.learn(actions.PageInfo{ID: p.ID, URL: n.URL, Title: n.Title})
	return nil
}

// noPageOpen is the message of the error for a client whose last page has gone. cdphub mcp does not always know why.
const noPageOpen = "page not found: this client has no page open: its pages have been closed, or their browser has ended, and log-ins with it"

// closeTab closes a page; "" means the current one.
func (c *call) closeTab(ctx context.Context, id string) error {
	if id == "" && c.page == nil {
		return &actions.Error{Kind: actions.PageNotFound, Message: noPageOpen}
	}
	if id == "" {
		id = c.page.ID
	}
	return c.b.ClosePage(ctx, id)
}

func closePage(ctx context.Context, c *call, _ none) error {
	c.ran("await page.close()")
	err := c.closeTab(ctx, c.page.ID)
	c.listTabs(ctx)
	return err
}

// maxOthers is how many pages of others a list shows.
const maxOthers = 50

// listTabs adds the client's pages with their indices, and pages of others with their
// IDs, to the result.
func (c *call) listTabs(ctx context.Context) {
	_, _ = c.b.List(ctx) // the titles that they have now; else those that are known
	own, others := c.ownTabs()
	c.lines = append(c.lines, own...)
	if own == nil {
		c.say("This client has no page open: open one with browser_navigate.")
	}
	if others != nil {
		c.say("Other pages of this hub, to use by their pageId:")
		c.lines = append(c.lines, others[:min(len(others), maxOthers)]...)
	}
	if more := len(others) - maxOthers; more > 0 {
		c.say("and %d more", more)
	}
}

// newTabs adds the client's pages to the answer if they have changed since it saw the
// list.
func (c *call) newTabs() {
	c.mu.Lock()
	listed := slices.Clone(c.session.tabs.listed)
	c.mu.Unlock()
	own, _ := c.ownTabs()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(listed, c.session.tabs.list) && len(own) > 1 {
		c.reply.tabs = own
	}
}

// ownTabs are lines for the client's pages and for those of others. From then on the
// client knows its own list.
func (c *call) ownTabs() (own, others []string) {
	pages := c.b.Pages()
	c.mu.Lock()
	c.session.tabs.update(pages)
	list, current := slices.Clone(c.session.tabs.list), c.session.tabs.current
	c.session.tabs.listed = list
	c.mu.Unlock()
	for i, id := range list {
		p := pages[slices.IndexFunc(pages, func(p actions.PageInfo) bool { return p.ID == id })]
		mark := ""
		if id == current {
			mark = " (current)"
		}
		own = append(own, fmt.Sprintf("- %d:%s %s", i, mark, c.tabLine(p)))
	}
	for _, p := range pages {
		if !slices.Contains(list, p.ID) {
			others = append(others, "- "+c.tabLine(p))
		}
	}
	return own, others
}

func (c *call) tabLine(p actions.PageInfo) string {
	if p.Title == "" || strings.HasSuffix(strings.TrimSuffix(p.URL, "/"), p.Title) { // Chromium's word for one that it has not told yet
		p.Title = c.learned(p)
	}
	return fmt.Sprintf("[%s](%s) (pageId: %s)", oneLine(p.Title), p.URL, p.Alias)
}
