package actions

import (
	"context"
	"time"
)

// TypeOptions are for Type.
type TypeOptions struct {
	Delay  time.Duration // between characters
	Clear  bool          // empty the field first
	Click  bool          // click for focus, on whatever lies over the element
	Append bool          // insert the text at the end, as one, instead of key by key
}

// PressOptions are for Press.
type PressOptions struct {
	Modifiers []string      // beside those of the chord
	Delay     time.Duration // between down and up
	NoWait    bool          // do not follow the navigation that it begins
}

// batch is how many characters are typed without waiting for the page: each wait is a
// round trip. A page that has gone does not get the rest of a long text.
const batch = 16

// Type types a text into an element, or into what has the focus where l is nil. A
// line end is Enter.
//
// Keys go to whatever takes them, as with Playwright and with a person: a field that
// is read-only gets the key events and stays as it is. With Append a value is
// changed, and the error is NotEnabled where that is not possible.
func (p *Page) Type(ctx context.Context, l Locator, text string, o TypeOptions) error {
	if l != nil {
		if err := checkLocator(l); err != nil {
			return err
		}
	} else if o.Clear || o.Click || o.Append {
		return invalidArgument("no element is named to clear, to click or to append to")
	}
	return p.runInput(ctx, func(ctx context.Context, s string) error {
		if l != nil {
			if err := p.takeFocus(ctx, s, l, o); err != nil {
				return err
			}
		}
		if o.Append {
			return p.sendInput(ctx, command{s, "Input.insertText", obj{"text": text}, nil})
		}
		return p.typeKeys(ctx, s, text, o.Delay)
	})
}

// takeFocus focuses a field with the cursor at its end, and empties it if that is
// wanted.
func (p *Page) takeFocus(ctx context.Context, s string, l Locator, o TypeOptions) error {
	if o.Click {
		to, err := p.findPoint(ctx, l, obj{"covered": true})
		if err != nil {
			return err
		}
		if err := p.sendClick(ctx, s, to, ClickOptions{}, 0); err != nil {
			return err
		}
	}
	if l.query().By == "point" {
		l = nil // what was clicked has the focus
	}
	return p.focusElement(ctx, l, obj{"atEnd": true, "clear": o.Clear, "editable": o.Append})
}

// focusElement focuses the element; where l is nil, what has the focus keeps it.
func (p *Page) focusElement(ctx context.Context, l Locator, args obj) error {
	if l != nil {
		args["locator"] = l.query()
	}
	return p.callScript(ctx, scriptCall{verb: "focus", args: args, acts: args["clear"] == true})
}

// typeKeys sends a character that a US keyboard has as a key, and every other one by
// Input.insertText, which makes an input event without keys.
func (p *Page) typeKeys(ctx context.Context, s, text string, delay time.Duration) error {
	var list []command
	for _, r := range text {
		k, ok := keyOf(string(r), false)
		if ok {
			list = append(list, keyDown(s, k, 0), keyUp(s, k, 0))
		} else {
			list = append(list, command{s, "Input.insertText", obj{"text": string(r)}, nil})
		}
		if delay > 0 || len(list) >= 2*batch {
			if err := p.sendInput(ctx, list...); err != nil {
				return err
			}
			list = nil
		}
		if err := p.sleep(ctx, delay); err != nil {
			return err
		}
	}
	return p.sendInput(ctx, list...)
}

// Press presses a key or a chord such as "Control+A", in an element, or in what has
// the focus where l is nil. If that leads to another document, Press waits for it,
// see Follow.
func (p *Page) Press(ctx context.Context, l Locator, chord string, o PressOptions) error {
	if l != nil {
		if err := checkLocator(l); err != nil {
			return err
		}
	}
	modifiers, name := parseChord(chord)
	modifiers = append(modifiers, o.Modifiers...)
	mask, err := modifierMask(modifiers)
	if err != nil {
		return err
	}
	k, ok := keyOf(name, mask&modifierBits["shift"] != 0)
	if !ok {
		return invalidArgument("%q is not a key", name)
	}
	// With a modifier such as Control the key is a shortcut and inserts no text.
	if mask&^modifierBits["shift"] != 0 {
		k.text = "" // a command types nothing
	}
	err = p.runInput(ctx, func(ctx context.Context, s string) error {
		if l != nil {
			if err := p.focusElement(ctx, l, obj{}); err != nil {
				return err
			}
		}
		list, held := holdModifiers(s, mask)
		list = append(list, keyDown(s, k, mask))
		if o.Delay > 0 {
			if err := p.sendInput(ctx, list...); err != nil {
				return err
			}
			if err := p.sleep(ctx, o.Delay); err != nil {
				return err
			}
			list = nil
		}
		return p.sendInput(ctx, append(append(list, keyUp(s, k, mask)), held...)...)
	})
	if err == nil && !o.NoWait {
		_ = p.Follow(ctx) // it may have closed the page
	}
	return err
}

// holdModifiers presses the modifier keys of a mask; release lets go of them in
// reverse order. Each event has the modifiers that are held with it.
func holdModifiers(s string, mask int) (press, release []command) {
	now := 0
	for _, name := range []string{"Control", "Alt", "Shift", "Meta"} {
		bit := map[string]int{"Control": 2, "Alt": 1, "Shift": 8, "Meta": 4}[name]
		if mask&bit == 0 {
			continue
		}
		before := now
		now |= bit
		press = append(press, keyDown(s, named[name], now))
		release = append([]command{keyUp(s, named[name], before)}, release...)
	}
	return press, release
}

// keyDown and keyUp are CDP's Input.dispatchKeyEvent. "keyDown" with a text also
// makes the browser insert the text; "rawKeyDown" does not.
func keyDown(s string, k key, mask int) command {
	params := k.params(mask)
	params["type"] = "rawKeyDown"
	if k.text != "" {
		params["type"], params["text"], params["unmodifiedText"] = "keyDown", k.text, k.text
	}
	return command{s, "Input.dispatchKeyEvent", params, nil}
}

func keyUp(s string, k key, mask int) command {
	params := k.params(mask)
	params["type"] = "keyUp"
	return command{s, "Input.dispatchKeyEvent", params, nil}
}

// params are what both events have; see KeyboardEvent of UI Events for key, code and
// location.
func (k key) params(mask int) obj {
	return obj{"key": k.key, "code": k.code, "windowsVirtualKeyCode": k.vk, "location": k.location, "modifiers": mask}
}
