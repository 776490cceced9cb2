package actions

import (
	"context"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/cdphub/cdphub/internal/wire"
)

// pageCalls are the calls that read what a page says.
var pageCalls = []func(ctx context.Context, b *Browser, p *Page){
	func(ctx context.Context, _ *Browser, p *Page) { p.Frames(ctx) },
	func(ctx context.Context, _ *Browser, p *Page) {
		p.SetFrame(ctx, FrameChoice{ID: "G"})
		p.Click(ctx, CSS("a"), ClickOptions{})
	},
	func(ctx context.Context, _ *Browser, p *Page) { p.SetFrame(ctx, FrameChoice{Element: CSS("iframe")}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SnapshotYAML(ctx, YAMLOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SnapshotYAML(ctx, YAMLOptions{Root: CSS("a")}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SnapshotElements(ctx) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SnapshotTagged(ctx, TaggedOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.Observe(ctx, ObserveOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.Content(ctx, "html", CSS("a")) },
	func(ctx context.Context, _ *Browser, p *Page) { p.ElementState(ctx, CSS("a"), []string{"text"}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.WaitForSelector(ctx, CSS("a"), WaitOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.Click(ctx, CSS("a"), ClickOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.Hover(ctx, Point{1, 2}, HoverOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SelectOption(ctx, CSS("a"), []string{"b"}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.SetChecked(ctx, CSS("a"), false) },
	func(ctx context.Context, _ *Browser, p *Page) { p.DragTo(ctx, CSS("a"), CSS("b")) },
	func(ctx context.Context, _ *Browser, p *Page) { p.Type(ctx, CSS("a"), "x", TypeOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) {
		p.Screenshot(ctx, ScreenshotOptions{FullPage: true, CSSPixels: true})
	},
	func(ctx context.Context, _ *Browser, p *Page) {
		p.Screenshot(ctx, ScreenshotOptions{Element: CSS("a"), Mask: []Locator{CSS("b")}})
	},
	func(ctx context.Context, _ *Browser, p *Page) { p.PDF(ctx, PDFOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.AccessibilityTree(ctx) },
	func(ctx context.Context, _ *Browser, p *Page) { p.AXTree(ctx, AXOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) {
		p.AXTree(ctx, AXOptions{Root: CSS("a"), All: true, IncludeHidden: true})
	},
	func(ctx context.Context, _ *Browser, p *Page) { p.Evaluate(ctx, "1", EvaluateOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) {
		p.Evaluate(ctx, "1", EvaluateOptions{Function: true, Element: CSS("a")})
	},
	func(ctx context.Context, _ *Browser, p *Page) { p.DeclaredTools(ctx) },
	func(ctx context.Context, _ *Browser, p *Page) { p.StorageState(ctx); p.DeleteCookies(ctx, "a") },
	func(ctx context.Context, _ *Browser, p *Page) { p.Goto(ctx, "https://a.example/b", GotoOptions{}) },
	func(ctx context.Context, _ *Browser, p *Page) { p.GoBack(ctx, nil) },
	func(ctx context.Context, _ *Browser, p *Page) { p.WaitForLoadState(ctx, DOMContentLoaded) },
	func(ctx context.Context, b *Browser, _ *Page) { b.List(ctx) },
	func(ctx context.Context, b *Browser, _ *Page) { b.Sights(ctx) },
	func(ctx context.Context, b *Browser, _ *Page) {
		b.CreateContext(ctx)
		b.OpenPage(ctx, "https://a.example/", "C")
	},
	func(ctx context.Context, _ *Browser, p *Page) { p.BeginHandoff(ctx, "x", 0) },
	func(ctx context.Context, _ *Browser, p *Page) {
		p.HideHighlights(ctx, CSS("a"))
		p.Drop(ctx, CSS("a"), nil, nil)
	},
	func(ctx context.Context, _ *Browser, p *Page) {
		p.ViewportSize(ctx)
		p.SetItem(ctx, LocalStorage, "a", "b")
	},
	func(ctx context.Context, _ *Browser, p *Page) {
		list, _ := p.Requests(ctx, 0)
		for _, r := range list {
			p.ResponseBody(ctx, r)
			p.RequestBody(ctx, r)
		}
	},
}

// answeredMethods are the answers that a page can give, events that it can send, and
// answers of its script.
var answeredMethods = append([]string{"script"}, slices.Sorted(maps.Keys(usualAnswers))...)

var eventNames = slices.Sorted(maps.Keys(handlers))

// memoryFloor is how many bytes a call may allocate whatever the page says: it sends the
// page script, and tries again for as long as its time lasts.
const memoryFloor = 48 << 20

// FuzzR250PageAnswers has a page answer one method, or its script, or send an event, with
// any JSON that the hub would pass on. Units are repeated, since a fuzzer makes no long
// texts. Whatever the page says: a call allocates no more than ten times of it, ends by its
// deadline, and leaves neither a lock nor a goroutine behind (synctest).
func FuzzR250PageAnswers(f *testing.F) {
	for _, s := range pageSeeds {
		f.Add(s.call, s.at, s.head, s.unit, s.tail, s.n)
	}
	f.Fuzz(func(t *testing.T, call, at uint8, head, unit, tail string, n uint16) {
		if len(unit)*int(n) > 1<<20 {
			return
		}
		answer := head + strings.Repeat(unit, int(n)) + tail
		if !wire.Valid([]byte(answer)) || !utf8.ValidString(answer) {
			return
		}
		synctest.Test(t, func(t *testing.T) { answerPage(t, call, at, answer) })
	})
}

// answerPage checks one answer.
func answerPage(t *testing.T, call, at uint8, answer string) {
	kind := BrowserTarget
	if call >= 128 {
		kind = FrameTarget
	}
	f, b, p, err := openFake(t.Context(), kind)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	start, deadline := time.Now(), 3*time.Second
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	f.takeSaid()
	used := allocated(func() {
		if i := int(at) % (len(answeredMethods) + len(eventNames)); i < len(answeredMethods) {
			f.says(answeredMethods[i], answer)
		} else {
			b.Subscribe(255, func(Event) {}).Ready(ctx)
			f.tell("S", eventNames[i-len(answeredMethods)], answer)
			f.tell("", eventNames[i-len(answeredMethods)], answer)
		}
		pageCalls[int(call)%len(pageCalls)](ctx, b, p)
	})
	said := f.takeSaid()
	used -= said // which the fake page has made
	if most := 10*said + memoryFloor; used > most {
		t.Errorf("%d bytes of answers took %d bytes, at most %d are right", said, used, most)
	}
	if took := time.Since(start); took > deadline+defaultTimeout/10 {
		t.Errorf("the call took %v", took)
	}
	f.says("", "")
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := b.List(ctx); err != nil {
		t.Errorf("afterwards the pages cannot be listed: %v", err)
	}
	p, err = b.Page("T")
	if err != nil {
		return // the browser has said that it has gone
	}
	switch _, err := p.SnapshotYAML(ctx, YAMLOptions{}); KindOf(err) {
	case "", URLBlocked, TargetClosed, FrameNotFound:
	default:
		t.Errorf("afterwards the page cannot be read: %v", err)
	}
	if err := p.runInput(ctx, func(context.Context, string) error { return nil }); KindOf(err) == Timeout {
		t.Errorf("afterwards there can be no input: %v", err)
	}
}

// allocated is how many bytes f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

type pageSeed struct {
	call, at         uint8
	head, unit, tail string
	n                uint16
}

// seedFor is a seed that answers one method, or sends an event.
func seedFor(call int, method, head, unit, tail string, n uint16) pageSeed {
	at := slices.Index(answeredMethods, method)
	if at < 0 {
		at = len(answeredMethods) + slices.Index(eventNames, method)
	}
	return pageSeed{uint8(call), uint8(at), head, unit, tail, n}
}

// pageSeeds are answers that took memory, time or the process.
var pageSeeds = []pageSeed{
	seedFor(3, "script", `{"ok":{"text":"- iframe","holes":[{"handle":"h","line":0,"depth":10000000000000,"above":"f1"}]}}`, "", "", 0),
	seedFor(3, "script", `{"ok":{"text":"- iframe","holes":[{"handle":"h","line":-1,"above":"f1"}]}}`, "", "", 0),
	seedFor(3, "script", `{"ok":{"text":"`, `\n`, `","holes":[{"handle":"h","line":0,"above":"f1"}]}}`, 60000),
	seedFor(3, "script", `{"ok":{"text":"- iframe","holes":[`, `{"handle":"h","line":0,"above":"f1"},`, `{"line":0}]}}`, 300),
	seedFor(1, "script", `{"ok":1000000000000}`, "", "", 0),
	seedFor(1, "script", `{"ok":-1}`, "", "", 0),
	seedFor(1, "Page.getFrameTree", `{"frameTree":{"frame":{"id":"F","parentId":"G"},"childFrames":[{"frame":{"id":"G","parentId":"F"}}]}}`, "", "", 0),
	seedFor(1, "Page.getFrameTree", `{"frameTree":{"frame":{"id":"G","parentId":"G"}}}`, "", "", 0),
	seedFor(0, "Page.getFrameTree", `{"frameTree":{"frame":{"id":"F"},"childFrames":[`, `{},`, `{}]}}`, 60000),
	seedFor(11, "script", `{"ok":{"x":1e999,"y":-1e308}}`, "", "", 0),
	seedFor(17, "script", `{"ok":{"scale":0}}`, "", "", 0),
	seedFor(17, "Page.getLayoutMetrics", `{"cssContentSize":{"width":1e9,"height":1e9}}`, "", "", 0),
	seedFor(11, "script", `{"error":{"kind":"Paused","message":"x","waited":1e300,"count":-5}}`, "", "", 0),
	seedFor(20, "Accessibility.getFullAXTree", `{"nodes":[`, `{},`, `{}]}`, 60000),
	seedFor(20, "Accessibility.getFullAXTree", `{"nodes":[{"nodeId":"1","childIds":["1"],"backendDOMNodeId":5,"value":{"value":"x"}},`, `{"backendDOMNodeId":5,"childIds":["1"]},`, `{}]}`, 20000),
	seedFor(21, "Accessibility.getFullAXTree", `{"nodes":[{"nodeId":"1","name":{"value":[`, `[],`, `0]}}]}`, 60000),
	seedFor(20, "DOM.describeNode", `{"node":{"children":[`, `{},`, `{}]}}`, 60000),
	seedFor(20, "Runtime.getProperties", `{"result":[`, `{"value":{"subtype":"node"}},`, `{}]}`, 30000),
	seedFor(23, "Runtime.evaluate", `{"result":{"value":[`, `[],`, `0]}}`, 60000),
	seedFor(26, "Storage.getCookies", `{"cookies":[`, `{"name":"a"},`, `{}]}`, 60000),
	seedFor(28, "Page.getNavigationHistory", `{"currentIndex":-9223372036854775808,"entries":[`, `{},`, `{}]}`, 1000),
	seedFor(36, "Network.requestWillBeSent", `{"requestId":"1","request":{"url":"x","headers":{`, `"a":"b",`, `"c":"d"}}}`, 60000),
	seedFor(30, "Runtime.consoleAPICalled", `{"args":[`, `{},`, `{}]}`, 60000),
	seedFor(30, "Page.frameNavigated", `{"frame":{"id":"F","url":"file:///etc/passwd"}}`, "", "", 0),
	seedFor(30, "Target.attachedToTarget", `{"sessionId":"S2","targetInfo":{"type":"iframe","targetId":"F"}}`, "", "", 0),
	seedFor(30, "Input.dragIntercepted", `{"data":[`, `[],`, `0]}`, 60000),
	seedFor(24, "DOM.resolveNode", `[]`, "", "", 0),
	seedFor(25, "script", `[]`, "", "", 0),
}
