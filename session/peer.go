package session

import "github.com/cdphub/cdphub/internal/wire"

// Error is an error that a Client sees, with its CDP code.
type Error = wire.Error

// Peer is what a Client is to the hub: it takes answers and events, as values. Its
// methods are called under the hub's lock. They do not block, and they keep
// nothing of what they are handed, which is the caller's again when they return.
// They report whether it was taken: false once the peer is on its way out.
type Peer interface {
	// Answer ends one command: with result, a JSON object, or with err where that
	// is not nil. The command was sent in the session s; nil is the connection.
	// The id is as the Client wrote it. It is nil for a message without one.
	Answer(s *Session, id, result []byte, err *Error) bool
	// Event brings an event of a session; nil is the connection.
	Event(s *Session, e *Event) bool
}

// Event is an event on its way to any number of sessions.
type Event struct {
	Method string
	Params []byte // a JSON object

	head []byte // {"method":"…","params": once an Encoder needed it
	made bool
}

// Reset makes it another event, and goes on with its memory.
func (e *Event) Reset(method string, params []byte) {
	e.Method, e.Params, e.made = method, params, false
}

// text is what comes before the params in a CDP message. All Encoders share it.
func (e *Event) text() []byte {
	if !e.made {
		e.head, e.made = wire.AppendEventHead(e.head[:0], e.Method), true
	}
	return e.head
}
