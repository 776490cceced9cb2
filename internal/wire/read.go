package wire

import (
	"bytes"
	"errors"
	"math"
	"strconv"
	"unicode/utf8"
)

// ReadObject scans a whole message, which must be a JSON object, and calls fn
// for each of its members in order. The key is unescaped; the value is the
// member's bytes as they stand, valid JSON. Both alias frame.
//
// Nothing is known of what follows a member when fn is called for it: a message may only be
// acted on once ReadObject has returned nil. Its error says what is wrong and where, or is
// that of fn, which ends the scan. Names are not compared: a member that is there twice
// comes twice.
func ReadObject(frame []byte, fn func(key string, value []byte) error) error {
	_, err := readObject(frame, fn)
	return err
}

// readObject is ReadObject, and reports whether there is a number that IEEE 754 does not have.
func readObject(frame []byte, fn func(key string, value []byte) error) (huge bool, err error) {
	i := skipSpace(frame, 0)
	// Whether it is JSON at all decides which error it is: -32700 or -32600.
	if i >= len(frame) || frame[i] != '{' {
		if i, f := scanDocument(frame); f.isBad() {
			return false, &syntaxError{f, i}
		}
		return false, ErrNotObject
	}
	i = skipSpace(frame, i+1)
	var f fault
	for more := i >= len(frame) || frame[i] != '}'; more; {
		from := i
		if i, f = scanKey(frame, i); f != fine {
			return false, &syntaxError{f, i}
		}
		name := keyText(frame[from:i])
		from = i
		if i, f = scanValue(frame, i, 1); f.isBad() {
			return false, &syntaxError{f, i}
		}
		huge = huge || f == hugeNumber
		if err := fn(name, frame[from:i]); err != nil {
			return false, err
		}
		if i = skipSpace(frame, i); i >= len(frame) || frame[i] != ',' && frame[i] != '}' {
			return false, &syntaxError{wantComma, i}
		}
		if more = frame[i] == ','; more {
			i = skipSpace(frame, i+1)
		}
	}
	if i, f = scanEnd(frame, i+1); f != fine {
		return false, &syntaxError{f, i}
	}
	return huge, nil
}

// IsObject reports whether b is exactly one JSON object that can be the params of
// a message: with the braces of that it nests at most MaxDepth levels. White space before
// or behind it is not allowed.
func IsObject(b []byte) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	i, f := scanValue(b, 0, 1)
	return !f.isBad() && i == len(b)
}

// keyText decodes a scanned key with the colon and space behind it.
func keyText(raw []byte) string {
	if raw = raw[:len(raw)-1]; raw[len(raw)-1] != '"' {
		raw = raw[:bytes.LastIndexByte(raw, '"')+1] // there is space around the colon
	}
	text, _ := Text(raw)
	return text
}

// Int reads a JSON number that is an integer, however it is written: 7.0 and 70e-1 are 7, as
// in JavaScript and in Chromium. ok is false for anything else and for what does not fit.
// Numbers of more than 18 digits do not fit either: that many are safe in an int64 without a
// check.
func Int(raw []byte) (n int64, ok bool) {
	abs := raw
	if len(abs) > 0 && abs[0] == '-' {
		abs = abs[1:]
	}
	if len(abs) == 0 || abs[0] < '0' || abs[0] > '9' {
		return 0, false
	}
	for i, c := range abs {
		if c < '0' || c > '9' {
			return wholeFloat(raw)
		}
		if i == maxDigits {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if raw[0] == '-' {
		n = -n
	}
	return n, true
}

const maxDigits = 18

// wholeFloat is Int for a number with a fraction or an exponent.
func wholeFloat(raw []byte) (n int64, ok bool) {
	if bytes.IndexFunc(raw, func(r rune) bool {
		return r != '.' && r != 'e' && r != 'E' && r != '+' && r != '-' && (r < '0' || r > '9')
	}) >= 0 {
		return 0, false // strconv reads more than JSON has
	}
	f, err := strconv.ParseFloat(viewString(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1e18 {
		return 0, false
	}
	return int64(f), true
}

// readID reads an id, and returns its digits as Chromium writes them in its answers: 1 for
// 1.0 and 1e0, and 0 for -0. It returns nil for what is no int32.
func readID(raw []byte) []byte {
	n, ok := Int(raw)
	switch {
	case !ok || n < math.MinInt32 || n > math.MaxInt32:
		return nil
	case n == 0 && len(raw) > 1, bytes.ContainsAny(raw, ".eE"):
		return strconv.AppendInt(nil, n, 10)
	}
	return raw
}

// Envelope is one message of a Client. Strings and slices alias the message.
type Envelope struct {
	ID        []byte // an int32, as Chromium writes it in its answer; nil when it has none
	Method    string
	SessionID string
	InSession bool   // it names a session; for Chromium, "" is none
	Params    []byte // a JSON object; nil when absent, null or an array
	// ArrayParams says that params were an array. Chromium takes one for a method without
	// params, and refuses it for any other. Nothing in it has a name.
	ArrayParams bool
	// Lax is what RFC 8259 has against the message; nil for JSON. Chromium takes it
	// nevertheless: see strictJSON. Params are JSON then, too.
	Lax *Error
	// Huge says that a number in the params is beyond those of IEEE 754, such as 1e400.
	// Chromium refuses it; for JavaScript it is Infinity.
	Huge bool
}

// seen notes which members a message has had.
type seen uint8

const (
	seenID seen = 1 << iota
	seenMethod
	seenSession
	seenParams
)

// Parse reads a message of a Client:
//
//	{"id":7,"method":"Page.enable","params":{},"sessionId":"…"}
//
// It takes every message that Chromium takes. Its errors are Chromium's: -32700 for what is
// not JSON, nests too deep or names one of these members twice, -32600 for a member of the
// wrong type; of several, the first. The envelope then still carries the id when there was a
// good one, but for what is not JSON. (Chromium names it only if it comes before the fault,
// which leaves the Client to wait for ever.) Members with other names are ignored. Keys are
// compared after their escapes are decoded, as Chromium does: \u0073essionId is sessionId.
// Otherwise a check could be walked around.
func Parse(frame []byte) (Envelope, *Error) {
	e, err, isJSON := parseStrict(frame)
	if isJSON {
		return e, err
	}
	if strict := strictJSON(frame); strict != nil {
		if lax, laxErr, isJSON := parseStrict(strict); isJSON {
			lax.Lax = err
			return lax, laxErr
		}
	}
	return e, err
}

// parseStrict is Parse for RFC 8259. isJSON is false for what does not conform to it.
func parseStrict(frame []byte) (e Envelope, why *Error, isJSON bool) {
	var have seen
	note := func(m seen, wrong *Error, ok bool) {
		switch {
		case why != nil:
		case have&m != 0:
			why = ErrDoubledKey
		case !ok:
			why = wrong
		}
		have |= m
	}
	huge, err := readObject(frame, func(key string, value []byte) error {
		switch key {
		case "id":
			id := readID(value)
			// The first id is kept: the error about a second one is sent with it.
			if have&seenID == 0 {
				e.ID = id
			}
			note(seenID, ErrNoID, id != nil)
		case "method":
			method, ok := Text(value)
			note(seenMethod, ErrNoMethod, ok && method != "" && isASCII(method))
			e.Method = method
		case "sessionId":
			id, ok := Text(value)
			note(seenSession, ErrSessionIDType, ok && isASCII(id))
			e.SessionID, e.InSession = id, id != ""
		case "params":
			note(seenParams, ErrParamsType, value[0] == '{' || value[0] == '[' || value[0] == 'n')
			e.ArrayParams = value[0] == '['
			if value[0] == '{' {
				e.Params = value
			}
		}
		return nil
	})
	e.Huge = huge
	switch {
	case errors.Is(err, ErrNotObject):
		return e, ErrNotObject, true
	case err != nil:
		isJSON = isTooDeep(err)
		if !isJSON {
			e.ID = nil
		}
		return e, &Error{Code: CodeParse, Message: err.Error()}, isJSON
	case why != nil:
	case have&seenID == 0:
		why = ErrNoID
	case have&seenMethod == 0:
		why = ErrNoMethod
	}
	return e, why, true
}

// isTooDeep reports whether an error of ReadObject is about the depth of what is JSON.
func isTooDeep(err error) bool {
	syntax, ok := errors.AsType[*syntaxError](err)
	return ok && syntax.why == tooDeep
}

// isASCII reports whether a text is ASCII. Chromium takes no other for a method or a session.
func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// MaxMethod is the longest method name that is passed on, in bytes.
const MaxMethod = 128

// IsMethod reports whether a name can be that of a CDP method: letters, digits and
// underscores, with a dot inside. A method that is passed on need not be escaped, in JSON,
// logs or metrics.
func IsMethod(name string) bool {
	if len(name) > MaxMethod {
		return false
	}
	dot := -1
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case c == '.':
			dot = i
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_':
		default:
			return false
		}
	}
	return dot > 0 && dot < len(name)-1
}
