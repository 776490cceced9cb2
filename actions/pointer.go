package actions

import (
	"context"
	"time"
)

// ClickOptions are for Click. Its zero value is one click with the left button
// into the middle of the element.
type ClickOptions struct {
	Button    string   // "left", "right" or "middle"
	Count     int      // 2 is a double click; 1
	Modifiers []string // Alt, Control (ctrl), Meta, Shift
	Position  *Point   // from the element's upper left corner
	Force     bool     // no checks but that the element is there
	Covered   bool     // hit whatever lies over the element
	Trial     bool     // only the checks
	NoWait    bool     // do not follow the navigation that it begins
}

// HoverOptions are for Hover.
type HoverOptions struct {
	Position *Point
	Force    bool
	Stay     time.Duration // before it returns
}

// Click clicks an element when it is visible, stable, enabled and hit by the pointer,
// and returns the point in the viewport. If the click leads to another document,
// Click waits for it, see Follow. Errors: ElementNotFound, AmbiguousLocator,
// NotVisible, NotEnabled, Obscured, StaleRef.
func (p *Page) Click(ctx context.Context, l Locator, o ClickOptions) (at Point, err error) {
	if err := checkLocator(l); err != nil {
		return at, err
	}
	mask, err := modifierMask(o.Modifiers)
	if err != nil {
		return at, err
	}
	if o.Count < 0 || o.Count > 3 {
		return at, invalidArgument("the click count is %d: it must be 1 to 3", o.Count)
	}
	if _, ok := buttons[o.Button]; !ok {
		return at, invalidArgument("%q is not a button: use left, right or middle", o.Button)
	}
	err = p.runInput(ctx, func(ctx context.Context, s string) error {
		to, err := p.findPoint(ctx, l, obj{"position": o.Position, "force": o.Force, "covered": o.Covered})
		if at = to; err != nil || o.Trial {
			return err
		}
		return p.sendClick(ctx, s, at, o, mask)
	})
	if err == nil && !o.Trial && !o.NoWait {
		_ = p.Follow(ctx) // it may have closed the page
	}
	return at, err
}

// buttons are the mouse buttons and their bits in MouseEvent.buttons (UI Events).
var buttons = map[string]int{"": 1, "left": 1, "right": 2, "middle": 4}

// sendClick moves the mouse there, presses and releases. All events are sent at once,
// without waiting for the page in between. The n-th press has clickCount n, which
// makes a double click of the second.
func (p *Page) sendClick(ctx context.Context, session string, at Point, o ClickOptions, mask int) error {
	button := o.Button
	if button == "" {
		button = "left"
	}
	list := []command{mouseCommand(session, "mouseMoved", at, mask, nil)}
	for n := 1; n <= max(o.Count, 1); n++ {
		list = append(
			list,
			mouseCommand(session, "mousePressed", at, mask, obj{"button": button, "buttons": buttons[button], "clickCount": n}),
			mouseCommand(session, "mouseReleased", at, mask, obj{"button": button, "clickCount": n}),
		)
	}
	return p.sendInput(ctx, list...)
}

// mouseCommand is one Input.dispatchMouseEvent, at a point of the page's viewport in CSS
// pixels. more adds to its params.
func mouseCommand(session, kind string, at Point, mask int, more obj) command {
	params := obj{"type": kind, "x": at.X, "y": at.Y, "modifiers": mask}
	for k, v := range more {
		params[k] = v
	}
	return command{session, "Input.dispatchMouseEvent", params, nil}
}

// findPoint asks the page script where to point at an element, once the element can be
// acted on. A Point is taken as it is, after the script has checked that something is
// there.
func (p *Page) findPoint(ctx context.Context, l Locator, options obj) (Point, error) {
	q := l.query()
	if q.By == "point" {
		return Point{q.X, q.Y}, p.callScriptIn(ctx, "", scriptCall{verb: "hit", args: obj{"locator": q}})
	}
	options["locator"] = q
	var to struct{ X, Y pixels }
	if err := p.callScript(ctx, scriptCall{verb: "point", args: options, result: &to}); err != nil {
		return Point{}, err
	}
	dx, dy, err := p.frameOffset(ctx, p.frameFor(q))
	return Point{float64(to.X) + dx, float64(to.Y) + dy}, err
}

// Hover moves the pointer over an element.
func (p *Page) Hover(ctx context.Context, l Locator, o HoverOptions) (at Point, err error) {
	if err := checkLocator(l); err != nil {
		return at, err
	}
	err = p.runInput(ctx, func(ctx context.Context, s string) error {
		to, err := p.findPoint(ctx, l, obj{"position": o.Position, "force": o.Force, "disabled": true})
		if err != nil {
			return err
		}
		at = to
		if err := p.sendInput(ctx, mouseCommand(s, "mouseMoved", at, 0, nil)); err != nil {
			return err
		}
		return p.sleep(ctx, o.Stay)
	})
	return at, err
}

// sleep waits, but no longer than ctx lasts. It holds the page's turn, as a person
// does who waits before the next key.
func (p *Page) sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return p.translate("", ctx.Err())
	}
}

// SetChecked clicks a checkbox or radio button unless it is as it should be.
func (p *Page) SetChecked(ctx context.Context, l Locator, checked bool) error {
	if err := checkLocator(l); err != nil {
		return err
	}
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		var is any
		state := scriptCall{verb: "checked", args: obj{"locator": l.query()}, result: &is}
		if err := p.callScript(ctx, state); err != nil || is == checked {
			return err
		}
		to, err := p.findPoint(ctx, l, obj{})
		if err != nil {
			return err
		}
		if err := p.sendClick(ctx, s, to, ClickOptions{}, 0); err != nil {
			return err
		}
		if err := p.callScript(ctx, state); err != nil {
			if k := KindOf(err); k == ElementNotFound || k == StaleRef {
				return nil // the click has led elsewhere
			}
			return err
		}
		if is != checked {
			return invalidArgument("clicking %s did not change its state", l)
		}
		return nil
	})
}
