package wire

import (
	"strconv"
	"strings"
)

// Codes of the errors that Clients see. Chromium 156 uses these. The first four are those
// of JSON-RPC 2.0, section 5.1, which leaves -32000 to -32099 to servers.
const (
	CodeParse          = -32700
	CodeInvalidRequest = -32600
	CodeMethodNotFound = -32601
	CodeInvalidParams  = -32602
	CodeServer         = -32000
	CodeNoSession      = -32001
)

// Error is an error that a Client will see:
//
//	{"code":-32602,"message":"Invalid parameters","data":"…"}
type Error struct {
	Code    int
	Message string
	Data    string // more words for a person; left out when empty

	text []byte // as a Host wrote it; nil for an error of the hub
}

// ReadError reads an error object of a Host:
//
//	{"code":-32000,"message":"…","data":…}
//
// A Host may leave out any of these, and add others. AppendError writes the same
// bytes again, which must not change until then.
func ReadError(text []byte) *Error {
	e := &Error{Code: CodeServer, text: text}
	ReadObject(text, func(key string, value []byte) error { //nolint:errcheck // it was checked on its way here
		switch key {
		case "code":
			if n, ok := Int(value); ok {
				e.Code = int(n)
			}
		case "message":
			if s, ok := Text(value); ok {
				e.Message = strings.Clone(s)
			}
		case "data":
			if s, ok := Text(value); ok {
				e.Data = strings.Clone(s)
			}
		}
		return nil
	})
	return e
}

// Keep returns the error without the bytes that it was read from. What a Host has added
// beyond code, message and data is lost. Call it for an error that outlives the message of
// the Host.
func (e *Error) Keep() *Error {
	if e.text == nil {
		return e
	}
	return &Error{Code: e.Code, Message: e.Message, Data: e.Data}
}

// Error implements error.
func (e *Error) Error() string { return e.Message }

// Full is the message with what Data says to do about it.
func (e *Error) Full() string {
	if e.Data == "" {
		return e.Message
	}
	return strings.TrimSuffix(e.Message, ".") + ": " + e.Data
}

// ServerError is an error of the common code -32000. Chromium uses it for whatever goes
// wrong while a command is carried out.
func ServerError(message string) *Error { return &Error{Code: CodeServer, Message: message} }

// InvalidParams is Chromium's error for params that it cannot use. Chromium's own reasons
// are in the data, as there. The others are in the message, since Clients such as
// Playwright print nothing else.
func InvalidParams(why string) *Error {
	const message = "Invalid parameters"
	if strings.HasPrefix(why, "Failed to deserialize") {
		return &Error{Code: CodeInvalidParams, Message: message, Data: why}
	}
	return &Error{Code: CodeInvalidParams, Message: message + ": " + why}
}

// Advise returns the error with another sentence in its message: why, or what to do. Clients
// that compare the beginning still find the message that they know.
func (e *Error) Advise(more string) *Error {
	return &Error{Code: e.Code, Message: strings.TrimSuffix(e.Message, ".") + ". " + more, Data: e.Data}
}

// HandoffOpen begins the message of CdpHub.handoff for a page that has an open handoff. The action
// APIs know it by that, to give advice in words of their own.
const HandoffOpen = "A handoff of this page is already open"

// Errors of the envelope, in Chromium's words.
var (
	ErrNotObject     = &Error{Code: CodeInvalidRequest, Message: "Message must be an object"}
	ErrNoID          = &Error{Code: CodeInvalidRequest, Message: "Message must have integer 'id' property"}
	ErrNoMethod      = &Error{Code: CodeInvalidRequest, Message: "Message must have string 'method' property"}
	ErrSessionIDType = &Error{Code: CodeInvalidRequest, Message: "Message may have string 'sessionId' property"}
	ErrParamsType    = &Error{Code: CodeInvalidRequest, Message: "Message may have object 'params' property"}
	ErrDoubledKey    = &Error{Code: CodeParse, Message: "JSON: duplicate map key"}
)

// ErrHugeNumber is the error for Envelope.Huge.
var ErrHugeNumber = &Error{Code: CodeParse, Message: "JSON: invalid number"}

// AppendError appends the error as a JSON object. An error that ReadError has read is
// written as the Host wrote it.
func AppendError(dst []byte, e *Error) []byte {
	if e.text != nil {
		return append(dst, e.text...)
	}
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != "" {
		dst = AppendString(append(dst, `,"data":`...), e.Data)
	}
	return append(dst, '}')
}
