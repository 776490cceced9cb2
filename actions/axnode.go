package actions

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// axNode is Accessibility.AXNode, with all its members in the order of the protocol. What
// the members hold is decoded when it is needed: as maps of Go a tree takes ten times the
// memory of its text.
type axNode struct {
	NodeID         string          `json:"nodeId"`
	Ignored        bool            `json:"ignored"`
	IgnoredReasons json.RawMessage `json:"ignoredReasons,omitempty"`
	Role           axValue         `json:"role,omitzero"`
	ChromeRole     axValue         `json:"chromeRole,omitzero"`
	Name           axValue         `json:"name,omitzero"`
	Description    axValue         `json:"description,omitzero"`
	Value          axValue         `json:"value,omitzero"`
	Properties     json.RawMessage `json:"properties,omitempty"`
	ParentID       string          `json:"parentId,omitempty"`
	ChildIDs       []string        `json:"childIds,omitempty"`

	BackendDOMNodeID int    `json:"backendDOMNodeId,omitempty"`
	FrameID          string `json:"frameId,omitempty"`
}

// axValue is Accessibility.AXValue.
type axValue struct{ json.RawMessage }

// value is its value as JSON; "" without one.
func (v axValue) value() (value string) {
	if len(v.RawMessage) == 0 {
		return ""
	}
	_ = wire.ReadObject(v.RawMessage, func(key string, raw []byte) error { // it was checked
		if key == "value" && string(raw) != "null" {
			value = string(raw)
		}
		return nil
	})
	return value
}

// text is the value as text; numbers and booleans are their JSON.
func (v axValue) text() string {
	value := v.value()
	if text, ok := wire.Text([]byte(value)); ok {
		return text
	}
	return value
}

// beginning is as much of the text as other texts are looked for in. A page chooses how
// long its texts are, and how many others are compared with each.
func (v axValue) beginning() string {
	text := v.text()
	return text[:min(len(text), maxLocator)]
}

// axProperty is Accessibility.AXProperty.
type axProperty struct {
	Name  string  `json:"name"`
	Value axValue `json:"value"`
}

// properties are those that can be read.
func (n *axNode) properties() (list []axProperty) {
	if len(n.Properties) == 0 || wire.Decode(n.Properties, &list) != nil {
		return nil
	}
	return list
}

// axValue is a value of a node, or its properties, without secrets. Of the texts in it,
// types and names of properties are not the page's. Nothing is decoded: all else stays
// byte for byte.
func (r *redactor) axValue(v json.RawMessage) json.RawMessage {
	var out []byte
	key, done := "", 0
	for i := 0; i < len(v); {
		switch v[i] {
		case '"':
			end := literalEnd(v, i)
			text, _ := wire.Text(v[i:end])
			switch isKey := bytes.HasPrefix(bytes.TrimLeft(v[end:], " \t\r\n"), []byte(":")); {
			case isKey:
				key = text
			case key == "type" || key == "name":
				key = ""
			default:
				if hidden := r.axText(text); hidden != text {
					out = append(append(out, v[done:i]...), mustJSON(hidden)...)
					done = end
				}
				key = ""
			}
			i = end
		case '{', '[':
			key = ""
			i++
		default:
			i++
		}
	}
	if out == nil {
		return v
	}
	return append(out, v[done:]...)
}

// literalEnd is where the JSON string that begins at i ends.
func literalEnd(v []byte, i int) int {
	for i++; v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// axText is text for what a node has: dots that a browser shows in the place of a password
// tell how long it is.
func (r *redactor) axText(text string) string {
	if text != "" && strings.Trim(text, "•") == "" {
		return Redacted
	}
	return r.text(text)
}
