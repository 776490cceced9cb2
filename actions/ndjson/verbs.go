package ndjson

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/cdphub/cdphub/actions"
)

// verb is one row of the table of actions. The result of do is the member data.
type verb struct {
	do    func(context.Context, *call) (any, error)
	reads bool // it changes nothing: a token of scope readonly is enough
	moves bool // it makes the page that it is about the active one
	tabs  bool // it is about the list of pages
}

// verbs are all actions by name.
var verbs = map[string]verb{
	"page.navigate":       {do: navigatePage, moves: true},
	"page.snapshot":       {do: takeSnapshot, reads: true},
	"page.evaluate":       {do: evaluateScript},
	"page.click":          {do: clickElement},
	"page.fill":           {do: fillElement},
	"page.type":           {do: typeText},
	"page.press":          {do: pressKey},
	"page.hover":          {do: hoverElement},
	"page.focus":          {do: focusElement},
	"page.scroll":         {do: scrollPage},
	"page.select":         {do: selectOption},
	"page.back":           {do: moveInHistory((*actions.Page).GoBack), moves: true},
	"page.forward":        {do: moveInHistory((*actions.Page).GoForward), moves: true},
	"page.reload":         {do: moveInHistory((*actions.Page).Reload), moves: true},
	"page.wait":           {do: waitFor, reads: true},
	"page.screenshot":     {do: takeScreenshot, reads: true},
	"page.content":        {do: pageContent, reads: true},
	"page.network.list":   {do: listRequests, reads: true},
	"page.handoff":        {do: requestHandoff},
	"page.handoff_wait":   {do: onHandoff((*actions.Page).AwaitHandoff)},
	"page.handoff_cancel": {do: onHandoff((*actions.Page).CancelHandoff)},
	"tab.list":            {do: listTabs, tabs: true, reads: true},
	"tab.new":             {do: newTab, tabs: true},
	"tab.close":           {do: closeTab, tabs: true},
	"tab.activate":        {do: activateTab, tabs: true},
	"session.info":        {do: pageInfo, tabs: true, reads: true},
	"session.list":        {do: listSessions, tabs: true, reads: true},
}

// Reading lists the actions for which a token of scope readonly is enough.
func Reading() []string {
	var list []string
	for name, v := range verbs {
		if v.reads {
			list = append(list, name)
		}
	}
	return list
}

// pageData is the data of an action that returns nothing else.
type pageData struct {
	PageID string `json:"page_id"`
	URL    string `json:"url,omitempty"`
	// Snapshot is the page after the action, for a call or a connection that wants it.
	Snapshot *lookData `json:"snapshot,omitempty"`
}

// lookData is a snapshot in an answer. TreeYAML is what has changed if Delta is true. Cut is there if not all is shown.
type lookData struct {
	TreeYAML     string   `json:"tree_yaml"`
	Delta        bool     `json:"delta,omitempty"`
	Cut          *cutData `json:"cut,omitempty"`
	Title        string   `json:"title"`
	ElementCount int      `json:"element_count"`
}

// cutData says how many of the lines are shown, and the refs of elements in which most of the others lie, by how many.
type cutData struct {
	Shown int            `json:"shown"`
	All   int            `json:"all"`
	Most  map[string]int `json:"most"`
}

func lookDataOf(l actions.Look) lookData {
	d := lookData{l.Text, l.Delta, nil, l.Whole.Title, l.Whole.Count}
	if l.Cut != nil {
		d.Cut = &cutData{l.Cut.Shown, l.Cut.All, map[string]int{}}
		for _, left := range l.Cut.Most {
			if left.Ref != "" {
				d.Cut.Most[left.Ref] = left.Lines
			}
		}
	}
	return d
}

// carryOut runs a verb. The answer to one that is about a page, and gives nothing else, has a snapshot of it for those
// who want one. If it cannot be read, the verb has succeeded all the same.
func (c *call) carryOut(ctx context.Context, v verb) (any, error) {
	mode := cmp.Or(c.Snapshot("snapshot"), c.caller.Snapshots)
	data, err := v.do(ctx, c)
	d, is := data.(pageData)
	if err != nil || !is || mode.Kind == "" || mode.Kind == actions.NoSnapshot {
		return data, err
	}
	b, err := c.Scheduler.Browser()
	if err != nil {
		return data, nil
	}
	page, err := b.Page(d.PageID)
	if err != nil {
		return data, nil
	}
	ctx, cancel := actions.WithTimeout(ctx, byDefault, byDefault)
	defer cancel()
	if page.Settle(ctx) != nil {
		return data, nil
	}
	if l, err := page.Look(ctx, actions.LookOptions{Mode: mode}); err == nil {
		l.Seen()
		d.Snapshot, d.URL = new(lookDataOf(l)), l.Whole.URL
	}
	return d, nil
}

// navigatePage shows a URL. If there is no page and none was named, it opens one.
func navigatePage(ctx context.Context, c *call) (any, error) {
	c.Need("url")
	url := c.Text("url")
	if err := c.Err(); err != nil {
		return nil, err
	}
	data, err := c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		n, err := page.Goto(ctx, url, actions.GotoOptions{Untitled: true})
		return pageData{PageID: page.Alias, URL: n.URL}, err
	})
	if actions.KindOf(err) == actions.PageNotFound && !c.Has("page_id") {
		return openPage(ctx, c, url)
	}
	return data, err
}

// openPage opens a page, and waits for its load event.
func openPage(ctx context.Context, c *call, url string) (any, error) {
	limit := c.Limit(byDefault)
	if err := c.Err(); err != nil {
		return nil, err
	}
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	ctx, cancel := actions.WithTimeout(ctx, limit, limit)
	defer cancel()
	page, n, err := b.OpenPage(ctx, url, "")
	if err != nil {
		return nil, err
	}
	return pageData{PageID: page.Alias, URL: n.URL}, nil
}

func moveInHistory(move func(*actions.Page, context.Context, *actions.LoadState) (actions.Navigation, error)) func(context.Context, *call) (any, error) {
	return func(ctx context.Context, c *call) (any, error) {
		return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
			n, err := move(page, ctx, nil)
			return pageData{PageID: page.Alias, URL: n.URL}, err
		})
	}
}

func takeSnapshot(ctx context.Context, c *call) (any, error) {
	mode := cmp.Or(c.Snapshot("snapshot"), actions.SnapshotMode{Kind: actions.FullSnapshot})
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		l, err := page.Look(ctx, actions.LookOptions{Mode: mode})
		l.Seen()
		return struct {
			lookData
			PageID string `json:"page_id"`
			URL    string `json:"url"`
		}{lookDataOf(l), page.Alias, l.Whole.URL}, err
	})
}

func evaluateScript(ctx context.Context, c *call) (any, error) {
	c.Need("expression")
	expression := c.Text("expression")
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		v, err := page.Evaluate(ctx, expression, actions.EvaluateOptions{})
		return struct {
			Value  json.RawMessage `json:"value"`
			PageID string          `json:"page_id"`
		}{v.JSON, page.Alias}, err
	})
}

func waitFor(ctx context.Context, c *call) (any, error) {
	state, load := c.Text("state"), c.Text("load_state")
	target := c.element(false)
	until, err := actions.ParseLoadState(load)
	if err != nil {
		c.Fail("load_state", "is %q: use load, domcontentloaded, networkidle or commit", load)
	}
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		if target == nil || load != "" {
			if _, err := page.WaitForLoadState(ctx, until); err != nil {
				return nil, err
			}
		}
		if target != nil {
			o := actions.WaitOptions{State: actions.ElementStateName(state)}
			if _, err := page.WaitForSelector(ctx, target, o); err != nil {
				return nil, err
			}
		}
		return pageData{PageID: page.Alias, URL: page.URL()}, nil
	})
}

func takeScreenshot(ctx context.Context, c *call) (any, error) {
	o := actions.ScreenshotOptions{
		FullPage: c.Bool("full_page", false), Format: c.Choice("format", "png", "jpeg", "webp"), Quality: c.Int("quality", 0, 1, 100),
	}
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		s, err := page.Screenshot(ctx, o)
		return struct {
			PageID string `json:"page_id"`
			Data   []byte `json:"data_base64"`
			Format string `json:"format"`
			Width  int    `json:"width"`
			Height int    `json:"height"`
		}{page.Alias, s.Data, s.Format, s.Width, s.Height}, err
	})
}

func pageContent(ctx context.Context, c *call) (any, error) {
	format := c.Choice("format", "html", "text", "markdown")
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		got, err := page.Content(ctx, format, nil)
		return struct {
			PageID string `json:"page_id"`
			actions.Content
		}{page.Alias, got}, err
	})
}

func listRequests(ctx context.Context, c *call) (any, error) {
	limit := c.Int("limit", 0, 1, 1000)
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		list, err := page.Requests(ctx, limit)
		if err != nil {
			return nil, err
		}
		type line struct {
			RequestID    string `json:"request_id"`
			URL          string `json:"url"`
			Method       string `json:"method"`
			Status       int    `json:"status"`
			ResourceType string `json:"resource_type"`
		}
		out := []line{}
		for _, r := range list {
			out = append(out, line{r.ID, r.URL, r.Method, r.Status, r.ResourceType})
		}
		return map[string]any{"requests": out}, nil
	})
}
