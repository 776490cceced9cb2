package actions

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// charactersPerToken is how many characters of a snapshot are counted as one token of a model.
const charactersPerToken = 4

// interactive are the roles of elements that one acts on, and of those that a page asks or tells something with.
// Those of SnapshotTagged are names of HTML.
var interactive = makeSet(
	"alert", "alertdialog", "button", "checkbox", "combobox", "dialog", "link", "listbox", "menuitem", "menuitemcheckbox", "menuitemradio",
	"radio", "searchbox", "slider", "spinbutton", "status", "switch", "tab", "textbox", "treeitem",
	"input", "select", "textarea",
)

func makeSet(names ...string) map[string]bool {
	set := make(map[string]bool, len(names))
	for _, name := range names {
		set[name] = true
	}
	return set
}

// priorities says how late each node comes where not all can be shown: those in view come before the others, in each half
// those that one acts on, then headings and others that are named, then the rest, and links' addresses at last. Where
// no node has a box, all are in view.
func (o *outline) priorities(view Viewport) []int {
	const parts = 4
	list, areas := make([]int, len(o.nodes)), make([]Box, len(o.nodes)) // the viewport of the frame that each node lies in
	areas[0] = Box{Width: float64(view.Width), Height: float64(view.Height)}
	away := make([]bool, len(o.nodes))
	for i := 1; i < len(o.nodes); i++ {
		n := &o.nodes[i]
		area := areas[n.parent]
		away[i] = away[n.parent] && n.box == nil || n.box != nil && !boxesMeet(*n.box, area)
		if areas[i] = area; n.role == "iframe" && n.box != nil {
			areas[i] = Box{Width: n.box.Width, Height: n.box.Height}
			if away[i] {
				areas[i] = Box{X: -1, Y: -1} // nothing in it is in view
			}
		}
		switch {
		case interactive[n.role] || n.active:
			list[i] = 0
		case n.role == "":
			list[i] = parts - 1
		case n.role == "text" && n.parent > 0:
			list[i] = list[n.parent] % parts
		case n.named || n.role == "heading":
			list[i] = 1
		default:
			list[i] = 2
		}
		if away[i] {
			list[i] += parts
		}
	}
	return list
}

// boxesMeet reports whether two boxes have a point in common. A box without a size is a point.
func boxesMeet(a, b Box) bool {
	return a.X < b.X+b.Width && b.X < a.X+max(a.Width, 1) && a.Y < b.Y+b.Height && b.Y < a.Y+max(a.Height, 1)
}

// novelty is what a node is to a caller.
type novelty int

const (
	isNew    novelty = iota // it has come since the caller was shown the page
	isHidden                // it was there, and was not shown
	isShown                 // it was shown
)

// choose says which nodes are shown in so many characters, with the nodes that they lie in. What was shown before is kept
// in any case. What has come since then has all of the characters, and what was there has those that are left of all.
func (o *outline) choose(characters int, view Viewport, news func(node int) novelty) (keep []bool) {
	keep = make([]bool, len(o.nodes))
	keep[0] = true
	cost := func(i int) (n int) {
		for ; !keep[i]; i = o.nodes[i].parent {
			n += 2*o.nodes[i].depth + utf8.RuneCountInString(o.nodes[i].text) + 1
		}
		return n
	}
	take := func(i int) {
		for ; !keep[i]; i = o.nodes[i].parent {
			keep[i] = true
		}
	}
	left := characters // of all
	list := make([]novelty, len(o.nodes))
	for i := range o.nodes {
		if list[i] = isShown; i > 0 {
			list[i] = news(i)
		}
		if list[i] == isShown {
			left -= cost(i)
			take(i)
		}
	}
	late := o.priorities(view)
	order := make([]int, len(o.nodes))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(late[a], late[b]) })
	for _, i := range order {
		if n := cost(i); list[i] == isNew && n <= characters {
			characters -= n
			left -= n
			take(i)
		}
	}
	for _, i := range order {
		if n := cost(i); n <= left {
			left -= n
			take(i)
		}
	}
	return keep
}

// Cut says what a snapshot does not show.
type Cut struct {
	Shown int    // lines
	All   int    // lines
	Most  []Left // where most is missing: the three largest
	More  bool   // the page has more than all of these, beyond MaxSnapshot
}

// Left is a part of the page of which lines are not shown.
type Left struct {
	Ref   string // of the element that they lie in; "" for the page
	Lines int
}

// cutOf says what is not kept; nil where all is.
func (o *outline) cutOf(keep []bool) *Cut {
	missing := len(o.missing(keep))
	if missing == 0 {
		return nil
	}
	c := &Cut{Shown: len(o.nodes) - 1 - missing, All: len(o.nodes) - 1}
	in := make(map[string]int)
	for i := 1; i < len(o.nodes); i++ {
		if !keep[i] {
			in[o.owner(i)] += o.nodes[i].end - i
			i = o.nodes[i].end - 1
		}
	}
	for ref, lines := range in {
		c.Most = append(c.Most, Left{ref, lines})
	}
	slices.SortFunc(c.Most, func(a, b Left) int { return cmp.Or(b.Lines-a.Lines, cmp.Compare(a.Ref, b.Ref)) })
	c.Most = c.Most[:min(len(c.Most), 3)]
	return c
}
