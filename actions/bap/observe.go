package bap

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/cdphub/cdphub/actions"
)

var observeMethods = map[string]method{
	"observe/screenshot":    onPage("observe:screenshot", observeScreenshot),
	"observe/accessibility": onPage("observe:accessibility", observeAccessibility),
	"observe/ariaSnapshot":  onPage("observe:accessibility", ariaSnapshot),
	"observe/dom":           onPage("observe:dom", observeDOM),
	"observe/element":       onPage("observe:element", elementState),
	"observe/pdf":           onPage("observe:pdf", observePDF),
	"observe/content":       onPage("observe:content", observeContent),
}

type screenshotParams struct {
	Options struct {
		FullPage bool
		Clip     *actions.Box
		Format   string
		Quality  *int
		Scale    string
		Mask     []selector
	}
}

func (p *screenshotParams) check() *failure {
	o := &p.Options
	if q := o.Quality; q != nil && (*q < 0 || *q > 100) {
		return invalidParam("options.quality", "must be 0 to 100")
	}
	for _, m := range o.Mask {
		if f := m.element("options.mask"); f != nil {
			return f
		}
	}
	return cmp.Or(oneOf("options.format", &o.Format, "jpeg", "png", "webp"), oneOf("options.scale", &o.Scale, "css", "device"))
}

// picture is a screenshot in a result.
type picture struct {
	Data      []byte `json:"data"` // base64 in JSON
	Format    string `json:"format"`
	Width     int    `json:"width"`
	Height    int    `json:"height"`
	Annotated bool   `json:"annotated,omitempty"`
}

func observeScreenshot(ctx context.Context, page *actions.Page, p screenshotParams) (any, error) {
	o := p.Options
	shot := actions.ScreenshotOptions{FullPage: o.FullPage, Clip: o.Clip, Format: o.Format, CSSPixels: o.Scale == "css"}
	// A quality of 0 would be the default of package actions.
	if o.Quality != nil {
		shot.Quality = max(*o.Quality, 1)
	}
	for _, m := range o.Mask {
		shot.Mask = append(shot.Mask, m.Locator)
	}
	return takePicture(ctx, page, shot)
}

// takePicture takes a picture and puts it into the form of a result.
func takePicture(ctx context.Context, page *actions.Page, o actions.ScreenshotOptions) (*picture, error) {
	shot, err := page.Screenshot(ctx, o)
	if err != nil {
		return nil, err
	}
	return &picture{Data: shot.Data, Format: shot.Format, Width: shot.Width, Height: shot.Height}, nil
}

type ariaParams struct {
	Selector selector
	Snapshot actions.SnapshotMode
}

func (p *ariaParams) check() *failure {
	if p.Snapshot.Kind == actions.DeltaSnapshot {
		return invalidParam("snapshot", "a delta is by refs, which this snapshot has not: use agent/observe with incremental")
	}
	return p.Selector.maybe("selector")
}

func ariaSnapshot(ctx context.Context, page *actions.Page, p ariaParams) (any, error) {
	l, err := page.Look(ctx, actions.LookOptions{Mode: cmp.Or(p.Snapshot, actions.SnapshotMode{Kind: actions.FullSnapshot}), NoRefs: true, Root: p.Selector.Locator})
	if err != nil {
		return nil, err
	}
	answer := obj{"snapshot": l.Text, "url": l.Whole.URL, "title": l.Whole.Title}
	if l.Cut != nil {
		answer["cut"] = obj{"shown": l.Cut.Shown, "all": l.Cut.All}
	}
	return answer, nil
}

type elementStateParams struct {
	Selector   selector
	Properties []string
}

// properties are those of an element that can be asked for.
var properties = []string{"visible", "enabled", "checked", "text", "value", "boundingBox", "attributes", "computedStyle"}

func (p *elementStateParams) check() *failure {
	for i, name := range p.Properties {
		if !slices.Contains(properties, name) {
			return invalidParam("properties["+strconv.Itoa(i)+"]", "%q is not known: use %s", name, strings.Join(properties, ", "))
		}
	}
	return cmp.Or(requirePresent("properties", p.Properties != nil), p.Selector.element("selector"))
}

func elementState(ctx context.Context, page *actions.Page, p elementStateParams) (any, error) {
	return page.ElementState(ctx, p.Selector.Locator, p.Properties)
}

type contentParams struct{ Format string }

func (p *contentParams) check() *failure {
	return cmp.Or(requireValue("format", p.Format), oneOf("format", &p.Format, "html", "text", "markdown"))
}

func observeContent(ctx context.Context, page *actions.Page, p contentParams) (any, error) {
	return page.Content(ctx, p.Format, nil)
}

type pdfParams struct {
	Options struct {
		Format                     string
		Landscape, PrintBackground bool
		Scale                      float64
		Margin                     *struct{ Top, Right, Bottom, Left inches }
	}
}

func (p *pdfParams) check() *failure {
	const least, most = 0.1, 2.0
	if s := p.Options.Scale; s != 0 && (s < least || s > most) {
		return invalidParam("options.scale", "must be %g to %g", least, most)
	}
	return oneOf("options.format", &p.Options.Format, "A4", "A3", "A5", "Letter", "Legal", "Tabloid")
}

func observePDF(ctx context.Context, page *actions.Page, p pdfParams) (any, error) {
	o := p.Options
	options := actions.PDFOptions{Format: o.Format, Landscape: o.Landscape, Scale: o.Scale, PrintBackground: o.PrintBackground}
	if m := o.Margin; m != nil {
		options.Margin = &actions.Margin{Top: float64(m.Top), Right: float64(m.Right), Bottom: float64(m.Bottom), Left: float64(m.Left)}
	}
	data, err := page.PDF(ctx, options)
	if err != nil {
		return nil, err
	}
	return obj{"data": data}, nil
}

// inches is a length of a margin: a number of CSS pixels, or a text with a unit such
// as "1cm".
type inches float64

// units are the lengths of CSS units in inches (CSS Values and Units, section 6.2).
var units = map[string]float64{"px": 1.0 / 96, "in": 1, "cm": 1 / 2.54, "mm": 1 / 25.4}

// UnmarshalJSON implements json.Unmarshaler.
func (l *inches) UnmarshalJSON(text []byte) error {
	unit, word := "px", strings.Trim(string(text), `"`)
	for u := range units {
		if n, ok := strings.CutSuffix(word, u); ok {
			unit, word = u, n
		}
	}
	var n float64
	if json.Unmarshal([]byte(word), &n) != nil || n < 0 {
		return invalidParam("options.margin", `%.20s is not a length: use pixels, or a text such as "1cm"`, text)
	}
	*l = inches(n * units[unit])
	return nil
}
