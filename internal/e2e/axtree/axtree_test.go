package axtree

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var (
	showDiff = flag.Bool("diff", false, "print what differs")
	onlyPage = flag.String("page", "", "compare the page of this name alone, without .html")
)

const (
	minPages = 40
	minShare = 0.95 // of all nodes of all pages
	perPage  = 20 * time.Second
)

// TestTreeMatchesChromium prints per page and in total how many of the nodes are
// equal. Of two trees of different size, the larger one counts as the whole.
func TestTreeMatchesChromium(t *testing.T) {
	folder := filepath.Join(repository(t), "testdata", "axtree")
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < minPages {
		t.Fatalf("%d pages in %s, want %d at least", len(pages), folder, minPages)
	}
	base, script, tab := serve(t, folder), agent(t), startBrowser(t)
	var equal, whole int
	for _, page := range pages {
		name := strings.TrimSuffix(filepath.Base(page), ".html")
		if *onlyPage != "" && name != *onlyPage {
			continue
		}
		e, w := comparePage(t, tab, base, name, script)
		equal, whole = equal+e, whole+w
	}
	if whole == 0 {
		t.Fatalf("no page is called %s", *onlyPage)
	}
	t.Logf("%-20s %4d of %4d nodes equal  %5.1f %%", "in total", equal, whole, percent(equal, whole))
	if share := float64(equal) / float64(whole); share < minShare {
		t.Errorf("%.2f %% of the nodes are equal, want %.0f %% at least", 100*share, 100*minShare)
	}
}

func comparePage(t *testing.T, tab context.Context, base, name, script string) (equal, whole int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(tab, perPage)
	defer cancel()
	chromium, ours, err := trees(ctx, base+"/"+name+".html", script)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	want, err := flatten(chromium)
	if err != nil {
		t.Fatalf("%s: Chromium's tree: %v", name, err)
	}
	got, err := flatten(ours)
	if err != nil {
		t.Fatalf("%s: the agent's tree: %v", name, err)
	}
	equal, diff := align(want, got)
	whole = max(len(want), len(got))
	t.Logf("%-20s %4d of %4d nodes equal  %5.1f %%", name, equal, whole, percent(equal, whole))
	if *showDiff && equal < whole {
		t.Logf("\n%s", strings.Join(diff, "\n"))
	}
	return equal, whole
}

func percent(part, whole int) float64 {
	return 100 * float64(part) / float64(whole)
}

// TestTreeGrowsWithThePage makes eight trees of a page, and one of a page eight times as
// large. Work that grows with the square of the page would take eight times as long there;
// a busy machine slows both, as they take about as long, in turns: the least of each counts,
// and more turns are taken until they fit, which they never do where the work is square.
func TestTreeGrowsWithThePage(t *testing.T) {
	const rows, times, most = 100, 8, 6 // Chromium's own layout makes it 3
	script, tab := agent(t), startBrowser(t)
	ctx, cancel := context.WithTimeout(tab, 5*time.Minute)
	defer cancel()
	figures, err := chromedp.Run(ctx, chromedp.Evaluate[struct{ Nodes, Many, Large float64 }](script+fmt.Sprintf(`;
		const list = (rows) => "<ul>" + "<li><a href=x>one <b>two</b></a> <label>three <input></label> <button>four</button></li>".repeat(rows) + "</ul>";
		let nodes;
		const took = (rows, trees) => {
			document.body.innerHTML = list(rows);
			const start = performance.now();
			for (let i = 0; i < trees; i++) ({ nodes } = axTree());
			return performance.now() - start;
		};
		let many = Infinity, large = Infinity;
		for (let i = 0; i < 5 || (large > %d * many && i < 40); i++) {
			many = Math.min(many, took(%d, %d));
			large = Math.min(large, took(%d, 1));
		}
		({ Nodes: nodes.length, Many: many, Large: large })`, most, rows, times, times*rows)))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%.0f nodes in %.1f ms, %d times an eighth in %.1f ms", figures.Nodes, figures.Large, times, figures.Many)
	if figures.Nodes < 8*times*rows {
		t.Errorf("%.0f nodes in the tree, want %d at least", figures.Nodes, 8*times*rows)
	}
	if figures.Large > most*figures.Many {
		t.Errorf("one large tree took %.1f times as long as %d small ones, want at most %d", figures.Large/figures.Many, times, most)
	}
}
