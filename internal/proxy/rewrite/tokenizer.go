package rewrite

import (
	"io"

	"golang.org/x/net/html"
)

// Tokenizer reads tokens from a part of a document. It says of each whether the part ends
// within it: html.Tokenizer takes the end of its input for the end of the document, and
// returns a cut-off comment or text as if it were whole.
type Tokenizer struct {
	*html.Tokenizer
	src source
}

// NewTokenizer returns a Tokenizer for a part of a document. raw is the element whose text
// the part begins in, such as script; "" is none. (html.NewTokenizerFragment takes what
// follows for text to the end of the input.)
func NewTokenizer(part []byte, raw string) *Tokenizer {
	t := &Tokenizer{src: source{rest: part}}
	if raw == "" {
		t.Tokenizer = html.NewTokenizer(&t.src)
		return t
	}
	start := "<" + raw + ">"
	t.Tokenizer = html.NewTokenizer(io.MultiReader(&source{rest: []byte(start)}, &t.src))
	t.Next()
	return t
}

// Whole reports whether the end of the last token is known.
func (t *Tokenizer) Whole() bool { return !t.src.exhausted }

// source is the input of a tokenizer.
type source struct {
	rest      []byte
	exhausted bool // more was asked for than there is
}

// Read implements io.Reader.
func (s *source) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		s.exhausted = true
		return 0, io.EOF
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// IsRaw reports whether the content of an element is text without tags, where scripts run
// (HTML Standard, section 13.2.6.4.7). html.Tokenizer has the same list.
func IsRaw(element string) bool {
	switch element {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}
