package shots

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goitalic"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
)

// repository is the folder that holds go.mod of the product.
func repository(t *testing.T) string {
	t.Helper()
	_, file, _, ok := runtime.Caller(0)
	if !ok {
		t.Fatal("no caller")
	}
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

// startBrowser starts a headless Chromium on a screen with that many device
// pixels to a CSS pixel, and returns a tab of it. Both end with the test. A
// density that is emulated will not do: text is laid out by other measures then. bars says
// whether what scrolls has scroll bars.
func startBrowser(t *testing.T, density float64, bars bool) context.Context {
	t.Helper()
	options := slices.Concat(chromedp.DefaultExecAllocatorOptions[:], []chromedp.ExecAllocatorOption{
		chromedp.NoSandbox, // the pages are the test's own, and root has no sandbox
		chromedp.WindowSize(1000, 800),
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("hide-scrollbars", !bars),
		chromedp.Flag("lang", "en-US"), // date fields are laid out by locale
		chromedp.Flag("force-device-scale-factor", strconv.FormatFloat(density, 'g', -1, 64)),
		// On a dense screen Chromium has pages place glyphs at parts of pixels, and images not.
		// How glyphs are drawn is otherwise the machine's choice.
		chromedp.Flag("disable-font-subpixel-positioning", true),
		chromedp.Flag("font-render-hinting", "none"),
		chromedp.Flag("disable-lcd-text", true),
	})
	allocator, stop := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(stop)
	tab, closeTab := chromedp.NewContext(allocator)
	t.Cleanup(closeTab)
	// A document in an unfocused window has no focus ring.
	_, err := chromedp.Call(tab, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	if err != nil {
		t.Fatal(err)
	}
	return tab
}

// fonts are what the pages are written in, whatever the machine has.
var fonts = map[string][]byte{"regular": goregular.TTF, "bold": gobold.TTF, "italic": goitalic.TTF, "mono": gomono.TTF}

// serve serves the pages and the rasteriser and returns the server's address.
func serve(t *testing.T, table ...smallPage) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(repository(t), "testdata", "shots"))))
	mux.HandleFunc("/shot.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(repository(t), "web", "dist", "shot.js"))
	})
	serveTable(mux, table)
	for name, font := range fonts {
		mux.HandleFunc("/fonts/"+name+".ttf", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(font) })
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}
