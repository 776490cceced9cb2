package editing

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

type point struct{ X, Y float64 }

// step makes a step of a gesture. Numbers are those of characters in the editable's first line.
//
//	type abc, insert abc        a key for each character; Input.insertText
//	key Control+Shift+ArrowLeft keys with modifiers, as Playwright presses them
//	click 3, dblclick 3, triple 3, shiftclick 3, right 3, middle 3, move 3
//	drag 1 6                    press, moves, release
//	other                       a click on the button beside the editable
func (d *driver) step(t *testing.T, step string) {
	t.Helper()
	verb, rest, _ := strings.Cut(step, " ")
	var from, to float64
	if n, _ := fmt.Sscan(rest, &from, &to); n < 2 {
		to = from
	}
	switch verb {
	case "type":
		for _, c := range rest {
			d.press(t, string(c))
		}
	case "insert":
		d.cdp.Call(t, d.session, "Input.insertText", map[string]any{"text": rest})
	case "key":
		d.press(t, rest)
	case "click":
		d.click(t, d.at(t, from), "left", 1, 0)
	case "dblclick":
		d.click(t, d.at(t, from), "left", 2, 0)
	case "triple":
		d.click(t, d.at(t, from), "left", 3, 0)
	case "shiftclick":
		d.click(t, d.at(t, from), "left", 1, shift)
	case "right":
		d.click(t, d.at(t, from), "right", 1, 0)
	case "middle":
		d.click(t, d.at(t, from), "middle", 1, 0)
	case "move":
		d.mouse(t, "mouseMoved", d.at(t, from), "none", 0, 0)
	case "drag":
		d.mouse(t, "mouseMoved", d.at(t, from), "none", 0, 0)
		d.mouse(t, "mousePressed", d.at(t, from), "left", 1, 0)
		for _, share := range []float64{0.3, 0.6, 1} {
			d.mouse(t, "mouseMoved", d.at(t, from+share*(to-from)), "left", 0, 0)
		}
		d.mouse(t, "mouseReleased", d.at(t, to), "left", 1, 0)
	case "other":
		d.click(t, d.position(t, "(({ left: x, top: y }) => ({ x: x + 5, y: y + 5 }))(other.getBoundingClientRect())"), "left", 1, 0)
	default:
		t.Fatalf("no step is called %q", verb)
	}
}

// at is the place of a character.
func (d *driver) at(t *testing.T, index float64) point {
	t.Helper()
	return d.position(t, fmt.Sprintf("pointAt(%g)", index))
}

func (d *driver) position(t *testing.T, expression string) (p point) {
	t.Helper()
	if err := json.Unmarshal(d.page(t, expression), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// click presses and releases a button so many times.
func (d *driver) click(t *testing.T, at point, button string, times, modifiers int) {
	t.Helper()
	d.mouse(t, "mouseMoved", at, "none", 0, modifiers)
	for n := 1; n <= times; n++ {
		d.mouse(t, "mousePressed", at, button, n, modifiers)
		d.mouse(t, "mouseReleased", at, button, n, modifiers)
	}
}

var held = map[string]int{"left": 1, "right": 2, "middle": 4}

func (d *driver) mouse(t *testing.T, kind string, at point, button string, count, modifiers int) {
	t.Helper()
	params := map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": button, "clickCount": count, "modifiers": modifiers}
	if kind != "mouseReleased" && button != "none" {
		params["buttons"], params["force"] = held[button], 0.5 // as Playwright
	}
	d.cdp.Call(t, d.session, "Input.dispatchMouseEvent", params)
}

// The bits of CDP's modifiers.
const (
	alt = 1 << iota
	control
	meta
	shift
)

var modifierKeys = map[string]struct{ bit, code int }{"Alt": {alt, 18}, "Control": {control, 17}, "Meta": {meta, 91}, "Shift": {shift, 16}}

// keyCodes are those of Windows, for the keys that type no character.
var keyCodes = map[string]int{
	"Backspace": 8, "Tab": 9, "Enter": 13, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36,
	"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Delete": 46,
}

// press presses and releases a key while those before it are down.
func (d *driver) press(t *testing.T, keys string) {
	t.Helper()
	list := strings.Split(keys, "+")
	mods, key := list[:len(list)-1], list[len(list)-1]
	bits := 0
	for _, m := range mods {
		bits |= modifierKeys[m].bit
		d.key(t, "rawKeyDown", map[string]any{"key": m, "code": m + "Left", "windowsVirtualKeyCode": modifierKeys[m].code, "modifiers": bits, "location": 1})
	}
	params := map[string]any{"key": key, "code": key, "windowsVirtualKeyCode": keyCodes[key], "modifiers": bits}
	text := ""
	if len(key) == 1 {
		upper := strings.ToUpper(key)
		params["windowsVirtualKeyCode"] = int(upper[0])
		switch {
		case key >= "a" && key <= "z":
			params["code"] = "Key" + upper
		case key >= "0" && key <= "9":
			params["code"] = "Digit" + key
		case key == " ":
			params["code"] = "Space"
		}
		if text = key; bits&shift != 0 {
			params["key"] = upper
		}
	}
	if key == "Enter" {
		text = "\r"
	}
	down := "rawKeyDown"
	if text != "" && bits&^shift == 0 {
		down = "keyDown"
		params["text"], params["unmodifiedText"] = text, text
	}
	d.key(t, down, params)
	delete(params, "text")
	delete(params, "unmodifiedText")
	d.key(t, "keyUp", params)
	for i := len(mods) - 1; i >= 0; i-- {
		m := mods[i]
		bits &^= modifierKeys[m].bit
		d.key(t, "keyUp", map[string]any{"key": m, "code": m + "Left", "windowsVirtualKeyCode": modifierKeys[m].code, "modifiers": bits, "location": 1})
	}
}

func (d *driver) key(t *testing.T, kind string, params map[string]any) {
	t.Helper()
	params["type"] = kind
	d.cdp.Call(t, d.session, "Input.dispatchKeyEvent", params)
}
