// Package session names the attachments of Clients to targets, and finds them.
//
//	var table session.Table
//	s := session.New(session.NewID(), "T1", peer)
//	table.Add(s)
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

// Side is one Host behind a hub, as its sessions know it.
type Side interface {
	// Sessions finds the sessions on the Host's Targets.
	Sessions() *ByTarget
}

// Session is one Client's attachment to one Target, to its tab, or to the
// browser. A hub guards it by its lock, fields and methods alike; ID, Kind, TargetID and
// Peer do not change.
type Session struct {
	ID       string
	Kind     Kind
	TargetID string
	Peer     Peer
	Parent   *Session // where its beginning and end are announced; nil is the connection

	// Side is the Host that the session is in, by its Target or because the
	// Host minted it. It is nil for a session of the browser that a hub
	// emulates around the Targets of its Hosts.
	Side Side

	// PageEvents says that the Client has Page enabled.
	PageEvents bool

	// Type is the type of the target, as in CDP, of a session that a Host has minted;
	// empty for one that the hub has.
	Type string

	// Answers says that it then may answer the dialogs of the Target.
	Answers bool

	// Dialog is the params of the Page.javascriptDialogOpening that the Host of a browser
	// has sent to the session, while the dialog is open; "" for none.
	Dialog string

	// Calls is the hub's: the session's commands in flight. It is an any, since this
	// package cannot import relay, whose type it is.
	Calls any

	// Told is the hub's: the number of the last event for several sessions that went
	// to this one, so that it gets each such event once.
	Told uint64

	named  bool // the Client's messages name it
	tail   []byte
	inside []*Session
	index  [lists]int // in the lists that find it
}

// New makes a session of a Client on a Target.
func New(id, targetID string, p Peer) *Session {
	return &Session{ID: id, TargetID: targetID, Peer: p, named: true, tail: wire.SessionTail(id)}
}

// NewImplicit makes the session of a connection that belongs to one Target: its messages
// name no session. Chromium has the same at /devtools/page/ID: the messages of such a
// connection have no sessionId.
func NewImplicit(id, targetID string, p Peer) *Session {
	return &Session{ID: id, TargetID: targetID, Peer: p, tail: wire.End}
}

// Inside returns the sessions that were begun in this one, as far as they are in
// a Table, in no particular order. The slice is good until the Table's next
// change.
func (s *Session) Inside() []*Session { return s.inside }

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
