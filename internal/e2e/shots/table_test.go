package shots

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// mostOff is the share, in per cent, of the pixels of a page that may be clearly off.
const mostOff = 1

// limits are the pages that page script cannot draw as Chromium does, with the reasons. docs/pages.md has them.
var limits = map[string]string{
	"WebGL that keeps nothing":   "without preserveDrawingBuffer, a drawing is gone when the browser has shown it",
	"a closed shadow tree":       "script outside cannot see what is in it",
	"an image of another origin": "script may not read it, unless its server allows that",
}

// smallPage is a page of testdata/shots/table.html.
type smallPage struct{ name, html string }

// smallPages reads the table of pages.
func smallPages(t *testing.T) []smallPage {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "testdata", "shots", "table.html"))
	if err != nil {
		t.Fatal(err)
	}
	heads := regexp.MustCompile(`(?m)^<!-- page: (.*) -->\n`).FindAllSubmatchIndex(text, -1)
	var pages []smallPage
	for i, at := range heads {
		end := len(text)
		if i+1 < len(heads) {
			end = heads[i+1][0]
		}
		pages = append(pages, smallPage{string(text[at[2]:at[3]]), string(text[at[1]:end])})
	}
	return pages
}

// serveTable serves the pages by their numbers, beside what serve serves.
func serveTable(mux *http.ServeMux, pages []smallPage) {
	for i, p := range pages {
		mux.HandleFunc(fmt.Sprintf("/table/%d", i), func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprintf(w, "<!doctype html><base href=/><title>page</title><link rel=stylesheet href=fonts.css><style>body{font:15px Go;margin:12px}</style>%s", p.html)
		})
	}
}

// TestR381PagesMatchChromium draws each page of the table, and compares the picture with Chromium's.
func TestR381PagesMatchChromium(t *testing.T) {
	pages := smallPages(t)
	if len(pages) < 60 {
		t.Fatalf("the table has %d pages, want 60 at least", len(pages))
	}
	base := serve(t, pages...)
	tab := startBrowser(t, 1, true)
	for i, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(tab, perShot)
			defer cancel()
			want, got, took := both(t, ctx, base, shot{page: fmt.Sprintf("table/%d", i), params: "{}", width: 600, height: 450})
			off := difference(want, got)
			if *keep != "" {
				save(t, filepath.Join(*keep, p.name+".png"), beside(want, got))
			}
			t.Logf("%5.2f %% off, %d ms", off, took)
			if reason := limits[p.name]; reason != "" {
				if off <= mostOff {
					t.Errorf("%.2f %% of the pixels are off: no limit any more (%s)", off, reason)
				}
				return
			}
			if off > mostOff {
				t.Errorf("%.2f %% of the pixels are off, want %d %% at most", off, mostOff)
			}
		})
	}
}
