package share

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"

	"github.com/cdphub/cdphub/internal/wire"
)

// kind is what stands in a member that the sharing has to read or to change.
type kind byte

const (
	plain     kind = iota
	node           // DOM.NodeId
	backend        // DOM.NodeId beside a backendNodeId, which may be given instead
	tree           // DOM.Node, which has others inside
	remote         // Runtime.RemoteObjectId
	stream         // IO.StreamHandle
	objectGrp      // name of an object group
	isolated       // name of an isolated world
	kinds          // how many there are
)

var kindNames = [kinds]string{node: "node", backend: "backend", tree: "tree", remote: "object", stream: "stream", objectGrp: "group"}

// shape says where in a message such members are.
type shape struct {
	kind    kind
	members map[string]*shape
	element *shape // of an array
	has     [kinds]bool
}

//go:embed shapes.txt
var shapesText string

// shapes are read from shapes.txt, by method or event with a letter in front: > params, < result, ! event.
var shapes = sync.OnceValue(func() map[string]*shape {
	all := make(map[string]*shape)
	for line := range strings.SplitSeq(shapesText, "\n") {
		cells := strings.Fields(line)
		if len(cells) < 3 || cells[0] == "#" {
			continue
		}
		key := cells[0] + cells[1]
		s := all[key]
		if s == nil {
			s = &shape{}
			all[key] = s
		}
		for _, cell := range cells[2:] {
			path, name, _ := strings.Cut(cell, "=")
			s.add(path, kindOf(name))
		}
	}
	return all
})

func kindOf(name string) kind {
	for k, n := range kindNames {
		if n == name {
			return kind(k)
		}
	}
	return plain
}

// add adds a path such as "nodes[].nodeId".
func (s *shape) add(path string, k kind) {
	s.has[k] = true
	if path == "" {
		s.kind = k
		return
	}
	if rest, is := strings.CutPrefix(path, "[]"); is {
		if s.element == nil {
			s.element = &shape{}
		}
		s.element.add(strings.TrimPrefix(rest, "."), k)
		return
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		end = len(path)
	}
	name, rest := path[:end], strings.TrimPrefix(path[end:], ".")
	if s.members == nil {
		s.members = make(map[string]*shape)
	}
	if s.members[name] == nil {
		s.members[name] = &shape{}
	}
	s.members[name].add(rest, k)
}

// replace appends a text to dst, in which fn has replaced each value of a kind; fn appends to dst what it makes of it.
func (s *shape) replace(dst, text []byte, fn func(dst []byte, k kind, value []byte) []byte) []byte {
	switch {
	case s.kind != plain:
		return fn(dst, s.kind, text)
	case s.element != nil && text[0] == '[':
		done := 0
		eachElement(text, func(from, to int) {
			dst = s.element.replace(append(dst, text[done:from]...), text[from:to], fn)
			done = to
		})
		return append(dst, text[done:]...)
	case s.members == nil || text[0] != '{':
		return append(dst, text...)
	}
	done := 0
	eachMember(text, func(name string, from, to int) bool {
		inner := s.members[name]
		switch {
		case inner == nil:
			return true
		case inner.kind == backend:
			// A backendNodeId stands for the node: it is never out of date.
			key := from - 1
			for text[key] != '{' && text[key] != ',' {
				key--
			}
			dst = append(append(dst, text[done:key+1]...), `"backendNodeId":`...)
			dst = fn(dst, backend, text[from:to])
		default:
			dst = inner.replace(append(dst, text[done:from]...), text[from:to], fn)
		}
		done = to
		return true
	})
	return append(dst, text[done:]...)
}

// treeWalker rewrites a DOM.Node in one pass: documents nest deep, and to look for the end of each node first would
// take as many passes as there are levels.
type treeWalker struct {
	text, out []byte
	learn     func(realID, backendID, parent int64)
	pushed    bool                  // write what DOM.describeNode says as if it were pushed
	inside    func(backendID int64) // the children of a node are told, too; nil where that does not matter
	visible   func(realID int64) int64
}

// nodesInside are the members of a DOM.Node with others inside.
var nodesInside = map[string]bool{"children": true, "shadowRoots": true, "pseudoElements": true, "contentDocument": true, "templateContent": true, "importedDocument": true}

// value rewrites the node, or the list of nodes, that begins at i, and returns the index behind it; -1 for what is none.
// levels are how many of children are left in; below zero, all.
func (w *treeWalker) value(i int, parent int64, levels int, child bool) int {
	if i < 0 || i >= len(w.text) || w.text[i] != '[' {
		return w.node(i, parent, levels, child)
	}
	w.out = append(w.out, '[')
	for i = wire.SkipSpace(w.text, i+1); i < len(w.text) && w.text[i] != ']'; {
		if i = w.node(i, parent, levels, child); i < 0 {
			return -1
		}
		if i = wire.SkipSpace(w.text, i); i < len(w.text) && w.text[i] == ',' {
			w.out = append(w.out, ',')
			i = wire.SkipSpace(w.text, i+1)
		}
	}
	if i >= len(w.text) {
		return -1
	}
	w.out = append(w.out, ']')
	return i + 1
}

// node rewrites one node: its nodeId becomes its backendNodeId. Chromium writes both before what is inside.
func (w *treeWalker) node(i int, parent int64, levels int, child bool) int {
	if i < 0 || i >= len(w.text) || w.text[i] != '{' {
		return -1
	}
	if levels == 0 && hasShadow(w.text, i) {
		levels = 1 // Chromium pushes the children of a host with its shadow roots
	}
	var realID, backendID int64
	at := -1 // where the nodeId is to stand
	w.out = append(w.out, '{')
	for i = wire.SkipSpace(w.text, i+1); i < len(w.text) && w.text[i] != '}'; {
		name, from := memberName(w.text, i)
		if from < 0 {
			return -1
		}
		var end int
		switch {
		case name == "children" && levels == 0 && !isLoneText(w.text, from):
			if end = wire.SkipValue(w.text, from); end < 0 {
				return -1
			}
		case nodesInside[name]:
			w.out = appendName(w.out, name)
			if name == "children" && w.inside != nil {
				w.inside(backendID)
			}
			deeper := levels
			if name == "children" {
				deeper--
			}
			if end = w.value(from, backendID, deeper, name == "children"); end < 0 {
				return -1
			}
		default:
			if end = wire.SkipValue(w.text, from); end < 0 {
				return -1
			}
			value := w.text[from:end]
			switch name {
			case "nodeId":
				realID, _ = wire.Int(value)
				w.out = appendName(w.out, name)
				at = len(w.out)
			case "parentId":
				id, _ := wire.Int(value)
				above := w.visible(id)
				if child && w.pushed {
					above = parent
				}
				if child = false; parent == 0 {
					parent = above
				}
				w.out = strconv.AppendInt(appendName(w.out, name), above, 10)
			case "backendNodeId":
				backendID, _ = wire.Int(value)
				if at >= 0 {
					rest := string(w.out[at:])
					w.out = append(append(w.out[:at], value...), rest...)
				}
				w.out = append(appendName(w.out, name), value...)
				if child && w.pushed && parent != 0 { // DOM.describeNode has 0, or nothing
					w.out = strconv.AppendInt(appendName(w.out, "parentId"), parent, 10)
				}
				w.learn(realID, backendID, parent)
			default:
				w.out = append(appendName(w.out, name), value...)
			}
		}
		if i = wire.SkipSpace(w.text, end); i < len(w.text) && w.text[i] == ',' {
			i = wire.SkipSpace(w.text, i+1)
		}
	}
	if i >= len(w.text) {
		return -1
	}
	w.out = append(w.out, '}')
	return i + 1
}

// isLoneText reports whether there is one child, and it is a text: Chromium counts those as a part of their parent, when it
// pushes nodes (InspectorDOMAgent::BuildArrayForContainerChildren).
func isLoneText(text []byte, i int) bool {
	end := wire.SkipValue(text, i)
	if end < 0 {
		return false
	}
	count, lone := 0, false
	list := text[i:end]
	eachElement(list, func(from, to int) {
		count++
		lone = string(valueOf(list[from:to], "nodeType")) == "3"
	})
	return count == 1 && lone
}

// hasShadow reports whether a node has shadow roots.
func hasShadow(text []byte, i int) bool {
	end := wire.SkipValue(text, i)
	return end > 0 && valueOf(text[i:end], "shadowRoots") != nil
}
