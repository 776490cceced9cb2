package urlhost

import "strings"

// Whitespace is what browsers trim from the ends of a URL: C0 controls and the space
// (URL standard, section 4.4).
const Whitespace = "\x00\x01\x02\x03\x04\x05\x06\x07\x08\t\n\v\f\r\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f "

// CutScheme splits a URL at its first colon as the URL standard reads it: white
// space at its ends does not count, nor tabs and line ends anywhere. The scheme
// is in lower case; ok is false when there is no colon.
func CutScheme(raw string) (scheme, rest string, ok bool) {
	text := strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, strings.Trim(raw, Whitespace))
	scheme, rest, ok = strings.Cut(text, ":")
	return strings.ToLower(scheme), rest, ok
}
