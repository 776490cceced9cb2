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

// batch is how many characters are typed without waiting for the page.
const batch = 16

// Type types a text into an element, or into what has the focus where l is
// nil. A line end is Enter.
//
// Keys go to whatever takes them, as a user's do and Playwright's: a field that
// is read-only hears of them and stays as it is. To append is to change a value,
// and an error of kind NotEnabled where that cannot be.
func (p *Page) Type(ctx context.Context, l Locator, text string, o TypeOptions) error {
	if l != nil {
		if err := check(l); err != nil {
			return err
		}
	} else if o.Clear || o.Click || o.Append {
		return invalid("no element is named to clear, to click or to append to")
	}
	return p.act(ctx, func(ctx context.Context, s string) error {
		if l != nil {
			if err := p.takeFocus(ctx, s, l, o); err != nil {
				return err
			}
		}
		if o.Append {
			return p.send(ctx, command{s, "Input.insertText", obj{"text": text}, nil})
		}
		return p.typeKeys(ctx, s, text, o.Delay)
	})
}

// takeFocus makes a field ready for typing.
func (p *Page) takeFocus(ctx context.Context, s string, l Locator, o TypeOptions) error {
	if o.Click {
		to, err := p.point(ctx, l, obj{"covered": true})
		if err != nil {
			return err
		}
		if err := p.click(ctx, s, Point{to.X, to.Y}, ClickOptions{}, 0); err != nil {
			return err
		}
	}
	if l.query().By == "point" {
		l = nil // what was clicked has the focus
	}
	return p.focus(ctx, l, obj{"atEnd": true, "clear": o.Clear, "editable": o.Append})
}

// focus focuses the element, or goes by what has the focus where l is nil.
func (p *Page) focus(ctx context.Context, l Locator, args obj) error {
	if l != nil {
		args["locator"] = l.query()
	}
	return p.script(ctx, scriptCall{verb: "focus", args: args, acts: args["clear"] == true})
}

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
			if err := p.send(ctx, list...); err != nil {
				return err
			}
			list = nil
		}
		if err := p.sleep(ctx, delay); err != nil {
			return err
		}
	}
	return p.send(ctx, list...)
}

// Press presses a key or a chord such as "Control+A", in an element, or in what
// has the focus where l is nil. If that leads to another document, it is there
// then: see Follow.
func (p *Page) Press(ctx context.Context, l Locator, chord string, o PressOptions) error {
	if l != nil {
		if err := check(l); err != nil {
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
		return invalid("there is no key %q", name)
	}
	if mask&^modifierBits["shift"] != 0 {
		k.text = "" // a command types nothing
	}
	err = p.act(ctx, func(ctx context.Context, s string) error {
		if l != nil {
			if err := p.focus(ctx, l, obj{}); err != nil {
				return err
			}
		}
		list, held := holdModifiers(s, mask)
		list = append(list, keyDown(s, k, mask))
		if o.Delay > 0 {
			if err := p.send(ctx, list...); err != nil {
				return err
			}
			if err := p.sleep(ctx, o.Delay); err != nil {
				return err
			}
			list = nil
		}
		return p.send(ctx, append(append(list, keyUp(s, k, mask)), held...)...)
	})
	if err == nil && !o.NoWait {
		_ = p.Follow(ctx) // it may have closed the page
	}
	return err
}

// holdModifiers presses the modifier keys of a mask; release lets go of them.
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

// keyDown and keyUp are Input.dispatchKeyEvent.
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

func (k key) params(mask int) obj {
	return obj{"key": k.key, "code": k.code, "windowsVirtualKeyCode": k.vk, "location": k.location, "modifiers": mask}
}
