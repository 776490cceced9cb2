package mcp

import (
	"context"
	"time"

	"github.com/cdphub/cdphub/actions"
)

// visionTools are the tools for models that look at screenshots: they point at places
// in CSS pixels of the viewport. Screenshots have the same size by default.
var visionTools = []tool{
	defineTool("browser_mouse_move_xy", "Move the mouse", "Moves the mouse to a point of the viewport.", alters|actTime, mouseMove),
	defineTool("browser_mouse_click_xy", "Click at a point", "Clicks at a point of the viewport.", changes, mouseClick),
	defineTool("browser_mouse_drag_xy", "Drag from point to point", "Drags with the left button from one point of the viewport to another.", changes|actTime, mouseDrag),
	defineTool("browser_mouse_down", "Press a mouse button", "Presses a button where the mouse is.", alters|actTime, mouseDown),
	defineTool("browser_mouse_up", "Release a mouse button", "Releases a button where the mouse is.", changes|actTime, mouseUp),
	defineTool("browser_mouse_wheel", "Turn the wheel", "Turns the wheel where the mouse is.", changes|actTime, mouseWheel),
}

type point struct {
	X float64 `json:"x" jsonschema:"From the left edge of the viewport, in CSS pixels"`
	Y float64 `json:"y" jsonschema:"From the upper edge of the viewport, in CSS pixels"`
}

type moveArgs struct {
	onPage
	point
}

func mouseMove(ctx context.Context, c *call, in moveArgs) error {
	c.ran("await page.mouse.move(%g, %g);", in.X, in.Y)
	return c.page.MouseMove(ctx, actions.Point(in.point))
}

type clickAtArgs struct {
	onPage
	point
	Button     mouseButton `json:"button,omitempty" jsonschema:"left when left out"`
	ClickCount float64     `json:"clickCount,omitempty" jsonschema:"How often to click, 1 to 3; once when left out"`
	Delay      float64     `json:"delay,omitempty" jsonschema:"How many milliseconds to hold the button"`
}

// longestHold is how long a click may hold the button.
const longestHold = 10 * time.Second

func mouseClick(ctx context.Context, c *call, in clickAtArgs) error {
	count, hold := 1, time.Duration(in.Delay*float64(time.Millisecond))
	times := ""
	switch in.ClickCount {
	case 0:
	case 1, 2, 3:
		count = int(in.ClickCount)
		times = string(rune('0' + count))
	default:
		return invalidArgument("clickCount must be 1, 2 or 3")
	}
	if hold < 0 || hold > longestHold {
		return invalidArgument("delay must be 0 to 10000")
	}
	ctx, cancel := context.WithTimeout(ctx, c.actTimeout()+longestHold)
	defer cancel()
	if o := objectLiteral([2]string{"button", orEmpty(string(in.Button))}, [2]string{"clickCount", times}); o != "" {
		c.ran("await page.mouse.click(%g, %g, %s);", in.X, in.Y, o)
	} else {
		c.ran("await page.mouse.click(%g, %g);", in.X, in.Y)
	}
	return c.page.MouseClick(ctx, actions.Point(in.point), string(in.Button), count, hold)
}

type dragAtArgs struct {
	onPage
	StartX float64 `json:"startX" jsonschema:"Where to begin, in CSS pixels of the viewport"`
	StartY float64 `json:"startY" jsonschema:"Where to begin, in CSS pixels of the viewport"`
	EndX   float64 `json:"endX" jsonschema:"Where to end, in CSS pixels of the viewport"`
	EndY   float64 `json:"endY" jsonschema:"Where to end, in CSS pixels of the viewport"`
}

func mouseDrag(ctx context.Context, c *call, in dragAtArgs) error {
	c.ran("await page.mouse.move(%g, %g);", in.StartX, in.StartY)
	c.ran("await page.mouse.down();")
	c.ran("await page.mouse.move(%g, %g);", in.EndX, in.EndY)
	c.ran("await page.mouse.up();")
	return c.page.DragTo(ctx, actions.Point{X: in.StartX, Y: in.StartY}, actions.Point{X: in.EndX, Y: in.EndY})
}

type buttonArgs struct {
	onPage
	Button mouseButton `json:"button,omitempty" jsonschema:"left when left out"`
}

// button is the argument of Playwright's functions mouse.down and mouse.up.
func (in buttonArgs) button() string {
	return objectLiteral([2]string{"button", orEmpty(string(in.Button))})
}

func mouseDown(ctx context.Context, c *call, in buttonArgs) error {
	c.ran("await page.mouse.down(%s);", in.button())
	return c.page.MouseDown(ctx, string(in.Button))
}

func mouseUp(ctx context.Context, c *call, in buttonArgs) error {
	c.ran("await page.mouse.up(%s);", in.button())
	return c.page.MouseUp(ctx, string(in.Button))
}

type wheelArgs struct {
	onPage
	DeltaX float64 `json:"deltaX,omitempty" jsonschema:"CSS pixels to the right"`
	DeltaY float64 `json:"deltaY,omitempty" jsonschema:"CSS pixels down"`
}

func mouseWheel(ctx context.Context, c *call, in wheelArgs) error {
	c.ran("await page.mouse.wheel(%g, %g);", in.DeltaX, in.DeltaY)
	return c.page.MouseWheel(ctx, in.DeltaX, in.DeltaY)
}
