package actions

import (
	"bytes"
	"context"
	"image"
	_ "image/jpeg" // for its size
	_ "image/png"  // for its size

	_ "golang.org/x/image/webp" // for its size
)

// ScreenshotOptions are for Screenshot. Its zero value is a PNG of the viewport.
type ScreenshotOptions struct {
	Element   Locator // this alone; wins over Clip and FullPage
	Clip      *Box    // in CSS pixels of the viewport
	FullPage  bool
	Format    string // "png", "jpeg" or "webp"
	Quality   int    // 1 to 100, of jpeg and webp; 80 when 0
	CSSPixels bool   // one pixel of the image for each of CSS, whatever the screen has
	Mask      []Locator
	Marks     []Mark
}

// Mark is a box with a label, painted over the page.
type Mark struct {
	Box
	Label string `json:"label"`
}

// Screenshot is a picture of a page.
type Screenshot struct {
	Data          []byte
	Width, Height int // in pixels, as the image says
	Format        string
}

// Screenshot takes a picture of the page or of an element. Errors: RateLimited,
// InvalidArgument, those of waiting for the element, and NotVisible where it has no
// area.
func (p *Page) Screenshot(ctx context.Context, o ScreenshotOptions) (shot Screenshot, err error) {
	switch o.Format {
	case "":
		o.Format = "png"
	case "png", "jpeg", "webp":
	default:
		return shot, invalidArgument("%q is not an image format: use png, jpeg or webp", o.Format)
	}
	if o.Quality < 0 || o.Quality > 100 {
		return shot, invalidArgument("the quality is %d: it must be 1 to 100", o.Quality)
	}
	if err := p.b.meter.Screenshot(); err != nil {
		return shot, err
	}
	err = p.runInput(ctx, func(ctx context.Context, s string) error {
		wipe, err := p.drawOverlay(ctx, o)
		if err != nil {
			return err
		}
		defer wipe()
		params, err := p.shotParams(ctx, s, o)
		if err != nil {
			return err
		}
		shot.Data, err = p.captureImage(ctx, s, params)
		return err
	})
	if err != nil {
		return Screenshot{}, err
	}
	// The sizes are those of the image: they depend on the scale of the screen and on
	// rounding.
	size, format, err := image.DecodeConfig(bytes.NewReader(shot.Data))
	if err != nil {
		return Screenshot{}, newError(Internal, "the picture cannot be read: %v", err)
	}
	shot.Width, shot.Height, shot.Format = size.Width, size.Height, format
	return shot, nil
}

// captureImage is Page.captureScreenshot. Chromium 156 makes frames of a size of their own
// for it. A tab that is not in front gets these late or never, unless a screencast
// runs as well: so one with tiny pictures is started for the time of the capture.
func (p *Page) captureImage(ctx context.Context, s string, params obj) ([]byte, error) {
	var out struct{ Data []byte }
	shoot := command{s, "Page.captureScreenshot", params, &out}
	if p.kindNow() != BrowserTarget {
		err := p.callCommands(ctx, shoot)
		return out.Data, err
	}
	cast := p.b.client.Send(s, "Page.startScreencast", mustJSON(obj{"format": "jpeg", "quality": 1, "maxWidth": 16, "maxHeight": 16}))
	err := p.callCommands(ctx, shoot)
	stop := p.b.client.Send(s, "Page.stopScreencast", nil) // sent now: the next capture starts one again
	p.b.later(cast, stop)
	return out.Data, err
}

// drawOverlay paints masks and marks over the page. The returned function takes them
// away, and must be called.
func (p *Page) drawOverlay(ctx context.Context, o ScreenshotOptions) (wipe func(), err error) {
	if len(o.Mask)+len(o.Marks) == 0 {
		return func() {}, nil
	}
	queries := make([]query, len(o.Mask))
	for i, l := range o.Mask {
		if err := checkLocator(l); err != nil {
			return nil, err
		}
		queries[i] = l.query()
	}
	var boxes []pageBox
	if err := p.callScript(ctx, scriptCall{verb: "boxes", args: obj{"locators": queries}, result: &boxes}); err != nil {
		return nil, err
	}
	marks := []any{}
	for _, b := range boxes {
		marks = append(marks, b.box())
	}
	for _, m := range o.Marks {
		marks = append(marks, m)
	}
	if err := p.callScript(ctx, scriptCall{verb: "overlay", args: obj{"marks": marks}}); err != nil {
		return nil, err
	}
	return func() {
		ctx, cancel := p.b.while() // even when the caller's time is over
		defer cancel()
		_ = p.callScript(ctx, scriptCall{verb: "overlay", args: obj{"marks": []any{}}}) // else the page has gone
	}, nil
}

// maxArea is how large a picture may be, in CSS pixels. A page chooses its own size; a
// larger picture ends the process that draws for all pages (Chromium 156).
const maxArea = 1 << 27

// minScale and maxScale bound what is taken for the device pixels of a CSS pixel, whatever the page says. Chromium
// zooms from 0.25 to 5, on screens of 1 to 4.
const minScale, maxScale = 0.1, 20

// layout is Page.getLayoutMetrics.
type layout struct {
	CSSVisualViewport struct{ PageX, PageY, ClientWidth, ClientHeight pixels }
	CSSContentSize    struct{ Width, Height pixels }
}

// shotParams are the params of Page.captureScreenshot. Without params that need it
// there is no clip: Chromium then takes the viewport as it is. A clip counts from the
// document's corner, in CSS pixels.
func (p *Page) shotParams(ctx context.Context, s string, o ScreenshotOptions) (obj, error) {
	params := obj{"format": o.Format}
	if o.Format != "png" {
		params["quality"] = o.Quality
		if o.Quality == 0 {
			params["quality"] = 80
		}
	}
	if o.Element == nil && o.Clip == nil && !o.FullPage && !o.CSSPixels {
		return params, nil
	}
	if o.Element != nil {
		b, err := p.findBox(ctx, o.Element)
		if err != nil {
			return nil, err
		}
		o.Clip = &b
	}
	var m layout
	if err := p.callCommands(ctx, command{s, "Page.getLayoutMetrics", nil, &m}); err != nil {
		return nil, err
	}
	v := m.CSSVisualViewport
	area := pageBox{v.PageX, v.PageY, v.ClientWidth, v.ClientHeight}.box()
	switch {
	case o.Clip != nil:
		area = Box{area.X + o.Clip.X, area.Y + o.Clip.Y, o.Clip.Width, o.Clip.Height}
	case o.FullPage:
		area = pageBox{0, 0, m.CSSContentSize.Width, m.CSSContentSize.Height}.box()
	}
	if area.Width < 1 || area.Height < 1 {
		return nil, newError(NotVisible, "element not visible: there is nothing of it to take a picture of")
	}
	if area.Width*area.Height > maxArea {
		return nil, newError(LimitExceeded, "limit exceeded: the picture would have %.0f × %.0f CSS pixels, at most %d can be taken: take a part of the page", area.Width, area.Height, maxArea)
	}
	// The picture of a clip has deviceScaleFactor pixels for each CSS pixel.
	scale := 1.0
	if o.CSSPixels {
		var screen struct{ Scale float64 }
		if err := p.callScript(ctx, scriptCall{verb: "metrics", result: &screen}); err != nil {
			return nil, err
		}
		scale = 1 / min(max(screen.Scale, minScale), maxScale)
	}
	params["clip"] = obj{"x": area.X, "y": area.Y, "width": area.Width, "height": area.Height, "scale": scale}
	params["captureBeyondViewport"] = true
	return params, nil
}

// findBox is where an element is in the viewport of the page, once it is visible. It
// waits for that.
func (p *Page) findBox(ctx context.Context, l Locator) (b Box, err error) {
	if err := checkLocator(l); err != nil {
		return b, err
	}
	if l.query().By == "point" {
		return b, invalidArgument("a point is not an element: a screenshot needs an element")
	}
	var within pageBox
	if err := p.callScript(ctx, scriptCall{verb: "box", args: obj{"locator": l.query()}, result: &within}); err != nil {
		return b, err
	}
	dx, dy, err := p.frameOffset(ctx, p.frameFor(l.query()))
	b = within.box()
	b.X, b.Y = b.X+dx, b.Y+dy
	return b, err
}

// PDFOptions are for PDF.
type PDFOptions struct {
	Format          string  // "A4", "Letter", "Legal", "A3", "A5", "Tabloid"; A4 when ""
	Landscape       bool    //
	Scale           float64 // 1 when 0
	PrintBackground bool
	Margin          *Margin // the browser's own when nil
}

// Margin is in inches.
type Margin struct{ Top, Right, Bottom, Left float64 }

// papers are the sizes of paper in inches, width and height: ISO 216 for A3 to A5,
// and the sizes of North America (the unit of CDP's Page.printToPDF).
var papers = map[string][2]float64{
	"": {8.27, 11.69}, "A3": {11.69, 16.54}, "A4": {8.27, 11.69}, "A5": {5.83, 8.27},
	"Letter": {8.5, 11}, "Legal": {8.5, 14}, "Tabloid": {11, 17},
}

// PDF prints the page. The bytes are the caller's. A frame cannot be printed alone:
// Unsupported.
func (p *Page) PDF(ctx context.Context, o PDFOptions) (data []byte, err error) {
	paper, ok := papers[o.Format]
	if !ok {
		return nil, invalidArgument("%q is not a paper size: use A3, A4, A5, Letter, Legal or Tabloid", o.Format)
	}
	params := obj{"paperWidth": paper[0], "paperHeight": paper[1], "landscape": o.Landscape, "printBackground": o.PrintBackground}
	if o.Scale != 0 {
		params["scale"] = o.Scale
	}
	if m := o.Margin; m != nil {
		params["marginTop"], params["marginRight"], params["marginBottom"], params["marginLeft"] = m.Top, m.Right, m.Bottom, m.Left
	}
	var out struct{ Data []byte }
	err = p.runInput(ctx, func(ctx context.Context, s string) error {
		return p.callCommands(ctx, command{s, "Page.printToPDF", params, &out})
	})
	return out.Data, err
}
