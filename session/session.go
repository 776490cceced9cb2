// Package session names the attachments of Clients to targets.
//
// A Peer takes answers and events as values; an Encoder makes CDP messages of
// them, for a Peer on a connection.
package session

import (
	"encoding/hex"
	"strings"

	"github.com/google/uuid"

	"github.com/cdphub/cdphub/internal/wire"
)

// Kind is what a session is attached to.
type Kind uint8

// The kinds of sessions.
const (
	Page    Kind = iota // a Target
	Tab                 // the tab that stands around a Target
	Browser             // the browser as a whole
	Worker              // a worker of a Target's page, inside a session of that Target
)

// Session is one Client's attachment to one Target, to its tab, or to the browser. It does not
// change.
type Session struct {
	ID       string
	Kind     Kind
	TargetID string

	named bool // the Client's messages name it
	tail  []byte
}

// New makes a session on a Target.
func New(id, targetID string) Session {
	return Session{ID: id, TargetID: targetID, named: true, tail: wire.SessionTail(id)}
}

// NewImplicit makes the session of a connection that belongs to one Target: its messages
// name no session. Chromium has the same at /devtools/page/ID: the messages of such a
// connection have no sessionId.
func NewImplicit(id, targetID string) Session {
	return Session{ID: id, TargetID: targetID, tail: wire.End}
}

// NewInside makes a session that the Client does not know: its messages are those of another
// one, or of the connection where that is nil.
func NewInside(id, targetID string, shown *Session) Session {
	return Session{ID: id, TargetID: targetID, tail: shown.Tail()}
}

// Tail ends every message of this session:
//
//	,"sessionId":"…"}
//
// It is } where messages name no session. A nil Session stands for the connection itself.
func (s *Session) Tail() []byte {
	if s == nil {
		return wire.End
	}
	return s.tail
}

// Name is the id in messages of the session: "" where they have none. A nil Session stands
// for the connection itself.
func (s *Session) Name() string {
	if s == nil || !s.named {
		return ""
	}
	return s.ID
}

// NewID mints a session id: a random UUID (RFC 9562, version 4, of whose bits 122
// are random), written as Chromium's ids are, in 32 upper-case hexadecimal digits.
func NewID() string {
	id := uuid.New()
	return strings.ToUpper(hex.EncodeToString(id[:]))
}
