package bap

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/cdphub/cdphub/actions"
)

var agentMethods = map[string]method{
	"agent/observe": onPageOf("observe:*", func(ctx context.Context, k *call, page *actions.Page, p observeParams) (any, error) {
		return k.observe(ctx, page, p)
	}),
	"agent/act":     keepsTime(onPageOf("", runSequence)),
	"agent/extract": onPage("observe:*", extractData),
}

// observeParams are the params of agent/observe.
type observeParams struct {
	IncludeAccessibility, IncludeScreenshot, IncludeInteractiveElements bool

	IncludeMetadata    *bool // true when nil
	MaxElements        int
	FilterRoles        []string
	IncludeBounds      *bool
	StableRefs         *bool // true when nil
	RefreshRefs        bool
	IncludeRefHistory  bool
	AnnotateScreenshot annotation
	ResponseTier       string
	Incremental        bool
	IncludeWebMCPTools bool
}

// check refuses what is out of range. A tier below "full" decides itself what is
// observed, whatever the other params say.
func (p *observeParams) check() *failure {
	const most = 200
	if p.MaxElements < 0 || p.MaxElements > most {
		return invalidParam("maxElements", "must be 1 to %d", most)
	}
	if f := oneOf("responseTier", &p.ResponseTier, "full", "interactive", "minimal"); f != nil {
		return f
	}
	if p.ResponseTier != "full" { // never a tree or a picture
		p.IncludeAccessibility, p.IncludeScreenshot, p.AnnotateScreenshot = false, false, annotation{}
		p.IncludeInteractiveElements, p.IncludeMetadata = true, nil
	}
	return nil
}

// annotation says whether and how elements are marked in a screenshot: true, or an
// object with options.
type annotation struct {
	Enabled     bool
	MaxLabels   int
	LabelFormat string
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *annotation) UnmarshalJSON(text []byte) error {
	if json.Unmarshal(text, &a.Enabled) == nil {
		return nil
	}
	type own annotation
	if err := json.Unmarshal(text, (*own)(a)); err != nil {
		return invalidParam("annotateScreenshot", "must be a boolean or options")
	}
	if f := oneOf("annotateScreenshot.labelFormat", &a.LabelFormat, "number", "ref", "both"); f != nil {
		return f
	}
	return nil
}

// observation is the result of agent/observe. It has only the parts that were asked
// for.
type observation struct {
	Metadata    *metadata                  `json:"metadata,omitempty"`
	Tree        *axPart                    `json:"accessibility,omitempty"`
	Screenshot  *picture                   `json:"screenshot,omitempty"`
	Elements    *[]actions.ObservedElement `json:"interactiveElements,omitempty"`
	Total       *int                       `json:"totalInteractiveElements,omitempty"`
	Annotations []mapping                  `json:"annotationMap,omitempty"`
	Changes     *changes                   `json:"changes,omitempty"`
	Tools       *[]actions.DeclaredTool    `json:"webmcpTools,omitempty"`
}

type metadata struct {
	URL      string           `json:"url"`
	Title    string           `json:"title"`
	Viewport actions.Viewport `json:"viewport"`
}

type axPart struct {
	Tree []actions.AXNode `json:"tree"`
}

// mapping says which element a label in a screenshot stands for. Its position is that
// of the label, in CSS pixels.
type mapping struct {
	Label    string `json:"label"`
	Ref      string `json:"ref"`
	Position spot   `json:"position"`
}

type spot struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// changes are the elements that differ from the last observation of the page.
type changes struct {
	Added   []actions.ObservedElement `json:"added"`
	Updated []actions.ObservedElement `json:"updated"`
	Removed []string                  `json:"removed"` // refs
}

// observe looks at a page. If one part fails, the whole fails.
func (k *call) observe(ctx context.Context, page *actions.Page, p observeParams) (*observation, error) {
	bounds := p.AnnotateScreenshot.Enabled
	if p.IncludeBounds != nil {
		bounds = bounds || *p.IncludeBounds
	}
	seen, err := page.Observe(ctx, actions.ObserveOptions{
		MaxElements: p.MaxElements, FilterRoles: p.FilterRoles, IncludeBounds: bounds && p.ResponseTier != "minimal",
		NumberedRefs: p.StableRefs != nil && !*p.StableRefs, RefreshRefs: p.RefreshRefs, IncludeRefHistory: p.IncludeRefHistory,
		Incremental: p.Incremental, Minimal: p.ResponseTier == "minimal",
	})
	if err != nil {
		return nil, err
	}
	out := &observation{}
	if p.IncludeMetadata == nil || *p.IncludeMetadata {
		out.Metadata = &metadata{seen.URL, seen.Title, seen.Viewport}
	}
	if p.IncludeAccessibility {
		tree, err := axTree(ctx, page, axOptions{})
		if err != nil {
			return nil, err
		}
		out.Tree = &axPart{[]actions.AXNode{tree}}
	}
	if p.Incremental && seen.Changes != nil {
		out.Changes = changesOf(seen)
	}
	if p.IncludeScreenshot || p.AnnotateScreenshot.Enabled {
		if err := k.picture(ctx, page, p.AnnotateScreenshot, seen.Elements, out); err != nil {
			return nil, err
		}
	}
	if p.IncludeInteractiveElements {
		if seen.Elements == nil {
			seen.Elements = []actions.ObservedElement{}
		}
		if p.IncludeBounds != nil && !*p.IncludeBounds {
			for i := range seen.Elements {
				seen.Elements[i].Bounds = nil
			}
		}
		out.Elements, out.Total = &seen.Elements, &seen.Total
	}
	if p.IncludeWebMCPTools {
		tools, err := page.DeclaredTools(ctx)
		if err != nil {
			return nil, err
		}
		out.Tools = &tools
	}
	return out, nil
}

// changesOf adds the elements to the refs of the changes.
func changesOf(seen actions.Observation) *changes {
	byRef := make(map[string]actions.ObservedElement, len(seen.Elements))
	for _, e := range seen.Elements {
		byRef[e.Ref] = e
	}
	pick := func(refs []string) []actions.ObservedElement {
		list := make([]actions.ObservedElement, 0, len(refs))
		for _, ref := range refs {
			list = append(list, byRef[ref])
		}
		return list
	}
	return &changes{pick(seen.Changes.Added), pick(seen.Changes.Updated), seen.Changes.Removed}
}

// Sizes of the labels in annotated screenshots.
const (
	mostLabels  = 50
	badgeHeight = 20 // in pixels
	badgeGap    = 2  // between badge and element
)

// picture takes a screenshot for an observation, with marks if it is to be annotated.
// It is in CSS pixels, so that bounds and picture agree.
func (k *call) picture(ctx context.Context, page *actions.Page, a annotation, elements []actions.ObservedElement, out *observation) error {
	shot := actions.ScreenshotOptions{Format: "jpeg", CSSPixels: true}
	if a.Enabled {
		shot.Format = "png"
		if a.MaxLabels <= 0 {
			a.MaxLabels = mostLabels
		}
		for i, e := range elements[:min(len(elements), a.MaxLabels)] {
			if e.Bounds == nil {
				continue
			}
			label := a.label(i+1, e.Ref)
			shot.Marks = append(shot.Marks, actions.Mark{Box: *e.Bounds, Label: label})
			out.Annotations = append(out.Annotations, mapping{label, e.Ref, spot{e.Bounds.X, e.Bounds.Y - badgeHeight - badgeGap}})
		}
	}
	taken, err := takePicture(ctx, page, shot)
	if err != nil {
		return err
	}
	taken.Annotated = a.Enabled
	out.Screenshot = taken
	return nil
}

// label is what stands on the badge of the nth element.
func (a annotation) label(n int, ref string) string {
	switch a.LabelFormat {
	case "ref":
		return ref
	case "both":
		return strconv.Itoa(n) + ":" + ref
	}
	return strconv.Itoa(n)
}
