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
	w, document, err := p.findElement(ctx, "", nil)
	if err != nil {
		return nil, err
	}
	var out struct{ Node domNode }
	if err := p.callCommands(ctx, command{w.session, "DOM.describeNode", obj{"objectId": document, "depth": -1, "pierce": true}, &out}); err != nil {
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

// maxSecretNodes is how many secret elements are looked at: each takes a command.
const maxSecretNodes = 2000

// secretNodes are the secret elements that the page script sees, by their
// backendNodeId, which the accessibility tree has, too.
func (p *Page) secretNodes(ctx context.Context) (map[int]bool, error) {
	w, err := p.worldOf(ctx, "")
	if err != nil {
		return nil, err
	}
	var list evaluated
	call := obj{"objectId": w.object, "functionDeclaration": "function(){return this.secretElements()}"}
	if err := p.callCommands(ctx, command{w.session, "Runtime.callFunctionOn", call, &list}); err != nil {
		return nil, err
	}
	if text := list.exception(); text != "" {
		return nil, newError(Internal, "the page script failed: %s", text)
	}
	var items struct {
		Result []struct {
			Name  string
			Value struct{ Subtype, ObjectID string }
		}
	}
	// The script returns an array; each element of it needs an objectId of its own.
	if err := p.callCommands(ctx, command{w.session, "Runtime.getProperties", obj{"objectId": list.Result.ObjectID, "ownProperties": true}, &items}); err != nil {
		return nil, err
	}
	if len(items.Result) > maxSecretNodes {
		return nil, newError(LimitExceeded, "limit exceeded: the page has %d secret elements, at most %d are looked at; take a snapshot", len(items.Result), maxSecretNodes)
	}
	nodes := make([]struct{ Node domNode }, len(items.Result))
	var ask []command
	for i, item := range items.Result {
		if item.Value.Subtype == "node" {
			ask = append(ask, command{w.session, "DOM.describeNode", obj{"objectId": item.Value.ObjectID}, &nodes[i]})
		}
	}
	if len(ask) > 0 {
		if err := p.callCommands(ctx, ask...); err != nil {
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
	byID           map[string]*axNode
	below          map[string]bool // what lies in secret elements, and is hidden
}

// tree changes the nodes. The first loop makes the index, the second hides fields and
// collects their values, and the third takes these out of all other nodes.
func (h *hiding) tree(nodes []axNode) {
	for i := range nodes {
		h.byID[nodes[i].NodeID] = &nodes[i]
	}
	h.below = make(map[string]bool)
	for i := range nodes {
		n := &nodes[i]
		if h.fields[n.BackendDOMNodeID] || h.closed[n.BackendDOMNodeID] && isField(n) {
			h.hideValue(&n.Value, true)
			h.hideBelow(n)
		}
	}
	r, _ := (*redactor)(nil).with(h.secrets)
	for i := range nodes {
		n := &nodes[i]
		if before := n.Name.text(); r.text(before) != before {
			h.hideLines(n)
		}
		for _, v := range []*axValue{&n.Name, &n.Value, &n.Description} {
			v.RawMessage = r.axValue(v.RawMessage)
		}
		n.Properties = r.axValue(n.Properties)
	}
}

// shown are the ARIA roles of elements whose value shows progress or size, and is
// never typed.
var shown = []string{"progressbar", "meter", "scrollbar"}

// isField reports whether a node has a value, or may have one.
func isField(n *axNode) bool {
	role := n.Role.text()
	return len(n.Value.RawMessage) > 0 && !slices.Contains(shown, role) ||
		slices.Contains([]string{"textbox", "searchbox", "combobox", "spinbutton", "listbox"}, role)
}

// hideBelow hides what lies in a secret element: its text, and which of its options
// is selected. A node is hidden once, so that a tree that goes in circles ends.
func (h *hiding) hideBelow(n *axNode) {
	for open := slices.Clone(n.ChildIDs); len(open) > 0; {
		id := open[len(open)-1]
		open = open[:len(open)-1]
		c := h.byID[id]
		if c == nil || h.below[id] {
			continue
		}
		h.below[id] = true
		h.hideValue(&c.Name, false)
		h.hideValue(&c.Value, true)
		list := c.properties()
		if kept := slices.DeleteFunc(slices.Clone(list), func(p axProperty) bool { return p.Name == "selected" }); len(kept) < len(list) {
			c.Properties = mustJSON(kept)
		}
		open = append(open, c.ChildIDs...)
	}
}

// hideLines hides the boxes of lines in a text that has a secret in it: it may
// stand in two of them.
func (h *hiding) hideLines(n *axNode) {
	if n.Role.text() != "StaticText" {
		return
	}
	for _, id := range n.ChildIDs {
		if c := h.byID[id]; c != nil {
			h.hideValue(&c.Name, false)
		}
	}
}

// hideValue hides one AXValue of a node. The value of a field is noted as a secret
// elsewhere; a name may be a common word.
func (h *hiding) hideValue(v *axValue, isValue bool) {
	text := v.text()
	// Dots stand for a password already, and say no more than its length; axValue
	// hides them.
	if text == "" || strings.Trim(text, "•") == "" {
		return
	}
	if isValue {
		h.secrets = append(h.secrets, strings.TrimSpace(text))
	}
	v.RawMessage = mustJSON(obj{"type": "string", "value": Redacted}) // without where it comes from
}
