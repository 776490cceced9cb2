package actions

import "context"

// Box is a rectangle in CSS pixels of the viewport.
type Box struct {
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
	Width  float64 `json:"width"`
	Height float64 `json:"height"`
}

// Element is an entry of SnapshotElements, as browser.* (JSON-RPC) names it.
type Element struct {
	RefID    string    `json:"ref_id"` // of the scheme Aria: "button[0]"
	Role     string    `json:"role"`
	Name     *string   `json:"name"`
	Value    *string   `json:"value"`
	State    []string  `json:"state"`
	Bounds   Box       `json:"bounds"`
	Children []Element `json:"children,omitempty"`
}

// ElementsSnapshot is the page as a tree of elements with bounds.
type ElementsSnapshot struct {
	PageTitle  string    `json:"page_title"`
	PageURL    string    `json:"page_url"`
	FocusedRef *string   `json:"focused_ref"`
	Elements   []Element `json:"elements"`
	Truncated  bool      `json:"-"` // beyond 1 MiB
}

// SnapshotElements reads the page as a tree of elements with roles, names, states and
// bounds. A tree longer than MaxSnapshot is cut, and its last element says so.
func (p *Page) SnapshotElements(ctx context.Context) (s ElementsSnapshot, err error) {
	var out struct {
		ElementsSnapshot
		Cut bool `json:"truncated"`
	}
	err = p.readByScript(ctx, "elements", obj{}, &out)
	p.hideKnown(&out.PageURL, &out.PageTitle)
	p.b.meter.refs.notePositions(out.Elements)
	if out.Truncated = out.Cut; out.Truncated {
		out.Elements = append(out.Elements, cutElement)
	}
	return out.ElementsSnapshot, err
}

// LookElements is SnapshotElements for an answer of so many tokens, as a mode says. Elements beyond that are cut by
// importance: those that are left keep their refs. cut is nil where all are shown.
func (p *Page) LookElements(ctx context.Context, m SnapshotMode) (s ElementsSnapshot, cut *Cut, err error) {
	if m.Kind == NoSnapshot {
		return s, nil, nil
	}
	if s, err = p.SnapshotElements(ctx); err != nil || m.Tokens == 0 {
		return s, nil, err
	}
	view, err := p.ViewportSize(ctx)
	if err != nil {
		return s, nil, err
	}
	s.Elements, cut = cutElements(s.Elements, m.Characters(), view)
	return s, cut, nil
}

// cutElements keeps the elements that have so many characters as JSON.
func cutElements(list []Element, characters int, view Viewport) ([]Element, *Cut) {
	o := &outline{nodes: []outlineNode{{depth: -1}}}
	var add func(list []Element, parent int)
	add = func(list []Element, parent int) {
		for _, e := range list {
			below := e.Children
			e.Children = nil
			n := outlineNode{text: string(mustJSON(e)), parent: parent} // depth 0: JSON is not indented
			n.role, n.named, n.box = e.Role, e.Name != nil || e.Value != nil, &e.Bounds
			at := len(o.nodes)
			o.nodes = append(o.nodes, n)
			add(below, at)
			o.nodes[at].end = len(o.nodes)
		}
	}
	add(list, 0)
	o.nodes[0].end = len(o.nodes)
	keep := o.choose(characters, view, func(int) novelty { return isNew })
	at := 0
	var kept func(list []Element) []Element
	kept = func(list []Element) (out []Element) {
		for _, e := range list {
			at++
			shown := keep[at]
			if e.Children = kept(e.Children); shown {
				out = append(out, e)
			}
		}
		return out
	}
	return kept(list), o.cutOf(keep)
}

// cutElement is the last element of a snapshot that was cut.
var cutElement = Element{Role: "note", Name: new("cut: the snapshot is longer than 1 MiB"), State: []string{}}

// TaggedOptions are for SnapshotTagged.
type TaggedOptions struct {
	IncludeHidden bool
	MaxElements   int // 500 when 0
	ViewportOnly  bool
}

// TaggedSnapshot is the page as tagged lines, as browser hooks write them.
type TaggedSnapshot struct {
	Markdown     string `json:"markdown"`
	URL          string `json:"url"`
	Title        string `json:"title"`
	ElementCount int    `json:"elementCount"`
	Truncated    bool   `json:"truncated"`
}

// SnapshotTagged reads the page as lines with ids of the scheme Tagged. It writes
// these ids into the page, as the attribute data-rp-id, which the page's scripts can
// see. For a caller that may only read it writes nothing, and the ids are good for this
// connection.
func (p *Page) SnapshotTagged(ctx context.Context, o TaggedOptions) (s TaggedSnapshot, err error) {
	args := obj{"includeHidden": o.IncludeHidden, "viewportOnly": o.ViewportOnly}
	if o.MaxElements > 0 {
		args["maxElements"] = o.MaxElements
	}
	err = p.readByCall(ctx, scriptCall{verb: "tagged", args: args, result: &s, numbers: forIDs})
	p.hideKnown(&s.URL, &s.Title)
	return s, err
}

// ObserveOptions are for Observe.
type ObserveOptions struct {
	MaxElements       int      // 100 when 0
	FilterRoles       []string // none: all
	IncludeBounds     bool
	NumberedRefs      bool // @e1, @e2, … instead of stable ones
	RefreshRefs       bool // forget all refs first
	IncludeRefHistory bool
	Incremental       bool // Changes since the last one
	Minimal           bool // ref, selector, role, name and tagName only
}

// Selector is a locator as BAP names it.
type Selector struct {
	Type  string `json:"type"` // "testId", "role", "text" or "css"
	Value string `json:"value,omitempty"`
	Role  string `json:"role,omitempty"`
	Name  string `json:"name,omitempty"`
}

// ObservedElement is an interactive element, as BAP names it.
type ObservedElement struct {
	Ref          string     `json:"ref"` // of the scheme BAP: "@submit"
	Selector     Selector   `json:"selector"`
	Role         string     `json:"role"`
	Name         string     `json:"name,omitempty"`
	Value        string     `json:"value,omitempty"`
	ActionHints  []string   `json:"actionHints"`
	Bounds       *Box       `json:"bounds,omitempty"`
	TagName      string     `json:"tagName"`
	Focused      bool       `json:"focused,omitempty"`
	Disabled     bool       `json:"disabled,omitempty"`
	Stability    string     `json:"stability,omitempty"` // "stable", "new", "moved"
	PreviousRef  string     `json:"previousRef,omitempty"`
	Alternatives []Selector `json:"alternativeSelectors,omitempty"`
}

// Changes are the refs that differ from the observation before.
type Changes struct {
	Added   []string `json:"added"`
	Updated []string `json:"updated"`
	Removed []string `json:"removed"`
}

// Observation is the answer of Observe.
type Observation struct {
	Elements []ObservedElement `json:"elements"`
	Total    int               `json:"total"` // before MaxElements
	Changes  *Changes          `json:"changes,omitempty"`
	URL      string            `json:"url"`
	Title    string            `json:"title"`
	Viewport Viewport          `json:"viewport"`
}

// Observe lists the interactive elements with selectors and refs. Without
// NumberedRefs the same element keeps its ref in the next observation.
func (p *Page) Observe(ctx context.Context, o ObserveOptions) (s Observation, err error) {
	args := obj{
		"filterRoles": o.FilterRoles, "includeBounds": o.IncludeBounds, "stableRefs": !o.NumberedRefs, "refreshRefs": o.RefreshRefs,
		"includeRefHistory": o.IncludeRefHistory, "incremental": o.Incremental, "minimal": o.Minimal, "known": p.b.meter.refs.knownRefs(),
	}
	if o.MaxElements > 0 {
		args["maxElements"] = o.MaxElements
	}
	err = p.readByCall(ctx, scriptCall{verb: "observe", args: args, result: &s, numbers: forRefs})
	p.hideKnown(&s.URL, &s.Title)
	p.b.meter.refs.noteObserved(s.Elements)
	return s, err
}

// Content is what a page holds.
type Content struct {
	Content string `json:"content"`
	URL     string `json:"url"`
	Title   string `json:"title"`
}

// Content reads the page, or what is in root if that is not nil, as "html", "text" or
// "markdown". Content beyond MaxValue is an error of kind LimitExceeded and is not
// cut: half a document would pass for a whole one. Secrets are redacted.
func (p *Page) Content(ctx context.Context, format string, root Locator) (c Content, err error) {
	args := obj{"format": format}
	if root != nil {
		if err := checkLocator(root); err != nil {
			return c, err
		}
		args["locator"] = root.query()
	}
	err = p.readByScript(ctx, "content", args, &c)
	p.hideKnown(&c.URL, &c.Title)
	return c, err
}

// ElementState reads properties of an element: visible, enabled, checked, text,
// value, boundingBox, attributes, computedStyle. It does not wait for the element:
// without one the map has only "found", which is false.
func (p *Page) ElementState(ctx context.Context, l Locator, properties []string) (state map[string]any, err error) {
	if err := checkLocator(l); err != nil {
		return nil, err
	}
	err = p.readByScript(ctx, "state", obj{"locator": l.query(), "properties": properties}, &state)
	return state, err
}

// ElementStateName is what WaitForSelector waits for.
type ElementStateName string

// The states of elements.
const (
	Attached ElementStateName = "attached"
	Detached ElementStateName = "detached"
	Visible  ElementStateName = "visible"
	Hidden   ElementStateName = "hidden"
	Enabled  ElementStateName = "enabled"
	Disabled ElementStateName = "disabled"
)

// WaitOptions are for WaitForSelector.
type WaitOptions struct {
	State ElementStateName // Visible when ""
	Tag   bool             // give the element an id of the scheme Tagged
}

// Found is the element that WaitForSelector has found; zero for Detached, and
// for Hidden when there is none.
type Found struct {
	Handle Handle
	TagID  string
}

// WaitForSelector waits until an element is in a state. When the time is over, the
// error says what was missing: ElementNotFound, NotVisible or NotEnabled. The Handle
// is good until the document goes.
func (p *Page) WaitForSelector(ctx context.Context, l Locator, o WaitOptions) (f Found, err error) {
	if err := checkLocator(l); err != nil {
		return f, err
	}
	switch o.State {
	case "":
		o.State = Visible
	case Attached, Detached, Visible, Hidden, Enabled, Disabled:
	default:
		return f, invalidArgument("%q is not a state of an element", o.State)
	}
	// A pointer, since the script answers null where there is no element.
	var out *struct{ Handle, ID string }
	c := scriptCall{verb: "wait", args: obj{"locator": l.query(), "state": o.State, "tag": o.Tag}, result: &out}
	if o.Tag {
		c.numbers = forIDs
	}
	err = p.readByCall(ctx, c)
	if out != nil {
		f = Found{Handle{out.Handle}, out.ID}
	}
	return f, err
}

// readByScript calls the page script to read. It does not wait for input of the page, which
// may itself be waiting.
func (p *Page) readByScript(ctx context.Context, verb string, args obj, result any) error {
	return p.readByCall(ctx, scriptCall{verb: verb, args: args, result: result})
}

// readByCall is readByScript for a call that may number elements, too.
func (p *Page) readByCall(ctx context.Context, c scriptCall) error {
	ctx, cancel := withDeadline(ctx)
	defer cancel()
	return p.callScript(ctx, c)
}
