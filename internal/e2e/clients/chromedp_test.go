package clients

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/remote"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// dpPage is what a check of chromedp gets: the context of the page's tab.
type dpPage struct {
	ctx context.Context
	e   *harness.Endpoint
}

func (p dpPage) url(path string) string { return p.e.Site.App.URL + path }

// is has the newest document of the app's page answer a question, until it is want.
func (p dpPage) is(t *testing.T, question, want string) {
	t.Helper()
	p.e.Site.Expect(t, harness.AppPage, question, want)
}

// at is the same for another page.
func (p dpPage) at(t *testing.T, page, question, want string) {
	t.Helper()
	p.e.Site.Expect(t, page, question, want)
}

// do runs the steps. An error ends the test.
func (p dpPage) do(t *testing.T, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p.ctx, steps...); err != nil {
		t.Fatal(err)
	}
}

// get runs an action and returns its value.
func get[T any](t *testing.T, p dpPage, action chromedp.Action[T]) T {
	t.Helper()
	value, err := chromedp.Run(p.ctx, action)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// call sends a command of the protocol.
func call[P, R any](t *testing.T, p dpPage, command cdp.Command[P, R], params P) R {
	t.Helper()
	result, err := chromedp.Call(p.ctx, command, params)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// TestChromedp runs the checks of chromedp, each with a connection of its own.
func TestChromedp(t *testing.T) {
	e := newEndpoint(t)
	open := func(t *testing.T) dpPage { return openChromedp(t, e) }
	var all []check[dpPage]
	for _, some := range [][]check[dpPage]{dpPages, dpInput, dpScript, dpEvents, dpView} {
		all = append(all, some...)
	}
	runChecks(t, "chromedp", 20, open, all)
}

// connectChromedp connects and attaches to the page that is there. Cancelled, it
// detaches.
func connectChromedp(t *testing.T, e *harness.Endpoint) dpPage {
	t.Helper()
	allocator, disconnect := remote.NewAllocator(context.Background(), "http://127.0.0.1:"+e.Port)
	t.Cleanup(disconnect)
	ctx, detach := chromedp.NewContext(allocator, chromedp.WithTargetID(firstPage(t, e)), chromedp.WithDetachOnCancel())
	t.Cleanup(detach)
	p := dpPage{ctx, e}
	p.do(t) // attaches; a time limit on this first run would be one on the connection
	limited, cancel := context.WithTimeout(ctx, harness.Started)
	t.Cleanup(cancel)
	return dpPage{limited, e}
}

// firstPage is the id of the first page that /json/list names.
func firstPage(t *testing.T, e *harness.Endpoint) target.ID {
	t.Helper()
	res, err := http.Get("http://127.0.0.1:" + e.Port + "/json/list")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var list []struct{ ID, Type string }
	if err := json.NewDecoder(res.Body).Decode(&list); err != nil {
		t.Fatal(err)
	}
	for _, each := range list {
		if each.Type == "page" {
			return target.ID(each.ID)
		}
	}
	t.Fatalf("no page in %+v", list)
	return ""
}

func openChromedp(t *testing.T, e *harness.Endpoint) dpPage {
	t.Helper()
	p := connectChromedp(t, e)
	p.do(t, chromedp.Navigate(p.url(harness.AppPage)))
	return p
}

// newTab opens a tab as chromedp does unless it is told of one.
func newTab(t *testing.T, p dpPage) (tab dpPage, closeTab context.CancelFunc) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(p.ctx)
	t.Cleanup(cancel)
	return dpPage{ctx, p.e}, cancel
}

// pages counts the pages that the browser names.
func pages(p dpPage, want int) error {
	targets, err := chromedp.Targets(p.ctx)
	n := 0
	for _, each := range targets {
		if each.Type == "page" {
			n++
		}
	}
	if err == nil && n != want {
		err = &wrong{"pages", n, want}
	}
	return err
}

var dpPages = []check[dpPage]{
	{"connect", "attach to the page that is there", func(t *testing.T, p dpPage) {
		same(t, "the address", get(t, p, chromedp.Location()), p.url(harness.AppPage))
	}, nil},
	{"connect", "connect as by default, with a tab of its own", func(t *testing.T, p dpPage) {
		allocator, disconnect := remote.NewAllocator(context.Background(), "http://127.0.0.1:"+p.e.Port)
		defer disconnect()
		ctx, cancel := chromedp.NewContext(allocator)
		defer cancel()
		title, err := chromedp.Run(ctx, chromedp.Title())
		if err != nil || title != "" {
			t.Errorf("the new tab has the title %q, %v", title, err)
		}
		if err := pages(p, 2); err != nil {
			t.Error(err)
		}
	}, nil},
	{"list pages", "Targets", func(t *testing.T, p dpPage) {
		targets, err := chromedp.Targets(p.ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range targets {
			if each.Type == "page" && (each.URL != p.url(harness.AppPage) || each.Title != "Field book" || !each.Attached) {
				t.Errorf("the page is %+v", each)
			}
		}
		if err := pages(p, 1); err != nil {
			t.Error(err)
		}
	}, nil},
	{"new page", "NewContext opens a tab", func(t *testing.T, p dpPage) {
		tab, _ := newTab(t, p)
		tab.do(t, chromedp.Navigate(p.url("/two.html")), chromedp.Click(chromedp.CSS("#here")))
		p.at(t, "/two.html", text("here"), `"Pressed here"`)
		if err := pages(p, 2); err != nil {
			t.Error(err)
		}
	}, nil},
	{"close", "cancelling the context closes its tab", func(t *testing.T, p dpPage) {
		tab, closeTab := newTab(t, p)
		tab.do(t, chromedp.Navigate(p.url("/two.html")))
		closeTab()
		harness.Eventually(t, harness.Soon, func() error { return pages(p, 1) })
	}, nil},
	{"two clients at once", "two connections, one page", func(t *testing.T, p dpPage) {
		other := connectChromedp(t, p.e)
		other.do(t, chromedp.Click(chromedp.CSS("#plus")))
		same(t, "the count", get(t, p, chromedp.Text(chromedp.CSS("#count"))), "1")
		p.do(t, chromedp.Click(chromedp.CSS("#plus")))
		p.is(t, text("count"), `"2"`)
	}, nil},
	{"goto", "Navigate", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Navigate(p.url("/two.html")))
		p.at(t, "/two.html", "document.title", `"Second page"`)
		same(t, "the title", get(t, p, chromedp.Title()), "Second page")
	}, nil},
	{"goto", "NavigateResponse", func(t *testing.T, p dpPage) {
		response := get(t, p, chromedp.NavigateResponse(p.url("/two.html")))
		same(t, "status", response.Status, 200)
		same(t, "address", response.URL, p.url("/two.html"))
	}, nil},
	{"goto", "Navigate to a fragment", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[bool]("window.same = true"))
		p.do(t, chromedp.Navigate(p.url(harness.AppPage)+"#far"))
		p.is(t, "[window.same, location.hash]", `[true,"#far"]`)
	}, nil},
	{"goto", "Navigate to where nobody listens", func(t *testing.T, p dpPage) {
		err := chromedp.Do(p.ctx, chromedp.Navigate("http://127.0.0.1:1/none"))
		if load := new(chromedp.LoadError); !errors.As(err, &load) || load.ErrorText != "net::ERR_UNSAFE_PORT" {
			t.Errorf("it says %v", err)
		}
	}, &difference[dpPage]{Differs, otherOrigins, func(t *testing.T, p dpPage) {
		err := chromedp.Do(p.ctx, chromedp.Navigate("http://127.0.0.1:1/none"))
		if err == nil || !strings.Contains(err.Error(), "not allowed for this Target") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"reload", "Reload", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[bool]("window.old = true"))
		p.do(t, chromedp.Reload())
		p.is(t, "window.old ?? 'gone'", `"gone"`)
	}, nil},
	{"back", "NavigateBack", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Navigate(p.url("/two.html")), chromedp.NavigateBack())
		same(t, "the title", get(t, p, chromedp.Title()), "Field book")
	}, nil},
	{"forward", "NavigateForward and NavigationEntries", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Navigate(p.url("/two.html")), chromedp.NavigateBack(), chromedp.NavigateForward())
		same(t, "the title", get(t, p, chromedp.Title()), "Second page")
		history := get(t, p, chromedp.NavigationEntries())
		same(t, "the current entry", history.Entries[history.CurrentIndex].URL, p.url("/two.html"))
	}, nil},
	{"wait for", "WaitVisible and WaitNotPresent", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.WaitNotPresent(chromedp.CSS("#arrived")), chromedp.Click(chromedp.CSS("#later")),
			chromedp.WaitVisible(chromedp.CSS("#arrived")), chromedp.WaitNotVisible(chromedp.CSS("#secret")))
		p.is(t, "window.arrived", "true")
	}, nil},
	{"wait for", "WaitEnabled", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[int]("setTimeout(() => { document.getElementById('off').disabled = false }, 300)"))
		p.do(t, chromedp.WaitEnabled(chromedp.CSS("#off")))
		p.is(t, "document.getElementById('off').disabled", "false")
	}, nil},
	{"wait for", "Poll", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Click(chromedp.CSS("#later")))
		same(t, "arrived", get(t, p, chromedp.Poll[bool]("window.arrived")), true)
		p.do(t, chromedp.Click(chromedp.CSS("#later")))
		same(t, "by mutation", get(t, p, chromedp.Poll[bool]("!!document.getElementById('arrived')", chromedp.WithPollingMutation())), true)
	}, nil},
	{"wait for", "RunResponse on a link", func(t *testing.T, p dpPage) {
		response, err := chromedp.RunResponse(p.ctx, chromedp.Click(chromedp.CSS("#two")))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "the address", response.URL, p.url("/two.html"))
		p.at(t, "/two.html", "document.title", `"Second page"`)
	}, nil},
}

// otherOrigins is why a Target does not go everywhere.
const otherOrigins = "A Host page lists the origins that its frame may show. Navigation to others is refused."
