package ndjson

import (
	"bytes"
	"encoding/json"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
)

// request is a frame of a client.
//
//	{"id":"1","action":"page.navigate","params":{…},"session":"name"}
type request struct {
	id, action, session string
	params              json.RawMessage // an object, or nil
}

// readRequest reads a frame. Unknown members are ignored. The request does not alias
// the frame. If it fails, the answer has no id.
func readRequest(frame []byte) (request, error) {
	if r, ok := readUsual(frame); ok {
		return r, nil
	}
	return readAny(frame)
}

// readUsual reads a frame in the usual form: it is right, and its strings have no
// escapes. It is the fast path.
func readUsual(frame []byte) (r request, ok bool) {
	e, ok := envelope.Read(frame)
	if !ok {
		return r, false
	}
	var good [4]bool
	r.id, good[0] = envelope.Text(e.ID)
	r.action, good[1] = envelope.Text(e.Action)
	r.params, good[2] = envelope.Object(e.Params)
	r.session, good[3] = "", e.Session == nil
	if e.Session != nil {
		r.session, good[3] = envelope.Text(e.Session)
	}
	return r, good == [4]bool{true, true, true, true} && r.id != ""
}

// readAny reads any frame, and its error says what is wrong, in the words of serde.
func readAny(frame []byte) (r request, err error) {
	var fields map[string]json.RawMessage
	if text := bytes.TrimSpace(frame); text[0] != '{' && json.Valid(text) {
		return r, badRequest("invalid type: " + actions.Describe(text) + ", expected a map")
	}
	if err := json.Unmarshal(frame, &fields); err != nil {
		return r, badRequest(err.Error())
	}
	for _, f := range []struct {
		name     string
		to       *string
		required bool
	}{{"id", &r.id, true}, {"action", &r.action, true}, {"session", &r.session, false}} {
		raw, there := fields[f.name]
		if !there || !f.required && string(raw) == "null" {
			continue
		}
		if raw[0] != '"' {
			return r, badRequest("invalid type: " + actions.Describe(raw) + ", expected a string")
		}
		if err := json.Unmarshal(raw, f.to); err != nil {
			return r, badRequest(err.Error())
		}
	}
	for _, name := range []string{"id", "action"} {
		if _, there := fields[name]; !there {
			return r, badRequest("missing field `" + name + "`")
		}
	}
	if r.id == "" {
		return r, badRequest("field `id` is empty")
	}
	if raw := fields["params"]; raw != nil && raw[0] != 'n' {
		if raw[0] != '{' {
			return r, badRequest("invalid type: " + actions.Describe(raw) + ", expected a map")
		}
		r.params = raw
	}
	return r, nil
}

func badRequest(why string) error {
	return &actions.Error{Kind: actions.MalformedFrame, Message: "bad request: " + why}
}

// success and failure are the two forms of an answer.
type success struct {
	ID      string `json:"id"`
	Success bool   `json:"success"`
	Data    any    `json:"data"`
}

type failure struct {
	ID      string `json:"id"`
	Success bool   `json:"success"`
	Error   string `json:"error"`
}

// answerFrame is the frame that answers a request. id is "" if the request had none that
// could be read. Nil data is {}.
func answerFrame(id string, data any, err error) []byte {
	var out any = failure{ID: id, Error: errorText(err)}
	if err == nil {
		if data == nil {
			data = struct{}{}
		}
		out = success{id, true, data}
	}
	text, err := envelope.Encode(out)
	if err != nil { // a value of a page that is no JSON
		return answerFrame(id, nil, err)
	}
	return text
}

// errorText is the text of an error: that of package actions, except for internal
// errors, whose details are only in the log.
func errorText(err error) string {
	switch {
	case err == nil:
		return ""
	case actions.KindOf(err) == actions.Internal:
		return "internal error"
	}
	return err.Error()
}
