// Package doors knows by their messages the protocols that clients of a hub speak, so that a client
// at the path of another protocol gets an error with the address of its own:
//
//	if p := doors.Of(message); p != doors.Unknown && p != own {
//		answer(p.Refusal(message, text)) // in the form that p's clients read
//	}
package doors

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// Protocol is a protocol of clients, or of Hosts.
type Protocol int

// The protocols.
const (
	Unknown Protocol = iota
	CDP
	BAP     // the Browser Agent Protocol
	JSONRPC // the methods browser.… and browser_config.…
	Hooks
	NDJSON
	MCP
	Bridge // of Hosts
)

// names are what texts call the protocols, and the paths where they are served.
var names = [...]struct{ Name, Path string }{
	CDP:     {"the Chrome DevTools Protocol (CDP)", "/devtools/browser"},
	BAP:     {"the Browser Agent Protocol", "/bap"},
	JSONRPC: {"the JSON-RPC methods browser.*", "/ws"},
	Hooks:   {"browser hooks", "/hooks"},
	NDJSON:  {"actions as lines of JSON", "/ndjson"},
	MCP:     {"MCP", "/mcp"},
	Bridge:  {"the bridge of Hosts", "/icdp/host"},
}

// String is what texts call a protocol.
func (p Protocol) String() string { return names[p].Name }

// Path is where a protocol is served, below the prefix of a hub.
func (p Protocol) Path() string { return names[p].Path }

// All lists the protocols of clients.
func All() []Protocol { return []Protocol{CDP, BAP, JSONRPC, Hooks, NDJSON, MCP} }

var (
	// cdpMethod is a method of CDP: Domain.method.
	cdpMethod = regexp.MustCompile(`^[A-Z][A-Za-z]*\.[a-z][A-Za-z0-9]*$`)
	// mcpVersion is a protocolVersion of MCP, which is a date. That of BAP is 0.8.0.
	mcpVersion = regexp.MustCompile(`^\d{4}-\d\d-\d\d`)
)

// members are those of a message that say whose it is.
type members struct{ id, session, kind, action, name, method, params json.RawMessage }

// readMembers reads the message, or the first one of a batch.
func readMembers(message []byte) (m members, ok bool) {
	if list := bytes.TrimLeft(message, " \t\r\n"); len(list) > 0 && list[0] == '[' {
		var batch []json.RawMessage
		if !wire.Valid(list) || json.Unmarshal(list, &batch) != nil || len(batch) == 0 {
			return m, false
		}
		message = batch[0]
	}
	to := map[string]*json.RawMessage{
		"id": &m.id, "sessionId": &m.session, "kind": &m.kind, "action": &m.action, "name": &m.name, "method": &m.method, "params": &m.params,
	}
	err := wire.ReadObject(message, func(key string, value []byte) error {
		if member := to[key]; member != nil {
			*member = value
		}
		return nil
	})
	return m, err == nil
}

// textOf is a member that is a string; "" for others, and for what is too long for a name.
func textOf(member json.RawMessage) string {
	if len(member) > wire.MaxMethod {
		return ""
	}
	s, _ := wire.Text(member)
	return s
}

// Of is the protocol of a message; Unknown when it could be of several, or of none.
func Of(message []byte) Protocol {
	m, ok := readMembers(message)
	method := textOf(m.method)
	switch {
	case !ok:
	case textOf(m.kind) != "":
		return Bridge
	case m.method == nil && textOf(m.action) != "":
		return NDJSON
	case m.method == nil && textOf(m.name) != "":
		return Hooks
	case cdpMethod.MatchString(method):
		return CDP
	case method == "connect", strings.HasPrefix(method, "browser."), strings.HasPrefix(method, "browser_config."):
		return JSONRPC
	case method == "initialize":
		return ofInitialize(m.params)
	}
	area, _, named := strings.Cut(method, "/")
	switch area {
	case "tools", "resources", "prompts", "completion", "logging":
		return MCP
	case "page", "action", "observe", "context", "browser", "frame", "storage", "network", "emulate", "agent", "events", "dialog":
		if named {
			return BAP
		}
	}
	return Unknown
}

// ofInitialize tells the two protocols apart that begin with initialize.
func ofInitialize(params json.RawMessage) Protocol {
	version := ""
	_ = wire.ReadObject(params, func(key string, value []byte) error {
		if key == "protocolVersion" {
			version = textOf(value)
		}
		return nil
	})
	if mcpVersion.MatchString(version) {
		return MCP
	}
	return BAP
}

// Refusal answers a message of the protocol with a text, as clients of the protocol read errors. It
// is nil for a message that wants no answer.
func (p Protocol) Refusal(message []byte, why string) []byte {
	m, _ := readMembers(message)
	b := []byte("{")
	if m.id != nil {
		b = append(append(append(b, `"id":`...), m.id...), ',')
	}
	switch p {
	case Hooks:
		return append(wire.AppendString(append(b, `"ok":false,"error":{"code":"InvalidParams","message":`...), why), "}}"...)
	case NDJSON:
		return append(wire.AppendString(append(b, `"success":false,"error":`...), why), '}')
	case CDP, Bridge:
	default:
		b = append(b, `"jsonrpc":"2.0",`...)
	}
	if m.id == nil && p != Bridge {
		return nil
	}
	b = append(wire.AppendString(append(b, `"error":{"code":-32600,"message":`...), why), '}')
	if m.session != nil {
		b = append(append(b, `,"sessionId":`...), m.session...)
	}
	return append(b, '}')
}
