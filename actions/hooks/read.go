package hooks

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"

	"github.com/cdphub/cdphub/actions"
)

// hooks is every hook by its name. See hook for the columns.
var hooks = map[string]hook{
	"browser.list":           {read, "Internal", listBrowsers},
	"browser.snapshot":       defineHook(read, "Internal", takeSnapshot),
	"browser.axTree":         defineHook(read, "Internal", axTree),
	"browser.screenshot":     defineHook(read, "Internal", takeScreenshot),
	"browser.getUrl":         defineHook(read, "Internal", getURL),
	"browser.getTitle":       defineHook(read, "Internal", getTitle),
	"browser.waitForLoad":    defineHook(read, "NavigateTimeout", waitForLoad),
	"browser.waitForElement": defineHook(read, "ElementNotFound", waitForElement),

	"browser.navigate":  defineHook(write, "NavigateTimeout", navigatePage),
	"browser.goBack":    defineHook(write, "NavigateTimeout", moveInHistory((*actions.Page).GoBack)),
	"browser.goForward": defineHook(write, "NavigateTimeout", moveInHistory((*actions.Page).GoForward)),
	"browser.reload":    defineHook(write, "NavigateTimeout", moveInHistory((*actions.Page).Reload)),
	"browser.click":     defineHook(write, "ElementNotFound", clickElement),
	"browser.type":      defineHook(write, "ElementNotFound", typeText),
	"browser.fill":      defineHook(write, "ElementNotFound", fillElement),
	"browser.pressKey":  defineHook(write, "ElementNotFound", pressKey),
	"browser.scroll":    defineHook(write, "ElementNotFound", scrollPage),
	"browser.hover":     defineHook(write, "ElementNotFound", hoverElement),
	"browser.focus":     defineHook(write, "ElementNotFound", focusElement),

	"browser.handoff":       defineHook(write, "Internal", requestHandoff),
	"browser.handoffWait":   defineHook(write, "Internal", handoffWait),
	"browser.handoffCancel": defineHook(write, "Internal", handoffCancel),

	"browser.eval": defineHook(eval, "EvalTimeout", evaluateScript),
}

// place is the id of the one place where all browsers of a hub are. Hooks of other
// servers have several.
const place = "default"

type browserInfo struct {
	ID      string `json:"id"`
	URL     string `json:"url"`
	Title   string `json:"title"`
	PlaceID string `json:"placeId"`
	Visible bool   `json:"visible"`
	Focused bool   `json:"focused"`
}

// listBrowsers is browser.list. The hub has one place and no projects.
func listBrowsers(ctx context.Context, c *call, params json.RawMessage) (any, error) {
	var p struct {
		PlaceID    string `json:"placeId"`
		ProjectID  string `json:"projectId"`
		ResourceID string `json:"resourceId"`
	}
	if err := actions.Decode(params, &p); err != nil {
		return nil, err
	}
	found := []browserInfo{}
	sights := c.b.Sights(ctx)
	for _, b := range c.b.Pages() {
		// A place or a project that does not exist here has no browsers.
		if p.PlaceID != "" && p.PlaceID != place || p.ProjectID != "" || p.ResourceID != "" && p.ResourceID != b.ID {
			continue
		}
		found = append(found, browserInfo{b.ID, b.URL, b.Title, place, sights[b.ID].Visible, sights[b.ID].Focused})
	}
	return map[string]any{"browsers": found}, nil
}

type snapshotParams struct {
	onBrowser
	IncludeHidden bool `json:"includeHidden"`
	MaxElements   *int `json:"maxElements"`
	ViewportOnly  bool `json:"viewportOnly"`

	Snapshot actions.SnapshotMode `json:"snapshot"` // all when it is left out
}

// look is a snapshot in an answer. Its markdown is what has changed if Delta is true. Cut is there if not all is shown.
type look struct {
	actions.TaggedSnapshot
	Delta bool `json:"delta,omitempty"`
	Cut   *cut `json:"cut,omitempty"`
}

// cut says how many lines are shown.
type cut struct {
	Shown int `json:"shown"`
	All   int `json:"all"`
}

// lookAt reads the page for an answer.
func lookAt(ctx context.Context, c *call, mode actions.SnapshotMode, o actions.TaggedOptions) (look, error) {
	s, l, err := c.page.LookTagged(ctx, mode, o)
	if err != nil {
		return look{}, err
	}
	l.Seen()
	s.Markdown = l.Text
	out := look{TaggedSnapshot: s, Delta: l.Delta}
	if l.Cut != nil {
		out.Cut = &cut{l.Cut.Shown, l.Cut.All}
	}
	return out, nil
}

// takeSnapshot is browser.snapshot.
func takeSnapshot(ctx context.Context, c *call, p snapshotParams) (any, error) {
	o := actions.TaggedOptions{IncludeHidden: p.IncludeHidden, ViewportOnly: p.ViewportOnly}
	if p.MaxElements != nil {
		if *p.MaxElements < 1 {
			return nil, invalidParam("maxElements must be 1 or more")
		}
		o.MaxElements = *p.MaxElements
	}
	return lookAt(ctx, c, cmp.Or(p.Snapshot, actions.SnapshotMode{Kind: actions.FullSnapshot}), o)
}

func axTree(ctx context.Context, c *call, _ onBrowser) (any, error) {
	nodes, err := c.page.AccessibilityTree(ctx)
	return map[string]any{"nodes": nodes}, err
}

type screenshotParams struct {
	onBrowser
	FullPage bool     `json:"fullPage"`
	Quality  *float64 `json:"quality"` // of no effect on a PNG
}

// takeScreenshot is browser.screenshot. The picture is a PNG whatever quality says, which
// is only checked.
func takeScreenshot(ctx context.Context, c *call, p screenshotParams) (any, error) {
	if p.Quality != nil && (*p.Quality < 0 || *p.Quality > 100) {
		return nil, invalidParam("quality must be 0 to 100")
	}
	shot, err := c.page.Screenshot(ctx, actions.ScreenshotOptions{FullPage: p.FullPage})
	if err != nil {
		return nil, err
	}
	url := "data:image/png;base64," + base64.StdEncoding.EncodeToString(shot.Data)
	return map[string]any{"dataUrl": url, "width": shot.Width, "height": shot.Height}, nil
}

func getURL(_ context.Context, c *call, _ onBrowser) (any, error) {
	return map[string]any{"url": c.page.Info().URL}, nil
}

func getTitle(_ context.Context, c *call, _ onBrowser) (any, error) {
	return map[string]any{"title": c.page.Info().Title}, nil
}

// loadParams are those of hooks that wait for a document.
type loadParams struct {
	onBrowser
	WaitUntil string   `json:"waitUntil"`
	TimeoutMS *float64 `json:"timeoutMs"`
}

// until does not take "commit", which the hooks do not know.
func (p loadParams) until() (*actions.LoadState, error) {
	switch p.WaitUntil {
	case "", "load", "domcontentloaded", "networkidle":
		s, err := actions.ParseLoadState(p.WaitUntil)
		return &s, err
	}
	return nil, invalidParam("waitUntil must be load, domcontentloaded or networkidle")
}

// load runs a function that waits for a document, within timeoutMs.
func (p loadParams) load(ctx context.Context, do func(context.Context, *actions.LoadState) (actions.Navigation, error)) (any, error) {
	until, err := p.until()
	if err != nil {
		return nil, err
	}
	ctx, cancel, err := withTimeoutMs(ctx, p.TimeoutMS, loadWithin)
	if err != nil {
		return nil, err
	}
	defer cancel()
	n, err := do(ctx, until)
	if err != nil {
		return nil, err
	}
	return map[string]any{"url": n.URL, "title": n.Title}, nil
}

type navigateParams struct {
	loadParams
	URL string `json:"url"`
}

// navigatePage is browser.navigate.
func navigatePage(ctx context.Context, c *call, p navigateParams) (any, error) {
	if p.URL == "" {
		return nil, missingParam("url")
	}
	return p.load(ctx, func(ctx context.Context, until *actions.LoadState) (actions.Navigation, error) {
		return c.page.Goto(ctx, p.URL, actions.GotoOptions{WaitUntil: until})
	})
}

// moveInHistory makes the hooks that move in the history of a page.
func moveInHistory(move func(*actions.Page, context.Context, *actions.LoadState) (actions.Navigation, error)) func(context.Context, *call, loadParams) (any, error) {
	return func(ctx context.Context, c *call, p loadParams) (any, error) {
		return p.load(ctx, func(ctx context.Context, until *actions.LoadState) (actions.Navigation, error) {
			return move(c.page, ctx, until)
		})
	}
}

func waitForLoad(ctx context.Context, c *call, p loadParams) (any, error) {
	return p.load(ctx, func(ctx context.Context, until *actions.LoadState) (actions.Navigation, error) {
		return c.page.WaitForLoadState(ctx, *until)
	})
}

type waitParams struct {
	onBrowser
	Selector  string   `json:"selector"`
	Visible   bool     `json:"visible"`
	TimeoutMS *float64 `json:"timeoutMs"`
}

// waitForElement is browser.waitForElement. The element gets an id, by which other
// hooks find it.
func waitForElement(ctx context.Context, c *call, p waitParams) (any, error) {
	if p.Selector == "" {
		return nil, missingParam("selector")
	}
	ctx, cancel, err := withTimeoutMs(ctx, p.TimeoutMS, loadWithin)
	if err != nil {
		return nil, err
	}
	defer cancel()
	o := actions.WaitOptions{State: actions.Attached, Tag: true}
	if p.Visible {
		o.State = actions.Visible
	}
	// First, since this hook takes a selector of several elements.
	f, err := c.page.WaitForSelector(ctx, actions.First{Locator: actions.CSS(p.Selector)}, o)
	if err != nil {
		return nil, err
	}
	return map[string]any{"elementId": f.TagID}, nil
}
