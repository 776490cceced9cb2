package actions_test

import (
	"bytes"
	"context"
	"image"
	"testing"

	"github.com/cdphub/cdphub/actions"
)

func TestScreenshot(t *testing.T) {
	on(t, func(t *testing.T, b *actions.Browser) {
		p := visit(t, b, "/form.html")
		view, err := p.ViewportSize(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			name          string
			options       actions.ScreenshotOptions
			width, height int // 0: not known
			format        string
		}{
			{"the viewport", actions.ScreenshotOptions{}, view.Width, view.Height, "png"},
			{"jpeg", actions.ScreenshotOptions{Format: "jpeg", Quality: 50}, view.Width, view.Height, "jpeg"},
			{"webp", actions.ScreenshotOptions{Format: "webp", CSSPixels: true}, 0, 0, "webp"},
			{"an element", actions.ScreenshotOptions{Element: actions.CSS("#card")}, 120, 40, "png"},
			{"a part", actions.ScreenshotOptions{Clip: &actions.Box{X: 5, Y: 5, Width: 30, Height: 20}}, 30, 20, "png"},
			{"the page", actions.ScreenshotOptions{FullPage: true}, 0, 0, "png"},
			{"with marks", actions.ScreenshotOptions{Mask: []actions.Locator{actions.CSS("h1")}, Marks: []actions.Mark{{Label: "1"}}}, view.Width, view.Height, "png"},
		} {
			s, err := p.Screenshot(t.Context(), c.options)
			if err != nil || s.Format != c.format || c.width > 0 && (s.Width != c.width || s.Height != c.height) {
				t.Errorf("%s: %dx%d %s, %v, want %dx%d %s", c.name, s.Width, s.Height, s.Format, err, c.width, c.height, c.format)
			}
			if c.name == "the page" && s.Height < 1500 {
				t.Errorf("the whole page is %d high", s.Height)
			}
		}
		is(t, p, "document.getElementById('cdphub-overlay')", "null")
		s, err := p.Screenshot(t.Context(), actions.ScreenshotOptions{Element: actions.CSS("#card"), Mask: []actions.Locator{actions.CSS("#card")}})
		if err != nil {
			t.Fatal(err)
		}
		img, _, err := image.Decode(bytes.NewReader(s.Data))
		if err != nil {
			t.Fatal(err)
		}
		if r, g, b, _ := img.At(60, 20).RGBA(); r < 0xe000 || g > 0x1000 || b < 0xe000 {
			t.Errorf("the mask has the colour %x %x %x", r, g, b)
		}
		for _, o := range []actions.ScreenshotOptions{{Format: "gif"}, {Quality: 101}, {Element: actions.Point{X: 1, Y: 1}}} {
			_, err := p.Screenshot(t.Context(), o)
			fails(t, err, actions.InvalidArgument)
		}
		failsFor(t, actions.NotVisible, "a picture of what is not to be seen", func(ctx context.Context) error {
			_, err := p.Screenshot(ctx, actions.ScreenshotOptions{Element: actions.CSS(".gone")})
			return err
		})
	})
}

func TestPDF(t *testing.T) {
	p := visit(t, connect(t, actions.BrowserTarget, actions.Options{}), "/form.html")
	data, err := p.PDF(t.Context(), actions.PDFOptions{Format: "A4", Landscape: true, Margin: &actions.Margin{Top: 1}})
	if err != nil || !bytes.HasPrefix(data, []byte("%PDF-")) {
		t.Errorf("%.20q, %v", data, err)
	}
	_, err = p.PDF(t.Context(), actions.PDFOptions{Format: "B0"})
	fails(t, err, actions.InvalidArgument)
}
