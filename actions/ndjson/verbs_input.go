package ndjson

import (
	"context"

	"github.com/cdphub/cdphub/actions"
)

// element reads which element an action is about: ref, selector, or x and y. Without
// any of them it is nil, which is an error where needed says so. Of several elements
// that a selector matches, the first is meant.
func (c *call) element(needed bool) actions.Locator {
	ref, selector := c.Text("ref"), c.Text("selector")
	point := c.Has("x") || c.Has("y")
	switch {
	case ref != "" && selector != "" || point && (ref != "" || selector != ""):
		c.Fail("ref", "cannot be used with another way to name the element: use one of ref, selector, and x with y")
	case ref != "":
		return actions.SnapshotRef{Scheme: actions.YAML, ID: ref}
	case selector != "":
		return actions.First{Locator: actions.CSS(selector)}
	case point:
		c.Need("x", "y")
		return actions.Point{X: c.Number("x"), Y: c.Number("y")}
	case needed:
		c.Need("ref")
		c.Fail("ref", "is empty")
	}
	return nil
}

// input runs an action that changes a page.
func (c *call) input(ctx context.Context, act func(context.Context, *actions.Page) error) (any, error) {
	return c.onPage(ctx, func(ctx context.Context, page *actions.Page) (any, error) {
		return pageData{PageID: page.Alias}, act(ctx, page)
	})
}

func clickElement(ctx context.Context, c *call) (any, error) {
	target := c.element(true)
	o := actions.ClickOptions{Button: c.Choice("button", "left", "right", "middle"), Count: c.Int("click_count", 1, 1, 3)}
	return c.onPage(ctx, func(ctx context.Context, p *actions.Page) (any, error) {
		_, err := p.Click(ctx, target, o)
		return pageData{PageID: p.Alias, URL: p.URL()}, err
	})
}

func fillElement(ctx context.Context, c *call) (any, error) {
	target, value := c.element(true), c.Text("value")
	c.Need("value")
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error {
		return p.Fill(ctx, target, value, actions.FillOptions{})
	})
}

func typeText(ctx context.Context, c *call) (any, error) {
	empty := c.Bool("clear", false)
	target, text := c.element(empty), c.Text("text")
	c.Need("text")
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error {
		return p.Type(ctx, target, text, actions.TypeOptions{Clear: empty})
	})
}

func pressKey(ctx context.Context, c *call) (any, error) {
	target, key := c.element(false), c.Text("key")
	c.Need("key")
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error {
		return p.Press(ctx, target, key, actions.PressOptions{})
	})
}

func hoverElement(ctx context.Context, c *call) (any, error) {
	target := c.element(true)
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error {
		_, err := p.Hover(ctx, target, actions.HoverOptions{})
		return err
	})
}

func focusElement(ctx context.Context, c *call) (any, error) {
	target := c.element(true)
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error { return p.Focus(ctx, target) })
}

func selectOption(ctx context.Context, c *call) (any, error) {
	target, values := c.element(true), c.Texts("values")
	c.Need("values")
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error {
		_, err := p.SelectOption(ctx, target, values)
		return err
	})
}

// scrollStep is how far a direction without an amount scrolls, in CSS pixels.
const scrollStep = 300

// scrollPage scrolls by delta_x and delta_y, by an amount in a direction, or to an end of
// the page.
func scrollPage(ctx context.Context, c *call) (any, error) {
	target := c.element(false)
	by := actions.Scroll{DX: c.Number("delta_x"), DY: c.Number("delta_y"), End: c.Choice("to", "", "top", "bottom")}
	amount := float64(scrollStep)
	if c.Has("amount") {
		amount = c.Number("amount")
	}
	switch c.Choice("direction", "", "up", "down", "left", "right") {
	case "up":
		by.DY = -amount
	case "down":
		by.DY = amount
	case "left":
		by.DX = -amount
	case "right":
		by.DX = amount
	default:
		if by == (actions.Scroll{}) {
			c.Need("direction")
		}
	}
	return c.input(ctx, func(ctx context.Context, p *actions.Page) error { return p.Scroll(ctx, target, by) })
}
