// Package bridge is the seam between a hub and what stands behind it.
package bridge

import (
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// CallID numbers the commands that one hub sends to its Host. It is a JSON
// number on the bridge, from 1 upwards and never used twice by a hub.
type CallID int64

// Object is the members of a JSON object, such as the params of a command.
type Object = wire.Object

// Error is what Send may return where it is the answer to the command.
type Error = wire.Error

// Command is one command for a Host to carry out. Its byte slices and strings
// are only valid until Send returns.
type Command struct {
	Call      CallID
	SessionID string // empty for a browser-level command
	TargetID  string // empty for a browser-level command
	Method    string
	Params    []byte // a JSON object; nil means none was given
	// Args are the members of Params, each there once, where the method is one
	// that may reach beyond the Client's own; nil for all others. A Host that
	// judges a command judges these, and sends no others.
	Args Object
	// NoFiles says that the Client may not read, name or write files of the
	// machine that the Host runs on.
	NoFiles bool
}

// Attachment is a session that begins.
type Attachment struct {
	SessionID string
	TargetID  string // empty for a session of a browser
	// DialogKey is the same for every session of a Target: whoever knows it
	// may ask the hub to show a dialog of that Target.
	DialogKey string
	// NoFiles says that the Client may not use files of the machine that the Host
	// runs on; ReadOnly, that it may change nothing.
	NoFiles, ReadOnly bool
}

// Host is what stands behind a hub. Its methods never block: they are called
// under the hub's lock.
type Host interface {
	// Send carries out one command, which is answered once through
	// Events.Result. An error means it will never be.
	Send(Command) error
	// Release says that a session ended: let go of what it held.
	Release(sessionID, targetID string)
	// Close ends the Host. Reason is for the Host to read; it comes from the
	// Reason constants of this package.
	Close(Reason)
}

// Slotter is a Host that says beside which others it stands. A hub has one Host
// in each slot: a Host replaces the one in its own slot and leaves all others. A
// Host without this ability is in the slot "".
type Slotter interface {
	// Slot is the same for as long as the Host is there.
	Slot() string
}

// BrowserSlot is the slot of Hosts that each are a whole browser.
const BrowserSlot = "browser"

// BrowserSessions is a Host that serves the browser level itself, as a Chromium
// does. It has targets, contexts and sessions of its own: those that it mints
// inside a session of a Client begin and end with Events.Opened and Closed, and
// are released with the one they were born in. The Host sends each session what
// is meant for it with Events.SessionEvent; Events.Event is not for such a Host.
// An error that Send returns may be an *Error: the answer. What it minted is
// lost with its connection, so it has no HostID.
//
// For a Host without this ability, the hub emulates a browser around its Targets,
// and mints all sessions. Of several Hosts with it, the one that came first
// serves the browser level.
type BrowserSessions interface {
	// AttachedToBrowser begins a session of the browser for one Client alone.
	// Commands for it are the Client's browser-level ones. Announcer.Attached
	// begins a session on one target, for a connection that belongs to it.
	AttachedToBrowser(Attachment)
}

// Lifecycle is a Host that answers some browser-level methods itself.
type Lifecycle interface {
	// Handles reports whether the Host said it answers method.
	Handles(method string) bool
}

// Announcer is a Host that is told of each session before its first command.
type Announcer interface {
	Attached(Attachment)
}

// Refresher is a Host that tells of some changes of its Targets late, as
// Chromium does of new titles.
type Refresher interface {
	// Refresh has the hub told of them now, then calls told; never when the
	// Host ends before. It is called without the hub's lock.
	Refresh(told func())
}

// Resumer is a Host that may come back to its sessions.
type Resumer interface {
	// Resumed is called once SetHost has told of every session that goes on,
	// through Attached: the Host lets go of all others.
	Resumed()
}

// Dialogs is a Host whose pages may ask the hub to show their dialogs.
type Dialogs interface {
	// AsksHub reports whether they do: then no dialog is open but the hub
	// knows of it, and a command about one need not reach a page that may be
	// blocked by the next.
	AsksHub() bool
}

// Liveness is a Host that notices when the page behind it hangs.
type Liveness interface {
	// Responsive reports whether the Host answers: commands for one that does
	// not fail at once.
	Responsive() bool
}

// Uploads is a Host that may take the contents of files with
// DOM.setFileInputFiles, since it cannot read what their paths name.
type Uploads interface {
	TakesFiles() bool
}

// FlowControl is a Host that can hold back Clients that send faster than it takes.
type FlowControl interface {
	// WaitForRoom returns at once while the Host keeps up, and after at most 10 ms
	// when most of its queue is full. It is called without the hub's lock.
	WaitForRoom()
}

// Events is how a Host speaks to its hub. Each Host gets an Events value of
// its own, so that one already replaced can no longer touch the hub: its
// calls are ignored. No method blocks or keeps a byte slice.
type Events interface {
	// Reannounced says that the Host starts over: all its Targets end, and it
	// now has these.
	Reannounced(Announcement)
	// TargetCreated adds a Target, or updates the one with the same id. It
	// reports false when the id is no good or there are too many.
	TargetCreated(targets.Info) bool
	// TargetChanged updates a Target. An unknown one is ignored: it may just
	// have gone.
	TargetChanged(targets.Info)
	// TargetGone ends a Target with all its sessions.
	TargetGone(targetID string)
	// Result answers a command: result is a JSON object, or cdpErr a JSON
	// error object; one of them is nil. An answer whose call is unknown, or
	// was not sent for sessionID, is dropped.
	Result(call CallID, sessionID string, result, cdpErr []byte)
	// Event goes to every session of the Target.
	Event(targetID, method string, params []byte)
	// SessionEvent goes to that session alone.
	SessionEvent(sessionID, method string, params []byte)
	// Opened adds a session that was born inside another of a browser. It is
	// of the same Client, and precedes the event that tells of it.
	Opened(Nested)
	// Closed ends a session of a browser, and those born inside it: their
	// commands in flight fail. It precedes the event that tells of it.
	Closed(sessionID string)
	// PutScript leaves a source at the hub, for the Frame Agent to fetch once
	// within 10 s, and reports whether there was room for it. Keys must be
	// unguessable and are at most 128 bytes long; a source, 1 MiB.
	PutScript(key, source string) bool
	// HostGone says that the Host has ended, with all its Targets, or with
	// mayReturn that its connection is lost: if it has named itself, it may
	// come back within a grace time to its Targets and their sessions.
	HostGone(mayReturn bool)
}

// Hub is where a Host announces itself.
type Hub interface {
	// SetHost makes h a Host of the hub. The one before it in its slot, if any,
	// is closed with ReasonReplaced. A Host calls it once. An error means that h
	// is not a Host of the hub, and never will be; a wsconn.Reason is what a
	// Page is told then.
	SetHost(h Host, a Announcement) (Events, error)
}

// Announcement is what a Host says of itself when it comes, or starts over.
type Announcement struct {
	// HostID is unguessable, and the same when the Host comes back after its
	// connection was lost; "" for a Host that does not come back.
	HostID  string
	Version Version
	// Targets of a Host with BrowserSessions are those that any Client may see.
	Targets []targets.Info
}

// Nested is a session that a browser minted inside another one.
type Nested struct {
	Parent    string // the session it was born in
	SessionID string // unguessable
	TargetID  string
	Type      string // of that target: "page", "iframe", "worker", "browser" …
}

// Version names the browser that the Host runs in, as Browser.getVersion
// does. Empty fields leave it to the hub.
type Version struct {
	Product   string // "Chrome/156.0.8078.79"
	UserAgent string // navigator.userAgent
}

// Reason says why a Host is closed.
type Reason int

// The reasons a hub has to close its Host.
const (
	ReasonReplaced Reason = iota + 1 // a newer Host took the hub
	ReasonShutdown                   // the hub ends
)

func (r Reason) String() string {
	switch r {
	case ReasonReplaced:
		return "replaced"
	case ReasonShutdown:
		return "shutdown"
	}
	return "unknown"
}
