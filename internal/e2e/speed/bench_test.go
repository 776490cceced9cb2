package speed

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

// scratch is the folder of everything the run leaves behind.
var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// rounds is how often each side has its turn. The middle one counts.
const rounds = 7

// sides are what is compared, the control first.
var sides = []struct{ name, target string }{{"direct", "chromium"}, {"frame", "hub"}, {"browser", "browser"}}

// place is a page of one side, and a client of it.
type place struct {
	*client
	name, target string // the target's id
}

// places opens a page with this body on every side.
func places(b *testing.B, body string) (list []*place) {
	b.Helper()
	for _, side := range sides {
		e := harness.EndpointOf(b, side.target)
		e.Site.Handle("/page", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><title>Page</title>", e.Site.Agent(), body)
		})
		c := dial(b, "http://127.0.0.1:"+e.Port)
		p := &place{client: c, name: side.name, target: c.page(b)}
		session := p.attach(b)
		p.call(b, session, "Page.enable", nil)
		p.send(b, session, "Page.navigate", map[string]any{"url": e.Site.App.URL + "/page"})
		p.count(b, "Page.loadEventFired", 1)
		p.call(b, "", "Target.detachFromTarget", map[string]any{"sessionId": session})
		list = append(list, p)
	}
	return list
}

// compare runs what is measured on each side in turns, once to warm up, and reports
// the times as multiples of the control's.
func compare(b *testing.B, name string, list []*place, run func(b *testing.B, p *place)) {
	b.Run(name, func(b *testing.B) {
		took := make(map[*place][]float64)
		for i := range rounds + 1 {
			order := slices.Clone(list)
			if i%2 == 1 {
				slices.Reverse(order)
			}
			for _, p := range order {
				begun := time.Now()
				run(b, p)
				if i > 0 {
					took[p] = append(took[p], float64(time.Since(begun).Microseconds())/1000)
				}
			}
		}
		b.ReportMetric(0, "ns/op") // it says nothing here
		direct := harness.Median(took[list[0]])
		b.ReportMetric(direct, "ms-direct")
		for _, p := range list[1:] {
			b.ReportMetric(harness.Median(took[p])/direct, p.name+"/direct")
		}
	})
}

// BenchmarkEvents compares how long events take from the page to all sessions of one
// client.
func BenchmarkEvents(b *testing.B) {
	list := places(b, "")
	first := make(map[*place]string)
	for _, p := range list {
		first[p] = p.attach(b)
	}
	for _, n := range []int{1, 100, 1000} {
		sessions := make(map[*place][]string)
		for _, p := range list {
			for range n {
				s := p.attach(b)
				p.call(b, s, "Runtime.enable", nil)
				sessions[p] = append(sessions[p], s)
			}
		}
		events := max(5, 500/n)
		compare(b, fmt.Sprint(n), list, func(b *testing.B, p *place) {
			p.send(b, first[p], "Runtime.evaluate", map[string]any{
				"expression": fmt.Sprintf(`for (let i = 0; i < %d; i++) console.log("an event that has some text in it, as most have", i)`, events),
			})
			p.count(b, "Runtime.consoleAPICalled", n*events)
		})
		for _, p := range list {
			for _, s := range sessions[p] {
				p.call(b, "", "Target.detachFromTarget", map[string]any{"sessionId": s})
			}
		}
	}
}

// BenchmarkLargePage compares how long a client waits for a page of 50,000 nodes as a
// whole.
func BenchmarkLargePage(b *testing.B) {
	list := places(b, strings.Repeat(`<li class="row even"><a href="/x">one <b>two</b></a> <button>three</button>`, 6250))
	sessions := make(map[*place]string)
	for _, p := range list {
		sessions[p] = p.attach(b)
	}
	for _, c := range []struct {
		method string
		params map[string]any
	}{
		{"DOM.getDocument", map[string]any{"depth": -1}},
		{"Accessibility.getFullAXTree", nil},
		{"DOMSnapshot.captureSnapshot", map[string]any{"computedStyles": []string{}}},
	} {
		compare(b, c.method, list, func(b *testing.B, p *place) {
			if answer := p.call(b, sessions[p], c.method, c.params); len(answer) < 1<<20 {
				b.Fatalf("%s of %s has %d bytes", c.method, p.name, len(answer))
			}
		})
	}
}

// BenchmarkLargeAnswers compares how long a client waits at most for a small answer of its own page, while
// another client gets one large answer of another page.
func BenchmarkLargeAnswers(b *testing.B) {
	type pair struct{ large, small *place }
	var list []pair
	for _, side := range sides {
		if side.name == "frame" {
			continue // the pages of one tab share a thread
		}
		e := harness.EndpointOf(b, side.target)
		large := &place{client: dial(b, "http://127.0.0.1:"+e.Port), name: side.name}
		small := &place{client: dial(b, "http://127.0.0.1:"+e.Port), name: side.name}
		large.target, small.target = large.page(b), small.newPage(b)
		list = append(list, pair{large, small})
	}
	sessions := make(map[*place]string)
	for _, p := range list {
		sessions[p.large], sessions[p.small] = p.large.attach(b), p.small.attach(b)
	}
	for _, size := range []int{20, 60} {
		b.Run(fmt.Sprintf("%d MB", size), func(b *testing.B) {
			waits := make(map[string][]float64)
			for i := range rounds + 1 {
				order := slices.Clone(list)
				if i%2 == 1 {
					slices.Reverse(order)
				}
				for _, p := range order {
					p.large.send(b, sessions[p.large], "Runtime.evaluate", map[string]any{"expression": fmt.Sprintf("'x'.repeat(%de6)", size)})
					var longest time.Duration
					for came := false; !came; {
						begun := time.Now()
						p.small.call(b, sessions[p.small], "Runtime.evaluate", map[string]any{"expression": "1"})
						longest = max(longest, time.Since(begun))
						came = p.large.got(b, size*1e6)
					}
					if i > 0 {
						waits[p.large.name] = append(waits[p.large.name], float64(longest.Microseconds())/1000)
					}
				}
			}
			b.ReportMetric(0, "ns/op") // it says nothing here
			direct := harness.Median(waits["direct"])
			b.ReportMetric(direct, "ms-direct")
			b.ReportMetric(harness.Median(waits["browser"])/direct, "browser/direct")
		})
	}
}
