package secrets

import (
	"net/url"
	"strings"
)

// withoutAddresses takes users, passwords and values of secret parameters out of the
// addresses in a text, wherever they stand: inside of longer texts, of parameters of
// other addresses, and of HTML and JSON that was escaped. It goes through the text once.
func withoutAddresses(text string) string {
	s := scanner{text: text, name: 0, user: -1}
	for s.at < len(text) {
		if !divides[text[s.at]] {
			s.slash = false
			s.at++
			continue
		}
		s.next()
	}
	if s.copied == 0 {
		return text
	}
	s.out.WriteString(text[s.copied:])
	return s.out.String()
}

// longestParameter is the longest name of a parameter, in bytes.
const longestParameter = 100

// divides are the bytes that next has to look at: the others are parts of names and values.
var divides = func() (set [256]bool) {
	for _, c := range []byte("/@?&#;=%\\ \t\n\r\f\v\"'<>,") {
		set[c] = true
	}
	return set
}()

// scanner goes through a text.
type scanner struct {
	text   string
	at     int
	out    strings.Builder
	copied int // of the text

	name      int  // where the name of a parameter may begin; -1 for nowhere
	before    byte // the character before it; 0 at the beginning of the text
	slash     bool // the last character was a slash
	user      int  // where the user of an address may begin; -1 for nowhere
	userDepth int  // how many times that address was percent-encoded
}

// next reads one character.
func (s *scanner) next() {
	c := charAt(s.text, s.at)
	from := s.at
	s.at += c.size
	slash := c.is == '/'
	switch {
	case slash && s.slash:
		s.user, s.userDepth = s.at, c.depth
		slash = false
	case s.user >= 0 && c.depth <= s.userDepth:
		s.readUser(c, from)
	}
	s.slash = slash
	switch c.is {
	case '?', '&', '#', ';':
		if c.is != ';' || c.depth == 0 {
			s.name, s.before = s.at, c.is
		}
	case '=':
		if s.name >= 0 && from > s.name && from-s.name <= longestParameter && !s.isPadding() && s.isSecret(s.text[s.name:from]) {
			s.replace(s.at, s.endOfValue(c.depth))
		}
		s.name = -1
	case ' ', '\t', '\n', '\r', '\f', '\v', '"', '\'', '<', '>', ',':
		if c.depth == 0 {
			s.name = -1
		}
	}
}

// readUser reads a character of an address after its two slashes: up to an @ stand the
// user and the password.
func (s *scanner) readUser(c char, from int) {
	switch c.is {
	case '@':
		if from > s.user {
			s.replaceWith("", s.user, s.at)
		}
	case '/', '?', '#', ' ', '\t', '\n', '\r', '\f', '\v', '"', '\'', '<', '>', 0:
		if c.is != 0 || s.text[from] == '\\' {
			s.user = -1
		}
	}
}

// isSecret reports whether a parameter is secret by its name, which may be
// percent-encoded.
func (s *scanner) isSecret(name string) bool {
	for strings.Contains(name, "%") {
		plain, err := url.PathUnescape(name)
		if err != nil || plain == name {
			break
		}
		name = plain
	}
	return IsName(name, s.inAddress())
}

// inAddress reports whether the name at hand is that of a parameter for sure. After a
// semicolon, and at the beginning of a text, code may stand: there fewer names are secret.
// location.hash.slice(1) is a query without its first character.
func (s *scanner) inAddress() bool {
	return s.before != ';' && (s.before != 0 || strings.IndexByte(s.text, '&') >= 0)
}

// isPadding reports whether the = before belongs to base64, at the end of the text.
func (s *scanner) isPadding() bool {
	rest := s.text[s.at:]
	return s.before == 0 && (rest == "" || rest == "=")
}

// endOfValue is where the value ends that begins here. What divides it from the rest of the
// text was percent-encoded as often as the = before it, or less: %26 is a part of the value
// in a=%26, and not in %3Fa%3Db%26c%3Dd.
func (s *scanner) endOfValue(depth int) int {
	if strings.HasPrefix(s.text[s.at:], Redacted) {
		return s.at + len(Redacted)
	}
	for i := s.at; i < len(s.text); {
		c := charAt(s.text, i)
		if c.depth <= depth && strings.IndexByte("&#\"'<> \t\n\r\f\v", c.is) >= 0 {
			return i
		}
		i += c.size
	}
	return len(s.text)
}

// replace writes Redacted in place of a part of the text.
func (s *scanner) replace(from, to int) { s.replaceWith(Redacted, from, to) }

// replaceWith writes another text in place of a part, from which it goes on.
func (s *scanner) replaceWith(other string, from, to int) {
	s.out.WriteString(s.text[s.copied:max(from, s.copied)])
	s.out.WriteString(other)
	s.at, s.copied = to, to
}
