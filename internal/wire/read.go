package wire

import (
	"bytes"
	"errors"
	"math"
)

// errNotObject says that a message is JSON, but no object.
var errNotObject = errors.New("JSON: a message must be an object")

// ReadObject scans a whole message, which must be a JSON object, and calls fn
// for each of its members in order. The key is unescaped; the value is the
// member's bytes as they stand, valid JSON. Both alias frame.
//
// Nothing is known of what follows a member when fn is called for it: a message may only be
// acted on once ReadObject has returned nil. Its error says what is wrong and where, or is
// that of fn, which ends the scan. Names are not compared: a member that is there twice
// comes twice.
func ReadObject(frame []byte, fn func(key string, value []byte) error) error {
	i := skipSpace(frame, 0)
	// Whether it is JSON at all decides which error it is: -32700 or -32600.
	if i >= len(frame) || frame[i] != '{' {
		if i, f := scanDocument(frame); f != fine {
			return &syntaxError{f, i}
		}
		return errNotObject
	}
	i = skipSpace(frame, i+1)
	var f fault
	for more := i >= len(frame) || frame[i] != '}'; more; {
		from := i
		if i, f = scanKey(frame, i); f != fine {
			return &syntaxError{f, i}
		}
		name := keyText(frame[from:i])
		from = i
		if i, f = scanValue(frame, i, 1); f != fine {
			return &syntaxError{f, i}
		}
		if err := fn(name, frame[from:i]); err != nil {
			return err
		}
		if i = skipSpace(frame, i); i >= len(frame) || frame[i] != ',' && frame[i] != '}' {
			return &syntaxError{wantComma, i}
		}
		if more = frame[i] == ','; more {
			i = skipSpace(frame, i+1)
		}
	}
	if i, f = scanEnd(frame, i+1); f != fine {
		return &syntaxError{f, i}
	}
	return nil
}

// IsObject reports whether b is exactly one JSON object that can be the params of
// a message: with the braces of that it nests at most MaxDepth levels. White space before
// or behind it is not allowed.
func IsObject(b []byte) bool {
	if len(b) == 0 || b[0] != '{' {
		return false
	}
	i, f := scanValue(b, 0, 1)
	return f == fine && i == len(b)
}

// keyText decodes a scanned key with the colon and space behind it.
func keyText(raw []byte) string {
	if raw = raw[:len(raw)-1]; raw[len(raw)-1] != '"' {
		raw = raw[:bytes.LastIndexByte(raw, '"')+1] // there is space around the colon
	}
	text, _ := Text(raw)
	return text
}

// Int reads a JSON integer without fraction or exponent; ok is false for
// anything else and for what does not fit. Numbers of more than 18 digits do not fit
// either: that many are safe in an int64 without a check.
func Int(raw []byte) (n int64, ok bool) {
	abs := raw
	if len(abs) > 0 && abs[0] == '-' {
		abs = abs[1:]
	}
	if len(abs) == 0 || len(abs) > 18 {
		return 0, false
	}
	for _, c := range abs {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if raw[0] == '-' {
		n = -n
	}
	return n, true
}

// Envelope is one message of a Client. Strings and slices alias the message.
type Envelope struct {
	ID        []byte // the digits as sent, an int32; nil when it has none
	Method    string
	SessionID string
	InSession bool   // there was a sessionId, even an empty one
	Params    []byte // a JSON object; nil when absent or null
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
// Its errors are Chromium's: -32700 for what is not JSON, nests too deep or
// names one of these members twice, -32600 for a member of the wrong type. The
// envelope then still carries the id when there was a good one, but for what is
// not JSON. (Chromium names none for deep nesting either, which leaves the
// Client to wait for ever.) Members with other names are ignored. Keys are compared after
// their escapes are decoded, as Chromium does: \u0073essionId is sessionId. Otherwise a
// check could be walked around.
func Parse(frame []byte) (Envelope, *Error) {
	var e Envelope
	var have seen
	var bad *Error
	note := func(m seen, doubled, wrong *Error, ok bool) {
		if have&m != 0 {
			bad = worstError(bad, doubled)
		} else if !ok {
			bad = worstError(bad, wrong)
		}
		have |= m
	}
	err := ReadObject(frame, func(key string, value []byte) error {
		switch key {
		case "id":
			n, ok := Int(value)
			ok = ok && n >= math.MinInt32 && n <= math.MaxInt32
			// The first id is kept: the error about a second one is sent with it.
			if ok && have&seenID == 0 {
				e.ID = value
			}
			note(seenID, ErrDoubledKey, ErrNoID, ok)
		case "method":
			method, ok := Text(value)
			note(seenMethod, ErrDoubledKey, ErrNoMethod, ok)
			e.Method = method
		case "sessionId":
			id, ok := Text(value)
			note(seenSession, ErrDoubledKey, ErrSessionIDType, ok)
			e.SessionID, e.InSession = id, true
		//	null
		case "params":
			null := value[0] == 'n'
			note(seenParams, ErrDoubledKey, ErrParamsType, null || value[0] == '{')
			if !null {
				e.Params = value
			}
		}
		return nil
	})
	if notJSON(err) {
		e.ID = nil
	}
	return e, scanError(e, have, bad, err)
}

// notJSON reports whether err means that a message is not JSON at all.
func notJSON(err error) bool {
	if err == nil {
		return false
	}
	var se *syntaxError
	return errors.As(err, &se) && se.why != tooDeep
}

// scanError is the error with which a scanned message is answered, if any.
func scanError(e Envelope, have seen, bad *Error, err error) *Error {
	switch {
	case errors.Is(err, errNotObject):
		return ErrNoID
	case err != nil:
		return &Error{Code: CodeParse, Message: err.Error()}
	case bad == ErrDoubledKey:
		return bad
	case e.ID == nil:
		return ErrNoID
	case bad != nil:
		return bad
	case have&seenMethod == 0:
		return ErrNoMethod
	}
	return nil
}

// worstError keeps a doubled key above all, then what was wrong first.
func worstError(bad, next *Error) *Error {
	if bad == nil || next == ErrDoubledKey {
		return next
	}
	return bad
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
