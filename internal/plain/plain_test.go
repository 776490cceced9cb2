package plain

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// everything has each character that a terminal may take for a command, and many that
// it does not, each byte alone, and sequences of xterm.
func everything() []byte {
	text := []byte("\x1b[2J\x1b]0;title\a\u009b31m\x9b31m")
	for r := rune(0); r < 0x2100; r++ {
		text = utf8.AppendRune(text, r)
	}
	for b := range 256 {
		text = append(text, byte(b), ' ')
	}
	return append(text, "日本語 🙂\xf0\x9f\x99"...)
}

// wantPlain wants a text to command nothing.
func wantPlain(t *testing.T, text []byte) {
	t.Helper()
	if !utf8.Valid(text) {
		t.Errorf("%q has bytes that are no UTF-8", text)
	}
	for _, r := range string(text) {
		if r < ' ' && r != '\n' && r != '\t' || strings.ContainsRune("\x7f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069", r) || r >= 0x80 && r < 0xa0 {
			t.Errorf("U+%04X is written", r)
		}
	}
}

// TestR271WriterCommandsNoTerminal writes everything, in pieces of every length up to
// that of a character, and at once.
func TestR271WriterCommandsNoTerminal(t *testing.T) {
	text := everything()
	want := Append(nil, text)
	wantPlain(t, want)
	for _, size := range []int{1, 2, 3, 4, len(text)} {
		var out bytes.Buffer
		w := NewWriter(&out)
		for rest := text; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			piece := bytes.Clone(rest[:min(size, len(rest))])
			if n, err := w.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
			clear(piece) // a writer must not keep it (io.Writer)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		if n := out.Len(); w.Flush() != nil || out.Len() != n {
			t.Errorf("pieces of %d bytes: what was flushed is written again", size)
		}
		wantPlain(t, out.Bytes())
		if size < utf8.UTFMax && !strings.Contains(out.String(), "日本語 🙂") {
			t.Errorf("pieces of %d bytes break characters", size)
		}
		if size == len(text) && !bytes.HasPrefix(want, bytes.TrimSuffix(out.Bytes(), []byte("\ufffd"))) {
			t.Errorf("at once it writes %q", out.Bytes())
		}
	}
}

// TestR271WriterKeepsTexts wants other texts to stay byte for byte, and JSON to keep its
// meaning.
func TestR271WriterKeepsTexts(t *testing.T) {
	var out bytes.Buffer
	w := NewWriter(&out)
	const text = "a line\n\tits \"second\" \\ part: ü, Ελλάδα, עברית, 日本語, 🙂, \ufffd, \u00a0\n"
	if w.Write([]byte(text)); out.String() != text {
		t.Errorf("%q", out.String())
	}
	if NewWriter(w) != w || Under(w) != &out || IsTerminal(w) {
		t.Error("a Writer to a Writer is another, or a buffer is a terminal")
	}
	out.Reset()
	before := map[string]string{"\u202ekey\x7f": string(bytes.ToValidUTF8(everything(), nil)), `\`: "\\\u009b"}
	if err := json.NewEncoder(w).Encode(before); err != nil {
		t.Fatal(err)
	}
	wantPlain(t, out.Bytes())
	var after map[string]string
	if err := json.Unmarshal(out.Bytes(), &after); err != nil || len(after) != len(before) {
		t.Fatal(err)
	}
	for key, value := range before {
		if after[key] != value {
			t.Errorf("%q became %q", key, after[key])
		}
	}
}
