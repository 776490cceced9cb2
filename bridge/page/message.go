package page

//go:generate go run github.com/mailru/easyjson/easyjson@v0.9.2 -output_filename message_easyjson.go message.go

import (
	"errors"
	"strings"
	"sync"

	"github.com/mailru/easyjson"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/targets"
)

// The messages of a Host are JSON text frames (their members, "kind" first
// but in no fixed order; with "payloadLast" nothing follows params, result and error):
//
//	{"kind":"ready","v":1,"targets":[{"targetId":"T","title":"","url":""}],"handles":[…],"features":[…],"hostId":"H","browser":{…}}
//	{"kind":"evalput","key":"K","source":"…"}     only with "eval"
//	{"kind":"targetCreated","target":{…}}         {"kind":"targetInfoChanged","target":{…}}
//	{"kind":"targetDestroyed","targetId":"T"}
//	{"kind":"response","sessionId":"S","id":7,"result":{…}}      or "error":{…}
//	{"kind":"event","targetId":"T","method":"Page.loadEventFired","params":{…},"sessionId":"S"}
//	…,"sessionIds":["S","S2"]}                     instead of sessionId, only with "sessionIds"
//	…,"opens":{"sessionId":"S2","targetId":"T2","type":"iframe"}} of an event or a response, and
//	…,"closes":"S2"}                               only with "nested": a session born inside S begins, or ends
//	{"kind":"alive","n":3}                         only with "alive"
//	{"kind":"chunk","last":false}, a line break, a piece of another message    only with "chunks"
//	{"kind":"browserResult","id":8,"result":{…}}                 or "error":{…}
//
// Those of the feature "downloads" are in downloads.go.

// fields are the members of one message, as they stand in the frame. All are
// valid JSON; those that are absent are nil.
type fields struct {
	kind                                string
	id, sessionID, targetID, method     []byte
	result, cdpErr, params, target      []byte
	v, targets, handles, features, more []byte // of ready; more is "browser"
	hostID                              []byte // of ready
	key, source                         []byte // of evalput
	n                                   []byte // of alive
	last                                []byte // of chunk
	guid, data, totalBytes              []byte // of downloads, as is what follows
	frameID, url, suggestedFilename     []byte
	sessionIDs                          []byte // of event
	opens, closes                       []byte // of event and response

	payloadLast bool // nothing may follow params, result and error
	full        bool // one of them has been

	by func(key string, value []byte) error // set
}

// read has fields to use again: a Host needs them only while it has a message.
var read = sync.Pool{New: func() any {
	f := new(fields)
	f.by = f.set
	return f
}}

// free drops the message, and keeps the fields for another.
func (f *fields) free() {
	*f = fields{by: f.by}
	read.Put(f)
}

// errPayloadLast refuses a message that goes on behind what it carries. A Host
// passes on what its pages say without looking into it; none of them may add
// members to the Host's own.
var errPayloadLast = errors.New("a member follows what the message carries")

// set takes one member. Of a key that comes twice the last counts, as with JSON.parse.
// Unknown keys are ignored, so that later versions may add some.
func (f *fields) set(key string, value []byte) error {
	if f.full {
		return errPayloadLast
	}
	f.full = f.payloadLast && (key == "params" || key == "result" || key == "error")
	if string(value) == "null" {
		return nil // as if it were absent
	}
	switch key {
	case "kind":
		f.kind, _ = wire.Text(value)
	case "id":
		f.id = value
	case "sessionId":
		f.sessionID = value
	case "targetId":
		f.targetID = value
	case "method":
		f.method = value
	case "result":
		f.result = value
	case "error":
		f.cdpErr = value
	case "params":
		f.params = value
	case "target":
		f.target = value
	case "v":
		f.v = value
	case "targets":
		f.targets = value
	case "handles":
		f.handles = value
	case "features":
		f.features = value
	case "browser":
		f.more = value
	case "key":
		f.key = value
	case "source":
		f.source = value
	case "hostId":
		f.hostID = value
	case "n":
		f.n = value
	case "last":
		f.last = value
	case "guid":
		f.guid = value
	case "data":
		f.data = value
	case "totalBytes":
		f.totalBytes = value
	case "frameId":
		f.frameID = value
	case "url":
		f.url = value
	case "suggestedFilename":
		f.suggestedFilename = value
	case "sessionIds":
		f.sessionIDs = value
	case "opens":
		f.opens = value
	case "closes":
		f.closes = value
	}
	return nil
}

// rawList is a JSON list whose items are judged one by one.
//
//easyjson:json
type rawList []easyjson.RawMessage

// targetMessage is a Target as a Host writes it.
//
//easyjson:json
type targetMessage struct {
	TargetID string `json:"targetId"`
	Title    string `json:"title"`
	URL      string `json:"url"`
	OpenerID string `json:"openerId"`
	Type     string `json:"type"`
}

// nestedMessage is a session that a browser has minted.
//
//easyjson:json
type nestedMessage struct {
	SessionID string `json:"sessionId"`
	TargetID  string `json:"targetId"`
	Type      string `json:"type"`
}

// browserMessage is the browser that a Host runs in.
//
//easyjson:json
type browserMessage struct {
	Product   string `json:"product"`
	UserAgent string `json:"userAgent"`
	Revision  string `json:"revision"`
	JSVersion string `json:"jsVersion"`
	Protocol  string `json:"protocolVersion"`
}

// readTarget reads one Target; ok is false when it has no usable id.
func readTarget(raw []byte) (t targets.Info, ok bool) {
	var m targetMessage
	if len(raw) == 0 || raw[0] != '{' || wire.Decode(raw, &m) != nil {
		return t, false
	}
	if m.TargetID == "" || len(m.TargetID) > targets.MaxID {
		return t, false
	}
	t.ID = m.TargetID
	if len(m.OpenerID) <= targets.MaxID {
		t.OpenerID = m.OpenerID
	}
	if len(m.Type) <= maxType {
		t.Type = m.Type
	}
	t.Title, t.URL = targets.Cut(m.Title, targets.MaxTitle), targets.Cut(m.URL, targets.MaxURL)
	return t, true
}

// Limits on the sessions that a browser mints, in bytes.
const (
	maxSessionID = 128
	maxType      = 64
)

// maxEventSessions is how many sessions an event may name: one frame of a Host must not
// keep the hub's lock for long.
const maxEventSessions = 1 << 16

// appendTexts appends the strings of a JSON list, which alias it. raw is valid JSON, or nothing. ok is
// false when it is no list of strings, or too long.
func appendTexts(list []string, raw []byte) (_ []string, ok bool) {
	if len(raw) == 0 || raw[0] != '[' {
		return list, false
	}
	for i := wire.SkipSpace(raw, 1); raw[i] != ']'; {
		if raw[i] != '"' || len(list) == maxEventSessions {
			return list, false
		}
		end := wire.SkipString(raw, i)
		text, _ := wire.Text(raw[i:end])
		list = append(list, text)
		if i = wire.SkipSpace(raw, end); raw[i] == ',' {
			i = wire.SkipSpace(raw, i+1)
		}
	}
	return list, true
}

// readNested reads a session that begins; its parent is named elsewhere.
func readNested(raw []byte) (n bridge.Nested, ok bool) {
	var m nestedMessage
	if len(raw) == 0 || raw[0] != '{' || wire.Decode(raw, &m) != nil {
		return n, false
	}
	ok = m.SessionID != "" && len(m.SessionID) <= maxSessionID && len(m.TargetID) <= targets.MaxID && len(m.Type) <= maxType
	return bridge.Nested{SessionID: m.SessionID, TargetID: m.TargetID, Type: m.Type}, ok
}

// readTargets reads the Targets of a ready and counts those refused. ok is
// false when raw is no list. A Target that is not usable does not affect the others.
func readTargets(raw []byte) (list []targets.Info, refused int, ok bool) {
	var items rawList
	if len(raw) == 0 || raw[0] != '[' || wire.Decode(raw, &items) != nil {
		return nil, 0, false
	}
	for _, item := range items {
		if t, good := readTarget(item); good && len(list) < targets.MaxCount {
			list = append(list, t)
		} else {
			refused++
		}
	}
	return list, refused, true
}

// readNames returns those strings of a JSON list that are known, in the order
// of known. Items that are no strings are ignored, as are names that come twice.
func readNames(raw []byte, known ...string) []string {
	var items rawList
	if len(raw) == 0 || raw[0] != '[' || wire.Decode(raw, &items) != nil {
		return nil
	}
	named := make(map[string]bool, len(known))
	for _, item := range items {
		if name, ok := wire.Text(item); ok {
			for _, k := range known {
				if k == name {
					named[k] = true
				}
			}
		}
	}
	var names []string
	for _, k := range known {
		if named[k] {
			names = append(names, k)
		}
	}
	return names
}

// maxHandles is how many methods and domains a Host may say it handles.
const maxHandles = 64

// readHandles returns the browser-level methods that a Host says it handles: of version 1,
// createTarget and closeTarget; beyond that any, and whole domains as "Storage.*", but for
// what the hub must answer itself. Of the domain Target, only the methods in known may be
// the Host's: the hub's own sessions depend on all others.
func readHandles(raw []byte, beyond bool) handles {
	h := make(handles)
	known := []string{"Target.createTarget", "Target.closeTarget"}
	if beyond {
		known = append(known, "Target.activateTarget", "Target.createBrowserContext", "Target.disposeBrowserContext")
	}
	names := readNames(raw, known...)
	for _, name := range names {
		h.add(name)
	}
	var items rawList
	if !beyond || len(raw) == 0 || raw[0] != '[' || wire.Decode(raw, &items) != nil {
		return h
	}
	count := len(names)
	for _, item := range items {
		name, ok := wire.Text(item)
		domain, all := strings.CutSuffix(name, ".*")
		if !ok || count >= maxHandles || strings.HasPrefix(name, "Target.") {
			continue
		}
		if wire.IsMethod(name) || all && wire.IsMethod(domain+".x") {
			h.add(strings.Clone(name))
			count++
		}
	}
	return h
}

// Limits on how a Host names its browser, in bytes; what is longer is ignored.
const (
	maxProduct   = 256 // and of its versions
	maxUserAgent = 1 << 10
)

// maxHostID is the longest hostId, in bytes.
const maxHostID = 128

// readHostID reads the name by which a Host comes back. A Host with one that is
// no string, or too long, does not.
func readHostID(raw []byte) string {
	if id, ok := wire.Text(raw); ok && len(id) <= maxHostID {
		return id
	}
	return ""
}

// readVersion reads how a Host names its browser. Members that are missing or too long stay
// empty.
func readVersion(raw []byte) (v bridge.Version) {
	var m browserMessage
	if len(raw) == 0 || raw[0] != '{' || wire.Decode(raw, &m) != nil {
		return v
	}
	limited := func(s string, limit int) string {
		if len(s) > limit {
			return ""
		}
		return s
	}
	return bridge.Version{
		Product: limited(m.Product, maxProduct), UserAgent: limited(m.UserAgent, maxUserAgent), Revision: limited(m.Revision, maxProduct),
		JSVersion: limited(m.JSVersion, maxProduct), Protocol: limited(m.Protocol, maxProduct),
	}
}
