package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// SkipSpace returns the index of the first byte from i on that is no white space.
func SkipSpace(b []byte, i int) int { return skipSpace(b, i) }

// SkipValue returns the index behind the value that begins at i; -1 when there is none, or no
// end to it. It checks nothing, and any depth will do: the text was checked, or comes from
// somebody who is trusted to write JSON, such as a browser. Brackets are counted and not
// matched, and a long string is not looked at byte by byte.
func SkipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = SkipString(b, i); i < 0 || depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth < 0 {
					return -1
				}
				return i + 1
			}
		// A number, a word, or what is between values inside of brackets.
		default:
			if depth == 0 {
				return skipScalar(b, i)
			}
		}
		i++
	}
	return -1
}

// SkipString is SkipValue for a string.
func SkipString(b []byte, i int) int {
	i++
	for range 2 { // most keys and many values end within sixteen bytes
		if i+8 > len(b) {
			break
		}
		if m := markSpecial(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; b[i] == '"' {
				return i + 1
			}
			break
		}
		i += 8
	}
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		// A quote behind an odd number of backslashes does not end the string.
		escapes := 0
		for b[end-escapes-1] == '\\' {
			escapes++
		}
		if i = end + 1; escapes%2 == 0 {
			return i
		}
	}
}

// skipScalar returns the index behind a number or word, or -1.
func skipScalar(b []byte, i int) int {
	from := i
	for i < len(b) && !endsScalar(b[i]) {
		i++
	}
	if i == from || b[from] == ':' {
		return -1
	}
	return i
}

// endsScalar reports whether a byte ends a number or a word.
func endsScalar(c byte) bool {
	return c <= ' ' && (c == ' ' || c == '\n' || c == '\t' || c == '\r') || c == ',' || c == '}' || c == ']'
}
