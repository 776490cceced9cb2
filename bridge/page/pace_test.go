package page

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// TestR272PaceLeavesRoomForOthers has a page that takes nothing of what it gets. One payer's messages
// wait until the page says how far it is, another's do not, and none waits for ever.
func TestR272PaceLeavesRoomForOthers(t *testing.T) {
	const accepted = `{"kind":"accepted","features":["alive"]}`
	for name, tt := range map[string]struct {
		sizes []int
		then  func(p *pacedPage)
		after time.Duration // 0: as soon as then has happened
		marks []string      // that the page has got
	}{
		"a large message":                       {sizes: []int{100_000}, then: (*pacedPage).answer, marks: []string{"-1"}},
		"many small ones":                       {sizes: fill(24, 10), then: (*pacedPage).answer, marks: []string{"-1", "-2", "-3"}},
		"a page that answers nothing":           {sizes: []int{100_000}, after: time.Second, marks: []string{"-1"}},
		"a connection that ends":                {sizes: []int{100_000}, then: (*pacedPage).leave, after: 500 * time.Millisecond, marks: []string{"-1"}},
		"a page that took long for a large one": {sizes: []int{100_000}, then: (*pacedPage).answerLate, after: 450 * time.Millisecond, marks: []string{"-1"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPacedPage(t)
				if got := <-p.frames; got != accepted {
					t.Fatalf("got %s, want %s", got, accepted)
				}
				flow, heavy, other := p.hub.host.(bridge.FlowControl), new(bridge.Pace), new(bridge.Pace)
				began, done := time.Now(), make(chan struct{})
				go func() {
					for _, n := range tt.sizes {
						flow.WaitForRoom(heavy, n)
					}
					close(done)
				}()
				synctest.Wait()
				select {
				case <-done:
					t.Fatal("what the page has not taken does not hold its payer back")
				default:
				}
				flow.WaitForRoom(other, 100)
				flow.WaitForRoom(nil, 1<<20)
				if tt.then != nil {
					tt.then(p)
				}
				<-done
				if d := time.Since(began); d != tt.after {
					t.Errorf("waited for %v, want %v", d, tt.after)
				}
				for _, n := range tt.marks {
					if got, want := <-p.frames, `{"kind":"alive","n":`+n+`}`; got != want {
						t.Errorf("the page got %s, want %s", got, want)
					}
				}
				p.leave()
				began = time.Now()
				for range 10 {
					flow.WaitForRoom(heavy, 16<<10) // it goes nowhere
				}
				if d := time.Since(began); d > 0 {
					t.Errorf("waited for %v for a page that has gone", d)
				}
			})
		})
	}
}

// fill is n numbers of this value.
func fill(n, value int) (list []int) {
	for range n {
		list = append(list, value)
	}
	return list
}

// TestR272PagesWithoutMarks does not wait for a page that cannot say how far it is.
func TestR272PagesWithoutMarks(t *testing.T) {
	p := connect(t)
	p.say(readyT1)
	want(t, p.hub.lines, "ready [{T1 one http://a/ }] |")
	pace := new(bridge.Pace)
	p.hub.host.(bridge.FlowControl).WaitForRoom(pace, 1<<20)
	if n := pace.TakeUnmarked(); n != 0 {
		t.Errorf("%d bytes count as on their way", n)
	}
}

// pacedPage is a Host with the feature alive, in a bubble of synctest.
type pacedPage struct {
	hub    *ledger
	far    *wsconn.Conn
	frames chan string
	ended  chan struct{}
}

func newPacedPage(t *testing.T) *pacedPage {
	near, far := wsconn.Pipe(Limits(), wsconn.Limits{})
	p := &pacedPage{hub: &ledger{lines: make(chan string, 10)}, far: far, frames: make(chan string, 100), ended: make(chan struct{}, 2)}
	go func() { Serve(t.Context(), near, p.hub, nil); p.ended <- struct{}{} }()
	go func() { far.Serve(t.Context(), func(m []byte) { p.frames <- string(m) }); p.ended <- struct{}{} }()
	far.Deliver(wire.Frame{Body: []byte(strings.Replace(readyT1, `"v":1`, `"v":1,"features":["alive"]`, 1))})
	<-p.hub.lines
	return p
}

// answer says that the page has taken everything: the answer to a mark counts for those before it.
func (p *pacedPage) answer() {
	for n := -1; n >= -3; n-- {
		p.far.Deliver(wire.Frame{Body: fmt.Appendf(nil, `{"kind":"alive","n":%d}`, n)})
		synctest.Wait()
	}
}

// answerLate is answer, after a while. Twice as long as that the payer waits once more.
func (p *pacedPage) answerLate() {
	time.Sleep(150 * time.Millisecond)
	p.answer()
}

// leave ends the connection. A second call does nothing.
func (p *pacedPage) leave() {
	if p.far.Close(wsconn.ReasonNormal); p.ended != nil {
		<-p.ended
		<-p.ended
		p.ended = nil
	}
}
