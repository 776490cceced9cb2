package actions

import (
	"context"
	"slices"
	"strings"
)

// domNode is what counts of DOM.Node.
type domNode struct {
	BackendNodeID   int
	ShadowRootType  string
	Children        []domNode
	ShadowRoots     []domNode
	ContentDocument *domNode
}

// closedNodes are the nodes in closed shadow trees, which the page script does not
// see but the accessibility tree has. A Frame Agent does not see them either.
// DOM.describeNode with depth -1 and pierce goes into all shadow trees and frames of
// the same process.
func (p *Page) closedNodes(ctx context.Context) (map[int]bool, error) {
	if p.kindNow() != BrowserTarget {
		return nil, nil
	}
	w, document, err := p.element(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	var out struct{ Node domNode }
	if err := p.calls(ctx, command{w.session, "DOM.describeNode", obj{"objectId": document, "depth": -1, "pierce": true}, &out}); err != nil {
		return nil, err
	}
	closed := make(map[int]bool)
	out.Node.markClosed(closed, false)
	return closed, nil
}

func (n *domNode) markClosed(closed map[int]bool, inside bool) {
	inside = inside || n.ShadowRootType == "closed"
	if inside {
		closed[n.BackendNodeID] = true
	}
	for _, list := range [][]domNode{n.Children, n.ShadowRoots} {
		for i := range list {
			list[i].markClosed(closed, inside)
		}
	}
	if n.ContentDocument != nil {
		n.ContentDocument.markClosed(closed, inside)
	}
}

// secretNodes are the secret elements that the page script sees, by their
// backendNodeId, which the accessibility tree has, too.
func (p *Page) secretNodes(ctx context.Context) (map[int]bool, error) {
	w, err := p.worldOf(ctx, "")
	if err != nil {
		return nil, err
	}
	var list evaluated
	call := obj{"objectId": w.object, "functionDeclaration": "function(){return this.secretElements()}"}
	if err := p.calls(ctx, command{w.session, "Runtime.callFunctionOn", call, &list}); err != nil {
		return nil, err
	}
	if text := list.exception(); text != "" {
		return nil, errorf(Internal, "the page script failed: %s", text)
	}
	var items struct {
		Result []struct {
			Name  string
			Value struct{ Subtype, ObjectID string }
		}
	}
	// The script returns an array; each element of it needs an objectId of its own.
	if err := p.calls(ctx, command{w.session, "Runtime.getProperties", obj{"objectId": list.Result.ObjectID, "ownProperties": true}, &items}); err != nil {
		return nil, err
	}
	nodes := make([]struct{ Node domNode }, len(items.Result))
	var ask []command
	for i, item := range items.Result {
		if item.Value.Subtype == "node" {
			ask = append(ask, command{w.session, "DOM.describeNode", obj{"objectId": item.Value.ObjectID}, &nodes[i]})
		}
	}
	if len(ask) > 0 {
		if err := p.calls(ctx, ask...); err != nil {
			return nil, err
		}
	}
	secret := make(map[int]bool)
	for i := range nodes {
		secret[nodes[i].Node.BackendNodeID] = true
	}
	// A node that could not be described has the id 0.
	delete(secret, 0)
	return secret, nil
}

// hiding takes the secrets out of an accessibility tree: the value of a secret
// element, all that lies inside of it, and every other place where the same text
// stands. Fields in closed shadow trees count as secret: the page script cannot read
// of what kind they are.
type hiding struct {
	fields, closed map[int]bool
	secrets        []string
	byID           map[string]map[string]any
}

// tree changes the nodes in place and returns them. The first loop makes the index,
// the second hides fields and collects their values, and the third takes these out of
// all other nodes.
func (h *hiding) tree(nodes []map[string]any) []map[string]any {
	for _, n := range nodes {
		h.byID[textOf(n["nodeId"])] = n
	}
	for _, n := range nodes {
		id, _ := n["backendDOMNodeId"].(float64)
		if h.fields[int(id)] || h.closed[int(id)] && isField(n) {
			h.hideValue(n, "value")
			h.hideBelow(n, make(map[string]bool))
		}
	}
	r := redactorOf(h.secrets)
	for _, n := range nodes {
		if before := valueOf(n["name"]); r.text(before) != before {
			h.hideLines(n)
		}
		for _, name := range []string{"name", "value", "description", "properties"} {
			if v, ok := n[name]; ok {
				n[name] = r.axValue(v)
			}
		}
	}
	return nodes
}

// shown are the ARIA roles of elements whose value shows progress or size, and is
// never typed.
var shown = []string{"progressbar", "meter", "scrollbar"}

// isField reports whether a node has a value, or may have one.
func isField(n map[string]any) bool {
	role := valueOf(n["role"])
	return n["value"] != nil && !slices.Contains(shown, role) || slices.Contains([]string{"textbox", "searchbox", "combobox", "spinbutton", "listbox"}, role)
}

// hideBelow hides what lies in a secret element: its text, and which of its options
// is selected. met ends a tree that goes in circles.
func (h *hiding) hideBelow(n map[string]any, met map[string]bool) {
	children, _ := n["childIds"].([]any)
	for _, id := range children {
		c := h.byID[textOf(id)]
		if c == nil || met[textOf(id)] {
			continue
		}
		met[textOf(id)] = true
		h.hideValue(c, "name")
		h.hideValue(c, "value")
		if properties, ok := c["properties"].([]any); ok {
			c["properties"] = slices.DeleteFunc(properties, func(p any) bool {
				property, _ := p.(map[string]any)
				return property["name"] == "selected"
			})
		}
		h.hideBelow(c, met)
	}
}

// hideLines hides the boxes of lines in a text that has a secret in it: it may
// stand in two of them.
func (h *hiding) hideLines(n map[string]any) {
	if valueOf(n["role"]) != "StaticText" {
		return
	}
	children, _ := n["childIds"].([]any)
	for _, id := range children {
		if c := h.byID[textOf(id)]; c != nil {
			h.hideValue(c, "name")
		}
	}
}

// hideValue hides one AXValue of a node, and notes it as a secret. The value of a
// field is also a secret elsewhere; a name may be a common word.
func (h *hiding) hideValue(n map[string]any, name string) {
	v, ok := n[name].(map[string]any)
	text := textOf(v["value"])
	// Dots stand for a password already, and say no more than its length; axValue
	// hides them.
	if !ok || text == "" || strings.Trim(text, "•") == "" {
		return
	}
	if name == "value" {
		h.secrets = append(h.secrets, strings.TrimSpace(text))
	}
	n[name] = obj{"type": "string", "value": Redacted} // without where it comes from
}

// axValue is value for what a node has: dots that a browser shows in the place of
// a password tell how long it is; types and names of properties are not the page's.
func (r *redactor) axValue(v any) any {
	switch v := v.(type) {
	case string:
		if v != "" && strings.Trim(v, "•") == "" {
			return Redacted
		}
		return r.text(v)
	case []any:
		for i := range v {
			v[i] = r.axValue(v[i])
		}
	case map[string]any:
		for name, inner := range v {
			if _, word := inner.(string); !word || name != "type" && name != "name" {
				v[name] = r.axValue(inner)
			}
		}
	}
	return v
}

// valueOf is the text of an AXValue.
func valueOf(v any) string {
	m, _ := v.(map[string]any)
	return textOf(m["value"])
}

// textOf is a JSON value as text; numbers and booleans are their JSON.
func textOf(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		return string(mustJSON(v))
	}
}
