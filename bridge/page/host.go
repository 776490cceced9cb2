// Package page is the Host behind a bridge WebSocket: a web page that drives the iframes in it.
// docs/bridge.md describes the messages.
package page

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// Limits are those for the connection of a Host page. A Host may send 256 MiB at once:
// a screenshot or a large document. 64 MiB may wait for it, in up to 1,048,576 frames, as
// commands are small.
func Limits() wsconn.Limits {
	return wsconn.Limits{MaxMessage: 256 << 20, MaxPending: maxPending, MaxQueued: 1 << 20}
}

const (
	maxPending   = 64 << 20              // bytes that wait to be written; then Send fails
	longestWait  = 10 * time.Millisecond // for the queue
	readyTimeout = 10 * time.Second      // from the handshake to the first ready
	warnEvery    = time.Minute           // between two warnings about one Host
)

// The extensions that a Host may name in its ready. Until they are accepted,
// and to a Host that names none, version 1 holds.
const (
	// The Host gets the beginning of each session before its first command, and may send
	// an event to one session.
	featureSessions = "sessions"
	// The Host may handle more browser-level methods than two.
	featureHandles = "handles+"
	// The Host gets the key with which dialogs are shown.
	featureDialog = "dialog"
	// The Host may leave scripts at the hub.
	featureEval = "eval"
	// DOM.setFileInputFiles brings the contents of the files.
	featureUploads = "uploads"
	// The Host may come back with its hostId, and hears which sessions continue.
	featureResume = "resume"
	// The page behind the Host must show that it runs.
	featureAlive = "alive"
	// The Host is a browser: each Client has a session of its own there.
	featureBrowser = "browser"
	// Sessions may be born inside those of a browser.
	featureNested = "nested"
	// The Host knows the close codes of docs/bridge.md.
	featureCodes = "codes"
	// The Host may come back on standby once another has replaced it.
	featureStandby = "standby"
	// The Host may send one event to several sessions.
	featureSessionIDs = "sessionIds"
	// What a message carries is its last member: the Host need not read it.
	featurePayloadLast = "payloadLast"
	// The Host may send a message in chunks, with others between them.
	featureChunks = "chunks"
	// The Host sends the files that frames download, in parts.
	featureDownloads = "downloads"
)

// features is what the hub knows, in the order in which "accepted" has them.
var features = []string{featureSessions, featureHandles, featureDialog, featureEval, featureUploads, featureResume, featureAlive, featureBrowser, featureNested, featureCodes, featureStandby, featureSessionIDs, featurePayloadLast, featureChunks, featureDownloads}

// errBusy says that the Host's queue is full.
var errBusy = errors.New("host accepts no more commands")

// errSilent says that the page behind the Host hangs.
var errSilent = errors.New("host does not answer")

// Host is the Host behind a bridge WebSocket: a web page that drives iframes.
// What it writes are JSON text frames:
//
//	{"kind":"accepted","features":["sessions"]}   only to a Host that sent features
//	{"kind":"attached","sessionId":"S","targetId":"T","dialogKey":"K"}   only with "sessions", the key with "dialog"
//	{"kind":"command","sessionId":"S","targetId":"T","id":7,"method":"Page.enable","params":{}}
//	{"kind":"detached","sessionId":"S","targetId":"T"}
//	                              only with "browser" these three come without targetId too: S is a Client's session of the browser
//	{"kind":"evalok","key":"K"}   only with "eval"
//	{"kind":"chunkTaken"}         only with "chunks": one has been taken
//	{"kind":"resumed"}            only with "resume": every session that goes on has been told of
//	{"kind":"alive","n":3}        only with "alive": to be sent back by the page's script, after all before it
//	{"kind":"browserRequest","id":8,"method":"Target.createTarget","params":{}}
//	{"kind":"standby","free":true}   only to a Host on standby, before its ready
type Host struct {
	conn *wsconn.Conn // static after Serve began
	hub  bridge.Hub
	log  *zap.Logger

	abilities atomic.Pointer[abilities] // of the last ready
	scratch   []byte                    `stays:"its memory serves the next frame"` // heads of frames; guarded by the hub's lock

	alive   aliveness
	marks   marks
	events  bridge.Events // owned by the reader, as is what follows; nil before ready
	browser bool          // the Host has come as one
	ids     []string      `stays:"its memory serves the next event"` // of the event at hand
	part    []byte        `stays:"its memory serves the next part"`  // of a download
	pieces  []byte        `held:"bytes of chunks"`                   // of a message of which not all chunks have come
	amidst  atomic.Bool   // of a message in chunks; the hub reads it
	ready   *time.Timer   `held:"timers of Hosts without a ready"` // nil once the Host has sent it
	warned  time.Time
	skipped int `stays:"counts what has been"` // warnings since then
}

// abilities is what a ready has said the Host can do. It is replaced as a whole by each
// ready: the hub reads it under its lock, and the reader writes it without.
type abilities struct {
	handles                   handles
	sessions, dialog, scripts bool
	uploads, resume, nested   bool
	sessionIDs, payloadLast   bool
	chunks, alive, downloads  bool
}

// handles are the browser-level methods that a Host says it handles, by domain:
// names of methods, and "Storage.*" for a whole domain. The hub asks for every
// command, and most are in a domain that is not there.
type handles map[string][]string

// add notes a method, or a domain as "Storage.*".
func (h handles) add(name string) {
	domain, _, _ := strings.Cut(name, ".")
	h[domain] = append(h[domain], name)
}

// have reports whether a method, or its domain, was named.
func (h handles) have(method string) bool {
	domain, _, _ := strings.Cut(method, ".")
	for _, name := range h[domain] {
		prefix, all := strings.CutSuffix(name, "*")
		if name == method || all && strings.HasPrefix(method, prefix) {
			return true
		}
	}
	return false
}

// Serve runs a Host over conn, which should have Limits, until the
// connection ends, and returns why. The Host enters the hub with its first
// ready message, which it owes within 10 s. It returns when the Host is out of the hub.
func Serve(ctx context.Context, conn *wsconn.Conn, hub bridge.Hub, log *zap.Logger) wsconn.Reason {
	return newHost(conn, hub, log).serve(ctx)
}

// serve is Serve for a Host that was made.
func (p *Host) serve(ctx context.Context) (why wsconn.Reason) {
	defer func() { p.end(why) }()
	return p.conn.Serve(ctx, p.receive)
}

// Guard makes a handler of messages that survives a panic of the one it is given.
type Guard func(handle func(message []byte)) func(message []byte)

// Start is Serve, but returns at once and calls ended when Serve would
// return. While the Host is silent it needs no goroutine: see wsconn.Conn.Start.
func Start(ctx context.Context, conn *wsconn.Conn, hub bridge.Hub, log *zap.Logger, g Guard, ended func(wsconn.Reason)) {
	newHost(conn, hub, log).start(ctx, g, ended)
}

// start is Start for a Host that was made.
func (p *Host) start(ctx context.Context, g Guard, ended func(wsconn.Reason)) {
	p.conn.Start(ctx, g(p.receive), func(why wsconn.Reason) {
		p.end(why)
		ended(why)
	})
}

// newHost makes a Host, which owes its ready from now on.
func newHost(conn *wsconn.Conn, hub bridge.Hub, log *zap.Logger) *Host {
	if log == nil {
		log = zap.NewNop()
	}
	p := &Host{conn: conn, hub: hub, log: log.Named("bridge")}
	p.abilities.Store(&abilities{})
	conn.UseVersionOneCodes(true) // until the Host has said that it knows others
	p.ready = time.AfterFunc(readyTimeout, func() { conn.Close(wsconn.ReasonNoReady) })
	return p
}

// end takes the Host out of the hub when its connection has ended.
func (p *Host) end(why wsconn.Reason) {
	p.stopWaiting()
	p.alive.stop()
	p.marks.end()
	p.pieces = nil // the connection has given back what it counted for them
	if p.events != nil {
		p.events.HostGone(mayReturn(why))
	}
}

// stopWaiting is for a Host that owes no ready any more.
func (p *Host) stopWaiting() {
	if p.ready != nil {
		p.ready.Stop()
		p.ready = nil
	}
}

// mayReturn reports whether the Host may come back: it cannot when it has said
// good-bye, as browsers do for a page that goes.
func mayReturn(why wsconn.Reason) bool { return why.Code != 1000 && why.Code != 1001 }

// Send implements Host. The params are copied once, into the connection's queue. errBusy
// and errSilent are not the Client's answer as they stand: relay turns them into one.
func (p *Host) Send(c bridge.Command) error {
	if !p.Responsive() {
		return errSilent
	}
	b := p.scratch[:0]
	if c.SessionID == "" && c.TargetID == "" {
		b = append(b, `{"kind":"browserRequest"`...)
	} else {
		b = wire.AppendString(append(b, `{"kind":"command","sessionId":`...), c.SessionID)
		b = appendTargetID(b, c.TargetID)
	}
	b = strconv.AppendInt(append(b, `,"id":`...), int64(c.Call), 10)
	b = wire.AppendString(append(b, `,"method":`...), c.Method)
	b = append(b, `,"params":`...)
	p.scratch = b
	f := wire.Frame{Head: b, Body: c.Params, Tail: wire.End}
	if c.Params == nil {
		f.Body = wire.Empty
	}
	// A full queue fails this command alone; Deliver would end the Host.
	if !p.conn.Offer(f) {
		return errBusy
	}
	return nil
}

// Release implements Host.
func (p *Host) Release(sessionID, targetID string) { p.session("detached", sessionID, targetID, "") }

// Attached implements Announcer. A Host without the feature gets nothing.
func (p *Host) Attached(s bridge.Attachment) {
	a := p.abilities.Load()
	if !a.sessions {
		return
	}
	if !a.dialog {
		s.DialogKey = ""
	}
	p.session("attached", s.SessionID, s.TargetID, s.DialogKey)
}

// Resumed implements Resumer.
func (p *Host) Resumed() {
	if p.abilities.Load().resume {
		p.conn.Deliver(wire.Frame{Head: []byte(`{"kind":"resumed"`), Tail: wire.End})
	}
}

// session says that a session has begun or ended. A Host too slow to take even
// that is disconnected, since it would be wrong about its sessions for ever.
func (p *Host) session(kind, sessionID, targetID, dialogKey string) {
	b := append(append(append(p.scratch[:0], `{"kind":"`...), kind...), `","sessionId":`...)
	b = wire.AppendString(b, sessionID)
	b = appendTargetID(b, targetID)
	if dialogKey != "" {
		b = wire.AppendString(append(b, `,"dialogKey":`...), dialogKey)
	}
	p.scratch = b
	p.conn.Deliver(wire.Frame{Head: b, Tail: wire.End})
}

// appendTargetID appends ,"targetId":"…", unless there is none: the browser
// itself is meant.
func appendTargetID(b []byte, id string) []byte {
	if id == "" {
		return b
	}
	return wire.AppendString(append(b, `,"targetId":`...), id)
}

// Handles implements Lifecycle.
func (p *Host) Handles(method string) bool {
	return p.abilities.Load().handles.have(method)
}

// AsksHub implements Dialogs.
func (p *Host) AsksHub() bool { return p.abilities.Load().dialog }

// NestsSessions implements Nesting.
func (p *Host) NestsSessions() bool { return p.abilities.Load().nested }

// TakesFiles implements Uploads.
func (p *Host) TakesFiles() bool { return p.abilities.Load().uploads }

// pageBrowser is a Page that said it is a whole browser.
type pageBrowser struct{ *Host }

// Slot implements Slotter.
func (pageBrowser) Slot() string { return bridge.BrowserSlot }

// AttachedToBrowser implements BrowserSessions.
func (p pageBrowser) AttachedToBrowser(s bridge.Attachment) { p.Attached(s) }

// TakesFiles implements Uploads: a browser reads files itself.
func (pageBrowser) TakesFiles() bool { return false }

// Close implements Host. The close code of a replaced Host tells it to stay
// away.
func (p *Host) Close(r bridge.Reason) {
	if r == bridge.ReasonReplaced {
		p.conn.Close(wsconn.ReasonReplaced)
		return
	}
	p.conn.Close(wsconn.ReasonShutdown)
}
