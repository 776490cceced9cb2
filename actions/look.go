package actions

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"unicode/utf8"
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
	case json.Unmarshal(data, &text) == nil:
	case json.Unmarshal(data, &budget) == nil && budget.Tokens != "":
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

	shown string // what the caller knows then, as a snapshot
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

// Look reads the page as SnapshotYAML does, for an answer of at most so many characters; 0 is any number, up to
// MaxSnapshot bytes. What is longer is cut by importance, see Cut. A delta is given if the caller was shown this
// document before, and if it is shorter than all of it.
func (p *Page) Look(ctx context.Context, m SnapshotMode, most int) (l Look, err error) {
	if m.Kind == NoSnapshot {
		return l, nil
	}
	most = cmp.Or(m.Characters(), most)
	s, err := p.SnapshotYAML(ctx, YAMLOptions{})
	if err != nil {
		return l, err
	}
	var view Viewport
	if most > 0 && utf8.RuneCountInString(s.Text) > most {
		if boxed, view2, failed := p.boxedSnapshot(ctx); failed == nil {
			s, view = boxed, view2
		}
	}
	var before string
	if m.Kind == DeltaSnapshot {
		before = p.shownText()
	}
	whole := newOutline(s.Text, yamlForm)
	l = showOutline(whole, before, most, view)
	if l.Whole = s; view != (Viewport{}) {
		l.Whole.Text = whole.text()
	}
	if l.Cut != nil {
		l.Cut.More = s.Cut
	}
	return l.remembered(p), nil
}

// boxedSnapshot reads the page with the boxes of its elements, and its size.
func (p *Page) boxedSnapshot(ctx context.Context) (s YAMLSnapshot, view Viewport, err error) {
	if view, err = p.ViewportSize(ctx); err != nil {
		return s, view, err
	}
	s, err = p.SnapshotYAML(ctx, YAMLOptions{Boxes: true, Most: MaxSearched})
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

func (p *Page) shownText() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.shown
}

// showOutline is what an answer shows of a snapshot, for a caller that was shown another one before, or none ("").
func showOutline(whole *outline, before string, most int, view Viewport) (l Look) {
	known := newOutline(before, whole.form)
	part := whole.within(most, view, nil, &l.Cut)
	l.shown = part.text()
	l.Text = l.shown
	if before == "" {
		return l
	}
	var cut *Cut
	next := whole.within(most, view, known, &cut)
	if delta := next.delta(known); len(delta) < len(l.Text) {
		l = Look{Text: delta, Delta: true, Cut: cut, shown: next.text()}
	}
	return l
}

// within is the part of a snapshot that has at most so many characters, beside what the caller knows. most is 0 for
// all of it. cut gets what is missing.
func (o *outline) within(most int, view Viewport, known *outline, cut **Cut) *outline {
	if most == 0 {
		return o
	}
	keep := o.choose(most, view, func(node int) bool { return known != nil && o.knows(node, known) })
	for _, kept := range keep {
		if !kept {
			c := o.cutOf(keep)
			*cut = &c
			return o.part(keep)
		}
	}
	return o
}

// knows reports whether a line was there before: its element, or the same line in its element.
func (o *outline) knows(node int, before *outline) bool {
	n := &o.nodes[node]
	if n.ref != "" {
		_, there := before.byRef[n.ref]
		return there
	}
	return before.plainLines()[plainLine{o.owner(node), n.text}]
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
