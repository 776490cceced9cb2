package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
)

// SnapshotMode says how much of the page an answer shows. The zero value is none that was chosen.
//
// In JSON it is "none", "delta", "full", or {"tokens": N}. As a text, N stands for the latter.
type SnapshotMode struct {
	Kind   SnapshotKind
	Tokens int // that it may have, each counted as four characters; 0 where nothing was said
}

// SnapshotKind is what an answer shows of the page.
type SnapshotKind string

// The kinds of snapshots in answers.
const (
	NoSnapshot    SnapshotKind = "none"
	DeltaSnapshot SnapshotKind = "delta" // what has changed since the caller was last shown the page
	FullSnapshot  SnapshotKind = "full"
)

// ParseSnapshotMode reads a mode as a text; "" is the zero value.
func ParseSnapshotMode(text string) (m SnapshotMode, err error) {
	switch kind := SnapshotKind(text); kind {
	case "", NoSnapshot, DeltaSnapshot, FullSnapshot:
		return SnapshotMode{Kind: kind}, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return m, invalidArgument("snapshot: %.40q is neither none, delta, full, nor a number of tokens", text)
	}
	return SnapshotMode{FullSnapshot, n}, nil
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *SnapshotMode) UnmarshalJSON(data []byte) (err error) {
	var text string
	var budget struct {
		Tokens json.Number `json:"tokens"`
	}
	switch {
	case wire.Decode(data, &text) == nil:
	case wire.Decode(data, &budget) == nil && budget.Tokens != "":
		text = budget.Tokens.String()
	default:
		text = string(data)
	}
	*m, err = ParseSnapshotMode(text)
	return err
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *SnapshotMode) UnmarshalText(text []byte) (err error) {
	*m, err = ParseSnapshotMode(string(text))
	return err
}

// Look is the page as an answer shows it.
type Look struct {
	Text  string // a snapshot, or a delta; "" for a page that shows nothing
	Delta bool   // Text is what has changed since the caller was last shown the page; "" when nothing has
	Cut   *Cut   // what is not shown; nil where all is
	Whole YAMLSnapshot

	shown shownPage // what the caller knows then
	seen  func()
}

// Seen says that the caller has got the look: the next delta begins from it.
func (l Look) Seen() {
	if l.seen != nil {
		l.seen()
	}
}

// Characters is how many characters a mode allows; 0 where it says nothing of that.
func (m SnapshotMode) Characters() int { return min(m.Tokens, MaxSnapshot) * charactersPerToken }

// LookOptions are for Look.
type LookOptions struct {
	Mode   SnapshotMode
	Most   int     // characters, where the mode says nothing of that; 0 is any number, up to MaxSnapshot bytes
	NoRefs bool    // as in YAMLOptions; for FullSnapshot
	Root   Locator // the same
}

// Look reads the page as SnapshotYAML does. What is longer than the mode allows is cut by importance, see Cut. A delta is
// given if the caller was shown the page before, and if it is shorter than all of it.
func (p *Page) Look(ctx context.Context, o LookOptions) (l Look, err error) {
	m, whole := o.Mode, !o.NoRefs && o.Root == nil
	switch {
	case m.Kind == NoSnapshot:
		return l, nil
	case m.Kind == DeltaSnapshot && !whole:
		return l, invalidArgument("snapshot: a delta is of the whole page, and by refs")
	}
	most := cmp.Or(m.Characters(), o.Most)
	asked := YAMLOptions{NoRefs: o.NoRefs, Root: o.Root}
	if most > 0 { // what is longer is read again
		asked.Most = min(most, MaxSnapshot/utf8.UTFMax) * utf8.UTFMax
	}
	s, err := p.SnapshotYAML(ctx, asked)
	if err != nil {
		return l, err
	}
	var view Viewport
	if most > 0 && (s.Cut || utf8.RuneCountInString(s.Text) > most) {
		if boxed, view2, failed := p.boxedSnapshot(ctx, asked); failed == nil {
			s, view = boxed, view2
		}
	}
	var before shownPage
	if m.Kind == DeltaSnapshot {
		before = p.shownBefore()
	}
	l = showOutline(newOutline(s.Text, yamlForm), before, most, view)
	l.Whole = s
	l.Whole.Text = l.shown.whole // without boxes
	if l.Cut != nil {
		l.Cut.More = s.Cut
	}
	if !whole {
		return l, nil
	}
	return l.remembered(p), nil
}

// LookTagged is Look for SnapshotTagged, whose lines are cut by importance alone.
func (p *Page) LookTagged(ctx context.Context, m SnapshotMode, o TaggedOptions) (s TaggedSnapshot, l Look, err error) {
	if m.Kind == NoSnapshot {
		return s, l, nil
	}
	if s, err = p.SnapshotTagged(ctx, o); err != nil {
		return s, l, err
	}
	var before shownPage
	if m.Kind == DeltaSnapshot {
		before = p.shownBefore()
	}
	l = showOutline(newOutline(s.Markdown, taggedForm), before, m.Characters(), Viewport{})
	return s, l.remembered(p), nil
}

// boxedSnapshot reads the page with the boxes of its elements, and its size.
func (p *Page) boxedSnapshot(ctx context.Context, o YAMLOptions) (s YAMLSnapshot, view Viewport, err error) {
	if view, err = p.ViewportSize(ctx); err != nil {
		return s, view, err
	}
	o.Boxes, o.Most = true, MaxSnapshot
	s, err = p.SnapshotYAML(ctx, o)
	return s, view, err
}

// remembered has Seen remember what is shown, which seen holds until then.
func (l Look) remembered(p *Page) Look {
	shown := l.shown
	l.seen = func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.shown = shown
	}
	return l
}

// shownPage is what a caller was shown of a page, and the whole of it at that time. Both are snapshots.
type shownPage struct{ part, whole string }

func (p *Page) shownBefore() shownPage {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

// showOutline is what an answer shows of a snapshot, for a caller that was shown another one before, or none.
func showOutline(whole *outline, before shownPage, most int, view Viewport) (l Look) {
	all := whole.text()
	keep := whole.all()
	if most > 0 {
		keep = whole.choose(most, view, func(int) novelty { return isNew })
	}
	l.Cut = whole.cutOf(keep)
	l.Text = whole.part(keep).text()
	l.shown = shownPage{l.Text, all}
	if before.part == "" {
		return l
	}
	known, earlier := newOutline(before.part, whole.form), newOutline(before.whole, whole.form)
	keep = whole.all()
	unseen := false // something new is not shown
	if most > 0 {
		news := func(node int) novelty { return whole.noveltyOf(node, known, earlier) }
		keep = whole.choose(most, view, news)
		unseen = slices.ContainsFunc(whole.missing(keep), func(node int) bool { return news(node) == isNew })
	}
	next := whole.part(keep)
	if delta := next.delta(known); len(delta) < len(l.Text) {
		l = Look{Text: delta, Delta: true, shown: shownPage{next.text(), all}}
		if unseen {
			l.Cut = whole.cutOf(keep)
		}
	}
	return l
}

// all keeps each node.
func (o *outline) all() []bool { return slices.Repeat([]bool{true}, len(o.nodes)) }

// missing lists the nodes that are not kept.
func (o *outline) missing(keep []bool) (list []int) {
	for i := range keep {
		if !keep[i] {
			list = append(list, i)
		}
	}
	return list
}

// noveltyOf says what a node is to a caller: by its ref, or as a line in its element.
func (o *outline) noveltyOf(node int, known, earlier *outline) novelty {
	has := func(before *outline) bool {
		if ref := o.nodes[node].ref; ref != "" {
			_, there := before.byRef[ref]
			return there
		}
		return before.plainLines()[plainLine{o.owner(node), o.nodes[node].text}]
	}
	switch {
	case has(known):
		return isShown
	case has(earlier):
		return isHidden
	}
	return isNew
}

// plainLine is a line without a ref, with the ref of the element that it lies in.
type plainLine struct{ owner, text string }

// plainLines is the set of lines without refs.
func (o *outline) plainLines() map[plainLine]bool {
	if o.plain == nil {
		o.plain = make(map[plainLine]bool)
		for i := 1; i < len(o.nodes); i++ {
			if o.nodes[i].ref == "" {
				o.plain[plainLine{o.owner(i), o.nodes[i].text}] = true
			}
		}
	}
	return o.plain
}
