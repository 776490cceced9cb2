package actions

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// outline is a snapshot of lines, such as that of SnapshotYAML, as a tree: what is indented lies in the line above.
// Node 0 is the page, which has no line. The others are in the order of the lines.
type outline struct {
	nodes []outlineNode
	byRef map[string]int
	form  outlineForm
	plain map[plainLine]bool // nil until it is asked for
}

// outlineForm is how the lines of a snapshot are written.
type outlineForm struct {
	bullet string                       // what a line begins with
	page   string                       // the line of node 0 in a delta
	head   func(line string) headOfLine // what a line says of its element
}

// outlineNode is a line.
type outlineNode struct {
	headOfLine
	text   string // the line without its indentation
	depth  int    // 0 for the lines at the left; -1 for the page
	parent int
	end    int // the node behind all that lie in this one
}

// headOfLine is what a line says of its element.
type headOfLine struct {
	ref    string // "" where it has none
	role   string
	named  bool // by a name or a text
	active bool // it has the focus, or one may click on it
	box    *Box // in the viewport of its frame, where it was asked for
	boxAt  span // where the line has it
}

// yamlForm is the form of SnapshotYAML, such as - button "Save" [ref=e5] [cursor=pointer].
var yamlForm = outlineForm{bullet: "- ", page: "- page:", head: readYAMLHead}

// taggedForm is the form of SnapshotTagged, such as [a2 button] Save.
var taggedForm = outlineForm{page: "page:", head: readTaggedHead}

// yamlRef is a ref of the scheme YAML.
var yamlRef = regexp.MustCompile(`^(f\d{1,9})*e\d{1,9}$`)

// readYAMLHead reads role, name and states of a line. A name is in quotes, so that no text of a page passes for a ref.
func readYAMLHead(line string) (h headOfLine) {
	at := len("- ")
	if !strings.HasPrefix(line, "- ") {
		return h
	}
	if strings.HasPrefix(line[at:], "'") {
		at++
	}
	from := at
	for at < len(line) && (line[at] >= 'a' && line[at] <= 'z' || line[at] == '-') {
		at++
	}
	h.role = line[from:at]
	if h.role == "" {
		return h
	}
	if strings.HasPrefix(line[at:], ` "`) {
		for at += 2; at < len(line) && line[at] != '"'; at++ {
			if line[at] == '\\' {
				at++
			}
		}
		h.named = true
		at++
	}
	for at < len(line) && strings.HasPrefix(line[at:], " [") {
		n := strings.IndexByte(line[at:], ']')
		if n < 0 {
			break
		}
		state := line[at+2 : at+n]
		switch name, value, _ := strings.Cut(state, "="); name {
		case "ref":
			if yamlRef.MatchString(value) {
				h.ref = value
			}
		case "active", "cursor":
			h.active = true
		case "box":
			b := new(Box)
			if _, err := fmt.Sscanf(value, "%g,%g,%g,%g", &b.X, &b.Y, &b.Width, &b.Height); err == nil {
				h.box, h.boxAt = b, span{at, at + n + 1}
			}
		}
		at += n + 1
	}
	h.named = h.named || at < len(line) && strings.HasPrefix(strings.TrimPrefix(line[at:], "'"), ": ")
	return h
}

// readTaggedHead reads the id of a line and what its element is.
func readTaggedHead(line string) (h headOfLine) {
	inner, text, found := strings.Cut(strings.TrimPrefix(line, "["), "]")
	if !found || !strings.HasPrefix(line, "[") {
		return h
	}
	h.ref, h.role, _ = strings.Cut(inner, " ")
	h.role, _, _ = strings.Cut(h.role, " ")
	h.named = strings.TrimSpace(text) != ""
	return h
}

// newOutline reads a snapshot. A ref that a page's answer has twice counts once.
func newOutline(text string, form outlineForm) *outline {
	o := &outline{form: form, byRef: make(map[string]int), nodes: []outlineNode{{depth: -1, end: 1}}}
	open := []int{0} // the nodes that the line before lies in, and itself
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		bare := strings.TrimLeft(line, " ")
		depth := min((len(line)-len(bare))/2, len(open)-1)
		n := outlineNode{headOfLine: form.head(bare), text: bare, depth: depth, parent: open[depth]}
		if n.box != nil {
			n.text = bare[:n.boxAt[0]] + bare[n.boxAt[1]:]
		}
		if _, twice := o.byRef[n.ref]; twice {
			n.ref = ""
		}
		if n.ref != "" {
			o.byRef[n.ref] = len(o.nodes)
		}
		for _, left := range open[depth+1:] {
			o.nodes[left].end = len(o.nodes)
		}
		open = append(open[:depth+1], len(o.nodes))
		o.nodes = append(o.nodes, n)
	}
	for _, left := range open {
		o.nodes[left].end = len(o.nodes)
	}
	return o
}

// writeLine adds a line to a text.
func writeLine(b *strings.Builder, depth int, text string) {
	for range depth {
		b.WriteString("  ")
	}
	b.WriteString(text)
	b.WriteByte('\n')
}

// text is the snapshot again.
func (o *outline) text() string {
	var b strings.Builder
	for _, n := range o.nodes[1:] {
		writeLine(&b, n.depth, n.text)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// part keeps some nodes. The nodes that one lies in must be kept with it.
func (o *outline) part(keep []bool) *outline {
	p := &outline{form: o.form, byRef: make(map[string]int), nodes: make([]outlineNode, 0, len(o.nodes))}
	at := make([]int, len(o.nodes)+1) // where a node is in p, or the next that is kept
	for i, n := range o.nodes {
		at[i] = len(p.nodes)
		if !keep[i] {
			continue
		}
		if n.ref != "" {
			p.byRef[n.ref] = len(p.nodes)
		}
		p.nodes = append(p.nodes, n)
	}
	at[len(o.nodes)] = len(p.nodes)
	for i := range p.nodes {
		p.nodes[i].parent, p.nodes[i].end = at[p.nodes[i].parent], at[p.nodes[i].end]
	}
	return p
}

// item is a line in a node with a ref, down to the next ones with refs, which are what the ref stands for.
type item struct {
	depth int // 0 for those right below the node
	ref   string
	text  string // where it has no ref
}

// items lists what lies in a node. at has the node of each.
func (o *outline) items(node int) (list []item, at []int) {
	for i := node + 1; i < o.nodes[node].end; {
		n := &o.nodes[i]
		it := item{depth: n.depth - o.nodes[node].depth - 1, ref: n.ref}
		if n.ref == "" {
			it.text = n.text
		}
		list, at = append(list, it), append(at, i)
		if n.ref != "" {
			i = n.end
		} else {
			i++
		}
	}
	return list, at
}

// owner is the ref of the nearest node around one that has a ref; "" is the page.
func (o *outline) owner(node int) string {
	for node = o.nodes[node].parent; node > 0 && o.nodes[node].ref == ""; {
		node = o.nodes[node].parent
	}
	return o.nodes[node].ref
}

// nodeOf is the node of a ref; "" is the page.
func (o *outline) nodeOf(ref string) (node int, there bool) {
	if ref == "" {
		return 0, true
	}
	node, there = o.byRef[ref]
	return node, there
}

// sameMark begins what a delta says of lines that are as they were.
const sameMark = "... "

// removedMark begins the first line of a delta, if elements have gone.
const removedMark = "removed: "

// delta is what turns the snapshot before into this one; "" where both are the same.
//
//   - removed: e4, e7..e9
//   - checkbox "Agree" [checked] [ref=e21]
//   - list [ref=e47]:
//   - ... e48..e49
//   - listitem [ref=e70]: New
//
// The elements of the first line have gone, with all that lies in them. Each line at the left is an element as it is
// now, with all lines in it, and "- page:" is the page. In it "... e48" is an element as the client knows it, which has
// left the place where it was, and "... e48..e49" the lines of this element from one to the other, as far as they are
// there still. "... lines 3..9" counts these lines from 1, where they do not begin and end with refs. Everything else is as it was.
func (o *outline) delta(before *outline) string {
	d := deltaWriter{now: o, before: before}
	d.writeRemoved()
	for i := range o.nodes {
		ref := o.nodes[i].ref
		if was, known := before.nodeOf(ref); known && (ref != "" || i == 0) {
			d.writeChanged(i, was)
		}
	}
	return strings.TrimSuffix(d.b.String(), "\n")
}

// deltaWriter writes a delta.
type deltaWriter struct {
	now, before *outline
	b           strings.Builder
}

// leaves reports whether an item of a node in the snapshot before is not in that node any more.
func (d *deltaWriter) leaves(it item, owner string) bool {
	if it.ref == "" {
		return false
	}
	node, there := d.now.byRef[it.ref]
	return !there || d.now.owner(node) != owner
}

// writeRemoved writes which elements have gone. Of several that lie in each other, it names the outermost.
func (d *deltaWriter) writeRemoved() {
	var gone []string
	for i := range d.before.nodes {
		ref := d.before.nodes[i].ref
		if _, stays := d.now.nodeOf(ref); !stays || ref == "" && i > 0 {
			continue
		}
		list, _ := d.before.items(i)
		isGone := func(it item) bool { _, there := d.now.nodeOf(it.ref); return !there }
		for from := 0; from < len(list); from++ {
			if !isGone(list[from]) {
				continue
			}
			to := from
			for to+1 < len(list) && isGone(list[to+1]) {
				to++
			}
			name := list[from].ref
			if to > from {
				name += ".." + list[to].ref
			}
			gone = append(gone, name)
			from = to
		}
	}
	if gone != nil {
		writeLine(&d.b, 0, d.now.form.bullet+removedMark+strings.Join(gone, ", "))
	}
}

// writeChanged writes a node that was there before, if it is another now.
func (d *deltaWriter) writeChanged(node, was int) {
	n := &d.now.nodes[node]
	now, at := d.now.items(node)
	list, _ := d.before.items(was)
	known := make(map[item][]int) // where the items that stay were
	var left []int
	for i, it := range list {
		if !d.leaves(it, n.ref) {
			known[it] = append(known[it], i)
			left = append(left, i)
		}
	}
	if n.text == d.before.nodes[was].text && slices.EqualFunc(left, now, func(i int, it item) bool { return list[i] == it }) {
		return
	}
	if node == 0 {
		writeLine(&d.b, 0, d.now.form.page)
	} else {
		writeLine(&d.b, 0, n.text)
	}
	next := 0 // where in left the next item probably is
	order := make(map[int]int, len(left))
	for i, was := range left {
		order[was] = i
	}
	place := func(it item) int { // in left
		places := known[it]
		i, _ := slices.BinarySearchFunc(places, next, func(was, next int) int { return order[was] - next })
		switch {
		case len(places) == 0:
			return -1
		case i == len(places):
			return order[places[0]]
		}
		return order[places[i]]
	}
	places := make([]int, len(now)) // in left, or -1 for what is written in full
	for i, it := range now {
		if places[i] = place(it); places[i] >= 0 {
			next = places[i] + 1
		}
	}
	writeAround(now, places)
	for i := 0; i < len(now); {
		from, first := places[i], i
		if from < 0 {
			d.writeNew(at[i], 1+now[i].depth)
			i++
			continue
		}
		for i++; i < len(now) && places[i] == places[i-1]+1; {
			i++
		}
		d.writeSame(now[first:i], left[from], left[places[i-1]])
	}
}

// writeAround has the lines be written in full that lie around one that is written by itself, so that each stands
// below the line that it lies in.
func writeAround(now []item, places []int) {
	var path []int // the items that the one before lies in, and itself
	around := make([]int, len(now))
	for i, it := range now {
		path = path[:min(it.depth, len(path))]
		around[i] = -1
		if len(path) > 0 {
			around[i] = path[len(path)-1]
		}
		path = append(path, i)
	}
	for again := true; again; {
		again = false
		for i := range now {
			begins := places[i] < 0 || i == 0 || places[i-1] < 0 || places[i] != places[i-1]+1
			if in := around[i]; begins && in >= 0 && places[in] >= 0 {
				places[in], again = -1, true
			}
		}
	}
}

// shortRun is up to which length lines without refs are repeated.
const shortRun = 60

// writeSame writes items that are as they were from one place in their node to another.
func (d *deltaWriter) writeSame(list []item, from, to int) {
	bare := !slices.ContainsFunc(list, func(it item) bool { return it.ref != "" })
	length := 0
	for _, it := range list {
		length += len(it.text)
	}
	mark := d.now.form.bullet + sameMark
	switch first, last := list[0], list[len(list)-1]; {
	case bare && length <= shortRun:
		for _, it := range list {
			writeLine(&d.b, 1+it.depth, it.text)
		}
	case len(list) == 1 && !bare:
		writeLine(&d.b, 1+first.depth, mark+first.ref)
	case first.ref != "" && last.ref != "":
		writeLine(&d.b, 1+first.depth, mark+first.ref+".."+last.ref)
	default:
		writeLine(&d.b, 1+first.depth, fmt.Sprintf("%slines %d..%d", mark, from+1, to+1))
	}
}

// writeNew writes a node that was not in this place before.
func (d *deltaWriter) writeNew(node, depth int) {
	n := &d.now.nodes[node]
	if _, known := d.before.byRef[n.ref]; known {
		writeLine(&d.b, depth, d.now.form.bullet+sameMark+n.ref)
		return
	}
	writeLine(&d.b, depth, n.text)
	if n.ref == "" {
		return // what lies in it are items of their own
	}
	list, at := d.now.items(node)
	for i, it := range list {
		d.writeNew(at[i], depth+1+it.depth)
	}
}
