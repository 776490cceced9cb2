// Package wire reads the envelope of CDP messages without parsing what is
// inside, writes messages by splicing, and names the errors that Clients see.
//
//	env, err := wire.Parse(message) // {"id":7,"method":"Page.enable","sessionId":"S"}
//	answer := wire.Frame{
//		Head: wire.AppendAnswerHead(nil, env.ID), // {"id":7,"result":
//		Body: wire.Empty,                         // {}
//		Tail: wire.SessionTail(env.SessionID),    // ,"sessionId":"S"}
//	}
package wire

// Frame is one JSON message in parts, so that a payload is never copied to be
// framed and one head serves every session of a fan-out:
//
//	{"method":"Network.dataReceived","params":   Head, shared
//	{"requestId":"1000.2","dataLength":512}      Body, as it came
//	,"sessionId":"…"}                            Tail, one per session
//
// Any part may be nil. The parts belong to their maker: a receiver
// copies what it keeps.
type Frame struct {
	Head []byte
	Body []byte
	Tail []byte
}

// Len is the length of the message in bytes.
func (f Frame) Len() int { return len(f.Head) + len(f.Body) + len(f.Tail) }

// AppendTo appends the message to dst.
func (f Frame) AppendTo(dst []byte) []byte {
	return append(append(append(dst, f.Head...), f.Body...), f.Tail...)
}
