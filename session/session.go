// Package session names the attachments of Clients to Targets, and finds them.
package session

import (
	"encoding/hex"
	"strings"

	"github.com/google/uuid"

	"github.com/cdphub/cdphub/internal/wire"
)

// Session is one Client's attachment to one Target.
type Session struct {
	ID       string
	TargetID string
	Peer     Peer
	tail     []byte
	index    int // in the list of its Target
}

// New makes a session of a Client on a Target.
func New(id, targetID string, p Peer) *Session {
	return &Session{ID: id, TargetID: targetID, Peer: p, tail: wire.SessionTail(id)}
}

// Tail ends every message of this session:
//
//	,"sessionId":"…"}
func (s *Session) Tail() []byte { return s.tail }

// NewID mints a session id: 32 upper-case hexadecimal digits, as Chromium's,
// of which 122 bits are random.
func NewID() string {
	id := uuid.New()
	return strings.ToUpper(hex.EncodeToString(id[:]))
}
