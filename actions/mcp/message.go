package mcp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/cdphub/cdphub/internal/wire"
)

// numbering gives each call of a client an id of its own, from which that of the client can be
// read again. The SDK ends a connection at a message that is no JSON-RPC, answers no call whose id
// is in use, and writes 1.0 as 1: so it gets only messages that numbering has made.
type numbering struct {
	mu   sync.Mutex
	last int               `stays:"counts the calls"`
	open map[string]string `held:"calls of MCP"` // by the client's id, the latest call with it that is not answered
}

// message is what a client has sent.
type message struct {
	call   []byte // for the SDK; nil when there is nothing to carry out
	id     string // of the call; "" for a notification
	answer []byte // of a message that is refused
}

// read reads a message of a client. Nothing comes of an empty one, and of an answer: the server asks
// clients nothing.
func (n *numbering) read(text []byte) message {
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff"))) // as PowerShell writes it
	if len(text) == 0 {
		return message{}
	}
	var in map[string]json.RawMessage
	switch err := wire.Decode(text, &in); {
	case !utf8.Valid(text):
		return refuseMessage(nil, jsonrpc.CodeParseError, "Parse error: the message is not UTF-8")
	case err != nil && !wire.Valid(text):
		return refuseMessage(nil, jsonrpc.CodeParseError, fmt.Sprintf("Parse error: %v (a message nests at most %d levels)", err, wire.MaxDepth))
	case text[0] == '[':
		return refuseMessage(nil, jsonrpc.CodeInvalidRequest, "Invalid Request: batches are not served, send one message at a time")
	case in == nil:
		return refuseMessage(nil, jsonrpc.CodeInvalidRequest, "Invalid Request: a message is an object")
	}
	return n.readObject(in)
}

// readObject reads a message that is an object.
func (n *numbering) readObject(in map[string]json.RawMessage) message {
	id, isCall := in["id"]
	if isCall && !isID(id) {
		return refuseMessage(nil, jsonrpc.CodeInvalidRequest, "Invalid Request: the id must be a string or a number")
	}
	var method string
	switch {
	case string(in["jsonrpc"]) != `"2.0"`:
		return refuseMessage(id, jsonrpc.CodeInvalidRequest, `Invalid Request: "jsonrpc" must be "2.0"`)
	case in["method"] == nil && (in["result"] != nil || in["error"] != nil):
		return message{}
	case in["method"] == nil || in["method"][0] != '"' || wire.Decode(in["method"], &method) != nil || method == "":
		return refuseMessage(id, jsonrpc.CodeInvalidRequest, "Invalid Request: the method is missing")
	}
	params := in["params"]
	switch {
	case params == nil, params[0] == 'n':
		params = json.RawMessage("{}")
	case params[0] != '{' && isCall:
		return refuseMessage(id, jsonrpc.CodeInvalidParams, "Invalid params: they must be an object")
	case params[0] != '{':
		return message{}
	}
	m := message{}
	b := []byte(`{"jsonrpc":"2.0",`)
	if isCall {
		m.id = n.begin(string(id))
		b = append(wire.AppendString(append(b, `"id":`...), m.id), ',')
	} else if method == "notifications/cancelled" {
		params = n.cancelled(params)
	}
	b = wire.AppendString(append(b, `"method":`...), method)
	m.call = append(append(append(b, `,"params":`...), params...), '}')
	return m
}

// isID reports whether a value is an id as JSON-RPC has it: null, too, which MCP does not allow.
func isID(id json.RawMessage) bool {
	return id[0] != '{' && id[0] != '[' && id[0] != 't' && id[0] != 'f'
}

// begin is the id of a new call, by that of the client as JSON.
func (n *numbering) begin(sent string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.last++
	id := strconv.Itoa(n.last) + " " + sent
	if n.open == nil {
		n.open = make(map[string]string)
	}
	n.open[sent] = id
	return id
}

// end is the id that the client has given a call. The call has been answered, or its client has gone.
func (n *numbering) end(id string) (sent string) {
	_, sent, _ = strings.Cut(id, " ")
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open[sent] == id {
		delete(n.open, sent)
	}
	return sent
}

// cancelled has the params of notifications/cancelled name a call by the id that the SDK knows.
func (n *numbering) cancelled(params json.RawMessage) json.RawMessage {
	var in struct{ RequestID json.RawMessage }
	if wire.Decode(params, &in) != nil {
		return params
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return append(wire.AppendString([]byte(`{"requestId":`), n.open[string(in.RequestID)]), '}')
}

// write is an answer of the SDK with the id that the client has sent.
func (n *numbering) write(answer *jsonrpc.Response) ([]byte, error) {
	sent := "null"
	if id, is := answer.ID.Raw().(string); is {
		sent = n.end(id)
	}
	b := append(append([]byte(`{"jsonrpc":"2.0","id":`), sent...), ',')
	if answer.Error == nil {
		return append(append(append(b, `"result":`...), answer.Result...), '}'), nil
	}
	e, is := errors.AsType[*jsonrpc.Error](answer.Error)
	if !is {
		e = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: answer.Error.Error()}
	} else if e.Message != answer.Error.Error() {
		e = &jsonrpc.Error{Code: e.Code, Message: answer.Error.Error(), Data: e.Data}
	}
	text, err := json.Marshal(e)
	return append(append(append(b, `"error":`...), text...), '}'), err
}

// refuseMessage is a message that is answered at once, with an error of JSON-RPC.
func refuseMessage(id json.RawMessage, code int, why string) message {
	if id == nil {
		id = json.RawMessage("null")
	}
	b := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	b = append(strconv.AppendInt(append(b, `,"error":{"code":`...), int64(code), 10), `,"message":`...)
	return message{answer: append(wire.AppendString(b, why), "}}"...)}
}
