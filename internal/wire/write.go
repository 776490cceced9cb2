package wire

// Messages to a Client are written as head, body and tail (see Frame). The
// order of the members is Chromium's: id or method, then result, error or
// params, then sessionId.

// AppendAnswerHead appends {"id":7,"result": — the body is a result object. id is as the
// Client wrote it.
func AppendAnswerHead(dst, id []byte) []byte {
	return append(append(append(dst, `{"id":`...), id...), `,"result":`...)
}

// AppendErrorHead appends {"id":7,"error": — the body is an error object.
// Without an id, as for a message that could not be read, that member is left
// out.
func AppendErrorHead(dst, id []byte) []byte {
	dst = append(dst, '{')
	if id != nil {
		dst = append(append(append(dst, `"id":`...), id...), ',')
	}
	return append(dst, `"error":`...)
}

// AppendEventHead appends {"method":"Page.loadEventFired","params": — the
// body is a params object.
func AppendEventHead(dst []byte, method string) []byte {
	return append(AppendString(append(dst, `{"method":`...), method), `,"params":`...)
}

// End is the tail of a message outside of any session. Neither it nor Empty may be written
// to: all messages share them.
var End = []byte{'}'}

// Empty is the body of an answer that says nothing.
var Empty = []byte{'{', '}'}

// SessionTail is the tail of a message inside a session:
//
//	,"sessionId":"…"}
func SessionTail(sessionID string) []byte {
	return append(AppendString([]byte(`,"sessionId":`), sessionID), '}')
}
