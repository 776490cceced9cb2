package actions

import "strings"

// key is a key of a US keyboard.
type key struct {
	key, code string
	vk        int    // Windows virtual-key code
	text      string // what it types; "" for most named keys
	location  int    // 1 for the left of two modifier keys
}

// named are the keys with names, as the values of KeyboardEvent.key name them (UI
// Events KeyboardEvent key Values).
var named = map[string]key{
	"Backspace": {"Backspace", "Backspace", 8, "", 0}, "Tab": {"Tab", "Tab", 9, "", 0}, "Enter": {"Enter", "Enter", 13, "\r", 0},
	"Shift": {"Shift", "ShiftLeft", 16, "", 1}, "Control": {"Control", "ControlLeft", 17, "", 1}, "Alt": {"Alt", "AltLeft", 18, "", 1},
	"Meta": {"Meta", "MetaLeft", 91, "", 1}, "Pause": {"Pause", "Pause", 19, "", 0}, "CapsLock": {"CapsLock", "CapsLock", 20, "", 0},
	"Escape": {"Escape", "Escape", 27, "", 0}, "Space": {" ", "Space", 32, " ", 0}, "PageUp": {"PageUp", "PageUp", 33, "", 0},
	"PageDown": {"PageDown", "PageDown", 34, "", 0}, "End": {"End", "End", 35, "", 0}, "Home": {"Home", "Home", 36, "", 0},
	"ArrowLeft": {"ArrowLeft", "ArrowLeft", 37, "", 0}, "ArrowUp": {"ArrowUp", "ArrowUp", 38, "", 0},
	"ArrowRight": {"ArrowRight", "ArrowRight", 39, "", 0}, "ArrowDown": {"ArrowDown", "ArrowDown", 40, "", 0},
	"PrintScreen": {"PrintScreen", "PrintScreen", 44, "", 0}, "Insert": {"Insert", "Insert", 45, "", 0}, "Delete": {"Delete", "Delete", 46, "", 0},
	"ContextMenu": {"ContextMenu", "ContextMenu", 93, "", 0}, "NumLock": {"NumLock", "NumLock", 144, "", 0}, "ScrollLock": {"ScrollLock", "ScrollLock", 145, "", 0},
	"F1": {"F1", "F1", 112, "", 0}, "F2": {"F2", "F2", 113, "", 0}, "F3": {"F3", "F3", 114, "", 0}, "F4": {"F4", "F4", 115, "", 0},
	"F5": {"F5", "F5", 116, "", 0}, "F6": {"F6", "F6", 117, "", 0}, "F7": {"F7", "F7", 118, "", 0}, "F8": {"F8", "F8", 119, "", 0},
	"F9": {"F9", "F9", 120, "", 0}, "F10": {"F10", "F10", 121, "", 0}, "F11": {"F11", "F11", 122, "", 0}, "F12": {"F12", "F12", 123, "", 0},
}

// shortNames are other names that clients use for the keys, and the characters that
// named keys type.
var shortNames = map[string]string{
	"Esc": "Escape", "Return": "Enter", "Left": "ArrowLeft", "Right": "ArrowRight", "Up": "ArrowUp", "Down": "ArrowDown", "Del": "Delete",
	"Ctrl": "Control", "Command": "Meta", "ControlOrMeta": "Control", " ": "Space", "\n": "Enter", "\r": "Enter", "\t": "Tab",
}

// symbols are the keys beside letters and digits: plain, with Shift, code.
var symbols = []struct {
	plain, shifted byte
	code           string
	vk             int
}{
	{'`', '~', "Backquote", 192},
	{'-', '_', "Minus", 189},
	{'=', '+', "Equal", 187},
	{'[', '{', "BracketLeft", 219},
	{']', '}', "BracketRight", 221},
	{'\\', '|', "Backslash", 220},
	{';', ':', "Semicolon", 186},
	{'\'', '"', "Quote", 222},
	{',', '<', "Comma", 188},
	{'.', '>', "Period", 190},
	{'/', '?', "Slash", 191},
}

const shiftedDigits = ")!@#$%^&*("

// keyOf finds a key by its name, or by the one character that it types. shift says
// that Shift is held: the key then types its upper character. It reports false for a
// name that no key has.
func keyOf(name string, shift bool) (key, bool) {
	if long, ok := shortNames[name]; ok {
		name = long
	}
	if k, ok := named[name]; ok {
		return k, true
	}
	if rs := []rune(name); len(rs) != 1 {
		return keyOfCode(name)
	}
	// Such as "é": the browser inserts the text without a code.
	if len(name) > 1 { // not on the keyboard, but it types
		return key{key: name, text: name}, true
	}
	c := name[0]
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
		upper := strings.ToUpper(name)
		if shift {
			name = upper
		}
		return key{name, "Key" + upper, int(upper[0]), name, 0}, true
	case '0' <= c && c <= '9':
		typed := name
		if shift {
			typed = shiftedDigits[c-'0' : c-'0'+1]
		}
		return key{typed, "Digit" + name, int(c), typed, 0}, true
	}
	if i := strings.IndexByte(shiftedDigits, c); i >= 0 {
		return key{name, "Digit" + string(rune('0'+i)), '0' + i, name, 0}, true
	}
	for _, s := range symbols {
		if c == s.plain || c == s.shifted {
			if shift {
				name = string(rune(s.shifted))
			}
			return key{name, s.code, s.vk, name, 0}, true
		}
	}
	// A character such as a control character has no key.
	return key{key: name, text: name}, c >= ' ' && c < 0x7f
}

// keyOfCode finds a key by DOM's code for it: "KeyA", "Digit1".
func keyOfCode(code string) (key, bool) {
	for _, prefix := range []string{"Key", "Digit"} {
		if c, ok := strings.CutPrefix(code, prefix); ok && len(c) == 1 {
			return keyOf(strings.ToLower(c), false)
		}
	}
	return key{}, false
}

// parseChord reads "Control+Shift+A". The last part is the key, which may be
// "+" itself.
func parseChord(chord string) (modifiers []string, name string) {
	rest := chord
	for {
		i := strings.IndexByte(rest, '+')
		if i <= 0 || i == len(rest)-1 {
			return modifiers, rest
		}
		modifiers = append(modifiers, rest[:i])
		rest = rest[i+1:]
	}
}
