package clients

import (
	"context"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/devices"
	"github.com/go-rod/rod/lib/launcher"
	"github.com/go-rod/rod/lib/proto"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// rodPage is what a check of rod gets.
type rodPage struct {
	*rod.Page
	browser *rod.Browser
	e       *harness.Endpoint
}

// url is the address of a page of the app.
func (p rodPage) url(path string) string { return p.e.Site.App.URL + path }

// is has the newest document of the app's page answer a question, until it is want.
func (p rodPage) is(t *testing.T, question, want string) {
	t.Helper()
	p.e.Site.Expect(t, harness.AppPage, question, want)
}

// at is the same for another page.
func (p rodPage) at(t *testing.T, page, question, want string) {
	t.Helper()
	p.e.Site.Expect(t, page, question, want)
}

// TestRod runs the checks of rod, each with a connection of its own.
func TestRod(t *testing.T) {
	e := newEndpoint(t)
	open := func(t *testing.T) rodPage { return openRod(t, e) }
	var all []check[rodPage]
	for _, some := range [][]check[rodPage]{rodPages, rodInput, rodScript, rodEvents, rodView} {
		all = append(all, some...)
	}
	runChecks(t, "rod", 20, open, all)
}

// connectRod connects without rod's habit of ending the browser with the
// connection. Errors end the test.
func connectRod(t *testing.T, e *harness.Endpoint) *rod.Browser {
	t.Helper()
	control, err := launcher.ResolveURL(e.Port)
	if err != nil {
		t.Fatal(err)
	}
	socket := &cdp.WebSocket{}
	if err := socket.Connect(t.Context(), control, nil); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), harness.Started)
	t.Cleanup(func() {
		socket.Close()
		cancel()
	})
	browser := rod.New().Client(cdp.New().Start(socket)).Context(ctx).NoDefaultDevice()
	browser = browser.WithPanic(func(reason any) { t.Fatalf("%v", reason) })
	return browser.MustConnect()
}

func openRod(t *testing.T, e *harness.Endpoint) rodPage {
	t.Helper()
	browser := connectRod(t, e)
	page := browser.MustPages().First()
	p := rodPage{page, browser, e}
	page.MustNavigate(p.url(harness.AppPage)).MustWaitLoad()
	return p
}

var rodPages = []check[rodPage]{
	{"connect", "connect and ask for the version", func(t *testing.T, p rodPage) {
		version, err := p.browser.Version()
		if err != nil || version.ProtocolVersion != "1.3" || version.UserAgent == "" {
			t.Errorf("version %+v, %v", version, err)
		}
	}, nil},
	{"connect", "connect as by default, with a device", func(t *testing.T, p rodPage) {
		page := connectRod(t, p.e).DefaultDevice(devices.LaptopWithMDPIScreen.Landscape()).MustPages().First()
		same(t, "the width", page.MustEval("() => innerWidth").Int(), 1280)
	}, nil},
	{"list pages", "Browser.Pages", func(t *testing.T, p rodPage) {
		info := p.MustInfo()
		if n := len(p.browser.MustPages()); n != 1 || info.URL != p.url(harness.AppPage) || info.Title != "Field book" || info.Type != "page" {
			t.Errorf("%d pages, the first is %+v", n, info)
		}
	}, nil},
	{"new page", "Browser.Page, then close", func(t *testing.T, p rodPage) {
		second := p.browser.MustPage(p.url("/two.html")).MustWaitLoad()
		second.MustElement("#here").MustClick()
		p.at(t, "/two.html", "document.getElementById('here').textContent", `"Pressed here"`)
		if n := len(p.browser.MustPages()); n != 2 {
			t.Errorf("%d pages, want 2", n)
		}
		second.MustClose()
	}, nil},
	{"close", "Page.Close ends the target", func(t *testing.T, p rodPage) {
		second := p.browser.MustPage(p.url("/two.html"))
		second.MustClose()
		harness.Eventually(t, harness.Soon, func() error { return onePage(p.browser) })
	}, nil},
	{"two clients at once", "two connections, one page", func(t *testing.T, p rodPage) {
		other := connectRod(t, p.e).MustPages().First()
		other.MustElement("#plus").MustClick()
		if got := p.MustElement("#count").MustText(); got != "1" {
			t.Errorf("the first sees the count %s, want 1", got)
		}
		p.MustElement("#plus").MustClick()
		p.is(t, text("count"), `"2"`)
	}, nil},
	{"goto", "Page.Navigate", func(t *testing.T, p rodPage) {
		p.MustNavigate(p.url("/two.html")).MustWaitLoad()
		p.at(t, "/two.html", "document.title", `"Second page"`)
		if got := p.MustInfo().Title; got != "Second page" {
			t.Errorf("the title is %q", got)
		}
	}, nil},
	{"goto", "navigation to where nobody listens", func(t *testing.T, p rodPage) {
		err := p.Navigate("http://127.0.0.1:1/none")
		want := &rod.NavigationError{Reason: "net::ERR_UNSAFE_PORT"}
		if !want.Is(err) {
			t.Errorf("it says %v, want %v", err, want)
		}
	}, &difference[rodPage]{Differs, otherOrigins, func(t *testing.T, p rodPage) {
		err := p.Navigate("http://127.0.0.1:1/none")
		if err == nil || !strings.Contains(err.Error(), "not allowed for this Target") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"reload", "Page.Reload", func(t *testing.T, p rodPage) {
		p.MustEval("() => { window.old = true }")
		p.MustReload().MustWaitLoad()
		p.is(t, "window.old ?? 'gone'", `"gone"`)
	}, nil},
	{"back", "Page.NavigateBack", func(t *testing.T, p rodPage) {
		p.MustNavigate(p.url("/two.html")).MustWaitLoad()
		wait := p.MustWaitNavigation()
		p.MustNavigateBack()
		wait()
		p.is(t, "document.title", `"Field book"`)
	}, nil},
	{"forward", "Page.NavigateForward", func(t *testing.T, p rodPage) {
		p.MustNavigate(p.url("/two.html")).MustWaitLoad()
		for _, move := range []func() *rod.Page{p.MustNavigateBack, p.MustNavigateForward} {
			wait := p.MustWaitNavigation()
			move()
			wait()
		}
		p.at(t, "/two.html", "document.title", `"Second page"`)
	}, nil},
	{"wait for", "an element that arrives late", func(t *testing.T, p rodPage) {
		p.MustElement("#later").MustClick()
		if got := p.MustElement("#arrived").MustWaitVisible().MustText(); got != "Arrived late" {
			t.Errorf("it says %q", got)
		}
	}, nil},
	{"wait for", "Page.Wait for a function", func(t *testing.T, p rodPage) {
		p.MustElement("#later").MustClick()
		p.MustWait("() => window.arrived")
		p.is(t, "window.arrived", "true")
	}, nil},
	{"wait for", "Page.WaitStable", func(t *testing.T, p rodPage) {
		p.MustElement("#later").MustClick()
		p.MustWaitStable()
		p.is(t, "window.arrived", "true")
	}, nil},
	{"wait for", "Page.WaitRequestIdle", func(t *testing.T, p rodPage) {
		wait := p.MustWaitRequestIdle()
		p.MustEval("() => { fetch('/api/echo').then((r) => r.text()).then(() => { window.fetched = true }) }")
		wait()
		p.is(t, "window.fetched", "true")
	}, nil},
	{"wait for", "Page.WaitEvent", func(t *testing.T, p rodPage) {
		loaded := proto.PageLoadEventFired{}
		wait := p.WaitEvent(&loaded)
		p.MustReload()
		wait()
		if loaded.Timestamp == 0 {
			t.Error("the load event has no time")
		}
	}, nil},
}

// onePage is what Eventually asks once a page has been closed.
func onePage(browser *rod.Browser) error {
	pages, err := browser.Pages()
	if err == nil && len(pages) != 1 {
		err = &wrong{"pages", len(pages), 1}
	}
	return err
}
