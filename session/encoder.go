package session

import "github.com/cdphub/cdphub/internal/wire"

// Frame is one CDP message in parts.
type Frame = wire.Frame

// FrameWriter takes CDP messages for a connection. It does not block, copies what
// it keeps, and reports whether it took the message.
type FrameWriter interface {
	Deliver(Frame) bool
}

// Encoder is a Peer that writes CDP messages, as for a WebSocket:
//
//	{"id":7,"result":{…},"sessionId":"…"}
//	{"method":"Page.loadEventFired","params":{…},"sessionId":"…"}
//
// It splices them: results and params are not read.
type Encoder struct {
	to      FrameWriter
	scratch []byte // the heads of answers
}

// NewEncoder makes a Peer of a connection.
func NewEncoder(to FrameWriter) *Encoder { return &Encoder{to: to} }

// Answer implements Peer. The members are in Chromium's order: id, then result or error,
// then sessionId. The answer to a message without an id has none, as in Chromium.
func (e *Encoder) Answer(s *Session, id, result []byte, err *Error) bool {
	f := Frame{Body: result, Tail: s.Tail()}
	if err != nil {
		e.scratch = wire.AppendErrorHead(e.scratch[:0], id)
		f.Body = wire.AppendError(nil, err)
	} else {
		e.scratch = wire.AppendAnswerHead(e.scratch[:0], id)
	}
	f.Head = e.scratch
	return e.to.Deliver(f)
}

// Event implements Peer.
func (e *Encoder) Event(s *Session, ev *Event) bool {
	return e.to.Deliver(Frame{Head: ev.text(), Body: ev.Params, Tail: s.Tail()})
}
