package chrome

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/wire"
)

// TestR245FlooderIsFoundByItsTimes has figures that were measured in 4 s with Chromium 156 on
// a busy machine with two processors, in hundredths of a second.
func TestR245FlooderIsFoundByItsTimes(t *testing.T) {
	const tick = 10 * time.Millisecond
	type times = map[int][2]time.Duration // user, kernel
	for _, c := range []struct {
		name      string
		receiving time.Duration
		spent     times
		want      int
	}{
		{"document.title", 100, times{1: {21, 5}, 2: {18, 4}, 3: {85, 77}, 4: {18, 6}}, 3},
		{"permissions", 50, times{1: {21, 2}, 2: {91, 49}}, 2},
		{"console.log", 87, times{1: {19, 2}, 2: {27, 3}, 3: {84, 31}, 4: {27, 4}}, 3},
		{"a page that computes, and nothing else", 10, times{1: {227, 16}, 2: {72, 30}}, 0},
		{"a page that computes beside document.title", 100, times{1: {227, 16}, 2: {85, 77}}, 2},
		{"a large answer beside a page that loads", 3, times{1: {80, 40}}, 0},
		{"nothing that stands out", 50, times{1: {20, 15}, 2: {100, 10}}, 0},
	} {
		before, after := usage{renderers: map[int]processorTime{}}, usage{renderers: map[int]processorTime{9: {0, time.Hour}}}
		before.receiving, after.receiving = 7*tick, (7+c.receiving)*tick
		for pid, spent := range c.spent {
			before.renderers[pid] = processorTime{time.Hour, time.Minute}
			after.renderers[pid] = processorTime{time.Hour + spent[0]*tick, time.Minute + spent[1]*tick}
		}
		if got := after.flooder(&before, 4*time.Second); got != c.want {
			t.Errorf("%s: it is %d, want %d", c.name, got, c.want)
		}
	}
}

// floodedBrowser is one with a renderer 7 that floods it until it is ended.
type floodedBrowser struct {
	*fakeBrowser

	mu    sync.Mutex
	spent time.Duration
	ended []int
}

func (b *floodedBrowser) usage() usage {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.ended) == 0 {
		b.spent += 2 * time.Second
	}
	return usage{map[int]processorTime{7: {b.spent, b.spent}, 8: {time.Second, 0}}, b.spent}
}

func (b *floodedBrowser) endRenderer(pid int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ended = append(b.ended, pid)
}

// TestR245PageThatFloodsIsEndedBeforeTheBrowser has the browser answer again once it has
// handled what the renderer has sent.
func TestR245PageThatFloodsIsEndedBeforeTheBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		browser := &floodedBrowser{fakeBrowser: newFakeBrowser()}
		r := greetedBy(t, Options{}, browser, browser.fakeBrowser)
		r.clients("a", "b")
		for _, s := range []string{"a", "b"} {
			r.says(`{"method":"Target.attachedToTarget","params":{"sessionId":"P` + s + `","targetInfo":{"targetId":"T` + s +
				`","type":"page","browserContextId":"D"},"waitingForDebugger":false},"sessionId":"` + strings.ToUpper(s) + `"}`)
		}
		r.must("a", "X.y", "")
		r.after(tickEvery + floodAfter*tickEvery)
		if len(browser.ended) != 1 || browser.ended[0] != 7 {
			t.Fatalf("the renderers %v were ended, want 7", browser.ended)
		}
		r.after((drainFor - 1) * tickEvery)
		r.forget()
		r.says(`{"method":"Target.targetCrashed","params":{"targetId":"Tb","status":"crashed","errorCode":11}}`)
		r.wantTold() // by itself
		r.says(`{"method":"Target.targetCrashed","params":{"targetId":"Ta","status":"killed","errorCode":9}}`)
		r.wantTold("Pa fails: " + errFlood.Message)
		r.wantSent(`{"id":-8,"method":"Target.closeTarget","params":{"targetId":"Ta"}}`)
		if got := browser.ended; len(got) != 1 {
			t.Errorf("the renderers %v were ended, want one", got)
		}
	})
}

// TestR245KilledPagesOfOthersStay wants a page that was killed by somebody else to stay.
func TestR245KilledPagesOfOthersStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := greeted(t, Options{})
		r.says(`{"method":"Target.targetCrashed","params":{"targetId":"T0","status":"killed","errorCode":9}}`)
		r.wantSent()
	})
}

// floods are loops of a page that send the browser more than it handles.
var floods = []struct {
	name, script string
	ends         bool // the hub ends the page; of the others Chromium limits what they send, or they send little
}{
	{"history.replaceState", `for (let i = 0; ; i++) history.replaceState(0, '', '#' + i)`, false},
	{"location.hash", `for (let i = 0; ; i++) location.hash = i`, false},
	{"location.href", `(function f() { for (let i = 0; i < 200; i++) location.href = 'http://127.0.0.1:1/' + i; setTimeout(f) })()`, false},
	{"navigation.navigate", `(function f() { for (let i = 0; i < 200; i++) navigation.navigate('#' + i).committed.catch(() => 0); setTimeout(f) })()`, false},
	{"a loop that computes", `for (;;);`, false},
	{"document.title", `for (let i = 0; ; i++) document.title = i`, true},
}

// TestR245ChromiumAnswersOthersDuringAFlood has a page of one Client flood a browser, while a
// page in another private context goes on. The browser is started by a script that waits for
// it, as Debian's chromium-headless-shell is.
func TestR245ChromiumAnswersOthersDuringAFlood(t *testing.T) {
	o := options(t)
	path, err := Find(o.Path)
	if err != nil {
		t.Fatal(err)
	}
	o.Path = filepath.Join(t.TempDir(), "script")
	if err := os.WriteFile(o.Path, []byte("#!/bin/sh\n'"+path+"' \"$@\"\nexit $?\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	h := serveLive(t, Serve, o)
	url := site(t)
	h.attach("victim")
	_, other := h.page("victim", url+"/frame", h.call("victim", "Target.createBrowserContext", "{}", "browserContextId"))
	h.evalUntil(other, "document.title", "inner")
	for _, f := range floods {
		t.Run(f.name, func(t *testing.T) {
			h.t = t
			h.attach("a")
			contextID := h.call("a", "Target.createBrowserContext", "{}", "browserContextId")
			_, page := h.page("a", url+"/frame", contextID)
			h.evalUntil(page, "document.title", "inner")
			waiting := h.send(page, "Runtime.evaluate", `{"expression":"new Promise(() => 0)","awaitPromise":true}`)
			h.answer(page, "Runtime.evaluate", `{"expression":`+string(wire.AppendString(nil, "setTimeout(() => { "+f.script+" }, 10); 0"))+`}`)
			for range 100 {
				h.eval(other, "6*7")
			}
			if f.ends {
				h.await("reason", func() bool { return strings.Contains(h.results[waiting], errFlood.Message) })
			} else if got := h.results[waiting]; strings.Contains(got, errFlood.Message) {
				t.Errorf("the page was ended: %s", got)
			}
			h.release("a")
			if h.gone > 0 {
				t.Fatal("the browser has ended")
			}
		})
	}
}
