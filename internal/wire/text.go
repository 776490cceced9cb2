package wire

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
	"unsafe"
)

// viewString makes a string of b without copying it: it changes when b does. For an empty b it is
// "". The strings of an Envelope are such views of the read buffer.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// Text decodes a JSON string such as "T\u0031". Without escapes the result
// aliases raw, and is only good as long as those bytes are. The second result
// is false when raw is not a string; raw must have been scanned before. With escapes it is
// a copy.
func Text(raw []byte) (string, bool) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", false
	}
	in := raw[1 : len(raw)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return viewString(in), true
	}
	return viewString(appendUnescaped(make([]byte, 0, len(in)), in)), true
}

// appendUnescaped appends the text of a scanned string's inside to dst. A surrogate
// without its other half becomes U+FFFD.
func appendUnescaped(dst, in []byte) []byte {
	for i := 0; i < len(in); {
		if in[i] != '\\' {
			n := skipPlain(in, i)
			dst = append(dst, in[i:n]...)
			i = n
			continue
		}
		c := in[i+1]
		i += 2
		if c != 'u' {
			dst = append(dst, shortEscape(c))
			continue
		}
		r := readHex(in[i:])
		i += 4
		if utf16.IsSurrogate(r) {
			low := rune(-1)
			if len(in)-i >= 6 && in[i] == '\\' && in[i+1] == 'u' {
				low = readHex(in[i+2:])
			}
			// Only a pair takes the second escape with it.
			if r = utf16.DecodeRune(r, low); r != utf8.RuneError {
				i += 6
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// shortEscape is the byte that the escape \c stands for.
func shortEscape(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// readHex reads four hexadecimal digits; -1 means they are not. b has at least four bytes.
func readHex(b []byte) rune {
	var r rune
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string. Bytes that are not UTF-8 become
// U+FFFD, since a text frame with them would end the connection it is sent on.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	if skipPlain(unsafe.Slice(unsafe.StringData(s), len(s)), 0) == len(s) && utf8.ValidString(s) {
		return append(append(dst, s...), '"') // most strings
	}
	from := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if c >= 0x20 && c != '"' && c != '\\' {
				i++
				continue
			}
			dst = appendEscape(append(dst, s[from:i]...), c)
			i++
			from = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			dst = append(append(dst, s[from:i]...), "\ufffd"...)
			from = i + n
		}
		i += n
	}
	return append(append(dst, s[from:]...), '"')
}

// appendEscape appends the escape sequence for a character that must have one (RFC 8259,
// section 7).
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}
