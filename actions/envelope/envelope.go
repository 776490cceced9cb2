// Package envelope reads the requests of the action APIs in their usual form: a
// JSON object with members that are there once.
//
//	{"id":"1","action":"page.click","params":{…},"session":"name"}
//	{"jsonrpc":"2.0","id":1,"method":"browser.click","params":{…}}
//
// An adapter reads all other requests itself, above all those that it must refuse, in
// a slower way that says what is wrong. Call is what the methods of several adapters do with
// a request.
package envelope

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
)

// Envelope has the members of a request. Each is valid JSON and aliases the request.
// Members that are absent or null are nil. Version is the member jsonrpc.
type Envelope struct{ ID, Version, Method, Action, Session, Params json.RawMessage }

// Read reads a request, and reports whether it is a JSON object of at most wire.MaxDepth
// levels, with white space around it or not. If a name is there more than once, the last
// value that is not null counts.
func Read(request []byte) (e Envelope, ok bool) {
	members := map[string]*json.RawMessage{
		"id": &e.ID, "jsonrpc": &e.Version, "method": &e.Method, "action": &e.Action, "session": &e.Session, "params": &e.Params,
	}
	err := wire.ReadObject(request, func(key string, value []byte) error {
		if member := members[key]; member != nil && value[0] != 'n' {
			*member = value
		}
		return nil
	})
	return e, err == nil
}

// Call is what a JSON-RPC 2.0 request with an id asks for. All results are copies. ok
// is false if the method is missing or has escapes, or if params are no object.
func (e Envelope) Call() (id, params json.RawMessage, method string, ok bool) {
	method, named := Text(e.Method)
	params, object := Object(e.Params)
	return bytes.Clone(e.ID), params, method, named && object && method != ""
}

// Text is a member that is a string without escapes, as a copy. ok is false for
// everything else.
func Text(member []byte) (text string, ok bool) {
	if len(member) < 2 || member[0] != '"' {
		return "", false
	}
	member = member[1 : len(member)-1]
	if bytes.IndexByte(member, '\\') >= 0 || !utf8.Valid(member) {
		return "", false
	}
	return string(member), true
}

// Object is a member that is an object, as a copy; nil for an absent member and for
// null. ok is false for everything else.
func Object(member []byte) (object json.RawMessage, ok bool) {
	if len(member) == 0 {
		return nil, true
	}
	return bytes.Clone(member), member[0] == '{'
}

// Encode is a message as JSON, as the adapters send it. It does not escape <, > and &, which
// encoding/json does for HTML. The error is that of a value that JSON has not.
func Encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
