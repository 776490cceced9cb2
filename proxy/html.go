package proxy

import (
	"bytes"
	"html"
	"strings"
)

// kind is what a token of HTML is, as far as the start of a document needs it.
type kind int

const (
	space   kind = iota
	comment      // also a doctype and what parsers take for a comment
	startTag
	endTag
	text // anything else: the first byte that ends the head
)

// token is one token at the start of a text.
type token struct {
	kind kind
	name string // of a tag, in lower case
	raw  []byte
}

// next returns the first token of a non-empty text, or false if the text ends
// within it. It follows the tokenizer of the HTML standard (section 13.2.5)
// where that decides where a token ends. A text token is empty: nobody needs
// its end.
func next(b []byte) (token, bool) {
	if n := len(b) - len(bytes.TrimLeft(b, "\t\n\f\r ")); n > 0 {
		return token{kind: space, raw: b[:n]}, true
	}
	switch {
	case b[0] != '<':
		return token{kind: text}, true
	case len(b) < 2:
		return token{}, false
	case b[1] == '!' || b[1] == '?':
		return commentToken(b)
	case isLetter(b[1]):
		return tag(startTag, b, b[1:])
	case b[1] != '/':
		return token{kind: text}, true
	case len(b) < 3:
		return token{}, false
	case isLetter(b[2]):
		return tag(endTag, b, b[2:])
	default:
		return until(b, ">", 2)
	}
}

func commentToken(b []byte) (token, bool) {
	const open = "<!--"
	if len(b) < len(open) && strings.HasPrefix(open, string(b)) {
		return token{}, false
	}
	body, is := bytes.CutPrefix(b, []byte(open))
	if !is { // a doctype too ends at the first >, even within quotes
		return until(b, ">", 2)
	}
	for _, short := range []string{">", "->"} {
		if bytes.HasPrefix(body, []byte(short)) {
			return token{kind: comment, raw: b[:len(open)+len(short)]}, true
		}
	}
	first, complete := until(b, "-->", len(open))
	if second, is := until(b, "--!>", len(open)); is && (!complete || len(second.raw) < len(first.raw)) {
		return second, true
	}
	return first, complete
}

// until returns the comment that ends with a text.
func until(b []byte, end string, from int) (token, bool) {
	i := bytes.Index(b[from:], []byte(end))
	if i < 0 {
		return token{}, false
	}
	return token{kind: comment, raw: b[:from+i+len(end)]}, true
}

// tag returns a tag whose name begins at rest.
func tag(k kind, b, rest []byte) (token, bool) {
	end := bytes.IndexAny(rest, "\t\n\f\r />")
	if end < 0 {
		return token{}, false
	}
	name := strings.ToLower(string(rest[:end]))
	for rest = rest[end:]; ; {
		var done bool
		if _, _, rest, done = attribute(rest); done {
			break
		}
	}
	if len(rest) == 0 {
		return token{}, false
	}
	return token{kind: k, name: name, raw: b[:len(b)-len(rest)+1]}, true
}

// attribute reads one attribute within a tag and returns what follows it. It
// is done at the > that ends the tag, or with nothing left if there is none.
func attribute(b []byte) (name, value string, rest []byte, done bool) {
	b = bytes.TrimLeft(b, "\t\n\f\r /")
	if len(b) == 0 || b[0] == '>' {
		return "", "", b, true
	}
	end := bytes.IndexAny(b[1:], "\t\n\f\r />=") + 1 // a leading = belongs to the name
	if end == 0 {
		return "", "", nil, true
	}
	name = strings.ToLower(string(b[:end]))
	after, valued := bytes.CutPrefix(bytes.TrimLeft(b[end:], "\t\n\f\r "), []byte("="))
	if !valued {
		return name, "", b[end:], false
	}
	after = bytes.TrimLeft(after, "\t\n\f\r ")
	if len(after) == 0 {
		return "", "", nil, true
	}
	if q := after[0]; q == '"' || q == '\'' {
		end := bytes.IndexByte(after[1:], q)
		if end < 0 {
			return "", "", nil, true
		}
		return name, html.UnescapeString(string(after[1 : 1+end])), after[end+2:], false
	}
	end = bytes.IndexAny(after, "\t\n\f\r >")
	if end < 0 {
		return "", "", nil, true
	}
	return name, html.UnescapeString(string(after[:end])), after[end:], false
}

// declaresCSP reports whether a meta tag declares a Content Security Policy.
func declaresCSP(t token) bool {
	rest := t.raw[len("<meta"):]
	for {
		name, value, after, done := attribute(rest)
		if done {
			return false
		}
		if name == "http-equiv" { // of attributes with one name the first counts
			return strings.EqualFold(value, "Content-Security-Policy")
		}
		rest = after
	}
}

// rawEnd finds where the text of an element such as script ends: at its end
// tag.
func rawEnd(b []byte, name string) (int, bool) {
	for from := 0; ; {
		i := bytes.Index(b[from:], []byte("</"))
		if i < 0 {
			return 0, false
		}
		from += i
		end := from + len("</") + len(name)
		if end >= len(b) {
			return 0, false
		}
		if strings.EqualFold(string(b[from+len("</"):end]), name) && strings.IndexByte("\t\n\f\r />", b[end]) >= 0 {
			return from, true
		}
		from += len("</")
	}
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
