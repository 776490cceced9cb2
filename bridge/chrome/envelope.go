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
	i := skipSpace(frame, 0)
	if i == len(frame) || frame[i] != '{' {
		return false
	}
	for i++; ; i++ {
		from := skipSpace(frame, i)
		if i = skipValue(frame, from); i < 0 {
			return false
		}
		key := frame[from:i]
		if i = skipSpace(frame, i); i == len(frame) || frame[i] != ':' {
			return false
		}
		from = skipSpace(frame, i+1)
		if i = skipValue(frame, from); i < 0 {
			return false
		}
		m.set(key, frame[from:i])
		if i = skipSpace(frame, i); i == len(frame) || frame[i] != ',' && frame[i] != '}' {
			return false
		}
		if frame[i] == '}' {
			return skipSpace(frame, i+1) == len(frame)
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
	for i := skipSpace(head, 0) + 1; i < len(head); i++ {
		from := skipSpace(head, i)
		colon := skipValue(head, from)
		if colon < 0 {
			break
		}
		key := head[from:colon]
		if colon = skipSpace(head, colon); colon == len(head) || head[colon] != ':' {
			break
		}
		from = skipSpace(head, colon+1)
		end := skipValue(head, from)
		if end < 0 {
			break
		}
		if i = skipSpace(head, end); i == len(head) || head[i] != ',' {
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
	end := skipValue(value, 0)
	if end < 2 || value[0] != '"' || string(value[end:]) != "}" {
		return nil
	}
	return value[:end]
}

// skipSpace returns the index of the first byte from i on that is no white space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipValue returns the index behind the value that begins at i; -1 when there is
// none, or no end to it. Brackets are counted and not matched: the browser writes JSON.
func skipValue(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = pastString(b, i); i < 0 {
				return -1
			}
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				if depth < 0 {
					return -1
				}
				return i + 1
			}
		// A number, a word, or what is between values inside of brackets.
		default:
			if depth == 0 {
				return pastScalar(b, i)
			}
		}
		i++
	}
	return -1
}

// pastString returns the index behind the string that begins at i, or -1.
func pastString(b []byte, i int) int {
	for i++; ; i++ {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		end := i + n
		// A quote behind an odd number of backslashes does not end the string.
		escapes := 0
		for b[end-escapes-1] == '\\' {
			escapes++
		}
		if i = end; escapes%2 == 0 {
			return end + 1
		}
	}
}

// pastScalar returns the index behind a number or word, or -1.
func pastScalar(b []byte, i int) int {
	from := i
	for i < len(b) && b[i] != ',' && b[i] != '}' && b[i] != ' ' && b[i] != '\n' && b[i] != '\t' && b[i] != '\r' {
		i++
	}
	if i == from || b[from] == ':' {
		return -1
	}
	return i
}
