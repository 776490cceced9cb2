package page

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// invalidAnswer is the error for a command whose answer cannot be passed on.
var invalidAnswer = wire.AppendError(nil, wire.ServerError("Invalid answer from the Host: host.js and the hub may be of different versions; load the page again"))

// receive takes one message of the Host. Whatever is wrong with it is refused piece by
// piece; a Host is never disconnected for it. It is the handler of the connection: frame is
// its memory, and messages come one at a time.
func (p *Host) receive(frame []byte) {
	if !p.abilities.Load().chunks || !bytes.HasPrefix(frame, chunkBegins) {
		p.receiveWhole(frame)
		return
	}
	if !p.receiveChunk(frame) {
		return
	}
	p.receiveWhole(p.pieces)
	p.freePieces()
}

// receiveWhole takes one message that came in one frame, or of which all chunks have come.
func (p *Host) receiveWhole(frame []byte) {
	f := read.Get().(*fields)
	defer f.free()
	f.payloadLast = p.abilities.Load().payloadLast
	if err := wire.ReadObject(frame, f.by); err != nil {
		// What was read before the fault is good. A command must end, even
		// if its answer is not JSON.
		if p.events != nil && (f.kind == "response" || f.kind == "browserResult") {
			f.result, f.cdpErr = nil, invalidAnswer
			p.answer(f)
		}
		p.warn("message of the host is not valid", zap.Error(err))
		return
	}
	if f.kind == "ready" {
		p.receiveReady(f)
		return
	}
	if p.events == nil {
		p.warn("message of the host came before ready", zap.Int("bytes", len(frame)))
		return
	}
	switch f.kind {
	case "response", "browserResult":
		p.answer(f)
	case "event":
		p.event(f)
	case "targetCreated", "targetInfoChanged":
		t, ok := readTarget(f.target)
		switch {
		case !ok:
			p.warn("target refused: it has no usable id")
		case f.kind == "targetCreated":
			if !p.events.TargetCreated(t) {
				p.warn("target refused: there are too many")
			}
		default:
			p.events.TargetChanged(t)
		}
	case "downloadBegins", "downloadPart", "downloadEnds":
		p.download(f)
	case "evalput":
		p.putScript(f)
	case "alive":
		n, _ := wire.Int(f.n)
		if n < 0 {
			p.marks.heard(n)
			return
		}
		p.alive.heard(n)
	case "targetDestroyed":
		if id, ok := wire.Text(f.targetID); ok {
			p.events.TargetGone(id)
		}
	}
}

// receiveReady announces the Host to the hub, or announces it anew. The first ready makes
// it a Host of the hub. A later one replaces everything that it has announced, with other
// abilities if it names others.
func (p *Host) receiveReady(f *fields) {
	list, refused, ok := readTargets(f.targets)
	if version, is := wire.Int(f.v); !ok || f.v != nil && (!is || version != 1) {
		p.warn("ready refused: it has no list of targets, or another version than 1")
		return
	}
	if refused > 0 {
		p.warn("targets refused: without a usable id, or too many", zap.Int("refused", refused))
	}
	known := readNames(f.features, features...)
	if p.events != nil && p.browser != slices.Contains(known, featureBrowser) {
		p.warn("ready refused: a Host that is a page cannot become a browser, nor a browser a page")
		return
	}
	p.stopWaiting()
	p.conn.UseVersionOneCodes(!slices.Contains(known, featureCodes))
	p.abilities.Store(&abilities{
		handles:    readHandles(f.handles, slices.Contains(known, featureHandles)),
		sessions:   slices.Contains(known, featureSessions) || slices.Contains(known, featureBrowser),
		dialog:     slices.Contains(known, featureDialog),
		scripts:    slices.Contains(known, featureEval),
		uploads:    slices.Contains(known, featureUploads),
		resume:     slices.Contains(known, featureResume),
		nested:     slices.Contains(known, featureNested),
		sessionIDs: slices.Contains(known, featureSessionIDs), payloadLast: slices.Contains(known, featurePayloadLast),
		chunks: slices.Contains(known, featureChunks), alive: slices.Contains(known, featureAlive),
		downloads: slices.Contains(known, featureDownloads),
	})
	if f.features != nil {
		p.accept(known) // sessions may begin as soon as the hub has the Host, so this is first
	}
	a := bridge.Announcement{
		HostID: readHostID(f.hostID), Version: readVersion(f.more), Targets: list,
	}
	if p.events != nil {
		p.events.Reannounced(a)
		return
	}
	// A browser has other abilities: the hub finds them by the type of the Host.
	var host bridge.Host = p
	if p.browser = slices.Contains(known, featureBrowser); p.browser {
		host = pageBrowser{p}
	}
	var err error
	if p.events, err = p.hub.SetHost(host, a); err != nil {
		p.log.Warn("host refused", zap.Error(err))
		why := wsconn.ReasonTryAgain
		if errors.Is(err, bridge.ErrTaken) {
			why = wsconn.ReasonReplaced
		}
		errors.As(err, &why)
		p.conn.Close(why)
		return
	}
	if slices.Contains(known, featureAlive) {
		p.alive.start(p)
	}
}

// accept answers with the features that are known. An unknown feature is left out of the
// answer, by which the Host knows that the hub is older.
func (p *Host) accept(known []string) {
	body := []byte(`{"kind":"accepted","features":[`)
	for i, name := range known {
		if i > 0 {
			body = append(body, ',')
		}
		body = wire.AppendString(body, name)
	}
	p.conn.Deliver(wire.Frame{Head: body, Tail: []byte("]}")})
}

// putScript leaves a script at the hub and says so; one that is refused is
// never heard of again, and the Frame Agent goes on without it.
func (p *Host) putScript(f *fields) {
	key, named := wire.Text(f.key)
	source, ok := wire.Text(f.source)
	if !p.abilities.Load().scripts || !named || !ok {
		p.warn("script of the host refused: it has no key or source, or the feature was not accepted")
		return
	}
	if !p.events.PutScript(strings.Clone(key), strings.Clone(source)) {
		p.warn("script of the host refused: too long, its key in use, or too many wait to be fetched")
		return
	}
	p.conn.Deliver(wire.Frame{Head: []byte(`{"kind":"evalok","key":`), Body: f.key, Tail: wire.End})
}

// answer passes on the answer to a command. A result that is absent is {}, as
// when a handler of the page returns nothing. An answer without an id belongs to no
// command: the hub's timeout, or the end of the session, ends the command.
func (p *Host) answer(f *fields) {
	call, ok := wire.Int(f.id)
	if !ok {
		p.warn("answer of the host has no id")
		return
	}
	sessionID, _ := wire.Text(f.sessionID)
	p.nest(f, sessionID)
	switch {
	// Both were checked as JSON; only their type is left to look at.
	case f.cdpErr != nil && f.cdpErr[0] != '{', f.cdpErr == nil && f.result != nil && f.result[0] != '{':
		f.result, f.cdpErr = nil, invalidAnswer
		p.warn("answer of the host is not an object")
	case f.cdpErr != nil:
		f.result = nil
	case f.result == nil:
		f.result = wire.Empty
	}
	p.events.Result(bridge.CallID(call), sessionID, f.result, f.cdpErr)
}

// event passes on an event. Without "sessionIds" and "sessions", the members of these names
// are ignored: a Host of version 1 did not mean them.
func (p *Host) event(f *fields) {
	method, ok := wire.Text(f.method)
	if !ok || !wire.IsMethod(method) || f.params != nil && f.params[0] != '{' {
		p.warn("event of the host refused: it has no good method or params")
		return
	}
	if f.params == nil {
		f.params = wire.Empty
	}
	if f.sessionIDs != nil && f.sessionID == nil && p.abilities.Load().sessionIDs {
		p.eventOfSessions(f, method)
		return
	}
	if f.sessionID != nil && p.abilities.Load().sessions {
		if id, ok := wire.Text(f.sessionID); ok {
			if p.nest(f, id) {
				p.events.SessionEvent(id, method, f.params)
			}
		}
		return
	}
	if id, ok := wire.Text(f.targetID); ok {
		p.events.Event(id, method, f.params)
	}
}

// eventOfSessions passes on an event that names several sessions.
func (p *Host) eventOfSessions(f *fields, method string) {
	ids, ok := appendTexts(p.ids[:0], f.sessionIDs)
	if ok {
		p.events.SessionsEvent(ids, method, f.params)
	} else {
		p.warn("event of the host refused: its sessionIds are not a list of names, or too many")
	}
	clear(ids) // the message must not be held on to
	p.ids = ids[:0]
}

// nest passes on which session begins or ends with a message of another one. The session
// must begin before the message that announces it, and end before the one that says so:
// Events.Opened and Closed come first. It reports false for a session that the hub refuses:
// the Client must not hear of it.
func (p *Host) nest(f *fields, parent string) bool {
	if f.opens == nil && f.closes == nil || !p.abilities.Load().nested {
		return true
	}
	known := true
	if n, ok := readNested(f.opens); ok {
		n.Parent = parent
		if known = p.events.Opened(n); !known {
			p.refuse(n)
		}
	}
	if id, ok := wire.Text(f.closes); ok {
		p.events.Closed(id)
	}
	return known
}

// refuse has the Host end a session that the hub does not take. It runs without the hub's
// lock, and so has a buffer of its own.
func (p *Host) refuse(n bridge.Nested) {
	b := wire.AppendString([]byte(`{"kind":"detached","sessionId":`), n.SessionID)
	p.conn.Deliver(wire.Frame{Head: appendTargetID(b, n.TargetID), Tail: wire.End})
}

// warn logs at most one warning a minute, and how many it left out. A Host with a fault
// would otherwise fill the disk.
func (p *Host) warn(message string, more ...zap.Field) {
	now := time.Now()
	if !p.warned.IsZero() && now.Sub(p.warned) < warnEvery {
		p.skipped++
		return
	}
	p.log.Warn(message, append(more, zap.Int("skipped", p.skipped))...)
	p.warned, p.skipped = now, 0
}
