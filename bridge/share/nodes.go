package share

import (
	"bytes"
	"strconv"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
)

// The nodeIds of Clients are backendNodeIds: those last as long as the node, while a second DOM.getDocument makes all
// nodeIds of the session out of date (Chromium 156). So the browser is asked for its document once, and answers those
// who ask later with DOM.describeNode. A Client hears of the children of a node when it has asked for them, as
// in a session of its own.

// nodes are the nodes that the browser has pushed, by both ids.
type nodes struct {
	byReal    map[int64]int64      `held:"nodeIds"`
	byBackend map[int64]pushedNode `held:"nodes"`
	root      int64                `held:"documents"` // nodeId of the document; 0 before the first DOM.getDocument
}

type pushedNode struct{ realID, parent int64 }

func (n *nodes) reset() {
	n.byReal, n.byBackend, n.root = make(map[int64]int64), make(map[int64]pushedNode), 0
}

// learn notes a node that the browser describes. The nodeId of one that was not pushed is 0.
func (n *nodes) learn(realID, backendID, parent int64) {
	if backendID == 0 {
		return
	}
	known := n.byBackend[backendID]
	if realID == 0 {
		realID = known.realID
	}
	if parent == 0 {
		parent = known.parent
	}
	if known.realID != 0 && known.realID != realID {
		delete(n.byReal, known.realID)
	}
	if known == (pushedNode{}) && len(n.byBackend) >= maxNodes {
		return
	}
	n.byBackend[backendID] = pushedNode{realID, parent}
	if realID != 0 {
		n.byReal[realID] = backendID
	}
}

// visible is a node as Clients know it.
func (n *nodes) visible(realID int64) (backendID int64, known bool) {
	if realID == 0 {
		return 0, true
	}
	backendID, known = n.byReal[realID]
	return backendID, known
}

// shown is visible, or 0.
func (n *nodes) shown(realID int64) int64 { return n.byReal[realID] }

// real is a node as the browser knows it; 0 for one that it has not pushed.
func (n *nodes) real(backendID int64) int64 { return n.byBackend[backendID].realID }

// remove forgets a node that is in the document no more.
func (n *nodes) remove(backendID int64) {
	delete(n.byReal, n.byBackend[backendID].realID)
	delete(n.byBackend, backendID)
}

// pushesNodes reports whether a command may have the browser push nodes, before it answers.
func pushesNodes(method string) bool {
	domain, _ := cutMethod(method)
	return domain == "DOM"
}

var errNoNode = wire.ServerError("Could not find node with given id")

// pushFirstLocked has the browser push nodes that a command names, and then sends the command.
func (t *Tab) pushFirstLocked(c *call, params []byte, missing []int64) {
	list := []byte{'['}
	for i, id := range missing {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, id, 10)
	}
	push := &call{r: c.r, view: c.view, id: c.id, method: "DOM.pushNodesByBackendIdsToFrontend"}
	push.done = func(result, _ []byte) {
		i := 0
		pushed := valueOf(result, "nodeIds")
		eachElement(pushed, func(from, to int) {
			if id, _ := wire.Int(pushed[from:to]); id != 0 && i < len(missing) && !c.view.over {
				c.r.nodes.learn(id, missing[i], 0)
			}
			i++
		})
		why := wire.AppendError(nil, errNoNode)
		if c.r.over || c.view.over {
			return
		}
		out, still, err := t.translateLocked(c.view, c.method, params)
		if err != nil {
			still, why = missing, wire.AppendError(nil, err)
		}
		if len(still) > 0 {
			t.answeredLocked(c, nil, why)
			return
		}
		t.sendLocked(c, out)
	}
	t.sendLocked(push, withMember(wire.Empty, "backendNodeIds", append(list, ']')))
}

// ownTranslatedLocked sends a command of the sharing itself that is about what a session has set.
func (t *Tab) ownTranslatedLocked(v *clientSession, method string, params []byte) {
	out, missing, err := t.translateLocked(v, method, params)
	if err == nil && len(missing) == 0 { // a node that is gone has no setting
		t.ownLocked(v.r, method, out)
	}
}

// resultLocked answers a command with a result of the browser. A node in it that the session does not know gets its
// path first, as the browser has told that before, to another session.
func (t *Tab) resultLocked(v *clientSession, id bridge.CallID, method string, result []byte) {
	if v.over {
		return
	}
	s := shapes()["<"+method]
	if s == nil || !s.has[node] {
		out, _ := t.showLocked(v, "<"+method, result)
		t.answerLocked(v, id, out, nil)
		return
	}
	var unknown []int64 // nodeIds whose nodes the browser has not described
	s.replace(nil, result, func(dst []byte, k kind, value []byte) []byte {
		if n, _ := wire.Int(value); k == node && n != 0 {
			if _, known := v.r.nodes.visible(n); !known {
				unknown = append(unknown, n)
			}
		}
		return dst
	})
	if len(unknown) > 0 {
		t.describeLocked(v, id, method, bytes.Clone(result), unknown)
		return
	}
	out, _ := t.showLocked(v, "<"+method, result)
	t.showPathsLocked(v, id, s, out)
}

// describeLocked asks what node is behind each nodeId, and then answers.
func (t *Tab) describeLocked(v *clientSession, id bridge.CallID, method string, result []byte, unknown []int64) {
	for i, n := range unknown {
		last := i == len(unknown)-1
		params := strconv.AppendInt([]byte(`{"nodeId":`), n, 10)
		c := &call{r: v.r, view: v, id: id, method: "DOM.describeNode", done: func(described, cdpErr []byte) {
			if b, _ := wire.Int(valueOf(described, "node", "backendNodeId")); b != 0 && !v.over {
				v.r.nodes.learn(n, b, 0)
			}
			switch {
			case !last || v.over:
			case cdpErr != nil:
				t.answerLocked(v, id, nil, cdpErr)
			default:
				out, _ := t.showLocked(v, "<"+method, result)
				t.showPathsLocked(v, id, shapes()["<"+method], out)
			}
		}}
		t.sendLocked(c, append(params, '}'))
	}
}

// showPathsLocked tells a session of the nodes around those in a result, if the browser has told others before, and answers.
func (t *Tab) showPathsLocked(v *clientSession, id bridge.CallID, s *shape, out []byte) {
	var missing []int64 // parents whose children it does not know, the outermost first
	seen := make(map[int64]bool)
	var all []int64
	s.replace(nil, out, func(dst []byte, k kind, value []byte) []byte {
		n, _ := wire.Int(value)
		if k != node || n == 0 {
			return dst
		}
		if all = append(all, n); !v.hasTree {
			return dst
		}
		var path []int64
		for !v.knows(n) && len(path) < maxDepth {
			if n = v.r.nodes.byBackend[n].parent; n == 0 || seen[n] {
				break
			}
			seen[n] = true
			path = append(path, n)
		}
		for i := len(path) - 1; i >= 0; i-- {
			missing = append(missing, path[i])
		}
		return dst
	})
	for _, n := range all {
		v.noteKnown(n)
	}
	if len(missing) == 0 {
		t.answerLocked(v, id, out, nil)
		return
	}
	out = bytes.Clone(out)
	for i, p := range missing {
		last := i == len(missing)-1
		v.notePushed(p)
		t.describeTreeLocked(v, id, "backendNodeId", p, 1, nil, func(one, _ []byte) {
			t.childrenEventLocked(v, p, one)
			if last {
				t.answerLocked(v, id, out, nil)
			}
		})
	}
}

// describeTreeLocked asks for a node with so many levels of children, and runs fn with what the session would see of it,
// had the browser pushed it. Two levels more are asked for: children of hosts, and texts that are counted as a part of their parent.
func (t *Tab) describeTreeLocked(v *clientSession, id bridge.CallID, by string, n int64, levels int, pierce []byte, fn func(one, cdpErr []byte)) {
	params := append(strconv.AppendInt(appendName([]byte{'{'}, by), n, 10), `,"depth":`...)
	if levels >= 0 {
		params = strconv.AppendInt(params, int64(levels)+2, 10)
	} else {
		params = append(params, `-1`...)
	}
	if pierce != nil {
		params = append(append(params, `,"pierce":`...), pierce...)
	}
	t.sendLocked(&call{r: v.r, view: v, id: id, method: "DOM.describeNode", done: func(result, cdpErr []byte) {
		if v.over || cdpErr != nil {
			fn(nil, cdpErr)
			return
		}
		out, _ := t.showLevelsLocked(v, "<DOM.describeNode", result, levels)
		fn(valueOf(out, "node"), nil)
	}}, append(params, '}'))
}

// childrenEventLocked tells a session of the children of a node.
func (t *Tab) childrenEventLocked(v *clientSession, parent int64, one []byte) {
	if children := valueOf(one, "children"); children != nil {
		event := strconv.AppendInt([]byte(`{"parentId":`), parent, 10)
		event = append(append(append(event, `,"nodes":`...), children...), '}')
		v.notePushed(parent)
		t.eventLocked(v, "DOM.setChildNodes", event)
	}
}

// levelsOf reads the param depth.
func levelsOf(params []byte, usual int) int {
	depth, is := wire.Int(valueOf(params, "depth"))
	switch {
	case !is:
		return usual
	case depth < 0 || depth > maxDepth:
		return -1
	}
	return int(depth)
}

// getDocumentLocked is DOM.getDocument. It enables the domain, as in Chromium.
func (t *Tab) getDocumentLocked(v *clientSession, c *command) *wire.Error {
	r := v.r
	first := r.nodes.root == 0
	if err := t.joinDomainLocked(v, "DOM", wire.Empty); err != nil {
		return err
	}
	v.forgetTree()
	v.hasTree = true
	id := c.id
	if first {
		return t.forwardLocked(v, c, func(result, cdpErr []byte) {
			if cdpErr != nil {
				t.answerLocked(v, id, nil, cdpErr)
				return
			}
			if !r.domains["DOM"].inUse() {
				return // all who have asked have left
			}
			r.nodes.reset() // as the browser has
			r.nodes.root, _ = wire.Int(valueOf(result, "root", "nodeId"))
			out, _ := t.showLocked(v, "<DOM.getDocument", result)
			t.answerLocked(v, id, out, nil)
		})
	}
	levels, pierce := levelsOf(c.params, 2), bytes.Clone(valueOf(c.params, "pierce"))
	// The browser is to watch the same nodes for this session. What it says to depth 0 does not matter.
	watch := withMember(withMember(c.params, "depth", strconv.AppendInt(nil, int64(levels), 10)), "nodeId", strconv.AppendInt(nil, r.nodes.root, 10))
	t.ownLocked(r, "DOM.requestChildNodes", watch)
	t.describeTreeLocked(v, id, "nodeId", r.nodes.root, levels, pierce, func(one, cdpErr []byte) {
		if cdpErr != nil {
			t.answerLocked(v, id, nil, cdpErr)
			return
		}
		t.answerLocked(v, id, withMember(wire.Empty, "root", one), nil)
	})
	return nil
}

// setChildNodesLocked passes on the children of a node, to the session whose command has led to them.
func (t *Tab) setChildNodesLocked(r *realSession, params []byte) {
	if !r.domains["DOM"].inUse() {
		return
	}
	t.learnLocked(r, params)
	var asker *clientSession
	if len(r.pushing) > 0 {
		if asker = t.calls[r.pushing[0]].view; asker == nil {
			return
		}
	}
	parent := r.nodes.shown(intOf(params, "parentId"))
	for _, v := range r.views {
		if v != asker && asker != nil || !v.hears("DOM") {
			continue
		}
		v.notePushed(parent)
		t.deliverLocked(v, "DOM.setChildNodes", params)
	}
}

// learnLocked notes the nodes of DOM.setChildNodes.
func (t *Tab) learnLocked(r *realSession, params []byte) {
	n := &r.nodes
	w := treeWalker{text: valueOf(params, "nodes"), learn: n.learn, visible: n.shown}
	w.value(0, n.shown(intOf(params, "parentId")), -1, true)
}

func intOf(object []byte, name string) int64 {
	n, _ := wire.Int(valueOf(object, name))
	return n
}

// requestChildrenLocked is DOM.requestChildNodes: the browser tells only once of the children of a node, and then others
// have been told.
func (t *Tab) requestChildrenLocked(v *clientSession, c *command) *wire.Error {
	id := intOf(c.params, "nodeId")
	number := c.id
	levels, pierce := levelsOf(c.params, 1), bytes.Clone(valueOf(c.params, "pierce"))
	return t.forwardLocked(v, c, func(_, cdpErr []byte) {
		if cdpErr != nil {
			t.answerLocked(v, number, nil, cdpErr)
			return
		}
		if _, told := v.pushed[id]; told || v.over {
			t.answerLocked(v, number, wire.Empty, nil)
			return
		}
		t.describeTreeLocked(v, number, "backendNodeId", id, levels, pierce, func(one, _ []byte) {
			t.childrenEventLocked(v, id, one)
			t.answerLocked(v, number, wire.Empty, nil)
		})
	})
}

// documentUpdatedLocked says that all nodeIds are out of date.
func (t *Tab) documentUpdatedLocked(r *realSession, params []byte) {
	r.nodes.reset()
	for _, v := range r.views {
		if v.domains["DOM"] != nil {
			t.deliverLocked(v, "DOM.documentUpdated", params)
		}
		v.forgetTree()
	}
}

// childNodeRemovedLocked forgets a node once all have been told.
func (t *Tab) childNodeRemovedLocked(r *realSession, params []byte) {
	for _, v := range r.views {
		if v.hears("DOM") {
			t.deliverLocked(v, "DOM.childNodeRemoved", params)
		}
	}
	id := r.nodes.shown(intOf(params, "nodeId"))
	r.nodes.remove(id)
	for _, v := range r.views {
		delete(v.known, id)
		delete(v.pushed, id)
	}
}

// forgetTree forgets what a session has been told of the document.
func (v *clientSession) forgetTree() {
	clear(v.known)
	clear(v.pushed)
	v.hasTree = false
}

func (v *clientSession) noteKnown(backendID int64) {
	if len(v.known) < maxNodes {
		v.known[backendID] = struct{}{}
	}
}

func (v *clientSession) notePushed(backendID int64) {
	if len(v.pushed) < maxNodes {
		v.pushed[backendID] = struct{}{}
	}
}

func (v *clientSession) knows(backendID int64) bool {
	_, known := v.known[backendID]
	return known || len(v.known) >= maxNodes
}

// knowsOf reports whether a session has been told of the nodes that an event names. Chromium has no events about others.
func (v *clientSession) knowsOf(method string, params []byte) bool {
	s := shapes()["!"+method]
	if s == nil {
		return true
	}
	known := true
	s.replace(nil, params, func(dst []byte, k kind, value []byte) []byte {
		if n, _ := wire.Int(value); k == node && n != 0 {
			known = known && v.knows(v.r.nodes.shown(n))
		}
		return dst
	})
	if method == "DOM.childNodeInserted" {
		_, told := v.pushed[v.r.nodes.shown(intOf(params, "parentNodeId"))]
		known = known && told
	}
	return known
}
