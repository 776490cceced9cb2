package proxy

import (
	"bytes"
	"io"
	"strings"

	"golang.org/x/net/html"
)

// token is one token of HTML at the start of a document.
type token struct {
	kind  html.TokenType
	name  string // of a tag, in lower case
	size  int    // bytes of the token
	space int    // bytes of white space at the start of a text
	csp   bool   // it is a meta tag that declares a Content Security Policy
	whole bool   // its end is known
}

// scanner reads tokens from a part of a document. It says of each whether the part
// ends within it: html.Tokenizer takes the end of its input for the end of the
// document, and returns a cut-off comment or text as if it were whole. Bytes of the
// document are never changed: only sizes come from here.
type scanner struct {
	z   *html.Tokenizer
	src source
}

// newScanner returns a scanner for a part of a document. raw is the element
// whose text the part begins in, such as script; "" is none.
func newScanner(part []byte, raw string) *scanner {
	s := &scanner{src: source{rest: part}}
	s.z = html.NewTokenizerFragment(&s.src, raw)
	return s
}

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

// next returns the next token. It is an ErrorToken when there is none.
func (s *scanner) next() token {
	t := token{kind: s.z.Next()}
	// Raw must be read first: TagName and TagAttr change the bytes in place.
	raw := s.z.Raw() // what TagName and TagAttr may change
	t.size, t.whole = len(raw), !s.src.exhausted
	switch t.kind {
	case html.TextToken:
		t.space = len(raw) - len(bytes.TrimLeft(raw, "\t\n\f\r "))
	case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
		name, _ := s.z.TagName()
		t.name = string(name)
	}
	if t.kind == html.SelfClosingTagToken {
		t.kind = html.StartTagToken // HTML has no elements that close themselves
	}
	t.csp = t.kind == html.StartTagToken && t.name == "meta" && s.declaresCSP()
	return t
}

// declaresCSP reports whether the meta tag that was just read declares a policy.
// Of attributes with one name the first counts (HTML standard, section
// 13.2.5.33).
func (s *scanner) declaresCSP() bool {
	for {
		name, value, more := s.z.TagAttr()
		if string(name) == "http-equiv" {
			return strings.EqualFold(string(value), "Content-Security-Policy")
		}
		if !more {
			return false
		}
	}
}

// isRaw reports whether the content of an element is text without tags, where
// scripts run (HTML standard, section 13.2.6.4.7). html.Tokenizer has the same
// list.
func isRaw(element string) bool {
	switch element {
	case "iframe", "noembed", "noframes", "noscript", "plaintext", "script", "style", "textarea", "title", "xmp":
		return true
	}
	return false
}
