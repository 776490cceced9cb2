package jsonrpc

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// target is the element that a method is about.
//
//	{"type":"ref","ref_id":"button[0]"}
//	{"type":"selector","css":"#save"}
//	{"type":"coordinates","x":10,"y":20}
type target struct {
	locator actions.Locator // nil for none
	kind    string
	text    string // the ref or the selector
}

// target reads the param target. needed makes its absence an error.
func (c *call) target(needed bool) (t target) {
	if !c.Has("target") {
		if needed {
			c.Need("target")
		}
		return t
	}
	in := c.Object("target")
	in.Need("type")
	t.kind = in.Text("type")
	switch t.kind {
	case "ref":
		in.Need("ref_id")
		t.text = in.Text("ref_id")
		t.locator = actions.SnapshotRef{Scheme: actions.Aria, ID: t.text}
	case "selector":
		in.Need("css")
		t.text = in.Text("css")
		// A selector may match several elements: the first is meant.
		t.locator = actions.First{Locator: actions.CSS(t.text)}
	case "coordinates":
		in.Need("x", "y")
		t.locator = actions.Point{X: in.Number("x"), Y: in.Number("y")}
	default:
		in.Fail("type", "is %q: use ref, selector or coordinates", t.kind)
	}
	return t
}

// explain says in the adapter's words that there is no such element. Other errors
// stay.
func (t target) explain(err error, verb string) error {
	k := actions.KindOf(err)
	if k != actions.ElementNotFound && k != actions.StaleRef {
		return err
	}
	switch t.kind {
	case "ref":
		if k == actions.StaleRef {
			return newFailure(k, "ARIA ref '%s' not found in snapshot: take a new snapshot", t.text)
		}
		return newFailure(k, "ARIA ref '%s' not found in snapshot", t.text)
	case "selector":
		return newFailure(k, "CSS selector '%s' matched no element", t.text)
	case "coordinates":
		return newFailure(k, "No element found at %s to %s", t.locator, verb)
	}
	return err
}

// act runs an action on the element that a method is about. done is the member of the
// result that says so, and verb the word in messages.
func (c *call) act(ctx context.Context, t target, verb, done string, f func(context.Context, *actions.Page) error) (any, error) {
	return c.onTab(ctx, c.Limit(actWithin), func(ctx context.Context, p *actions.Page) (any, error) {
		if err := f(ctx, p); err != nil {
			return nil, t.explain(err, verb)
		}
		return map[string]bool{done: true}, nil
	})
}

// clickTarget hits whatever lies at the point of the target, also an element that covers
// it.
func clickTarget(ctx context.Context, c *call) (any, error) {
	t := c.target(true)
	return c.act(ctx, t, "click", "clicked", func(ctx context.Context, p *actions.Page) error {
		_, err := p.Click(ctx, t.locator, actions.ClickOptions{Covered: true})
		return err
	})
}

// typeText clicks the element for focus, and appends the text to what is there.
func typeText(ctx context.Context, c *call) (any, error) {
	t, text := c.target(true), c.Text("text")
	c.Need("text")
	o := actions.TypeOptions{Click: true, Append: true, Clear: c.Bool("clear", false)}
	return c.act(ctx, t, "type into", "typed", func(ctx context.Context, p *actions.Page) error {
		return p.Type(ctx, t.locator, text, o)
	})
}

func fillElement(ctx context.Context, c *call) (any, error) {
	t, text := c.target(true), c.Text("text")
	c.Need("text")
	return c.act(ctx, t, "fill", "filled", func(ctx context.Context, p *actions.Page) error {
		return p.Fill(ctx, t.locator, text, actions.FillOptions{})
	})
}

func hoverTarget(ctx context.Context, c *call) (any, error) {
	t := c.target(true)
	return c.act(ctx, t, "hover", "hovered", func(ctx context.Context, p *actions.Page) error {
		_, err := p.Hover(ctx, t.locator, actions.HoverOptions{})
		return err
	})
}

// steps are how far each direction scrolls, in CSS pixels.
var steps = map[string]actions.Scroll{"up": {DY: -300}, "down": {DY: 300}, "left": {DX: -300}, "right": {DX: 300}}

func scrollTab(ctx context.Context, c *call) (any, error) {
	t := c.target(false)
	c.Need("direction")
	by, ok := steps[c.Text("direction")]
	if !ok {
		c.Fail("direction", "is %q: use up, down, left or right", c.Text("direction"))
	}
	return c.act(ctx, t, "scroll", "scrolled", func(ctx context.Context, p *actions.Page) error {
		return p.Scroll(ctx, t.locator, by)
	})
}
