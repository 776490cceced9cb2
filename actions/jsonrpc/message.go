package jsonrpc

import (
	"bytes"
	"encoding/json"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/envelope"
)

// request is one call, or a notification:
//
//	{"jsonrpc":"2.0","id":1,"method":"browser.click","params":{…}}
type request struct {
	id     json.RawMessage // a string or a number; nil for a notification
	method string
	params json.RawMessage // an object, or nil
}

// response is an answer: one of Result and Error is set.
type response struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"` // null where it could not be read
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// rpcError is the error of a response.
type rpcError struct {
	Code    int        `json:"code"`
	Message string     `json:"message"`
	Data    *errorData `json:"data,omitempty"`
}

type errorData struct {
	Kind      actions.Kind `json:"kind"`
	Retryable bool         `json:"retryable"`
}

// readBatch splits a message into its calls. batch says that the message was an array
// (JSON-RPC 2.0, section 6). The error is that it is no JSON, or an array without
// calls or with too many. A call that is no batch aliases the frame.
func readBatch(frame []byte) (calls []json.RawMessage, batch bool, err error) {
	frame = bytes.TrimSpace(frame)
	if !json.Valid(frame) {
		var v any
		return nil, false, newFailure(actions.MalformedFrame, "Parse error: %v", json.Unmarshal(frame, &v))
	}
	if frame[0] != '[' {
		return []json.RawMessage{frame}, false, nil
	}
	d := json.NewDecoder(bytes.NewReader(frame))
	_, err = d.Token()
	for err == nil && d.More() {
		if len(calls) == maxBatch {
			return nil, true, newFailure(actions.InvalidEnvelope, "Invalid Request: the batch has more than %d calls", maxBatch)
		}
		var call json.RawMessage
		err = d.Decode(&call)
		calls = append(calls, call)
	}
	switch {
	case err != nil:
		return nil, true, newFailure(actions.MalformedFrame, "Parse error: %v", err)
	case len(calls) == 0:
		return nil, true, newFailure(actions.InvalidEnvelope, "Invalid Request: the batch is empty")
	}
	return calls, true, nil
}

// maxBatch is how many calls a batch may have. Each gets an answer, which may be far
// longer than the call: the text "0" is one.
const maxBatch = 1000

// readRequest reads a call. With an error, its id is set if it could be read. The
// request does not alias the call.
func readRequest(raw json.RawMessage) (request, error) {
	if r, ok := readUsual(raw); ok {
		return r, nil
	}
	return readAny(raw)
}

// readUsual reads a call in the usual form: it is right, wants an answer, and has no
// escapes in its method. It is the fast path.
func readUsual(raw json.RawMessage) (r request, ok bool) {
	e, ok := envelope.Read(raw)
	if !ok || len(e.ID) == 0 || !isID(e.ID[0]) || string(e.Version) != `"2.0"` {
		return r, false
	}
	r.id, r.params, r.method, ok = e.Call()
	return r, ok
}

// isID reports whether a byte begins an id, which is a string or a number.
func isID(c byte) bool { return c == '"' || c == '-' || c >= '0' && c <= '9' }

// readAny reads any call, and its error says what is wrong.
func readAny(raw json.RawMessage) (r request, err error) {
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || fields == nil {
		return r, newFailure(actions.InvalidEnvelope, "Invalid Request: it is not an object")
	}
	if id, there := fields["id"]; there {
		if !isID(id[0]) {
			r.id = json.RawMessage("null")
			return r, newFailure(actions.InvalidEnvelope, "Invalid Request: the id is a %s, expected a string or a number", actions.Describe(id))
		}
		r.id = id
	}
	if string(fields["jsonrpc"]) != `"2.0"` {
		return r, newFailure(actions.InvalidEnvelope, `Invalid Request: "jsonrpc" must be "2.0"`)
	}
	if json.Unmarshal(fields["method"], &r.method) != nil || r.method == "" {
		return r, newFailure(actions.InvalidEnvelope, "Invalid Request: the method is missing")
	}
	if params := fields["params"]; params != nil && params[0] != 'n' {
		if params[0] != '{' {
			return r, newFailure(actions.InvalidArgument, "Invalid params: %s, expected an object", actions.Describe(params))
		}
		r.params = params
	}
	return r, nil
}
