package jsonrpc

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
)

// method is one row of the table of methods.
type method struct {
	do    func(context.Context, *call) (any, error)
	reads bool // it changes nothing: a token of scope readonly is enough
	moves bool // it makes the tab that it is about the active one
	tabs  bool // it is about the list of tabs, or none of them
}

// methods are all methods by name.
var methods = map[string]method{
	"connect":                {do: connectCaller, tabs: true, reads: true},
	"browser.navigate":       {do: navigateTab, moves: true},
	"browser.click":          {do: clickTarget},
	"browser.type":           {do: typeText},
	"browser.fill":           {do: fillElement},
	"browser.hover":          {do: hoverTarget},
	"browser.scroll":         {do: scrollTab},
	"browser.screenshot":     {do: takeScreenshot, reads: true},
	"browser.evaluate":       {do: evaluateScript},
	"browser.snapshot":       {do: takeSnapshot, reads: true},
	"browser.handoff":        {do: requestHandoff},
	"browser.handoff_wait":   {do: handoffWait},
	"browser.handoff_cancel": {do: handoffCancel},
	"browser.open_tab":       {do: openTab, tabs: true},
	"browser.close_tab":      {do: closeTab, tabs: true},
	"browser.list_tabs":      {do: listTabs, tabs: true, reads: true},
	"browser.start":          {do: browserRuns, tabs: true, reads: true},
	"browser.stop":           {do: browserRuns, tabs: true, reads: true},
	"browser_config.get":     {do: readConfig, tabs: true, reads: true},
	"browser_config.update":  {do: updateConfig, tabs: true},
}

// Reading lists the methods for which a token of scope readonly is enough.
func Reading() []string {
	var list []string
	for name, m := range methods {
		if m.reads {
			list = append(list, name)
		}
	}
	return list
}

// The times that methods may take, where timeout_ms says nothing else.
const (
	navigateWithin = 30 * time.Second
	evaluateWithin = 5 * time.Second
	actWithin      = 5 * time.Second // input: elements are looked up at once, in the reference
	readWithin     = 30 * time.Second
)

// call is one request as its method sees it.
type call struct {
	caller *actions.Caller
	envelope.Call
}

// onTab runs do on the tab of a call, within a time.
func (c *call) onTab(ctx context.Context, within time.Duration, do func(context.Context, *actions.Page) (any, error)) (any, error) {
	return c.OnPage(ctx, "tab_id", within, do)
}

func navigateTab(ctx context.Context, c *call) (any, error) {
	c.Need("url")
	target, state := c.Text("url"), c.Choice("wait_until", "load", "domcontentloaded", "networkidle")
	until, err := actions.ParseLoadState(state)
	if err != nil {
		return nil, err
	}
	return c.onTab(ctx, c.Limit(navigateWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		n, err := p.Goto(ctx, target, actions.GotoOptions{WaitUntil: &until})
		// A document that is there but not loaded in time is a result, with loaded
		// false.
		if err != nil && (actions.KindOf(err) != actions.NavigationTimeout || !n.Committed) {
			return nil, err
		}
		return struct {
			URL    string `json:"url"`
			Title  string `json:"title"`
			Status int    `json:"status"`
			Loaded bool   `json:"loaded"`
		}{n.URL, n.Title, n.Status, n.Reached}, nil
	})
}

func takeScreenshot(ctx context.Context, c *call) (any, error) {
	o := actions.ScreenshotOptions{FullPage: c.Bool("full_page", false), Format: c.Choice("format", "png", "jpeg")}
	if o.Format == "jpeg" {
		o.Quality = c.Int("quality", 80, 1, 100)
	} else {
		// Only to refuse a value that is no number: a PNG has no quality.
		c.Number("quality")
	}
	t := c.target(false)
	o.Element = t.locator
	if _, point := t.locator.(actions.Point); point {
		c.Fail("target", "is a point: a screenshot needs an element")
	}
	return c.onTab(ctx, c.Limit(readWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		s, err := p.Screenshot(ctx, o)
		if err != nil {
			return nil, t.explain(err, "take a picture of")
		}
		return struct {
			Data   []byte `json:"data_base64"`
			Width  int    `json:"width"`
			Height int    `json:"height"`
			Format string `json:"format"`
		}{s.Data, s.Width, s.Height, s.Format}, nil
	})
}

func evaluateScript(ctx context.Context, c *call) (any, error) {
	c.Need("script")
	script := c.Text("script")
	return c.onTab(ctx, c.Limit(evaluateWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		v, err := p.Evaluate(ctx, script, actions.EvaluateOptions{})
		if err != nil {
			return nil, err
		}
		return map[string]any{"value": v.JSON, "type": v.Type}, nil
	})
}

// cut says how many elements a snapshot has, if not all are shown.
type cut struct {
	Shown int `json:"shown"`
	All   int `json:"all"`
}

func takeSnapshot(ctx context.Context, c *call) (any, error) {
	mode := c.Snapshot("snapshot")
	if mode.Kind == actions.DeltaSnapshot {
		c.Fail("snapshot", "is delta: refs of this API are positions, which begin anew in each snapshot; use full or {tokens: N}")
	}
	return c.onTab(ctx, c.Limit(readWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		s, missing, err := p.LookElements(ctx, mode)
		if s.Elements == nil {
			s.Elements = []actions.Element{}
		}
		out := struct {
			actions.ElementsSnapshot
			Cut *cut `json:"cut,omitempty"`
		}{ElementsSnapshot: s}
		if missing != nil {
			out.Cut = &cut{missing.Shown, missing.All}
		}
		return out, err
	})
}

// ------------------------------------------------------------------- tabs

// tab is {"id":"…","url":"…","title":"…"}.
type tab struct {
	ID    string `json:"id"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

func openTab(ctx context.Context, c *call) (any, error) {
	c.Need("url")
	target, within := c.Text("url"), c.Limit(navigateWithin)
	if err := c.Err(); err != nil {
		return nil, err
	}
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	ctx, cancel := actions.WithTimeout(ctx, within, 0)
	defer cancel()
	p, n, err := b.OpenPage(ctx, target, "")
	if err != nil {
		return nil, err
	}
	return tab{p.ID, n.URL, n.Title}, nil
}

func closeTab(ctx context.Context, c *call) (any, error) {
	c.Need("tab_id")
	return c.onTab(ctx, readWithin, func(ctx context.Context, p *actions.Page) (any, error) {
		b, err := c.Scheduler.Browser()
		if err != nil {
			return nil, err
		}
		return map[string]bool{"closed": true}, b.ClosePage(ctx, p.ID)
	})
}

func listTabs(ctx context.Context, c *call) (any, error) {
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	pages, err := b.List(ctx)
	if err != nil {
		return nil, err
	}
	tabs := []tab{}
	for _, p := range pages {
		tabs = append(tabs, tab{p.ID, p.URL, p.Title})
	}
	return map[string]any{"tabs": tabs}, nil
}

// browserRuns reports whether there is a browser. The methods browser.start and
// browser.stop do nothing else: the hub starts and ends its browsers itself.
func browserRuns(ctx context.Context, c *call) (any, error) {
	b, err := c.Scheduler.Browser()
	if err != nil {
		return nil, err
	}
	_, err = b.Version(ctx)
	return map[string]bool{"running": err == nil}, nil
}
