package proxy

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"

	"github.com/cdphub/cdphub/internal/proxy/rewrite"
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

// scanner reads tokens from a part of a document. Bytes of the document are never changed:
// only sizes come from here.
type scanner struct{ z *rewrite.Tokenizer }

// newScanner returns a scanner for a part of a document: see rewrite.NewTokenizer.
func newScanner(part []byte, raw string) *scanner { return &scanner{rewrite.NewTokenizer(part, raw)} }

// next returns the next token. It is an ErrorToken when there is none.
func (s *scanner) next() token {
	t := token{kind: s.z.Next()}
	// Raw must be read first: TagName and TagAttr change the bytes in place.
	raw := s.z.Raw() // what TagName and TagAttr may change
	t.size, t.whole = len(raw), s.z.Whole()
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
