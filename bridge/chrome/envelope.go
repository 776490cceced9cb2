package chrome

import (
	"bytes"

	"github.com/cdphub/cdphub/internal/wire"
)

// message is one message of the browser, in parts that alias it:
//
//	{"id":7,"result":{…},"sessionId":"…"}                    or "error":{…}
//	{"method":"Page.loadEventFired","params":{…},"sessionId":"…"}
type message struct {
	id, result, cdpErr []byte
	method, params     []byte
	sessionID          []byte
}

// set takes one member. The key is compared with its quotes. Of two with the same name the
// last counts.
func (m *message) set(key, value []byte) {
	switch string(key) {
	case `"id"`:
		m.id = value
	case `"result"`:
		m.result = value
	case `"error"`:
		m.cdpErr = value
	case `"method"`:
		m.method = value
	case `"params"`:
		m.params = value
	case `"sessionId"`:
		m.sessionID = value
	}
}

// parse reads a message into its parts and reports whether it could. It takes
// the browser at its word that the message is JSON, and that its keys have no
// escapes: a document tree nests deeper than internal/wire lets strangers, and
// a screenshot need not be looked at byte by byte. The parts are good as long as frame is.
func (m *message) parse(frame []byte) bool {
	*m = message{}
	i := wire.SkipSpace(frame, 0)
	if i == len(frame) || frame[i] != '{' {
		return false
	}
	for i++; ; i++ {
		from := wire.SkipSpace(frame, i)
		if i = wire.SkipValue(frame, from); i < 0 {
			return false
		}
		key := frame[from:i]
		if i = wire.SkipSpace(frame, i); i == len(frame) || frame[i] != ':' {
			return false
		}
		from = wire.SkipSpace(frame, i+1)
		if i = wire.SkipValue(frame, from); i < 0 {
			return false
		}
		m.set(key, frame[from:i])
		if i = wire.SkipSpace(frame, i); i == len(frame) || frame[i] != ',' && frame[i] != '}' {
			return false
		}
		if frame[i] == '}' {
			return wire.SkipSpace(frame, i+1) == len(frame)
		}
	}
}

// parseCut reads what is kept of a message that was too large: its first members, up to the
// one that made it so, and the sessionId at its end. It reports whether it has found what
// the message is. Nothing inside of a value looks like that end: an object in it would be
// followed by the bracket of the message itself.
func (m *message) parseCut(c *wire.Cut) bool {
	*m = message{}
	head := c.Head
	for i := wire.SkipSpace(head, 0) + 1; i < len(head); i++ {
		from := wire.SkipSpace(head, i)
		colon := wire.SkipValue(head, from)
		if colon < 0 {
			break
		}
		key := head[from:colon]
		if colon = wire.SkipSpace(head, colon); colon == len(head) || head[colon] != ':' {
			break
		}
		from = wire.SkipSpace(head, colon+1)
		end := wire.SkipValue(head, from)
		if end < 0 {
			break
		}
		if i = wire.SkipSpace(head, end); i == len(head) || head[i] != ',' {
			break // a number may go on
		}
		m.set(key, head[from:end])
	}
	if m.sessionID == nil {
		m.sessionID = lastSessionID(c.Tail)
	}
	return m.id != nil || m.method != nil
}

// lastSessionID is the value of the sessionId at the end of a message, with its quotes; nil
// when there is none:
//
//	…,"sessionId":"5BD8F7"}
func lastSessionID(tail []byte) []byte {
	const key = `,"sessionId":`
	at := bytes.LastIndex(tail, []byte(key))
	if at < 0 {
		return nil
	}
	value := tail[at+len(key):]
	end := wire.SkipValue(value, 0)
	if end < 2 || value[0] != '"' || string(value[end:]) != "}" {
		return nil
	}
	return value[:end]
}
