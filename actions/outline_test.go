package actions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// applyDelta does what the comment of outline.delta tells a client to do.
func applyDelta(t *testing.T, text, delta string) string {
	t.Helper()
	before, change := newOutline(text, yamlForm), newOutline(delta, yamlForm)
	type element struct {
		line  string
		items []item
	}
	page, owners := map[string]element{}, map[string]string{}
	for i, n := range before.nodes {
		if n.ref == "" && i > 0 {
			continue
		}
		list, _ := before.items(i)
		page[n.ref] = element{n.text, list}
		for _, it := range list {
			owners[it.ref] = n.ref
		}
	}
	gone := map[string]bool{}
	changed := map[string]element{}
	moved := map[string]string{} // to which element
	var take func(node int, ref string)
	take = func(node int, ref string) {
		list, at := change.items(node)
		changed[ref] = element{change.nodes[node].text, list}
		for i, it := range list {
			if it.ref != "" {
				moved[it.ref] = ref
				take(at[i], it.ref)
			} else if same, is := strings.CutPrefix(it.text, "- ... "); is && !strings.Contains(same, "..") {
				moved[same] = ref
			}
		}
	}
	for i, n := range change.nodes {
		switch list, removed := strings.CutPrefix(n.text, "- removed: "); {
		case n.depth != 0:
		case removed:
			for _, name := range strings.Split(list, ", ") {
				first, last, several := strings.Cut(name, "..")
				if !several {
					last = first
				}
				in := page[owners[first]].items
				from := slices.IndexFunc(in, func(it item) bool { return it.ref == first })
				to := slices.IndexFunc(in, func(it item) bool { return it.ref == last })
				if from < 0 || to < from {
					t.Fatalf("%s is not there:\n%s", name, text)
				}
				for _, it := range in[from : to+1] {
					gone[it.ref] = true
				}
			}
		case n.text == "- page:":
			take(i, "")
		default:
			take(i, n.ref)
		}
	}
	stays := func(it item, owner string) bool {
		to, leaves := moved[it.ref]
		return it.ref == "" || !gone[it.ref] && (!leaves || to == owner)
	}
	after := map[string]element{}
	for ref, e := range page {
		kept := element{line: e.line}
		for _, it := range e.items {
			if stays(it, ref) {
				kept.items = append(kept.items, it)
			}
		}
		after[ref] = kept
	}
	for ref, e := range changed {
		now := element{line: e.line}
		for _, it := range e.items {
			same, is := strings.CutPrefix(it.text, "- ... ")
			lines, counted := strings.CutPrefix(same, "lines ")
			first, last, several := strings.Cut(lines, "..")
			was := page[ref].items
			from, to := 0, 0
			switch {
			case !is:
				now.items = append(now.items, it)
				continue
			case !several:
				now.items = append(now.items, item{depth: it.depth, ref: same})
				continue
			case counted:
				if _, err := fmt.Sscan(first, &from); err != nil {
					t.Fatal(err)
				}
				if _, err := fmt.Sscan(last, &to); err != nil {
					t.Fatal(err)
				}
				from--
			default:
				from = slices.IndexFunc(was, func(it item) bool { return it.ref == first })
				to = slices.IndexFunc(was, func(it item) bool { return it.ref == last }) + 1
			}
			for _, it := range was[from:to] {
				if stays(it, ref) {
					now.items = append(now.items, it)
				}
			}
		}
		after[ref] = now
	}
	var b strings.Builder
	var write func(ref string, depth int)
	write = func(ref string, depth int) {
		for _, it := range after[ref].items {
			if it.ref == "" {
				writeLine(&b, depth+it.depth, it.text)
				continue
			}
			writeLine(&b, depth+it.depth, after[it.ref].line)
			write(it.ref, depth+it.depth+1)
		}
	}
	write("", 0)
	return strings.TrimSuffix(b.String(), "\n")
}

// madeElement is an element of a page that a test makes up.
type madeElement struct {
	words    string
	ref      string // "" for a line without one
	children []*madeElement
}

// madePage is such a page.
type madePage struct {
	*rand.Rand
	root *madeElement
	last int
}

func (m *madePage) make(depth int) *madeElement {
	e := &madeElement{words: []string{"button", "list", "generic", "listitem", "heading", "iframe"}[m.IntN(6)] + ` "` + m.word() + `"`}
	switch m.IntN(5) {
	case 0:
		return &madeElement{words: "text: " + m.word()}
	case 1:
		e.words = []string{"group", "option \"A [ref=e1]\"", "/url: /a"}[m.IntN(3)]
	default:
		m.last++
		e.ref = fmt.Sprintf("e%d", m.last)
	}
	for range m.IntN(4) {
		if depth < 4 && !strings.HasPrefix(e.words, "/") {
			e.children = append(e.children, m.make(depth+1))
		}
	}
	return e
}

func (m *madePage) word() string {
	return []string{"One", "Two", "It's", `a \"b`, "[ref=e1]"}[m.IntN(5)]
}

// all lists the elements that may have others in them.
func (m *madePage) all() (list []*madeElement) {
	var walk func(*madeElement)
	walk = func(e *madeElement) {
		if !strings.HasPrefix(e.words, "text") && !strings.HasPrefix(e.words, "/") {
			list = append(list, e)
		}
		for _, c := range e.children {
			walk(c)
		}
	}
	walk(m.root)
	return list
}

// change changes the page in one way.
func (m *madePage) change() {
	list := m.all()
	e := list[m.IntN(len(list))]
	at := m.IntN(len(e.children) + 1)
	switch m.IntN(6) {
	case 0:
		e.children = slices.Insert(e.children, at, m.make(2))
	case 1:
		if at < len(e.children) {
			e.children = slices.Delete(e.children, at, at+1)
		}
	case 2:
		if e.ref != "" {
			e.words = "button \"" + m.word() + `"`
		}
	case 3:
		m.Shuffle(len(e.children), func(i, j int) { e.children[i], e.children[j] = e.children[j], e.children[i] })
	case 4: // into a new element
		m.last++
		e.children = []*madeElement{{words: "generic", ref: fmt.Sprintf("e%d", m.last), children: e.children}}
	case 5: // elsewhere
		if at == len(e.children) {
			return
		}
		c := e.children[at]
		e.children = slices.Delete(e.children, at, at+1)
		list = m.all()
		to := list[m.IntN(len(list))]
		to.children = append(to.children, c)
	}
}

func (m *madePage) text() string {
	var b strings.Builder
	var write func(e *madeElement, depth int)
	write = func(e *madeElement, depth int) {
		for _, c := range e.children {
			line := "- " + c.words
			if c.ref != "" {
				line += " [ref=" + c.ref + "] [cursor=pointer]"
			}
			if strings.Contains(c.words, "'") {
				line = "- '" + strings.ReplaceAll(line[2:], "'", "''") + "'"
			}
			if len(c.children) > 0 {
				line += ":"
			}
			writeLine(&b, depth, line)
			write(c, depth+1)
		}
	}
	write(m.root, 0)
	return strings.TrimSuffix(b.String(), "\n")
}

func newMadePage(seed uint64) *madePage {
	m := &madePage{Rand: rand.New(rand.NewPCG(seed, 1)), root: &madeElement{}}
	for range 1 + m.IntN(5) {
		m.root.children = append(m.root.children, m.make(0))
	}
	return m
}

// TestR440DeltaIsWhatChanged changes pages in all ways, and adds each delta to what was there before.
func TestR440DeltaIsWhatChanged(t *testing.T) {
	for seed := range uint64(1000) {
		m := newMadePage(seed)
		before := m.text()
		if got := newOutline(before, yamlForm).text(); got != before {
			t.Fatalf("seed %d: read and written again:\n%s\nit was:\n%s", seed, got, before)
		}
		for step := range 4 {
			for range m.IntN(4) {
				m.change()
			}
			now := m.text()
			delta := newOutline(now, yamlForm).delta(newOutline(before, yamlForm))
			if (delta == "") != (now == before) {
				t.Fatalf("seed %d, step %d: the delta is %q from\n%s\nto\n%s", seed, step, delta, before, now)
			}
			if got := applyDelta(t, before, delta); got != now {
				t.Fatalf("seed %d, step %d: from\n%s\nthe delta\n%s\nleads to\n%s\nwant\n%s", seed, step, before, delta, got, now)
			}
			before = now
		}
	}
}

// TestR440DeltaOfWhatIsShown is the same where not all of a page is shown: what the caller has been shown, and the
// delta, are a part of the page, with all that it knew and that is there still.
func TestR440DeltaOfWhatIsShown(t *testing.T) {
	deltas := 0
	for seed := range uint64(800) {
		m := newMadePage(seed)
		most := 60 + m.IntN(400)
		before := shownPage{}
		for range 5 {
			whole := newOutline(m.text(), yamlForm)
			l := showOutline(whole, before, most, Viewport{})
			if !l.Delta && utf8.RuneCountInString(l.Text) > most {
				t.Fatalf("seed %d: %d characters, want at most %d:\n%s", seed, len(l.Text), most, l.Text)
			}
			if l.Delta {
				deltas++
				if got := applyDelta(t, before.part, l.Text); got != l.shown.part {
					t.Fatalf("seed %d: from\n%s\nthe delta\n%s\nleads to\n%s\nwant\n%s", seed, before.part, l.Text, got, l.shown.part)
				}
			}
			shown := newOutline(l.shown.part, yamlForm)
			for ref, node := range shown.byRef {
				if at, there := whole.byRef[ref]; !there || whole.nodes[at].text != shown.nodes[node].text {
					t.Fatalf("seed %d: %s is shown as %s", seed, ref, shown.nodes[node].text)
				}
			}
			if l.Delta {
				for ref := range newOutline(before.part, yamlForm).byRef {
					_, there := whole.byRef[ref]
					if _, kept := shown.byRef[ref]; there != kept {
						t.Fatalf("seed %d: %s, which was shown, is there: %t, and shown: %t", seed, ref, there, kept)
					}
				}
			}
			if !l.Delta && (l.Cut == nil) != (len(shown.nodes) == len(whole.nodes)) || l.Cut != nil && (l.Cut.All != len(whole.nodes)-1 || l.Cut.Shown != len(shown.nodes)-1) {
				t.Fatalf("seed %d: %d of %d lines are shown, and the answer says %+v", seed, len(shown.nodes)-1, len(whole.nodes)-1, l.Cut)
			}
			before = l.shown
			m.change()
		}
	}
	if deltas < 400 {
		t.Errorf("%d deltas, want many", deltas)
	}
}
