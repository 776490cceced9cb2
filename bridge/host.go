// Package bridge is the seam between a hub and its Hosts.
//
// To write a Host of a new kind, implement Host and call Hub.SetHost. Then send the
// hub what happens through the Events that SetHost returned. What else the Host can
// do are small interfaces of this package, its abilities: the hub looks for each of
// them, and knows no kinds of Hosts.
package bridge

import (
	"context"
	"errors"

	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// CallID numbers the commands of one hub, from 1 upwards; no number comes twice.
// On the bridge it is a JSON number.
type CallID int64

// Object is the members of a JSON object, such as the params of a command.
type Object = wire.Object

// Error is a CDP error. Send may return one: it is the answer to the command.
type Error = wire.Error

// MaxFolder is how long the path of a folder for downloads may be, in bytes: it is kept
// while its session lasts, and no system has longer ones.
const MaxFolder = 32 << 10

// ErrLongFolder is the answer to a command with a longer one.
var ErrLongFolder = wire.InvalidParams("downloadPath is longer than 32768 bytes")

// Command is one command for a Host to carry out. Its byte slices and strings
// are only valid until Send returns.
type Command struct {
	Call      CallID
	SessionID string // empty for a browser-level command
	TargetID  string // empty for a browser-level command
	Method    string
	Params    []byte // a JSON object; nil means none was given
	// ArrayParams says that an array was given, which is none: a Host may take it as {}, or
	// refuse it where the method has params, as Chromium does.
	ArrayParams bool
	// Args are the members of Params, each of them once. They are set for methods
	// that may reach beyond the Client's own session, and nil for all others. A
	// Host that decides by the params must decide by Args.
	Args Object
	// NoFiles says that the Client may not read, name or write files of the
	// machine that the Host runs on.
	NoFiles bool
}

// Attachment is a session that begins.
type Attachment struct {
	SessionID string
	TargetID  string // empty for a session of a browser
	// DialogKey is the same for every session of a Target. With it, the page of
	// the Target may ask the hub to show a dialog.
	DialogKey string
	// NoFiles says that the Client may not use files of the machine that the Host
	// runs on; ReadOnly, that it may change nothing.
	NoFiles, ReadOnly bool
	// Lasting says that what the Client has may go on to another, see Inheritance.
	Lasting bool
	// PrivateOf is a target: the Client sees also what is private to the owner of that
	// one (targets.Info.Owner). It is "" for most Clients.
	PrivateOf string
	// Account is the same for all Clients of one token, and does not reveal it. A Host
	// that shares something out does it by Account. It is "" for a Client without one,
	// which stands for itself.
	Account string
	// Client is the Client's name, for people. It is "" for one that is no driver, such as what shows a target in
	// the dashboard.
	Client string
	// Tabs are the only targets that the Client sees; nil for a Client that sees
	// all. A TabKeeper adds to them what the Client opens, and what that opens.
	Tabs *targets.Tabs
}

// Host is a browser, or a page with frames, that carries out the commands of a
// hub. Its methods must not block: the hub calls them under its lock.
type Host interface {
	// Send carries out one command. The Host answers it once with Events.Result,
	// unless Send returns an error. An *Error is the Client's answer; for any other
	// error, the hub answers that the Host does not respond.
	Send(Command) error
	// Release says that a session has ended: the Host frees what belonged to it, and
	// need not answer its commands.
	Release(sessionID, targetID string)
	// Close ends the Host. The Reason tells it whether to come back. It returns at
	// once; the Host ends in its own time.
	Close(Reason)
}

// Slotter is a Host that chooses its slot. A hub has one Host in each slot: a Host
// replaces the Host in its own slot, and no other. Without this ability the slot is
// "".
type Slotter interface {
	// Slot must always return the same name.
	Slot() string
}

// BrowserSlot is the slot of Hosts that are a whole browser each.
const BrowserSlot = "browser"

// BrowserSessions is a Host that serves the browser level itself, as Chromium does.
// It has its own targets, browser contexts and sessions:
//
//   - Each Client has a browser-level session of its own in the Host.
//   - The Host mints the sessions inside it, and reports them with Events.Opened and
//     Closed. They end with the session that they are in, without a Release.
//   - The Host sends events with Events.SessionEvent, since Events.Event is ignored.
//   - All of this is lost with the connection, so the HostID is ignored.
//
// For a Host without this ability, the hub emulates a browser around the Host's
// Targets and mints all sessions. Of several Hosts with it, the first that connected
// serves the browser level.
type BrowserSessions interface {
	// AttachedToBrowser begins the browser-level session of one Client. For a
	// connection that belongs to one target, the hub calls Announcer.Attached
	// instead.
	AttachedToBrowser(Attachment)
}

// TabKeeper is a Host with BrowserSessions for Clients that see only their own tabs
// (Attachment.Tabs). The hub calls it under its lock.
type TabKeeper interface {
	// Given says that a target was added to tabs: it is announced to their Clients like a
	// new one.
	Given(tabs *targets.Tabs, targetID string)
	// Taken removes a target from tabs: for their Clients it ends.
	Taken(tabs *targets.Tabs, targetID string)
}

// Inheritance is a Host with BrowserSessions in which a Client (Attachment.Lasting) may leave
// what it has created, its browser contexts with their targets, to another Client.
type Inheritance interface {
	// Inherit gives what belongs to the browser-level session from to the session to.
	// What from is still creating goes there, too. The hub changes the Owner of the
	// targets that it knows itself. It calls Inherit under its lock, and then releases
	// from.
	Inherit(from, to string)
}

// Lifecycle is a Host that answers some browser-level methods, such as
// Target.createTarget.
type Lifecycle interface {
	// Handles reports whether the Host answers a method.
	Handles(method string) bool
}

// Announcer is a Host that wants to know of each session before its first command.
type Announcer interface {
	Attached(Attachment)
}

// Refresher is a Host that reports some changes of its Targets late. Chromium 156
// reports new titles so.
type Refresher interface {
	// Refresh has the Host report them now, and call done after that. A Host that
	// ends need not call it. The hub calls Refresh without its lock.
	Refresh(done func())
}

// Resumer is a Host that may come back to its sessions after its connection was
// lost.
type Resumer interface {
	// Resumed follows the Attached calls for all sessions that go on: the Host
	// frees all others.
	Resumed()
}

// Dialogs is a Host whose pages ask the hub to show their JavaScript dialogs.
type Dialogs interface {
	// AsksHub reports whether they do. Then the hub knows of every open dialog, and
	// answers commands about dialogs itself: the page may be blocked.
	AsksHub() bool
}

// Liveness is a Host that notices when the page behind it hangs.
type Liveness interface {
	// Responsive reports whether the page answers. Commands for a page that does
	// not answer fail at once.
	Responsive() bool
}

// Documents is a Host whose targets are documents in a page. The hub asks them for signs of life.
// The methods are called under its lock.
type Documents interface {
	// AnswerSigns reports whether they answer the command Runtime.getIsolateId at once, while
	// their script runs.
	AnswerSigns() bool
	// Busy reports whether much is on its way to the page or from it, so that an answer may be late.
	Busy() bool
}

// Nesting is a Host whose pages have targets of their own, such as dedicated workers.
// The hub leaves Target.setAutoAttach in a session of a page to it. The Host then
// reports the sessions inside with Events.Opened and Closed, and announces them with
// Events.SessionEvent. They are lost with the connection.
type Nesting interface {
	NestsSessions() bool
}

// Families is a Host whose targets may be parts of others, as a frame with a process
// of its own is of a page. Its methods are called under the hub's lock.
type Families interface {
	// PageOf returns the page that a target is part of: for a page itself, for a
	// frame or a worker the page around it, for a tab the page in it. It is "" where
	// that is not known.
	PageOf(targetID string) string
	// MayServe reports whether a target works for several pages of which this one may be
	// one, as a service worker does.
	MayServe(targetID, pageID string) bool
	// InContext reports whether a target is in a browser context.
	InContext(targetID, contextID string) bool
	// SharesContext reports whether a target and a page are in the same browser context.
	SharesContext(targetID, pageID string) bool
	// Related reports whether script of one page may have a handle of the window of the
	// other: one of them has opened the other, or the one that has opened it, and so on,
	// also if pages between them have ended.
	Related(pageID, otherID string) bool
}

// SharedTabs is a Host whose targets are tabs of a browser that its user has open: refusals speak of tabs, and not
// of frames.
type SharedTabs interface {
	SharesTabs() bool
}

// Uploads is a Host that takes the contents of files with DOM.setFileInputFiles,
// since it cannot read the files themselves.
type Uploads interface {
	TakesFiles() bool
}

// FlowControl is a Host that can hold back Clients that send faster than it takes.
type FlowControl interface {
	// WaitForRoom is called after a message with n bytes of params has led to something for
	// the Host, without the hub's lock. It returns at once while the Host keeps up, and
	// otherwise after at most a second or so: when most of its queue is full, or when the
	// Host has yet to take much that came with this Pace, which is nil for what counts for little.
	WaitForRoom(pace *Pace, n int)
}

// Events is how a Host reports to its hub. Each connection of a Host gets its own
// Events; once the Host was replaced, the hub ignores them. No method blocks or keeps
// a byte slice.
type Events interface {
	// Reannounced says that the Host starts over: all its Targets end, and it
	// now has these.
	Reannounced(Announcement)
	// TargetCreated adds a Target, or updates the one with the same id. It
	// reports false when the hub refuses the Target: its id is not usable or belongs
	// to another Host, or there are too many.
	TargetCreated(targets.Info) bool
	// TargetChanged updates a Target. An unknown one is ignored: it may just
	// have gone.
	TargetChanged(targets.Info)
	// TargetGone ends a Target with all its sessions.
	TargetGone(targetID string)
	// Result answers a command: result is a JSON object, or cdpErr a JSON error
	// object, {"code":-32000,"message":"…"}; the other is nil. The hub drops an
	// answer to an unknown call, or for another session than the command's. It passes
	// on the bytes as they are.
	Result(call CallID, sessionID string, result, cdpErr []byte)
	// Fail answers the commands in flight of a session with an error, the oldest first. The
	// Host answers them no more.
	Fail(sessionID string, why *Error)
	// Event goes to every session of the Target. params is a JSON object. An unknown
	// Target is no error: it may just have gone.
	Event(targetID, method string, params []byte)
	// SessionEvent goes to that session alone.
	SessionEvent(sessionID, method string, params []byte)
	// SessionsEvent goes to each of these sessions, once. Those that are unknown are
	// ignored: they may just have ended. The slice is not kept.
	SessionsEvent(sessionIDs []string, method string, params []byte)
	// Opened adds a session that the Host has minted inside another one. It belongs
	// to the same Client. Call it before the event that announces the session:
	//
	//	events.Opened(bridge.Nested{Parent: "S", SessionID: "S2", TargetID: "T2", Type: "iframe"})
	//	events.SessionEvent("S", "Target.attachedToTarget", params)
	//
	// It reports false when the Client has too many sessions: the Host then ends this one,
	// and does not announce it.
	Opened(Nested) bool
	// Closed ends a session that the Host has minted, and the sessions inside it:
	// their commands in flight fail. Call it before the event that announces it.
	Closed(sessionID string)
	// PutScript leaves a script at the hub for 10 s, for a Frame Agent to fetch
	// once. It reports whether there was room for it. The key must be unguessable
	// and is at most 128 bytes long; the source, 1 MiB.
	PutScript(key, source string) bool
	// DownloadBegins says that a frame has its browser save a file. It reports whether a Client
	// wants the content: then the Host brings it in parts, each once DownloadPart has returned
	// for the one before.
	DownloadBegins(Download) (wanted bool)
	// DownloadPart brings the next bytes, and reports whether more are wanted.
	DownloadPart(guid string, part []byte) (wanted bool)
	// DownloadEnds says that the file is complete, with so many bytes; below zero, that it is
	// canceled. The hub itself cancels the downloads of a Target or a Host that ends.
	DownloadEnds(guid string, total int64)
	// DownloadFinished says that a download has ended which a session of a browser has asked for.
	// The hub keeps the file for the Client, and sends it CdpHub.downloadFinished. It reports false when
	// the Client has no file, since the hub cannot keep it: then the Host removes Copy.
	DownloadFinished(sessionID string, d Finished) bool
	// HostGone says that the Host has ended, with all its Targets. With mayReturn
	// its connection was lost: a Host with a HostID may come back to its Targets
	// and sessions within a grace period.
	HostGone(mayReturn bool)
}

// Download is a file that a frame has its browser save.
type Download struct {
	TargetID, FrameID      string
	GUID                   string // names it; no other download that is under way has it
	URL, SuggestedFilename string
}

// Finished is a download that has ended.
type Finished struct {
	Download
	Path string // of the file, on this machine, until DownloadFinished returns; "" is none
	Copy string // of the file too, for a Client that may not name files; "" is none. It goes with what the hub keeps
	Why  string // why there is no file
	Mute bool   // the session has not asked for events: the hub sends it none
}

// Hub is where a Host announces itself.
type Hub interface {
	// SetHost makes h a Host of the hub. It closes the Host before it in the same
	// slot with ReasonReplaced. A Host calls SetHost once. After an error, h is not a
	// Host of the hub; a wsconn.Reason is the close code for a Page.
	SetHost(h Host, a Announcement) (Events, error)
}

// ErrTaken refuses a Host that yields to the one that the hub has.
var ErrTaken = errors.New("another Host has the hub")

// Standby is a hub at which a Host can wait until no other Host page has it.
type Standby interface {
	Hub
	// Free reports whether no Host page has the hub.
	Free() bool
	// AwaitFree waits until no Host page has had the hub for about 2 s, which a
	// page needs to reload, or returns at once if none has it. It returns the error
	// of ctx when that ends first.
	AwaitFree(ctx context.Context) error
}

// Announcement is what a Host says of itself when it connects, or starts over.
type Announcement struct {
	// HostID is unguessable. A Host that comes back after its connection was lost
	// has the same one. It is "" for a Host that does not come back.
	HostID  string
	Version Version
	// Yields has SetHost fail with ErrTaken in place of replacing another Host page.
	Yields bool
	// Targets of a Host with BrowserSessions are those that every Client may see, and
	// those with an Owner.
	Targets []targets.Info
}

// Nested is a session that a Host minted inside another one.
type Nested struct {
	Parent    string // the session it is in
	SessionID string // unguessable
	TargetID  string
	Type      string // of that target: "page", "iframe", "worker", "browser" …
}

// Version names the browser that the Host runs in. The hub fills in an empty
// Product and UserAgent.
type Version = targets.Browser

// Reason says why a Host is closed.
type Reason int

// The reasons for which a hub closes a Host.
const (
	ReasonReplaced Reason = iota + 1 // a newer Host has its slot
	ReasonShutdown                   // the hub ends
)

// String implements fmt.Stringer, for logs.
func (r Reason) String() string {
	switch r {
	case ReasonReplaced:
		return "replaced"
	case ReasonShutdown:
		return "shutdown"
	}
	return "unknown"
}
