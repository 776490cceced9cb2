package actions

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/cdphub/cdphub/internal/wire"
)

// AccessibilityTree is the raw tree of the page's main document: the nodes of
// CDP's Accessibility.getFullAXTree, an array. The values of secret fields are
// redacted. A tree beyond MaxValue is an error of kind LimitExceeded.
func (p *Page) AccessibilityTree(ctx context.Context) (nodes json.RawMessage, err error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	list, err := p.rawTree(ctx)
	if err != nil {
		return nil, err
	}
	nodes = mustJSON(list)
	return nodes, checkTree(nodes, MaxValue)
}

// maxTree is the longest raw tree that is worked on, in bytes of its JSON. As Go
// values it takes some ten times as much.
const maxTree = 16 << 20

// checkTree bounds a tree by the bytes of its JSON.
func checkTree(tree json.RawMessage, most int) error {
	if len(tree) <= most {
		return nil
	}
	return newError(LimitExceeded, "limit exceeded: the accessibility tree has %d bytes, at most %d are given; take a snapshot", len(tree), most)
}

// rawTree reads the tree and hides its secrets. It asks for the secret elements
// first: a secret that is typed after that is not in the tree's values yet, or is
// hidden with its field.
func (p *Page) rawTree(ctx context.Context) (nodes []axNode, err error) {
	var secrets []string
	if err := p.callScriptIn(ctx, "", scriptCall{verb: "secrets", result: &secrets}); err != nil {
		return nil, err
	}
	fields, err := p.secretNodes(ctx)
	if err != nil {
		return nil, err
	}
	closed, err := p.closedNodes(ctx)
	if err != nil {
		return nil, err
	}
	var out struct{ Nodes json.RawMessage }
	if err := p.callMethod(ctx, "Accessibility.getFullAXTree", nil, &out); err != nil {
		return nil, err
	}
	if err := checkTree(out.Nodes, maxTree); err != nil {
		return nil, err
	}
	if err := wire.Decode(out.Nodes, &nodes); err != nil {
		return nil, newError(Internal, "the accessibility tree cannot be read: %v", err)
	}
	secrets = append(secrets, p.b.shared.secretsOf(p.ID).ofEarlier(secrets, out.Nodes)...)
	h := hiding{fields: fields, closed: closed, secrets: secrets, byID: make(map[string]*axNode, len(nodes))}
	h.tree(nodes)
	return nodes, nil
}

// AXNode is a node of the accessibility tree, as BAP names it.
type AXNode struct {
	Role        string   `json:"role"`
	Name        string   `json:"name,omitempty"`
	Value       string   `json:"value,omitempty"`
	Description string   `json:"description,omitempty"`
	Checked     any      `json:"checked,omitempty"` // true, false or "mixed"; nil for what cannot be checked
	Disabled    bool     `json:"disabled,omitempty"`
	Expanded    *bool    `json:"expanded,omitempty"`
	Focused     bool     `json:"focused,omitempty"`
	Selected    bool     `json:"selected,omitempty"`
	Required    bool     `json:"required,omitempty"`
	Level       int      `json:"level,omitempty"`
	Children    []AXNode `json:"children,omitempty"`
}

// AXOptions are for AXTree.
type AXOptions struct {
	Root          Locator // nil is the main document
	MaxDepth      int     // of children below the root; 0: all
	IncludeHidden bool    // nodes that assistive technology does not hear of
	All           bool    // texts and generic nodes too, and not the interesting alone
}

// AXTree reads the accessibility tree as BAP names it. The values of
// secret fields are redacted. A tree beyond MaxValue is an error of kind
// LimitExceeded.
func (p *Page) AXTree(ctx context.Context, o AXOptions) (AXNode, error) {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	root := 0
	if o.Root != nil {
		var err error
		if root, err = p.backendNodeID(ctx, o.Root); err != nil {
			return AXNode{}, err
		}
	}
	nodes, err := p.rawTree(ctx)
	if err != nil {
		return AXNode{}, err
	}
	if len(nodes) == 0 {
		return AXNode{}, newError(Internal, "the accessibility tree cannot be read: it has no nodes")
	}
	t := axTree{options: o, byID: make(map[string]*axNode, len(nodes))}
	for i := range nodes {
		t.byID[nodes[i].NodeID] = &nodes[i]
	}
	for i := range nodes {
		// A root of 0 means the first node, which is the document's.
		if root == 0 || nodes[i].BackendDOMNodeID == root {
			delete(t.byID, nodes[i].NodeID)
			top := t.convert(&nodes[i])
			top.Children = t.children(&nodes[i], 1)
			return top, checkTree(mustJSON(top), MaxValue)
		}
	}
	return AXNode{}, newError(ElementNotFound, "element not found: %s is not in the accessibility tree", o.Root)
}

// axTree converts raw nodes.
type axTree struct {
	options AXOptions
	byID    map[string]*axNode // those that are not in the answer yet
	nesting int
}

// dull are the roles of nodes that are left out in favour of their children.
var dull = []string{"generic", "none", "InlineTextBox", "LayoutTable", "LineBreak", "ListMarker"}

// interesting reports whether a node is in the answer. Nodes with a dull role are
// not, and neither is a text that the node around it has already as its name or
// value.
func (t *axTree) interesting(n, in *axNode) bool {
	role, text := n.Role.text(), strings.TrimSpace(n.Name.text())
	if role == "StaticText" {
		return text != "" && !strings.Contains(in.Name.beginning(), text) && !strings.Contains(in.Value.beginning(), text)
	}
	return !slices.Contains(dull, role)
}

// children converts what is below a node of the answer; one that is left out
// gives its place to its children.
func (t *axTree) children(of *axNode, depth int) []AXNode { return t.below(of, of, depth) }

// below is children of a node that lies in one of the answer.
func (t *axTree) below(of, in *axNode, depth int) (list []AXNode) {
	if t.options.MaxDepth > 0 && depth > t.options.MaxDepth || t.nesting >= maxAXDepth {
		return nil
	}
	t.nesting++
	defer func() { t.nesting-- }()
	for _, id := range of.ChildIDs {
		n := t.byID[id]
		delete(t.byID, id) // a tree may go in circles
		switch {
		case n == nil:
		case n.Ignored && !t.options.IncludeHidden, !t.options.All && !t.interesting(n, in):
			list = append(list, t.below(n, in, depth)...)
		default:
			c := t.convert(n)
			c.Children = t.children(n, depth+1)
			list = append(list, c)
		}
	}
	return list
}

// maxLevel is the largest level of a heading or an item that is told; WAI-ARIA gives no
// limit to aria-level.
const maxLevel = 1 << 20

// maxAXDepth is how deep the tree may be, with the nodes that are left out.
const maxAXDepth = 500

// convert reads the properties of Accessibility.AXNode, which are a list of names and
// values.
func (t *axTree) convert(n *axNode) AXNode {
	c := AXNode{Role: n.Role.text(), Name: n.Name.text(), Value: n.Value.text(), Description: n.Description.text()}
	for _, property := range n.properties() {
		v := property.Value.value()
		switch property.Name {
		case "checked":
			// A checkbox can be "mixed" (WAI-ARIA, aria-checked). Chromium gives true
			// as a text here.
			c.Checked = v == "true" || v == `"true"`
			if v == `"mixed"` {
				c.Checked = "mixed"
			}
		case "disabled":
			c.Disabled = v == "true"
		case "expanded":
			open := v == "true"
			c.Expanded = &open
		case "focused":
			c.Focused = v == "true"
		case "selected":
			c.Selected = v == "true"
		case "required":
			c.Required = v == "true"
		case "level":
			level, _ := wire.Int([]byte(v))
			c.Level = int(min(max(level, 0), maxLevel))
		}
	}
	return c
}
