package axtree

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// axValue is CDP's AXValue, as far as it is compared.
type axValue struct {
	Type  string          `json:"type"`
	Value json.RawMessage `json:"value"`
}

// axNode is CDP's AXNode, as far as it is compared.
type axNode struct {
	NodeID      string   `json:"nodeId"`
	Ignored     bool     `json:"ignored"`
	Role        *axValue `json:"role"`
	Name        *axValue `json:"name"`
	Description *axValue `json:"description"`
	Value       *axValue `json:"value"`
	Properties  []struct {
		Name  string  `json:"name"`
		Value axValue `json:"value"`
	} `json:"properties"`
	ParentID string   `json:"parentId"`
	ChildIDs []string `json:"childIds"`
}

// axTree is the result of Accessibility.getFullAXTree.
type axTree struct {
	Nodes []axNode `json:"nodes"`
}

// line is one node in document order, as it is compared.
type line struct {
	path string // the roles of its ancestors
	text string // the node itself
}

func (l line) String() string {
	return strings.Repeat("  ", strings.Count(l.path, "/")) + l.text
}

const inlineTextBox = "InlineTextBox"

// relations are properties that name other nodes.
var relations = []string{
	"activedescendant", "controls", "describedby", "details", "errormessage", "flowto", "hiddenRoot", "labelledby", "owns", "root",
}

// flatten lists what a client sees of a tree, in document order.
func flatten(tree axTree) ([]line, error) {
	byID := make(map[string]*axNode, len(tree.Nodes))
	var root *axNode
	for i := range tree.Nodes {
		n := &tree.Nodes[i]
		if text(n.Role) == inlineTextBox {
			continue // Chromium lists those of generated content twice
		}
		if byID[n.NodeID] != nil {
			return nil, fmt.Errorf("two nodes have the id %s", n.NodeID)
		}
		byID[n.NodeID] = n
		if n.ParentID == "" {
			if root != nil {
				return nil, fmt.Errorf("%s and %s both have no parent", root.NodeID, n.NodeID)
			}
			root = n
		}
	}
	if root == nil {
		return nil, fmt.Errorf("no root among %d nodes", len(tree.Nodes))
	}
	var lines []line
	var walk func(n *axNode, path string) error
	walk = func(n *axNode, path string) error {
		if !n.Ignored {
			lines = append(lines, line{path, describe(n)})
			path += "/" + text(n.Role)
		}
		for _, id := range n.ChildIDs {
			// Not listed are text boxes, above, and in Chromium the content of a frame.
			if child := byID[id]; child != nil {
				if child.ParentID != n.NodeID {
					return fmt.Errorf("%s is a child of %s, but says %s", id, n.NodeID, child.ParentID)
				}
				if err := walk(child, path); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return lines, walk(root, "")
}

// describe puts what is compared of a node into one line.
func describe(n *axNode) string {
	var b strings.Builder
	b.WriteString(text(n.Role))
	if n.Role != nil && n.Role.Type == "internalRole" {
		b.WriteString("*")
	}
	fmt.Fprintf(&b, " %q", text(n.Name))
	for _, part := range []struct {
		name  string
		value *axValue
	}{{"value", n.Value}, {"description", n.Description}} {
		if s := text(part.value); s != "" {
			fmt.Fprintf(&b, " %s=%q", part.name, s)
		}
	}
	var properties []string
	for _, p := range n.Properties {
		if !slices.Contains(relations, p.Name) {
			properties = append(properties, fmt.Sprintf("%s=%s", p.Name, text(&p.Value)))
		}
	}
	slices.Sort(properties)
	for _, p := range properties {
		b.WriteString(" " + p)
	}
	return b.String()
}

// text is a value as a string: a string's content, anything else as JSON.
func text(v *axValue) string {
	if v == nil {
		return ""
	}
	var s string
	if json.Unmarshal(v.Value, &s) == nil {
		return s
	}
	return string(bytes.TrimSpace(v.Value))
}

// align finds the longest sequence of lines that both lists have in order. It
// returns its length and the lists laid side by side: "-" stands before what only
// the first has, "+" before what only the second has.
func align(a, b []line) (equal int, diff []string) {
	common := make([][]int, len(a)+1) // common[i][j] is the length for a[i:] and b[j:]
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			diff = append(diff, "  "+a[i].String())
			i, j = i+1, j+1
		case j == len(b) || i < len(a) && common[i+1][j] >= common[i][j+1]:
			diff = append(diff, "- "+a[i].String())
			i++
		default:
			diff = append(diff, "+ "+b[j].String())
			j++
		}
	}
	return common[0][0], diff
}
