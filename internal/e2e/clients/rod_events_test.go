package clients

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/devices"
	"github.com/go-rod/rod/lib/proto"
)

var rodEvents = []check[rodPage]{
	{"console", "Runtime.consoleAPICalled", func(t *testing.T, p rodPage) {
		var said string
		wait := p.EachEvent(func(e *proto.RuntimeConsoleAPICalled) bool {
			said += string(e.Type) + ": " + p.MustObjectsToJSON(e.Args).JSON("", "") + " "
			return e.Type == proto.RuntimeConsoleAPICalledTypeError
		})
		p.MustElement("#speak").MustClick()
		wait()
		same(t, "what was said", said, `log: ["plain words",7] warning: ["careful words"] error: ["harsh words"] `)
	}, nil},
	{"page error", "Runtime.exceptionThrown", func(t *testing.T, p rodPage) {
		var text string
		wait := p.EachEvent(func(e *proto.RuntimeExceptionThrown) bool {
			text = e.ExceptionDetails.Exception.Description
			return true
		})
		p.MustElement("#break").MustClick()
		wait()
		same(t, "the error", strings.HasPrefix(text, "TypeError: broken on purpose"), true)
	}, nil},
	{"dialog", "Page.HandleDialog", func(t *testing.T, p rodPage) {
		wait, handle := p.MustHandleDialog()
		alarm, clicked := p.MustElement("#alarm"), make(chan error)
		go func() { clicked <- alarm.Click(proto.InputMouseButtonLeft, 1) }()
		same(t, "what it says", wait().Message, "The alarm")
		handle(true, "")
		if err := <-clicked; err != nil {
			t.Error(err)
		}
		p.is(t, text("alarm"), `"Rang"`)
	}, nil},
	{"dialog", "a prompt, answered", func(t *testing.T, p rodPage) {
		wait, handle := p.MustHandleDialog()
		p.MustEval("() => { setTimeout(() => { window.told = prompt('Name?', 'Bob') }) }")
		asked := wait()
		same(t, "the type", asked.Type, proto.PageDialogTypePrompt)
		same(t, "the default", asked.DefaultPrompt, "Bob")
		handle(true, "Ada")
		p.is(t, "window.told", `"Ada"`)
	}, nil},
	{"request and response events", "of fetch", func(t *testing.T, p rodPage) {
		var sent *proto.NetworkRequest
		var status int
		wait := p.EachEvent(func(e *proto.NetworkRequestWillBeSent) {
			if strings.HasSuffix(e.Request.URL, "/api/echo") {
				sent = e.Request
			}
		}, func(e *proto.NetworkResponseReceived) bool {
			status = e.Response.Status
			return strings.HasSuffix(e.Response.URL, "/api/echo")
		})
		p.MustEval("() => fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.text())")
		wait()
		if sent == nil || sent.Method != http.MethodPost || sent.PostData != "words" || status != 200 {
			t.Errorf("request %+v, status %d", sent, status)
		}
	}, nil},
	{"response bodies", "Network.getResponseBody", func(t *testing.T, p rodPage) {
		defer p.EnableDomain(proto.NetworkEnable{})() // or rod disables it, and the bodies go, when the wait is over
		var id proto.NetworkRequestID
		wait := p.EachEvent(func(e *proto.NetworkRequestWillBeSent) {
			if strings.HasSuffix(e.Request.URL, "/api/echo") {
				id = e.RequestID
			}
		}, func(e *proto.NetworkLoadingFinished) bool { return e.RequestID == id })
		p.MustEval("() => fetch('/api/echo', { method: 'POST', body: 'ähem' }).then((r) => r.text())")
		wait()
		body, err := proto.NetworkGetResponseBody{RequestID: id}.Call(p)
		if err != nil || !strings.Contains(body.Body, `"body":"ähem"`) {
			t.Errorf("body %+v, %v", body, err)
		}
	}, nil},
	{"intercept", "HijackRequests", func(t *testing.T, p rodPage) { hijackByRod(t, p, p.HijackRequests()) }, nil},
	{"intercept", "Browser.HijackRequests", func(t *testing.T, p rodPage) { hijackByRod(t, p, p.browser.HijackRequests()) }, nil},
}

// hijackByRod answers, fails and changes requests of a page.
func hijackByRod(t *testing.T, p rodPage, router *rod.HijackRouter) {
	router.MustAdd("*/api/made", func(h *rod.Hijack) {
		h.Response.Payload().ResponseCode = http.StatusCreated
		h.Response.SetHeader("X-Made", "up").SetBody("made up")
	})
	router.MustAdd("*/api/none", func(h *rod.Hijack) { h.Response.Fail(proto.NetworkErrorReasonBlockedByClient) })
	router.MustAdd("*/api/echo", func(h *rod.Hijack) { h.ContinueRequest(&proto.FetchContinueRequest{Method: "PUT"}) })
	go router.Run()
	got := p.MustEval(`async () => {
		const made = await fetch("/api/made");
		return [made.status, made.headers.get("X-Made"), await made.text(),
			await fetch("/api/none").catch((error) => error.name), (await (await fetch("/api/echo")).json()).method];
	}`)
	same(t, "the page got", got.JSON("", ""), `[201,"up","made up","TypeError","PUT"]`)
	router.MustStop()
	same(t, "afterwards", p.MustEval("() => fetch('/api/made').then((r) => r.status)").Int(), 404)
}

// TestRodHandleAuth has rod answer for a name and a password, at browser level. In an iframe the browser
// asks its user, which a headless one cannot do. A Chromium without a hub also pauses requests of its own; rod
// answers only the first of all.
func TestRodHandleAuth(t *testing.T) {
	for target, want := range map[string]int{"hub": http.StatusUnauthorized, "browser": http.StatusOK} {
		// In an iframe the browser itself would ask a person, and the request wait for her.
		credentials := map[string]string{"hub": "omit", "browser": "include"}[target]
		t.Run(target, func(t *testing.T) {
			e := newEndpointOf(t, target)
			e.Site.Handle("/api/closed", func(w http.ResponseWriter, r *http.Request) {
				if name, password, _ := r.BasicAuth(); name != "ada" || password != "secret" {
					w.Header().Set("WWW-Authenticate", `Basic realm="closed"`)
					w.WriteHeader(http.StatusUnauthorized)
				}
			})
			// Rod goes on with the first request alone, which must not be that of an icon.
			e.Site.Handle("/still.html", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/html")
				fmt.Fprintf(w, `<!doctype html>%s<link rel="icon" href="data:,">`, e.Site.Agent())
			})
			p := openRod(t, e)
			p.MustNavigate(p.url("/still.html")).MustWaitLoad()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			go p.browser.Context(ctx).HandleAuth("ada", "secret")() // it waits for ever in an iframe
			same(t, "the status", p.MustEval("(credentials) => fetch('/api/closed', { credentials }).then((r) => r.status)", credentials).Int(), want)
		})
	}
}

var rodView = []check[rodPage]{
	{"cookies", "SetCookies and Cookies", func(t *testing.T, p rodPage) {
		host, err := url.Parse(p.url(""))
		if err != nil {
			t.Fatal(err)
		}
		p.MustSetCookies(&proto.NetworkCookieParam{Name: "taste", Value: "sweet", Domain: host.Hostname(), Path: "/"})
		p.is(t, "document.cookie.includes('taste=sweet')", "true")
		found := false
		for _, cookie := range p.MustCookies() {
			found = found || cookie.Name == "taste" && cookie.Value == "sweet"
		}
		same(t, "found", found, true)
		if err := (proto.NetworkDeleteCookies{Name: "taste", Domain: host.Hostname()}).Call(p); err != nil {
			t.Error(err)
		}
		p.is(t, "document.cookie.includes('taste')", "false")
	}, nil},
	{"storage", "localStorage over a reload", func(t *testing.T, p rodPage) {
		p.MustEval("() => localStorage.setItem('kept', 'here')")
		p.MustReload().MustWaitLoad()
		same(t, "kept", p.MustEval("() => localStorage.getItem('kept')").Str(), "here")
		p.MustEval("() => localStorage.clear()")
	}, nil},
	{"screenshot", "Page.Screenshot", func(t *testing.T, p rodPage) {
		width, height := isPicture(t, p.MustScreenshot(), "png")
		same(t, "width", width, p.MustEval("() => innerWidth").Int())
		same(t, "height", height, p.MustEval("() => innerHeight").Int())
		if _, high := isPicture(t, p.MustScreenshotFullPage(), "png"); high < 3500 {
			t.Errorf("the whole page is %d px high", high)
		}
	}, nil},
	{"element screenshot", "Element.Screenshot", func(t *testing.T, p rodPage) {
		picture, err := p.MustElement("#pad").Screenshot(proto.PageCaptureScreenshotFormatJpeg, 80)
		if err != nil {
			t.Fatal(err)
		}
		width, height := isPicture(t, picture, "jpeg")
		same(t, "the size", [2]int{width, height}, [2]int{300, 60})
	}, nil},
	{"pdf", "Page.PDF", func(t *testing.T, p rodPage) {
		same(t, "it is a PDF", bytes.HasPrefix(p.MustPDF(), []byte("%PDF-")), true)
	}, &difference[rodPage]{Cannot, noPDF, func(t *testing.T, p rodPage) {
		if _, err := p.PDF(&proto.PagePrintToPDF{}); err == nil || !strings.Contains(err.Error(), "Page.printToPDF") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"profiling", "Profiler.enable", func(t *testing.T, p rodPage) {
		if err := (proto.ProfilerEnable{}).Call(p); err != nil {
			t.Error(err)
		}
	}, &difference[rodPage]{Cannot, noProfile, func(t *testing.T, p rodPage) {
		if err := (proto.ProfilerEnable{}).Call(p); err == nil || !strings.Contains(err.Error(), "Profiler.enable") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"navigation events", "Page.navigatedWithinDocument", func(t *testing.T, p rodPage) {
		var url string
		wait := p.EachEvent(func(e *proto.PageNavigatedWithinDocument) bool {
			url = e.URL
			return true
		})
		p.MustEval("() => history.pushState({}, '', '?within')")
		wait()
		same(t, "the address", strings.HasSuffix(url, "?within"), true)
	}, nil},
	{"accessibility", "Accessibility.getFullAXTree", func(t *testing.T, p rodPage) {
		tree, err := proto.AccessibilityGetFullAXTree{}.Call(p)
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, node := range tree.Nodes {
			if node.Role != nil && node.Name != nil {
				found[node.Role.Value.Str()+" "+node.Name.Value.Str()] = true
			}
		}
		for _, want := range []string{"RootWebArea Field book", "heading Field book", "button Add one", "combobox Plan", "checkbox Newsletter"} {
			same(t, want, found[want], true)
		}
	}, nil},
	{"DOM nodes", "Element.Describe and Shape", func(t *testing.T, p rodPage) {
		pad := p.MustElement("#pad")
		node := pad.MustDescribe()
		same(t, "the name", node.LocalName, "div")
		same(t, "by its id", p.MustElementByJS("() => document.getElementById('pad')").MustDescribe().BackendNodeID, node.BackendNodeID)
		box := pad.MustShape().Box()
		same(t, "the box", *box, proto.DOMRect{X: 800, Y: 10, Width: 300, Height: 60})
		same(t, "an XPath", pad.MustGetXPath(false), "/html/body/div[3]")
	}, nil},
	{"viewport", "Page.SetViewport", func(t *testing.T, p rodPage) {
		p.MustSetViewport(700, 500, 1, false)
		p.is(t, "[innerWidth, innerHeight]", "[700,500]")
		if err := p.SetViewport(nil); err != nil {
			t.Error(err)
		}
		p.is(t, "innerWidth !== 700", "true")
	}, nil},
	{"emulation", "Page.Emulate a telephone", func(t *testing.T, p rodPage) {
		p.MustEmulate(devices.IPhoneX)
		p.MustReload().MustWaitLoad()
		p.is(t, "[screen.width, devicePixelRatio, /iPhone/.test(navigator.userAgent)]", "[375,3,true]")
		p.MustEmulate(devices.Clear)
	}, &difference[rodPage]{Differs, "Screen size and pixel ratio are those of the window. The frame is resized, and script sees the user agent.", func(t *testing.T, p rodPage) {
		p.MustEmulate(devices.IPhoneX)
		p.MustReload().MustWaitLoad()
		p.is(t, "[innerWidth, /iPhone/.test(navigator.userAgent)]", "[375,true]")
		p.MustEmulate(devices.Clear)
	}}},
}

// noProfile is why no client measures the scripts of an iframe.
const noProfile = "Page script cannot measure which code runs."

// noPDF is why no client gets a PDF from an iframe.
const noPDF = "Page script can open the print dialog, but not print to a file."
