package ndjson

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// tab is a page in the answer to tab.list.
type tab struct {
	PageID string `json:"page_id"`
	URL    string `json:"url"`
	Title  string `json:"title"`
	Active bool   `json:"active"`
}

func listTabs(ctx context.Context, c *call) (any, error) {
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	_, _ = b.Page("") // which makes one active, if there is any
	pages, err := b.List(ctx)
	if err != nil {
		return nil, err
	}
	tabs := []tab{}
	for _, p := range pages {
		tabs = append(tabs, tab{p.Alias, p.URL, p.Title, p.Active})
	}
	return map[string]any{"tabs": tabs}, nil
}

func newTab(ctx context.Context, c *call) (any, error) {
	return openPage(ctx, c, c.Text("url"))
}

func closeTab(ctx context.Context, c *call) (any, error) {
	return c.tab(ctx, (*actions.Browser).ClosePage)
}

func activateTab(ctx context.Context, c *call) (any, error) {
	return c.tab(ctx, (*actions.Browser).ActivatePage)
}

func (c *call) tab(ctx context.Context, act func(*actions.Browser, context.Context, string) error) (any, error) {
	c.Need("page_id")
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		b, err := c.Scheduler.Browser()
		if err != nil {
			return nil, err
		}
		return pageData{PageID: page.Alias}, act(b, ctx, page.ID)
	})
}

func pageInfo(ctx context.Context, c *call) (any, error) {
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	engine, err := b.Version(ctx)
	if err != nil {
		return nil, err
	}
	return struct {
		Session string `json:"session"`
		Engine  string `json:"engine"`
		Pages   int    `json:"pages"`
	}{c.session, engine, len(b.Pages())}, nil
}

// listSessions names only the session of the connection.
func listSessions(_ context.Context, c *call) (any, error) {
	return map[string]any{"sessions": []string{c.session}}, nil
}
