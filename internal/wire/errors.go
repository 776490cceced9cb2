package wire

import "strconv"

// Codes of the errors that Clients see. Chromium 156 uses these.
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
}

func (e *Error) Error() string { return e.Message }

// ServerError is an error of the common code -32000.
func ServerError(message string) *Error { return &Error{Code: CodeServer, Message: message} }

// InvalidParams is Chromium's error for params that are no good; data says why.
func InvalidParams(data string) *Error {
	return &Error{Code: CodeInvalidParams, Message: "Invalid parameters", Data: data}
}

// Errors of the envelope, in Chromium's words.
var (
	ErrNoID          = &Error{Code: CodeInvalidRequest, Message: "Message must have integer 'id' property"}
	ErrNoMethod      = &Error{Code: CodeInvalidRequest, Message: "Message must have string 'method' property"}
	ErrSessionIDType = &Error{Code: CodeInvalidRequest, Message: "Message may have string 'sessionId' property"}
	ErrParamsType    = &Error{Code: CodeInvalidRequest, Message: "Message may have object 'params' property"}
	ErrDoubledKey    = &Error{Code: CodeParse, Message: "JSON: duplicate map key"}
)

// AppendError appends the error as a JSON object.
func AppendError(dst []byte, e *Error) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = AppendString(dst, e.Message)
	if e.Data != "" {
		dst = AppendString(append(dst, `,"data":`...), e.Data)
	}
	return append(dst, '}')
}
