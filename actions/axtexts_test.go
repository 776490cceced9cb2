package actions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func axText(text string) axValue { return axValue{mustJSON(obj{"type": "role", "value": text})} }

// TestAXTreeTellsTexts keeps texts but those that are said already.
func TestAXTreeTellsTexts(t *testing.T) {
	tree := axTree{byID: map[string]*axNode{}}
	var nodes []axNode
	for _, n := range []struct{ id, role, name, children string }{
		{"1", "RootWebArea", "Page", "2 5 8"},
		{"2", "paragraph", "", "3"},
		{"3", "StaticText", "A text", "4"},
		{"4", "InlineTextBox", "A text", ""},
		{"5", "button", "Save all", "6"},
		{"6", "generic", "", "7"},
		{"7", "StaticText", "Save", ""},
		{"8", "generic", "", "9 10 1"}, // in a circle
		{"9", "StaticText", " ", "8"},
		{"10", "StaticText", "Loose", ""},
	} {
		node := axNode{NodeID: n.id, Role: axText(n.role), Name: axText(n.name), ChildIDs: strings.Fields(n.children)}
		nodes = append(nodes, node)
	}
	for i := range nodes {
		tree.byID[nodes[i].NodeID] = &nodes[i]
	}
	delete(tree.byID, "1")
	top := tree.convert(&nodes[0])
	top.Children = tree.children(&nodes[0], 1)
	const want = `{"role":"RootWebArea","name":"Page","children":[{"role":"paragraph","children":[{"role":"StaticText","name":"A text"}]},` +
		`{"role":"button","name":"Save all"},{"role":"StaticText","name":"Loose"}]}`
	if got, err := json.Marshal(top); err != nil || string(got) != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// TestAXTreesMayBeDeep reads a chain of nodes that no page has, and of that only
// as many as a stack can take.
func TestAXTreesMayBeDeep(t *testing.T) {
	const nodes = 10_000
	tree := axTree{byID: map[string]*axNode{}}
	for i := range nodes {
		id := fmt.Sprint(i)
		tree.byID[id] = &axNode{NodeID: id, Role: axText("generic"), ChildIDs: []string{fmt.Sprint(i + 1)}}
	}
	if list := tree.children(tree.byID["0"], 1); slices.ContainsFunc(list, func(n AXNode) bool { return n.Role == "generic" }) {
		t.Errorf("%d uninteresting nodes are in the answer", len(list))
	}
	if read := nodes - len(tree.byID); read > maxAXDepth {
		t.Errorf("%d nodes of the chain were read, want %d at most", read, maxAXDepth)
	}
}
