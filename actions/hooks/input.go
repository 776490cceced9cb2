package hooks

import (
	"context"
	"slices"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// input are the parameters of all input hooks.
type input struct {
	onBrowser
	ElementID      string `json:"elementId"`
	ReturnSnapshot wanted `json:"returnSnapshot"`
}

// wanted says whether an input hook returns a snapshot, too: true, false, or how much of one.
type wanted struct{ actions.SnapshotMode }

// UnmarshalJSON implements json.Unmarshaler.
func (w *wanted) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
	case "false":
		w.Kind = actions.NoSnapshot
	case "true":
		w.Kind = actions.FullSnapshot
	default:
		return w.SnapshotMode.UnmarshalJSON(data)
	}
	return nil
}

// gives reports whether there is to be a snapshot.
func (w wanted) gives() bool { return w.Kind != "" && w.Kind != actions.NoSnapshot }

// element is the element that is named; nil for none. Only letters and digits reach
// the page's selector.
func (p input) element() (actions.Locator, error) {
	for _, r := range p.ElementID {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') {
			return nil, newError(actions.ElementNotFound, "element not found: an id has letters and digits only; take a new snapshot")
		}
	}
	if p.ElementID == "" {
		return nil, nil
	}
	return actions.SnapshotRef{Scheme: actions.Tagged, ID: p.ElementID}, nil
}

// act runs an input hook on its element, and adds a snapshot to its result if one is
// wanted. needed says that the hook cannot do without an element. The snapshot has
// the time of ctx, not that of the input.
func (p input) act(ctx context.Context, c *call, needed bool, result map[string]any, do func(context.Context, actions.Locator) error) (any, error) {
	l, err := p.element()
	if err != nil {
		return nil, err
	}
	if l == nil && needed {
		return nil, missingParam("elementId")
	}
	ctx = actions.WithElementTime(ctx, actions.ElementTime)
	short, cancel := context.WithTimeout(ctx, actWithin)
	defer cancel()
	if err := do(short, l); err != nil {
		return nil, err
	}
	mode := p.ReturnSnapshot
	if mode.Kind == "" && slices.Contains(c.caller.Capabilities, read) {
		mode.SnapshotMode = c.caller.Snapshots
	}
	if !mode.gives() {
		return result, nil
	}
	if err := c.page.Settle(ctx); err != nil {
		return nil, err
	}
	s, err := lookAt(ctx, c, mode.SnapshotMode, actions.TaggedOptions{})
	if err != nil {
		return nil, err
	}
	result["snapshot"] = s
	return result, nil
}

func okResult() map[string]any { return map[string]any{"ok": true} }

type clickParams struct {
	input
	X          *float64 `json:"x"`
	Y          *float64 `json:"y"`
	Button     string   `json:"button"`
	ClickCount *int     `json:"clickCount"`
	Modifiers  []string `json:"modifiers"`
}

// clickElement is browser.click, on an element or on a point of the viewport in CSS pixels.
// The answer has the point in both cases.
func clickElement(ctx context.Context, c *call, p clickParams) (any, error) {
	switch point := p.X != nil || p.Y != nil; {
	case p.ElementID != "" && point:
		return nil, invalidParam("elementId and x, y exclude one another")
	case p.ElementID == "" && (p.X == nil || p.Y == nil):
		return nil, invalidParam("either elementId or x and y must be given")
	}
	o := actions.ClickOptions{Button: p.Button, Modifiers: p.Modifiers}
	if p.ClickCount != nil {
		if o.Count = *p.ClickCount; o.Count < 1 {
			return nil, invalidParam("clickCount must be 1 to 3")
		}
	}
	result := map[string]any{"clicked": true}
	return p.act(ctx, c, false, result, func(ctx context.Context, l actions.Locator) error {
		if l == nil {
			l = actions.Point{X: *p.X, Y: *p.Y}
		}
		at, err := c.page.Click(ctx, l, o)
		result["coords"] = map[string]float64{"x": at.X, "y": at.Y}
		return err
	})
}

type typeParams struct {
	input
	Text       *string `json:"text"`
	ClearFirst bool    `json:"clearFirst"`
}

// perCharacter is how long typing one character may take: a long text gets more than
// actWithin.
const perCharacter = 20 * time.Millisecond

// typeText is browser.type. A long text gets more time than other actions, by its
// length in bytes.
func typeText(ctx context.Context, c *call, p typeParams) (any, error) {
	if p.Text == nil {
		return nil, missingParam("text")
	}
	return p.act(ctx, c, false, okResult(), func(short context.Context, l actions.Locator) error {
		if long := time.Duration(len(*p.Text)) * perCharacter; long > actWithin {
			var cancel context.CancelFunc
			short, cancel = actions.WithTimeout(ctx, long, long)
			defer cancel()
		}
		// Without an element, what has the focus is emptied by keys.
		if l == nil && p.ClearFirst {
			if err := c.page.Press(short, nil, "Control+A", actions.PressOptions{}); err != nil {
				return err
			}
			if err := c.page.Press(short, nil, "Delete", actions.PressOptions{}); err != nil {
				return err
			}
		}
		return c.page.Type(short, l, *p.Text, actions.TypeOptions{Clear: p.ClearFirst && l != nil})
	})
}

type fillParams struct {
	input
	Value *string `json:"value"`
}

// fillElement is browser.fill.
func fillElement(ctx context.Context, c *call, p fillParams) (any, error) {
	if p.Value == nil {
		return nil, missingParam("value")
	}
	return p.act(ctx, c, true, okResult(), func(ctx context.Context, l actions.Locator) error {
		return c.page.Fill(ctx, l, *p.Value, actions.FillOptions{})
	})
}

type keyParams struct {
	input
	Key       string   `json:"key"`
	Modifiers []string `json:"modifiers"`
}

// pressKey is browser.pressKey. Without an element the key goes to what has the
// focus.
func pressKey(ctx context.Context, c *call, p keyParams) (any, error) {
	if p.Key == "" {
		return nil, missingParam("key")
	}
	return p.act(ctx, c, false, okResult(), func(ctx context.Context, l actions.Locator) error {
		return c.page.Press(ctx, l, p.Key, actions.PressOptions{Modifiers: p.Modifiers})
	})
}

type scrollParams struct {
	input
	DeltaX   *float64 `json:"deltaX"`
	DeltaY   *float64 `json:"deltaY"`
	ToTop    bool     `json:"toTop"`
	ToBottom bool     `json:"toBottom"`
}

// scrollPage is browser.scroll, by CSS pixels or to an end. Without an element it scrolls
// the page.
func scrollPage(ctx context.Context, c *call, p scrollParams) (any, error) {
	var by actions.Scroll
	delta := p.DeltaX != nil || p.DeltaY != nil
	switch {
	case p.ToTop && p.ToBottom:
		return nil, invalidParam("toTop and toBottom exclude one another")
	case (p.ToTop || p.ToBottom) && delta:
		return nil, invalidParam("an end and a delta exclude one another")
	case p.ToTop:
		by.End = "top"
	case p.ToBottom:
		by.End = "bottom"
	case !delta:
		return nil, invalidParam("one of deltaX, deltaY, toTop and toBottom must be given")
	}
	if p.DeltaX != nil {
		by.DX = *p.DeltaX
	}
	if p.DeltaY != nil {
		by.DY = *p.DeltaY
	}
	return p.act(ctx, c, false, okResult(), func(ctx context.Context, l actions.Locator) error { return c.page.Scroll(ctx, l, by) })
}

type hoverParams struct {
	input
	DurationMS float64 `json:"durationMs"`
}

// longestHover is how long a hover may stay, in milliseconds.
const longestHover = 10_000

// hoverElement is browser.hover. The time that the pointer stays is added to the time of the
// action.
func hoverElement(ctx context.Context, c *call, p hoverParams) (any, error) {
	if p.DurationMS < 0 || p.DurationMS > longestHover {
		return nil, invalidParam("durationMs must be 0 to 10000")
	}
	stay := time.Duration(p.DurationMS * float64(time.Millisecond))
	return p.act(ctx, c, true, okResult(), func(_ context.Context, l actions.Locator) error {
		long, cancel := context.WithTimeout(ctx, actWithin+stay)
		defer cancel()
		_, err := c.page.Hover(long, l, actions.HoverOptions{Stay: stay})
		return err
	})
}

func focusElement(ctx context.Context, c *call, p input) (any, error) {
	return p.act(ctx, c, true, okResult(), func(ctx context.Context, l actions.Locator) error { return c.page.Focus(ctx, l) })
}
