package secrets

import "strings"

// char is one character of a text as the reader of an address sees it, however many
// times it was escaped: "&" may be written as &, &amp;, %26, %2526 or &#x26;, and in JSON
// as \u0026. web/src/actions/chars.ts reads the same way.
type char struct {
	is    byte // 0 for what stands for none of the characters that divide addresses
	size  int  // bytes of the text
	depth int  // how many times it was percent-encoded
}

// charAt reads the character that begins at a byte.
func charAt(text string, i int) char {
	switch c := text[i]; c {
	case '%':
		return percentAt(text, i)
	case '\\':
		return backslashAt(text, i)
	case '&':
		return entityAt(text, i)
	default:
		return char{is: c, size: 1}
	}
}

// percentAt reads %26, or %2526, which was encoded twice.
func percentAt(text string, i int) char {
	at, depth := i+1, 1
	for strings.HasPrefix(text[at:], "25") {
		at, depth = at+2, depth+1
	}
	if at+2 > len(text) {
		return char{size: 1}
	}
	high, low := hexDigit(text[at]), hexDigit(text[at+1])
	if high < 0 || low < 0 {
		return char{size: 1}
	}
	return char{is: byte(high<<4 | low), size: at + 2 - i, depth: depth}
}

// backslashAt reads what a string of JSON or of a script has for a character: \", \/,
// \u0026 or \x26, with more backslashes where a string is inside of another one.
func backslashAt(text string, i int) char {
	at := i
	for at < len(text) && text[at] == '\\' {
		at++
	}
	if at == len(text) {
		return char{size: at - i}
	}
	digits := 0
	switch text[at] {
	case '"', '\'', '/':
		return char{is: text[at], size: at + 1 - i}
	case 'u':
		digits = 4
	case 'x':
		digits = 2
	}
	if digits == 0 || at+1+digits > len(text) {
		return char{size: at - i}
	}
	code := 0
	for _, d := range []byte(text[at+1 : at+1+digits]) {
		if hexDigit(d) < 0 {
			return char{size: at - i}
		}
		code = code<<4 | hexDigit(d)
	}
	if code > 0x7f {
		code = 0
	}
	return char{is: byte(code), size: at + 1 + digits - i}
}

// entities are the characters of addresses for which HTML has names.
var entities = []struct {
	name string
	is   byte
}{
	{"quot;", '"'},
	{"apos;", '\''},
	{"lt;", '<'},
	{"gt;", '>'},
	{"equals;", '='},
	{"num;", '#'},
	{"quest;", '?'},
	{"sol;", '/'},
	{"commat;", '@'},
	{"#38;", '&'},
	{"#x26;", '&'},
	{"#X26;", '&'},
	{"#61;", '='},
	{"#x3d;", '='},
	{"#x3D;", '='},
	{"#34;", '"'},
	{"#x22;", '"'},
	{"#39;", '\''},
	{"#x27;", '\''},
	{"#47;", '/'},
	{"#x2f;", '/'},
	{"#x2F;", '/'},
	{"#63;", '?'},
	{"#x3f;", '?'},
	{"#x3F;", '?'},
	{"#35;", '#'},
	{"#x23;", '#'},
	{"#64;", '@'},
	{"#x40;", '@'},
}

// entityAt reads &amp; and its like. What was escaped several times is &amp;amp;.
func entityAt(text string, i int) char {
	at := i + 1
	for strings.HasPrefix(text[at:], "amp;") {
		at += len("amp;")
	}
	for _, e := range entities {
		if strings.HasPrefix(text[at:], e.name) {
			return char{is: e.is, size: at + len(e.name) - i}
		}
	}
	return char{is: '&', size: at - i}
}

// hexDigit is the value of a hexadecimal digit, or -1.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
