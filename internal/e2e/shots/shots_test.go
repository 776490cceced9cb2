package shots

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

var keep = flag.String("keep", "", "folder to write a picture of each case to: Chromium's, the rasteriser's, what is off")

const perShot = 30 * time.Second

// shot is one screenshot of a page, taken by both.
type shot struct {
	name   string
	page   string
	before string  // script to run first
	params string  // of Page.captureScreenshot, as JSON
	most   float64 // per cent of the pixels that may be clearly off

	width, height int64 // of the viewport; 1000 x 660
}

var cases = []shot{
	{name: "layout, viewport", page: "layout.html", params: `{}`, most: 1},
	{name: "layout, scrolled", page: "layout.html", before: "scrollTo(0, 333)", params: `{}`, most: 1},
	{name: "layout, whole page", page: "layout.html", params: `{"captureBeyondViewport":true}`, most: 1},
	{name: "layout, an element", page: "layout.html", params: `{"captureBeyondViewport":true,"clip":{"x":50,"y":600,"width":400,"height":200,"scale":1}}`, most: 1},
	{name: "layout, twice the size", page: "layout.html", params: `{"clip":{"x":50,"y":60,"width":300,"height":200,"scale":2}}`, most: 1},
	{name: "ground", page: "ground.html", params: `{}`, most: 1},
	{name: "quirks", page: "quirks.html", params: `{}`, most: 1},
	{name: "quirks, scrolled", page: "quirks.html", before: "scrollTo(0, 333)", params: `{}`, most: 1},
	{name: "quirks, whole page", page: "quirks.html", before: "scrollTo(0, 333)", params: `{"captureBeyondViewport":true}`, most: 1},
	{name: "fixed", page: "fixed.html", params: `{}`, most: 0.1},
	{name: "fixed, scrolled", page: "fixed.html", before: "scrollTo(0, 333)", params: `{}`, most: 0.1},
	{name: "ground, border", page: "empty.html", before: css("html{padding:40px;border:5px solid green;background:#531 radial-gradient(red,blue) 10px 10px/50px 50px}"), params: `{}`, most: 1},
	{name: "ground, margins", page: "empty.html", before: css("html{background:#eee;margin:30px 40px}body{background:#135;margin-top:60px}"), params: `{}`, most: 0.1},
	{name: "ground, fixed", page: "empty.html", before: css("body{background:linear-gradient(red,blue) fixed;height:2000px}") + "scrollTo(0, 333)", params: `{}`, most: 0.1},
	{name: "ground, contained", page: "empty.html", before: css("body{background:#135;contain:paint}"), params: `{}`, most: 0.1},
	{name: "ground, dark", page: "empty.html", before: css("html{color-scheme:dark}"), params: `{}`, most: 0.1},
	{name: "form", page: "form.html", params: `{}`, most: 1},
	{name: "mixed", page: "mixed.html", params: `{}`, most: 1},
	{name: "page", page: "page.html", params: `{}`, most: 1},
	{name: "page, whole", page: "page.html", params: `{"captureBeyondViewport":true}`, most: 1},
}

// css is a script that adds rules to the page.
func css(rules string) string {
	return fmt.Sprintf("document.head.insertAdjacentHTML('beforeend', '<style>%s</style>');", rules)
}

// TestPicturesMatchChromium prints for each case the share of pixels that are
// clearly off.
func TestPicturesMatchChromium(t *testing.T) {
	base := serve(t)
	for _, density := range []float64{1, 2} {
		tab := startBrowser(t, density, false)
		for _, c := range cases {
			name := fmt.Sprintf("%s, density %v", c.name, density)
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(tab, perShot)
				defer cancel()
				want, got, took := both(t, ctx, base, c)
				if want.Bounds() != got.Bounds() {
					t.Fatalf("the picture is %v, want %v", got.Bounds(), want.Bounds())
				}
				off := difference(want, got)
				if *keep != "" {
					save(t, filepath.Join(*keep, name+".png"), beside(want, got))
				}
				t.Logf("%-36s %4d x %-5d %5.2f %% off, %d ms", name, want.Bounds().Dx(), want.Bounds().Dy(), off, took)
				if off > c.most {
					t.Errorf("%.2f %% of the pixels are off, want %.2f %% at most", off, c.most)
				}
			})
		}
	}
}

// both takes the screenshot of a case by Chromium and by the rasteriser.
func both(t *testing.T, ctx context.Context, base string, c shot) (want, got image.Image, took int) {
	t.Helper()
	var params page.CaptureScreenshotParams
	if err := json.Unmarshal([]byte(c.params), &params); err != nil {
		t.Fatal(err)
	}
	screen := emulation.SetDeviceMetricsOverrideParams{Width: cmp.Or(c.width, 1000), Height: cmp.Or(c.height, 660)} // of the screen's own density
	if _, err := chromedp.Call(ctx, emulation.SetDeviceMetricsOverride, screen); err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate(base+"/"+c.page)); err != nil {
		t.Fatal(err)
	}
	run(t, ctx, c.before+";Promise.all([document.fonts.ready, window.ready]).then(() => new Promise(r => setTimeout(r, 100))).then(() => '')")
	reply, err := chromedp.Call(ctx, page.CaptureScreenshot, params)
	if err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	drawn := run(t, ctx, fmt.Sprintf(`import("/shot.js").then((m) => m.capture(%s, { fetch: fetch.bind(window), setTimeout: setTimeout.bind(window), clearTimeout: clearTimeout.bind(window) })).then((r) => r.data)`, c.params))
	took = int(time.Since(start).Milliseconds())
	data, err := base64.StdEncoding.DecodeString(drawn)
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, reply.Data), decode(t, data), took
}

func run(t *testing.T, ctx context.Context, script string) string {
	t.Helper()
	result, err := chromedp.Run(ctx, chromedp.Evaluate[string](script, chromedp.EvalAwaitPromise))
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func save(t *testing.T, name string, img image.Image) {
	t.Helper()
	var out bytes.Buffer
	if err := png.Encode(&out, img); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, out.Bytes(), 0o600); err != nil {
		t.Error(err)
	}
}

func decode(t *testing.T, data []byte) image.Image {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return img
}
