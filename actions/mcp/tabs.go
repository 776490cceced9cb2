package mcp

import (
	"context"
	"fmt"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

// tabTools are those for pages as a whole.
var tabTools = []tool{
	define("browser_tabs", "Pages", "Lists the pages, opens one, selects one as the current page, or closes one.", alters|modal|pageless|reading, tabs),
	define("browser_close", "Close the page", "Closes the page.", alters|modal, closePage),
}

type tabArgs struct {
	onPage
	Action string `json:"action" jsonschema:"list, new, select or close"`
	Index  *int   `json:"index,omitempty" jsonschema:"Which page to select or close, from 0; the current one is closed when left out"`
	URL    string `json:"url,omitempty" jsonschema:"What to show in a new page"`
}

func tabs(ctx context.Context, c *call, in tabArgs) error {
	ctx, cancel := context.WithTimeout(ctx, loadTimeout)
	defer cancel()
	if err := c.caller.Permit("browser_tabs with the action "+in.Action, in.Action == "list"); err != nil {
		return err
	}
	id, err := c.tab(in)
	if err != nil {
		return err
	}
	switch in.Action {
	case "list":
	case "new":
		err = c.newTab(ctx, in.URL)
	case "select":
		if id == "" {
			return invalid("index must say which page to select")
		}
		err = c.b.ActivatePage(ctx, id)
	case "close":
		err = c.b.ClosePage(ctx, id)
	default:
		return invalid(fmt.Sprintf("the action %q: it is list, new, select or close", in.Action))
	}
	c.listTabs()
	return err
}

// tab is the ID of the page that is meant; "" is the current one.
func (c *call) tab(in tabArgs) (string, error) {
	if in.Index == nil {
		return in.PageID, nil
	}
	if pages := c.b.Pages(); *in.Index >= 0 && *in.Index < len(pages) {
		return pages[*in.Index].ID, nil
	}
	return "", &actions.Error{Kind: actions.PageNotFound, Message: fmt.Sprintf("page not found: there is none with index %d", *in.Index)}
}

// newTab opens a page, which is the call's from then on, and waits until it has
// loaded.
func (c *call) newTab(ctx context.Context, url string) error {
	p, n, err := c.b.OpenPage(ctx, url, "")
	if err != nil {
		return err
	}
	c.page, c.status = p, n.Status
	c.watch(ctx, p)
	c.learn(actions.PageInfo{ID: p.ID, URL: n.URL, Title: n.Title})
	return nil
}

func (c *call) listTabs() {
	for i, p := range c.b.Pages() {
		if p.Title == "" || strings.HasSuffix(p.URL, p.Title) { // Chromium's word for one that it has not told yet
			p.Title = c.learned(p)
		}
		current := ""
		if p.Active {
			current = " (current)"
		}
		c.tabs = append(c.tabs, fmt.Sprintf("- %d:%s [%s](%s) (pageId: %s)", i, current, oneLine(p.Title), p.URL, p.Alias))
	}
	if c.tabs == nil {
		c.tabs = []string{"There are no pages: open one with browser_navigate."}
	}
}

func closePage(ctx context.Context, c *call, _ none) error {
	ctx, cancel := act(ctx)
	defer cancel()
	err := c.b.ClosePage(ctx, c.page.ID)
	c.listTabs()
	return err
}
