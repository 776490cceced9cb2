// Package plain writes text that a stranger may have chosen to a terminal. What would
// command the terminal is spelled out, as JSON spells it:
//
//	out := plain.NewWriter(os.Stdout)
//	fmt.Fprintln(out, "\x1b[2Jtitle of a page") // \u001b[2Jtitle of a page
//
// JSON that passes stays JSON with the same meaning.
package plain

import (
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// Append appends a text, in which control characters but for line feeds and tabs, and
// characters that turn the direction of writing, are spelled out. Bytes that are no UTF-8
// become U+FFFD: a terminal that reads single bytes takes some for control characters.
func Append(to, text []byte) []byte {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			to = utf8.AppendRune(to, r)
		case isControl(r):
			to = fmt.Appendf(to, `\u%04x`, r)
		default:
			to = append(to, text[:n]...)
		}
		text = text[n:]
	}
	return to
}

// isControl reports whether a character does something to a terminal other than to
// show itself: C0, DEL and C1 (ECMA-48), and the embeddings, overrides and isolates that
// turn the direction of writing (Unicode, UAX 9).
func isControl(r rune) bool {
	if r == '\n' || r == '\t' {
		return false
	}
	return r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069
}

// Writer writes plain text. It is safe for concurrent use.
type Writer struct {
	to io.Writer // static after NewWriter

	mu   sync.Mutex // guards everything below
	rest []byte     // the beginning of a character
	buf  []byte
}

// NewWriter returns a Writer to w, which is w itself if it is one.
func NewWriter(w io.Writer) *Writer {
	if plain, is := w.(*Writer); is {
		return plain
	}
	return &Writer{to: w}
}

// Write implements io.Writer. The beginning of a character at the end of p waits for the
// rest.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.rest) > 0 {
		text = slices.Concat(w.rest, p)
	}
	whole := len(text) - unfinishedBytes(text)
	w.buf = Append(w.buf[:0], text[:whole])
	w.rest = append([]byte(nil), text[whole:]...)
	if _, err := w.to.Write(w.buf); err != nil {
		return 0, err
	}
	if cap(w.buf) > kept {
		w.buf = nil
	}
	return len(p), nil
}

// kept is how large a buffer may be that is kept for the next write.
const kept = 64 << 10

// unfinishedBytes is the number of bytes at the end of a text that begin a character and do
// not end it.
func unfinishedBytes(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// Flush writes what waits for the rest of a character that does not come.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	rest := w.rest
	w.rest = nil
	if len(rest) == 0 {
		return nil
	}
	_, err := w.to.Write(Append(nil, rest))
	return err
}

// Under is what a Writer writes to, or w itself if it is none: for what is plain already.
func Under(w io.Writer) io.Writer {
	if plain, is := w.(*Writer); is {
		return plain.to
	}
	return w
}

// IsTerminal reports whether a person reads what is written.
func IsTerminal(w io.Writer) bool {
	f, is := Under(w).(*os.File)
	return is && term.IsTerminal(int(f.Fd()))
}
