package bap

import (
	"bytes"
	"encoding/json"

	"github.com/cdphub/cdphub/actions/envelope"
)

// request is a message of a client: a request, or a notification.
type request struct {
	id     json.RawMessage // a number, a string or null, as it came; nil of a notification
	method string
	params json.RawMessage // an object, or nil
}

// parseRequest reads a frame. If it fails, the request still has the id to answer with, or
// null if none could be read (JSON-RPC 2.0, section 5). The request does not alias
// the frame.
func parseRequest(frame []byte) (request, *failure) {
	if r, ok := parseUsual(frame); ok {
		return r, nil
	}
	return parseAny(frame)
}

// parseUsual reads a frame in the usual form: it is right, wants an answer, and has
// no escapes in its method. It is the fast path.
func parseUsual(frame []byte) (r request, ok bool) {
	e, ok := envelope.Read(frame)
	if !ok || len(e.ID) == 0 || !isID(e.ID) {
		return r, false
	}
	r.id, r.params, r.method, ok = e.Call()
	return r, ok
}

// parseAny reads any frame. The failure says what is wrong with it.
func parseAny(frame []byte) (request, *failure) {
	r := request{id: null}
	var in map[string]json.RawMessage
	switch first := bytes.TrimLeft(frame, " \t\r\n"); {
	case !json.Valid(frame), bytes.Equal(bytes.TrimSpace(frame), null):
		return r, newFailure(codeParse, "Invalid JSON-RPC message")
	case first[0] == '[':
		return r, newFailure(codeInvalidRequest, "Invalid request: batches are not served, send one object a frame")
	case json.Unmarshal(frame, &in) != nil:
		return r, newFailure(codeInvalidRequest, "Invalid request: a request is an object")
	}
	id, asked := in["id"]
	switch {
	case !asked:
		r.id = nil
	case isID(id):
		r.id = id
	default:
		return r, newFailure(codeInvalidRequest, "Invalid request: id must be a number or a string")
	}
	// The member jsonrpc is not checked.
	if json.Unmarshal(in["method"], &r.method) != nil || r.method == "" {
		return r, newFailure(codeInvalidRequest, "Invalid request: method is missing")
	}
	if p := in["params"]; p != nil && !bytes.Equal(p, null) {
		if p[0] != '{' {
			return r, invalidParam("params", "must be an object")
		}
		r.params = p
	}
	return r, nil
}

var null = []byte("null")

// isID reports whether a value may be an id: a string, a number or null (JSON-RPC
// 2.0, section 4).
func isID(v json.RawMessage) bool {
	return v[0] == '"' || v[0] == '-' || v[0] >= '0' && v[0] <= '9' || bytes.Equal(v, null)
}

// answer is the answer to a request; one of Result and Error is set.
type answer struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
	ID      json.RawMessage `json:"id"`
}

// none is the empty result of a method.
type none struct{}

// notification is a message that no request has asked for, such as an event.
type notification struct {
	Version string `json:"jsonrpc"`
	Method  string `json:"method"`
	Params  any    `json:"params"`
}

// encodeMessage is a message as a frame.
func encodeMessage(v any) []byte {
	text, err := envelope.Encode(v)
	if err != nil {
		panic(err) // all results are made of what can be encoded
	}
	return text
}
