package journal

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
)

// acted makes an entry of what a Client did. The caller has made the entry of the
// keys that were typed before. A picture follows.
func (j *Journal) acted(l *line, e Entry) {
	e.Kind = Command
	l.lastMethod, l.lastClient, l.lastAt = cmp.Or(e.Method, l.lastMethod), e.Client, time.UnixMilli(e.At)
	j.keepLocked(l, e, nil)
	l.pictures.want()
	l.probe.reading, l.probe.readNext = 2, time.Now().Add(pictureSettles)
}

// entry begins the entry of a command. Its time is that of the command, not of the
// answer.
func (l *line) entry(c *command, a *Action, text string) Entry {
	l.session = c.session
	a.Inside = c.inside && (a.X != 0 || a.Y != 0 || a.ToX != 0 || a.ToY != 0)
	return Entry{
		At: c.at.UnixMilli(), Client: c.client, Method: c.method.name, Text: l.text(text) + a.On.words(),
		Ms: c.took.Milliseconds(), Error: l.text(c.err), Action: a, NotWeb: c.notWeb,
	}
}

// did makes the entry of a command, after the entry of the keys that were typed
// before it.
func (l *line) did(j *Journal, c *command, a *Action, text string) {
	l.endTyping(j)
	j.acted(l, l.entry(c, a, text))
}

// plainMethod returns the function for a method whose params do not matter.
func plainMethod(do, text string) func(*Journal, *line, *command) {
	return func(j *Journal, l *line, c *command) { l.did(j, c, &Action{Do: do}, text) }
}

// readParams reads params. Members that a Client has sent wrongly stay zero: the Host
// refuses them.
func readParams(params []byte, into any) {
	_ = wire.Decode(params, into)
}

func atPoint(x, y float64) string { return fmt.Sprintf("at (%v, %v)", math.Round(x), math.Round(y)) }

type mouseParams struct {
	Type       string
	X, Y       float64
	DeltaX     float64
	DeltaY     float64
	Button     string
	ClickCount int
	Modifiers  int
}

// press is a button of the mouse that is down.
type press struct {
	x, y float64
	on   *Element
}

// farDrag is the least distance, in CSS pixels, between press and release for a drag.
// A hand moves a little while it clicks.
const farDrag = 5

// dispatchMouse makes one entry of a press and its release. Moves are no entries: a
// page gets hundreds of them.
func dispatchMouse(j *Journal, l *line, c *command) {
	var p mouseParams
	readParams(c.params, &p)
	switch p.Type {
	case "mousePressed":
		l.endTyping(j)
		l.press = &press{p.X, p.Y, c.on}
		// A press that has failed has no release.
		if c.err != "" {
			l.did(j, c, &Action{Do: Click, X: p.X, Y: p.Y, Button: p.Button}, "clicked "+atPoint(p.X, p.Y))
		}
	case "mouseReleased":
		down := l.press
		l.press = nil
		if down == nil {
			return
		}
		l.clicked(j, c, p, down)
	case "mouseWheel":
		l.did(j, c, &Action{Do: Scroll, X: p.X, Y: p.Y, ToX: p.DeltaX, ToY: p.DeltaY},
			fmt.Sprintf("scrolled by (%v, %v) %s", p.DeltaX, p.DeltaY, atPoint(p.X, p.Y)))
	}
}

// clicked decides by the distance whether it was a click or a drag.
func (l *line) clicked(j *Journal, c *command, p mouseParams, down *press) {
	a := &Action{Do: Click, X: down.x, Y: down.y, Button: p.Button, On: down.on}
	if math.Abs(p.X-down.x)+math.Abs(p.Y-down.y) > farDrag {
		a.Do, a.ToX, a.ToY = Drag, p.X, p.Y
		l.did(j, c, a, "dragged from "+strings.TrimPrefix(atPoint(down.x, down.y), "at ")+" to "+strings.TrimPrefix(atPoint(p.X, p.Y), "at "))
		return
	}
	verb := "clicked"
	switch {
	case p.ClickCount > 1:
		a.Do, verb = DoubleClick, "double-clicked"
	case p.Button == "right":
		verb = "right-clicked"
	}
	l.did(j, c, a, verb+" "+atPoint(p.X, p.Y))
}

// dispatchTouch reads Input.dispatchTouchEvent (CDP). A touch that ends where one
// began is a tap; only the first finger counts.
func dispatchTouch(j *Journal, l *line, c *command) {
	var p struct {
		Type        string
		TouchPoints []struct{ X, Y float64 }
	}
	readParams(c.params, &p)
	switch {
	case p.Type == "touchStart" && len(p.TouchPoints) > 0:
		l.press = &press{p.TouchPoints[0].X, p.TouchPoints[0].Y, c.on}
	case p.Type == "touchEnd" && l.press != nil:
		down := l.press
		l.press = nil
		l.did(j, c, &Action{Do: Click, X: down.x, Y: down.y, On: down.on}, "tapped "+atPoint(down.x, down.y))
	}
}

func tapGesture(j *Journal, l *line, c *command) {
	var p struct{ X, Y float64 }
	readParams(c.params, &p)
	l.did(j, c, &Action{Do: Click, X: p.X, Y: p.Y, On: c.on}, "tapped "+atPoint(p.X, p.Y))
}

// scrollGesture reads Input.synthesizeScrollGesture. The distance of the gesture is that of
// the finger, which is the opposite of the scrolling (CDP).
func scrollGesture(j *Journal, l *line, c *command) {
	var p struct{ X, Y, XDistance, YDistance float64 }
	readParams(c.params, &p)
	l.did(j, c, &Action{Do: Scroll, X: p.X, Y: p.Y, ToX: -p.XDistance, ToY: -p.YDistance},
		fmt.Sprintf("scrolled by (%v, %v) %s", -p.XDistance, -p.YDistance, atPoint(p.X, p.Y)))
}

// dispatchDrag reads Input.dispatchDragEvent (CDP). Only the drop is an action.
func dispatchDrag(j *Journal, l *line, c *command) {
	var p struct {
		Type string
		X, Y float64
	}
	readParams(c.params, &p)
	if p.Type == "drop" {
		l.did(j, c, &Action{Do: Drag, ToX: p.X, ToY: p.Y, On: c.on}, "dropped "+atPoint(p.X, p.Y))
	}
}

// insertText reads Input.insertText (CDP). Only the number of characters is kept,
// never the text.
func insertText(j *Journal, l *line, c *command) {
	var p struct{ Text string }
	readParams(c.params, &p)
	n := utf8.RuneCountInString(p.Text)
	if c.params == nil {
		n = c.long // too long to be read: at most as many characters
	}
	l.did(j, c, &Action{Do: Type, Length: n, On: c.on}, "typed "+characterCount(n))
}

type keyParams struct {
	Type      string
	Key       string
	Text      string
	Modifiers int
}

// The modifiers of a key that make a shortcut, as bits of CDP's
// Input.dispatchKeyEvent. Shift is none: it types capitals.
const (
	altKey, controlKey, metaKey = 1, 2, 4
	shortcut                    = altKey | controlKey | metaKey
)

// named are the keys that an entry names. All others count as typed text, of which an
// entry has only the length.
var named = map[string]bool{
	"Enter": true, "Tab": true, "Escape": true, "Backspace": true, "Delete": true, "Insert": true, "Home": true, "End": true,
	"PageUp": true, "PageDown": true, "ArrowUp": true, "ArrowDown": true, "ArrowLeft": true, "ArrowRight": true,
	"F1": true, "F2": true, "F3": true, "F4": true, "F5": true, "F6": true, "F7": true, "F8": true, "F9": true,
	"F10": true, "F11": true, "F12": true, "ContextMenu": true,
}

// dispatchKey makes entries of keys with a name and of shortcuts. Typed characters
// are counted, and become one entry at the end of typing. A "char" event follows the
// keyDown of the same key and must not count twice.
func dispatchKey(j *Journal, l *line, c *command) {
	var p keyParams
	readParams(c.params, &p)
	if p.Type == "keyUp" || p.Type == "" {
		return
	}
	text := strings.TrimRight(p.Text, "\r\n")
	switch {
	case named[p.Key] && p.Type != "char":
		l.pressed(j, c, withModifiers(p.Modifiers, p.Key))
	case p.Modifiers&shortcut != 0 && p.Type != "char" && utf8.RuneCountInString(p.Key) == 1:
		l.pressed(j, c, withModifiers(p.Modifiers, strings.ToUpper(p.Key)))
	case text != "":
		l.typedKey(j, c, text)
	}
}

func (l *line) pressed(j *Journal, c *command, key string) {
	l.did(j, c, &Action{Do: Press, Key: key, On: c.on}, "pressed "+key)
}

// typedKey adds to the run of keys of this Client. Another Client, an error, or another field
// begins a new run: pages move the focus by themselves, as from digit to digit of a code.
func (l *line) typedKey(j *Journal, c *command, text string) {
	if l.typing == nil || l.typing.entry.Client != c.client || c.err != "" || !l.typing.entry.Action.On.is(c.on) {
		l.endTyping(j)
		l.typing = &typing{entry: l.entry(c, &Action{On: c.on}, "")}
	}
	t := l.typing
	t.count += utf8.RuneCountInString(text)
	t.newest = c.at.Add(c.took)
}

// withModifiers puts the names of modifiers before a key, such as "Control+a". m has
// the bits of CDP: Alt 1, Control 2, Meta 4, Shift 8 (Input.dispatchKeyEvent).
func withModifiers(m int, key string) string {
	for _, mod := range []struct {
		bit  int
		name string
	}{{8, "Shift"}, {metaKey, "Meta"}, {altKey, "Alt"}, {controlKey, "Control"}} {
		if m&mod.bit != 0 {
			key = mod.name + "+" + key
		}
	}
	return key
}
