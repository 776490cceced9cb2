package actions

import (
	"context"
	"time"
)

// pointer is where this caller has the mouse, and which buttons it holds, by
// their bits.
type pointer struct {
	at   Point
	held int
}

// MouseMove moves the mouse to a point of the viewport, with the buttons that are
// held.
func (p *Page) MouseMove(ctx context.Context, to Point) error {
	return p.runInput(ctx, func(ctx context.Context, s string) error { return p.moveMouse(ctx, s, to) })
}

// moveMouse keeps the position: MouseDown and MouseWheel have none of their own.
func (p *Page) moveMouse(ctx context.Context, s string, to Point) error {
	p.mu.Lock()
	p.mouse.at = to
	held := p.mouse.held
	p.mu.Unlock()
	more := obj{"buttons": held}
	for name, bit := range buttons {
		if name != "" && held&bit != 0 {
			more["button"] = name
		}
	}
	return p.sendInput(ctx, mouseCommand(s, "mouseMoved", to, 0, more))
}

// MouseDown presses a button where the mouse is; "" is the left one.
func (p *Page) MouseDown(ctx context.Context, button string) error {
	return p.pressOrRelease(ctx, button, "mousePressed")
}

// MouseUp releases a button.
func (p *Page) MouseUp(ctx context.Context, button string) error {
	return p.pressOrRelease(ctx, button, "mouseReleased")
}

// pressOrRelease presses or releases a button. The name is checked before the queue of
// actions.
func (p *Page) pressOrRelease(ctx context.Context, button, kind string) error {
	if button == "" {
		button = "left"
	}
	bit, ok := buttons[button]
	if !ok {
		return invalidArgument("%q is not a button: use left, right or middle", button)
	}
	return p.runInput(ctx, func(ctx context.Context, s string) error { return p.sendButton(ctx, s, button, bit, kind, 1) })
}

func (p *Page) sendButton(ctx context.Context, s, button string, bit int, kind string, count int) error {
	p.mu.Lock()
	if kind == "mousePressed" {
		p.mouse.held |= bit
	} else {
		p.mouse.held &^= bit
	}
	at, held := p.mouse.at, p.mouse.held
	p.mu.Unlock()
	return p.sendInput(ctx, mouseCommand(s, kind, at, 0, obj{"button": button, "buttons": held, "clickCount": count}))
}

// MouseClick clicks at a point, with the time hold between pressing and releasing.
// count counts clicks as MouseEvent.detail does: 2 is a double click.
func (p *Page) MouseClick(ctx context.Context, at Point, button string, count int, hold time.Duration) error {
	if button == "" {
		button = "left"
	}
	bit, ok := buttons[button]
	if !ok {
		return invalidArgument("%q is not a button: use left, right or middle", button)
	}
	err := p.runInput(ctx, func(ctx context.Context, s string) error {
		if err := p.moveMouse(ctx, s, at); err != nil {
			return err
		}
		for n := 1; n <= count; n++ {
			if err := p.sendButton(ctx, s, button, bit, "mousePressed", n); err != nil {
				return err
			}
			if err := p.sleep(ctx, hold); err != nil {
				return err
			}
			if err := p.sendButton(ctx, s, button, bit, "mouseReleased", n); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_ = p.Follow(ctx) // it may have closed the page
	}
	return err
}

// MouseWheel turns the wheel where the mouse is, by CSS pixels; positive values
// scroll down and right.
func (p *Page) MouseWheel(ctx context.Context, dx, dy float64) error {
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		p.mu.Lock()
		at := p.mouse.at
		p.mu.Unlock()
		return p.sendInput(ctx, mouseCommand(s, "mouseWheel", at, 0, obj{"deltaX": dx, "deltaY": dy}))
	})
}
