package clients

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/profiler"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var dpScript = []check[dpPage]{
	{"evaluate", "Evaluate values", func(t *testing.T, p dpPage) {
		same(t, "a number", get(t, p, chromedp.Evaluate[int]("6 * 7")), 42)
		same(t, "a list", get(t, p, chromedp.Evaluate[[]string]("['a', 'b']"))[1], "b")
		type book struct{ Leaves []int }
		same(t, "an object", get(t, p, chromedp.Evaluate[book]("({ leaves: [1, 2] })")).Leaves[1], 2)
	}, nil},
	{"evaluate errors", "an exception", func(t *testing.T, p dpPage) {
		_, err := chromedp.Run(p.ctx, chromedp.Evaluate[int]("(() => { throw new RangeError('out of reach') })()"))
		if thrown := new(chromedp.ExceptionError); !errors.As(err, &thrown) || !strings.Contains(thrown.Exception.Description, "RangeError: out of reach") {
			t.Errorf("it says %v", err)
		}
	}, nil},
	{"evaluate promises", "EvalAwaitPromise", func(t *testing.T, p dpPage) {
		later := chromedp.Evaluate[string]("new Promise((resolve) => setTimeout(resolve, 50, 'later'))", chromedp.EvalAwaitPromise)
		same(t, "later", get(t, p, later), "later")
	}, nil},
	{"handles", "Runtime.evaluate, callFunctionOn, releaseObject", func(t *testing.T, p dpPage) {
		list := call(t, p, runtime.Evaluate, runtime.EvaluateParams{Expression: "[1, 2, 3]"}).Result.ObjectID
		sum := call(t, p, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: list, FunctionDeclaration: "function () { return this.reduce((a, b) => a + b) }"})
		same(t, "the sum", string(sum.Result.Value), "6")
		call(t, p, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: list})
		_, err := chromedp.Call(p.ctx, runtime.CallFunctionOn, runtime.CallFunctionOnParams{ObjectID: list, FunctionDeclaration: "function () {}"})
		same(t, "it is gone", err != nil && strings.Contains(err.Error(), "Could not find object with given id"), true)
	}, nil},
	{"expose function", "ExposeFunc", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.ExposeFunc("double", func(_ context.Context, n int) (int, error) {
			if n < 0 {
				return 0, errors.New("refused here")
			}
			return 2 * n, nil
		}))
		ask := func(expression string) string {
			return get(t, p, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
		}
		same(t, "the answer", ask("double(21).then(String)"), "42")
		if got := ask("double(-1).catch((error) => error.message)"); !strings.Contains(got, "refused here") {
			t.Errorf("the refusal says %q", got)
		}
		p.do(t, chromedp.Reload())
		same(t, "after a reload", ask("double(4).then(String)"), "8")
	}, nil},
	{"init script", "Page.addScriptToEvaluateOnNewDocument", func(t *testing.T, p dpPage) {
		added := call(t, p, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "window.early = document.getElementById('heading') === null"})
		p.do(t, chromedp.Reload())
		p.is(t, "window.early", "true")
		call(t, p, page.RemoveScriptToEvaluateOnNewDocument, page.RemoveScriptToEvaluateOnNewDocumentParams(added))
		p.do(t, chromedp.Reload())
		p.is(t, "window.early ?? 'none'", `"none"`)
	}, nil},
	{"frames", "FromNode reaches into a frame", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.Navigate(p.url("/frames.html")))
		inner := get(t, p, chromedp.Nodes(chromedp.CSS("#inner")))[0]
		p.do(t, chromedp.SendKeys(chromedp.CSS("#word"), "deep", chromedp.FromNode(inner)), chromedp.Click(chromedp.CSS("#press"), chromedp.FromNode(inner)))
		p.at(t, "/child.html", "["+text("press")+","+value("word")+"]", `["Inner pressed","deep"]`)
		p.at(t, "/frames.html", text("press"), `"Press"`)
	}, nil},
	{"set content", "Page.setDocumentContent", func(t *testing.T, p dpPage) {
		tree := call(t, p, page.GetFrameTree, cdp.Empty{})
		call(t, p, page.SetDocumentContent, page.SetDocumentContentParams{FrameID: tree.FrameTree.Frame.ID, HTML: "<title>New words</title><p id=new>New</p>"})
		same(t, "the text", get(t, p, chromedp.Text(chromedp.CSS("#new"))), "New")
	}, nil},
}

var dpEvents = []check[dpPage]{
	{"console", "Console", func(t *testing.T, p dpPage) {
		messages := chromedp.Console(p.ctx)
		p.do(t, chromedp.Click(chromedp.CSS("#speak")))
		var said []string
		for m, err := range messages {
			if err != nil {
				t.Fatal(err)
			}
			if said = append(said, string(m.Type)+": "+m.Text); len(said) == 3 {
				break
			}
		}
		same(t, "what was said", strings.Join(said, "; "), "log: plain words 7; warning: careful words; error: harsh words")
	}, nil},
	{"page error", "Console reports exceptions", func(t *testing.T, p dpPage) {
		messages := chromedp.Console(p.ctx)
		p.do(t, chromedp.Click(chromedp.CSS("#break")))
		for m, err := range messages {
			if err != nil {
				t.Fatal(err)
			}
			if m.IsException() {
				same(t, "the error", strings.Contains(m.Text, "TypeError: broken on purpose"), true)
				break
			}
		}
	}, nil},
	{"dialog", "Page.handleJavaScriptDialog", func(t *testing.T, p dpPage) {
		opening := chromedp.WaitEvent(page.JavascriptDialogOpening, nil, chromedp.Evaluate[int]("setTimeout(() => { window.told = prompt('Name?', 'Bob') })"))
		asked := get(t, p, opening)
		same(t, "what is asked", asked.Message+" "+asked.DefaultPrompt+" "+string(asked.Type), "Name? Bob prompt")
		call(t, p, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true, PromptText: "Ada"})
		p.is(t, "window.told", `"Ada"`)
	}, nil},
	{"request and response events", "of fetch, and the body", func(t *testing.T, p dpPage) {
		var id network.RequestID
		asked := chromedp.WaitEvent(network.RequestWillBeSent, func(e network.EventRequestWillBeSent) bool {
			if !strings.HasSuffix(e.Request.URL, "/api/echo") || e.Request.Method != http.MethodPost {
				return false
			}
			id = e.RequestID
			return true
		}, chromedp.Evaluate[string]("fetch('/api/echo', { method: 'POST', body: 'ähem' }).then((r) => r.text())", chromedp.EvalAwaitPromise))
		done := chromedp.WaitEvent(network.LoadingFinished, func(e network.EventLoadingFinished) bool { return e.RequestID == id }, asked)
		got := chromedp.WaitEvent(network.ResponseReceived, func(e network.EventResponseReceived) bool { return e.RequestID == id }, done)
		same(t, "the status", get(t, p, got).Response.Status, 200)
		body := call(t, p, network.GetResponseBody, network.GetResponseBodyParams{RequestID: id})
		same(t, "the body", strings.Contains(string(body.Body), `"body":"ähem"`), true)
	}, nil},
	{"intercept", "Fetch.requestPaused, fulfilled and failed", func(t *testing.T, p dpPage) {
		paused := chromedp.Events(p.ctx, fetch.RequestPaused)
		call(t, p, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*/api/*"}}})
		go func() {
			for e, err := range paused {
				switch {
				case err != nil:
					return
				case strings.HasSuffix(e.Request.URL, "/made"):
					chromedp.Call(p.ctx, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: e.RequestID, ResponseCode: 201, Body: []byte("made up")})
				case strings.HasSuffix(e.Request.URL, "/none"):
					chromedp.Call(p.ctx, fetch.FailRequest, fetch.FailRequestParams{RequestID: e.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
				default:
					chromedp.Call(p.ctx, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: e.RequestID, Method: http.MethodPut})
				}
			}
		}()
		got := get(t, p, chromedp.Evaluate[string](`(async () => {
			const made = await fetch("/api/made");
			return [made.status, await made.text(), await fetch("/api/none").catch((error) => error.name), (await (await fetch("/api/echo")).json()).method].join();
		})()`, chromedp.EvalAwaitPromise))
		same(t, "the page got", got, "201,made up,TypeError,PUT")
		call(t, p, fetch.Disable, cdp.Empty{})
	}, nil},
	{"response bodies", "Network.getResponseBody", func(t *testing.T, p dpPage) {
		got := chromedp.WaitEvent(network.ResponseReceived, func(e network.EventResponseReceived) bool { return strings.HasSuffix(e.Response.URL, "/api/echo") },
			chromedp.Evaluate[string]("fetch('/api/echo', { method: 'POST', body: 'words' }).then((r) => r.text())", chromedp.EvalAwaitPromise))
		body := call(t, p, network.GetResponseBody, network.GetResponseBodyParams{RequestID: get(t, p, got).RequestID})
		same(t, "the body", strings.Contains(string(body.Body), `"body":"words"`), true)
	}, nil},
	{"navigation events", "Page.loadEventFired by a click", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.WaitEvent(page.LoadEventFired, nil, chromedp.Click(chromedp.CSS("#two"))))
		p.at(t, "/two.html", "document.readyState", `"complete"`)
	}, nil},
}

var dpView = []check[dpPage]{
	{"cookies", "Network.setCookie and getCookies", func(t *testing.T, p dpPage) {
		host, err := url.Parse(p.url(""))
		if err != nil {
			t.Fatal(err)
		}
		call(t, p, network.SetCookie, network.SetCookieParams{Name: "taste", Value: "sweet", Domain: host.Hostname(), Path: "/"})
		p.is(t, "document.cookie.includes('taste=sweet')", "true")
		found := false
		for _, cookie := range call(t, p, network.GetCookies, network.GetCookiesParams{}).Cookies {
			found = found || cookie.Name == "taste" && cookie.Value == "sweet"
		}
		same(t, "found", found, true)
		call(t, p, network.DeleteCookies, network.DeleteCookiesParams{Name: "taste", Domain: host.Hostname()})
		p.is(t, "document.cookie.includes('taste')", "false")
	}, nil},
	{"screenshot", "CaptureScreenshot and FullScreenshot", func(t *testing.T, p dpPage) {
		width, height := isPicture(t, get(t, p, chromedp.CaptureScreenshot()), "png")
		same(t, "width", width, get(t, p, chromedp.Evaluate[int]("innerWidth")))
		same(t, "height", height, get(t, p, chromedp.Evaluate[int]("innerHeight")))
		if _, high := isPicture(t, get(t, p, chromedp.FullScreenshot(80)), "jpeg"); high < 3500 {
			t.Errorf("the whole page is %d px high", high)
		}
	}, nil},
	{"element screenshot", "Screenshot", func(t *testing.T, p dpPage) {
		width, height := isPicture(t, get(t, p, chromedp.Screenshot(chromedp.CSS("#pad"))), "png")
		same(t, "the size", [2]int{width, height}, [2]int{300, 60})
	}, nil},
	{"pdf", "PrintToPDF", func(t *testing.T, p dpPage) {
		same(t, "it is a PDF", bytes.HasPrefix(get(t, p, chromedp.PrintToPDF()), []byte("%PDF-")), true)
	}, &difference[dpPage]{Cannot, noPDF, func(t *testing.T, p dpPage) {
		if _, err := chromedp.Run(p.ctx, chromedp.PrintToPDF()); err == nil || !strings.Contains(err.Error(), "Page.printToPDF") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"accessibility", "Accessibility.getFullAXTree", func(t *testing.T, p dpPage) {
		found := map[string]bool{}
		for _, node := range call(t, p, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{}).Nodes {
			if node.Role != nil && node.Name != nil {
				found[string(node.Role.Value)+" "+string(node.Name.Value)] = true
			}
		}
		for _, want := range []string{`"RootWebArea" "Field book"`, `"button" "Add one"`, `"combobox" "Plan"`, `"checkbox" "Newsletter"`} {
			same(t, want, found[want], true)
		}
	}, nil},
	{"viewport", "EmulateViewport", func(t *testing.T, p dpPage) {
		p.do(t, chromedp.EmulateViewport(700, 500))
		p.is(t, "[innerWidth, innerHeight]", "[700,500]")
		call(t, p, emulation.ClearDeviceMetricsOverride, cdp.Empty{})
		p.is(t, "innerWidth !== 700", "true")
	}, nil},
	{"emulation", "Emulation.setEmulatedMedia", func(t *testing.T, p dpPage) {
		call(t, p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
		p.is(t, "matchMedia('(prefers-color-scheme: dark)').matches", "true")
	}, nil},
	{"profiling", "Profiler.enable", func(t *testing.T, p dpPage) {
		call(t, p, profiler.Enable, cdp.Empty{})
	}, &difference[dpPage]{Cannot, noProfile, func(t *testing.T, p dpPage) {
		if _, err := chromedp.Call(p.ctx, profiler.Enable, cdp.Empty{}); err == nil || !strings.Contains(err.Error(), "Profiler.enable") {
			t.Errorf("it says %v", err)
		}
	}}},
	{"storage", "localStorage over a reload", func(t *testing.T, p dpPage) {
		get(t, p, chromedp.Evaluate[bool]("localStorage.setItem('kept', 'here'), true"))
		p.do(t, chromedp.Reload())
		same(t, "kept", get(t, p, chromedp.Evaluate[string]("localStorage.getItem('kept')")), "here")
		get(t, p, chromedp.Evaluate[bool]("localStorage.clear(), true"))
	}, nil},
}
