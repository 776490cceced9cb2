package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// benchmarked is a page that moves, in a Chromium of its own.
func benchmarked(b *testing.B) (*Server, *actions.Page) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, countingPage+`<style>@keyframes go{to{margin-left:100px}}h1{animation:go 1s infinite alternate}</style>`)
	}))
	b.Cleanup(app.Close)
	o := testOptions()
	o.Browsers, o.Drain = browserAt("chromium"), time.Millisecond
	s, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(hubtest.Run(b, s.Run))
	driver, err := actions.Open(b.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(driver.Close)
	p, err := driver.NewPage(b.Context(), app.URL, "")
	if err != nil {
		b.Fatal(err)
	}
	return s, p
}

// look is a viewer of a page, who has got its first picture. One that stalls takes
// nothing off its connection after that.
func look(b *testing.B, s *Server, p *actions.Page, stalls bool) *viewing {
	conn, err := wsconn.Dial(b.Context(), "ws://"+s.ClientAddr()+"/hub/chromium/ui/api/view?target="+p.ID, nil, wsconn.Limits{MaxMessage: 64 << 20})
	if err != nil {
		b.Fatal(err)
	}
	v := &viewing{conn: conn, acks: !stalls, changed: make(chan struct{}, 1)}
	first, leaves := make(chan struct{}), make(chan struct{})
	conn.HandleBinary(func(data []byte) {
		v.picture(data)
		if v.count() == 1 {
			close(first)
		}
		if stalls {
			<-leaves // the connection is read by who calls this
		}
	})
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		conn.Serve(b.Context(), v.message)
	}()
	v.leave = sync.OnceFunc(func() {
		close(leaves)
		conn.Close(wsconn.ReasonNormal)
		<-ended
	})
	b.Cleanup(v.leave)
	<-first
	return v
}

// median is that of times, in ms.
func median(took []time.Duration) float64 {
	slices.Sort(took)
	return float64(took[len(took)/2].Microseconds()) / 1000
}

// viewedFor is how long a viewer looks, or has stalled.
const viewedFor = 30 * time.Second

// BenchmarkViewedPage has the median of a driver's clicks on a page that moves, for the
// 30 s in which somebody looks, or has a connection that takes nothing any more, as a
// multiple of that while nobody does, which is the control: half of it before and half
// of it after.
func BenchmarkViewedPage(b *testing.B) {
	s, p := benchmarked(b)
	clicks := func(b *testing.B, within time.Duration) (took []time.Duration) {
		for end := time.Now().Add(within); time.Now().Before(end); {
			start := time.Now()
			if err := p.MouseClick(b.Context(), actions.Point{X: 300, Y: 300}, "", 1, 0); err != nil {
				b.Fatal(err)
			}
			took = append(took, time.Since(start))
		}
		return took
	}
	for _, viewer := range []string{"reads", "stalled"} {
		b.Run("viewer="+viewer, func(b *testing.B) {
			var control, viewed []time.Duration
			for b.Loop() {
				control = append(control, clicks(b, viewedFor/2)...)
				v := look(b, s, p, viewer == "stalled")
				viewed = append(viewed, clicks(b, viewedFor)...)
				v.leave()
				control = append(control, clicks(b, viewedFor/2)...)
			}
			b.ReportMetric(0, "ns/op") // it says nothing here
			b.ReportMetric(median(control), "ms/click-control")
			b.ReportMetric(median(viewed), "ms/click-viewed")
			b.ReportMetric(median(viewed)/median(control), "viewed/control")
		})
	}
}

// BenchmarkClickInAView has the time from a click in a view until the page's script
// gets it: alone, which is the control, and right after 300 moves of the mouse.
func BenchmarkClickInAView(b *testing.B) {
	s, p := benchmarked(b)
	v := look(b, s, p, false)
	v.say(`{"kind":"take"}`)
	const clicked = `new Promise(done => { globalThis.waits = true; addEventListener("click", () => { waits = false; done(1) }, { once: true }) })`
	for _, moves := range []int{0, 300} {
		b.Run(fmt.Sprint("moves=", moves), func(b *testing.B) {
			var took []time.Duration
			for b.Loop() {
				b.StopTimer()
				got := make(chan error, 1)
				go func() {
					_, err := p.Evaluate(b.Context(), clicked, actions.EvaluateOptions{})
					got <- err
				}()
				for waits := ""; waits != "true"; {
					if r, err := p.Evaluate(b.Context(), "globalThis.waits === true", actions.EvaluateOptions{}); err == nil {
						waits = string(r.JSON)
					}
				}
				b.StartTimer()
				for i := range moves {
					v.say(`{"kind":"mouse","type":"mouseMoved","x":%d,"y":%d}`, 10+i, 10+i/2)
				}
				start := time.Now()
				v.say(`{"kind":"mouse","type":"mousePressed","x":300,"y":300,"button":"left","buttons":1,"clickCount":1}`)
				v.say(`{"kind":"mouse","type":"mouseReleased","x":300,"y":300,"button":"left","clickCount":1}`)
				if err := <-got; err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(start))
			}
			b.ReportMetric(median(took), "ms/median")
		})
	}
}
