package chrome

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/urlpolicy"
)

// BenchmarkNavigation goes from one page to the next, in turns with browsers
// whose documents are judged, whose requests all are, and without. The least
// time is what other load on the machine disturbs least.
func BenchmarkNavigation(b *testing.B) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		if strings.HasPrefix(r.URL.Path, "/i") {
			w.Header().Set("Content-Type", "image/svg+xml")
			fmt.Fprint(w, `<svg xmlns="http://www.w3.org/2000/svg"/>`)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<link rel=icon href="data:,"><p>page`)
		images := 0
		fmt.Sscan(r.FormValue("images"), &images)
		for i := range images {
			fmt.Fprintf(w, "<img src=/i%d>", i)
		}
	}))
	defer site.Close()
	policy, err := urlpolicy.New(urlpolicy.Options{Block: []string{"secret.test", "10.0.0.0/8"}})
	if err != nil {
		b.Fatal(err)
	}
	kinds := []string{"free", "judged", "isolated"}
	hubs, pages := make([]*liveHub, len(kinds)), make([]string, len(kinds))
	for i, kind := range kinds {
		o := options(b)
		o.Args = []string{rulesArg + "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"}
		if kind != "free" {
			o.Network, o.Isolate = policy, kind == "isolated"
		}
		hubs[i] = serveLive(b, Serve, o)
		hubs[i].attach("a")
		_, pages[i] = hubs[i].page("a", site.URL, "")
	}
	for _, images := range []int{0, 20} {
		b.Run(fmt.Sprintf("images=%d", images), func(b *testing.B) {
			took := make([][]time.Duration, len(kinds))
			for n := range b.N + 10 {
				for i := range kinds {
					from := time.Now()
					hubs[i].call(pages[i], "Page.navigate", fmt.Sprintf(`{"url":"%s/?n=%d&images=%d"}`, site.URL, n, images), "")
					if images > 0 {
						hubs[i].eval(pages[i], `new Promise((r) => document.readyState === "complete" ? r() : addEventListener("load", r))`)
					}
					if n >= 10 { // the first are slower
						took[i] = append(took[i], time.Since(from))
					}
				}
			}
			for i, kind := range kinds {
				slices.Sort(took[i])
				b.ReportMetric(float64(took[i][b.N/2].Microseconds())/1000, kind+"-median-ms")
				b.ReportMetric(float64(took[i][0].Microseconds())/1000, kind+"-least-ms")
			}
		})
	}
}
