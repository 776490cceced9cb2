// Package envelope reads the requests of the action APIs in their usual form: a
// JSON object with members that are there once.
//
//	{"id":"1","action":"page.click","params":{…},"session":"name"}
//	{"jsonrpc":"2.0","id":1,"method":"browser.click","params":{…}}
//
// An adapter reads everything else, above all what it must refuse, in a way that
// tells more and takes longer.
package envelope

//go:generate go run github.com/mailru/easyjson/easyjson@v0.9.2 -output_filename envelope_easyjson.go envelope.go

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/mailru/easyjson"
)

// Envelope has the members of a request as they stand in it. Each is valid JSON
// and aliases the request; those that are absent, or null, are nil.
//
//easyjson:json
type Envelope struct {
	ID      easyjson.RawMessage `json:"id"`
	Version easyjson.RawMessage `json:"jsonrpc"`
	Method  easyjson.RawMessage `json:"method"`
	Action  easyjson.RawMessage `json:"action"`
	Session easyjson.RawMessage `json:"session"`
	Params  easyjson.RawMessage `json:"params"`
}

// Read reads a request, and reports whether it is a JSON object. White space
// around it does not count. Of members with one name the last counts that is not
// null.
func Read(request []byte) (e Envelope, ok bool) {
	// jlexer takes some scalars that are not JSON where it skips them.
	if !json.Valid(request) || bytes.TrimLeft(request, " \t\r\n")[0] != '{' {
		return e, false
	}
	return e, easyjson.Unmarshal(request, &e) == nil
}

// Call is what a JSON-RPC 2.0 request with an id asks for, copied. It is not ok
// when the method is missing or has escapes, or the params are no object.
func (e Envelope) Call() (id, params json.RawMessage, method string, ok bool) {
	method, named := Text(e.Method)
	params, object := Object(e.Params)
	return bytes.Clone(json.RawMessage(e.ID)), params, method, named && object && method != ""
}

// Text is a member that is a string without escapes, copied. Others are not ok.
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

// Object is a member that is an object, copied; nil for one that is absent or
// null. Others are not ok.
func Object(member []byte) (object json.RawMessage, ok bool) {
	if len(member) == 0 {
		return nil, true
	}
	return bytes.Clone(member), member[0] == '{'
}
