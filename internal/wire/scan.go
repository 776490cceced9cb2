package wire

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"strconv"
)

// MaxDepth is how deep a message may nest, its own braces counted. Chromium
// 156 takes 299 levels inside params and refuses 300.
const MaxDepth = 300

// Valid reports whether b is exactly one JSON value (RFC 8259) of at most
// MaxDepth levels. It does not look whether strings are valid UTF-8: the connection has
// done that.
func Valid(b []byte) bool {
	_, f := scanDocument(b)
	return !f.isBad()
}

// fault says why a scan stopped.
type fault uint8

const (
	fine       fault = iota
	hugeNumber       // none for JSON: see Envelope.Huge
	cutShort
	badToken
	badNumber
	badEscape
	badString
	wantString
	wantColon
	wantComma
	tooDeep
	leftOver
)

// isBad reports whether the text is not JSON.
func (f fault) isBad() bool { return f > hugeNumber }

var faultTexts = [...]string{
	cutShort:   "unexpected end of input",
	badToken:   "invalid token",
	badNumber:  "invalid number",
	badEscape:  "invalid escape",
	badString:  "control character in string",
	wantString: "string expected",
	wantColon:  "colon expected",
	wantComma:  "comma or closing bracket expected",
	tooDeep:    "stack limit exceeded",
	leftOver:   "unprocessed input remains",
}

// syntaxError says where a message stops being JSON.
type syntaxError struct {
	why fault
	pos int // byte offset
}

// Error implements error. The form is that of Chromium's parser: "JSON: … at position 7".
func (e *syntaxError) Error() string {
	return "JSON: " + faultTexts[e.why] + " at position " + strconv.Itoa(e.pos)
}

// The functions below check b from index i on, building nothing, and return
// the index behind what they checked, or that of a fault.

// scanDocument scans one value with white space around it and nothing behind it.
func scanDocument(b []byte) (int, fault) {
	i, f := scanValue(b, skipSpace(b, 0), 0)
	if f.isBad() {
		return i, f
	}
	return scanEnd(b, i)
}

// scanEnd checks that nothing but white space is left.
func scanEnd(b []byte, i int) (int, fault) {
	if i = skipSpace(b, i); i < len(b) {
		return i, leftOver
	}
	return i, fine
}

// skipSpace skips white space.
func skipSpace(b []byte, i int) int {
	if i < len(b) && b[i] <= ' ' {
		return someSpace(b, i)
	}
	return i
}

// someSpace is space for bytes of which the first may be white space: RFC 8259, section 2.
func someSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\n' || b[i] == '\r') {
		i++
	}
	return i
}

// scanValue scans one value that stands inside base open brackets.
func scanValue(b []byte, i, base int) (int, fault) {
	if i >= len(b) {
		return i, cutShort
	}
	switch b[i] {
	case '{', '[':
		return scanContainer(b, uint(i), uint(base))
	case '"':
		return scanString(b, i)
	}
	return scanScalarAt(b, i)
}

// scanKey scans a string, a colon and the space around it.
func scanKey(b []byte, i int) (int, fault) {
	if i >= len(b) || b[i] != '"' {
		return i, wantString
	}
	i, f := scanString(b, i)
	if f != fine {
		return i, f
	}
	if i = skipSpace(b, i); i >= len(b) || b[i] != ':' {
		return i, wantColon
	}
	return skipSpace(b, i+1), fine
}

// scanScalarAt scans a number or one of the three words.
func scanScalarAt(b []byte, i int) (int, fault) {
	word := ""
	switch b[i] {
	case '1', '2', '3', '4', '5', '6', '7', '8', '9': // most numbers are whole ones
		if n := skipDigits(b, i+1); n-i <= maxWhole && (n == len(b) || b[n] != '.' && b[n]|0x20 != 'e') {
			return n, fine
		}
		return scanNumber(b, i)
	case 't':
		word = "true"
	case 'f':
		word = "false"
	case 'n':
		word = "null"
	default:
		return scanNumber(b, i)
	}
	if len(b)-i < len(word) || string(b[i:i+len(word)]) != word {
		return i, badToken
	}
	return i + len(word), fine
}

// scanNumber scans -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)? RFC 8259, section 6: no
// leading zero, no plus sign, and digits on both sides of the point.
func scanNumber(b []byte, i int) (int, fault) {
	begin := i
	if b[i] == '-' {
		i++
	}
	from := i
	if i < len(b) && b[i] == '0' {
		i++
	} else if i = skipDigits(b, i); i == from {
		return i, badToken
	}
	if i < len(b) && b[i] == '.' {
		from = i + 1
		if i = skipDigits(b, from); i == from {
			return i, badNumber
		}
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		from = i
		if i = skipDigits(b, from); i == from {
			return i, badNumber
		}
		if i-from > 2 && isHuge(b[begin:i]) {
			return i, hugeNumber
		}
	}
	if i-begin > maxWhole-99 && isHuge(b[begin:i]) { // an exponent of two digits is 99 at most
		return i, hugeNumber
	}
	return i, fine
}

// maxWhole is how many digits a number has that is certainly not beyond IEEE 754's, whose
// largest is 1.8e308.
const maxWhole = 308

// isHuge reports whether a number is beyond those of IEEE 754.
func isHuge(number []byte) bool {
	_, err := strconv.ParseFloat(viewString(number), 64)
	return err != nil
}

// skipDigits skips digits. For a byte below '0' the difference wraps around, and is above 9.
func skipDigits(b []byte, i int) int {
	for i < len(b) && b[i]-'0' <= 9 {
		i++
	}
	return i
}

// scanString scans a string from its opening quote.
func scanString(b []byte, i int) (int, fault) {
	i++
	// Most keys and many values end within sixteen bytes.
	for range 2 {
		if i+8 > len(b) {
			break
		}
		if m := markSpecial(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			if i += bits.TrailingZeros64(m) / 8; b[i] == '"' {
				return i + 1, fine
			}
			break
		}
		i += 8
	}
	return strRest(b, i)
}

// strRest scans a string from somewhere inside it.
func strRest(b []byte, i int) (int, fault) {
	for {
		if i = skipPlain(b, i); i >= len(b) {
			return i, cutShort
		}
		switch b[i] {
		case '"':
			return i + 1, fine
		case '\\':
			n := escapeLength(b[i:])
			if n == 0 {
				return i, badEscape
			}
			i += n
		default:
			return i, badString
		}
	}
}

// escapeLength is the length of the escape sequence at the start of b, 0 when it is
// none. RFC 8259, section 7. A \u escape may be half of a surrogate pair.
func escapeLength(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch b[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if len(b) >= 6 && readHex(b[2:]) >= 0 {
			return 6
		}
	}
	return 0
}

// Words of eight equal bytes, for judging eight bytes at a time.
const (
	ones   = 0x0101010101010101
	tops   = 0x8080808080808080
	sevens = 0x7f7f7f7f7f7f7f7f
	quote  = ones * '"'
	slash  = ones * '\\'
	ctrl   = ones * 0x20
)

// markSpecial marks, with its top bit, the first byte of a word that is a quote, a
// backslash or a control character. Marks above the first may be false.
func markSpecial(w uint64) uint64 {
	q, l := w^quote, w^slash
	return ((q-ones)&^q | (l-ones)&^l | (w-ctrl)&^w) & tops
}

// window is how far skipPlain looks ahead at once: far enough for vector
// instructions to pay, and bounded, since what it saw behind an escape it
// looks at again.
const window = 2048

// skipPlain returns the index of the first quote, backslash or control character
// at or after i, or len(b). Eight bytes are judged at a time, and in a long
// run a window at a time, where vector instructions look for the two
// characters: most of what passes through a hub is the inside of strings.
func skipPlain(b []byte, i int) int {
	short := min(i+32, len(b)) // most strings have ended before the first window
	for ; i+8 <= short; i += 8 {
		if m := markSpecial(binary.LittleEndian.Uint64(b[i:])); m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for i < len(b) {
		w := b[i:min(i+window, len(b))]
		size := len(w)
		if n := bytes.IndexByte(w, '"'); n >= 0 {
			w = w[:n]
		}
		if n := bytes.IndexByte(w, '\\'); n >= 0 {
			w = w[:n]
		}
		n := skipPrintable(w)
		i += n
		if n < size {
			break
		}
	}
	return i
}

// skipPrintable returns the index of the first control character in w, or len(w).
func skipPrintable(w []byte) int {
	i := 0
	for ; i+64 <= len(w); i += 64 {
		p := (*[64]byte)(w[i:])
		// A difference has a top bit where a byte is below 0x20, and where it is
		// not ASCII: only then is it worth a closer look.
		odd := (wordAt(p, 0) - ctrl) | (wordAt(p, 8) - ctrl) | (wordAt(p, 16) - ctrl) | (wordAt(p, 24) - ctrl) |
			(wordAt(p, 32) - ctrl) | (wordAt(p, 40) - ctrl) | (wordAt(p, 48) - ctrl) | (wordAt(p, 56) - ctrl)
		if odd&tops == 0 {
			continue
		}
		for j := 0; j < 64; j += 8 {
			if v := wordAt(p, j); (v-ctrl)&^v&tops != 0 {
				return i + j + bits.TrailingZeros64((v-ctrl)&^v&tops)/8
			}
		}
	}
	for i < len(w) && w[i] >= 0x20 {
		i++
	}
	return i
}

// wordAt is the word of eight bytes at an index, the first byte lowest.
func wordAt(p *[64]byte, at int) uint64 { return binary.LittleEndian.Uint64(p[at:]) }
