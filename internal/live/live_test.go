package live

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/cdphub/cdphub/internal/held/heldtest"
	"github.com/cdphub/cdphub/internal/wire"
	"github.com/cdphub/cdphub/relay"
)

// fake is a Client whose target answers everything, moves of the mouse after a while.
type fake struct {
	event func(sessionID, method string, params []byte)

	mu      sync.Mutex
	sent    []string
	held    bool
	joined  int // and not left
	watches int // and not stopped
	slow    time.Duration
	refuses string // a method that the target does not have
}

func (f *fake) Send(_, method string, params []byte) func(context.Context) ([]byte, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent = append(f.sent, method+" "+string(params))
	if method == f.refuses {
		return func(context.Context) ([]byte, error) { return nil, wire.ServerError("'" + method + "' wasn't found") }
	}
	slow := f.slow
	return func(context.Context) ([]byte, error) {
		if strings.Contains(string(params), "mouseMoved") {
			time.Sleep(slow) // of the bubble's clock
		}
		return []byte(`{"sessionId":"S"}`), nil
	}
}

func (f *fake) Take(string, string, relay.LeaseOptions) error { f.set(true); return nil }
func (f *fake) Release(string) error                          { f.set(false); return nil }
func (f *fake) ViewerGone(string)                             { f.set(false) }

func (f *fake) set(held bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.held = held
}

func (f *fake) Holds(string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.held
}

func (f *fake) Leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.joined--
}

// newViews makes the views of a test. At its end all viewers leave: then nothing is held, neither
// here nor at the target.
func newViews(t *testing.T, f *fake) *Views {
	vs := new(Views)
	t.Cleanup(func() {
		for _, v := range maps.Clone(vs.all) {
			for viewer := range maps.Clone(v.viewers) {
				viewer.Leave()
			}
		}
		heldtest.WaitsForNothing(t, "the live views", vs.Held)
		synctest.Wait()
		left := map[string]int{"clients": f.joined, "watches": f.watches, "leases": 0}
		if f.held {
			left["leases"] = 1
		}
		heldtest.WantsNothing(t, "the target", left)
	})
	return vs
}

// took is what was sent since it was last asked, of the methods that begin so.
func (f *fake) took(prefix string) (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.sent {
		if strings.HasPrefix(m, prefix) {
			list = append(list, m)
		}
	}
	f.sent = nil
	return list
}

// count counts what was sent since took was last asked.
func (f *fake) count(prefix string) (n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, m := range f.sent {
		if strings.HasPrefix(m, prefix) {
			n++
		}
	}
	return n
}

func (f *fake) picture(data string) {
	f.event("S", "Page.screencastFrame", []byte(`{"data":"`+base64.StdEncoding.EncodeToString([]byte(data))+
		`","metadata":{"deviceWidth":800,"deviceHeight":600},"sessionId":1}`))
}

func (f *fake) options() Options {
	return Options{
		TargetID: "T1",
		Join: func(event func(string, string, []byte)) (Client, error) {
			f.event = event
			f.joined++
			return f, nil
		},
		Info:   func() (Info, bool) { return Info{Title: "One"}, true },
		Holder: func() (relay.Holding, bool) { return relay.Holding{Name: "Ann"}, f.Holds("T1") },
		Watch:  func(func()) func() { f.watches++; return func() { f.watches-- } },
	}
}

// watcher is a viewer that keeps what it gets.
type watcher struct {
	*Viewer
	mu       sync.Mutex
	messages []string
	pictures []string
}

func (w *watcher) options() ViewerOptions {
	return ViewerOptions{Name: "Ann", Control: true, Send: func(message, picture []byte) bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.messages = append(w.messages, string(message))
		if picture != nil {
			w.pictures = append(w.pictures, string(picture))
		}
		return true
	}}
}

func (w *watcher) shown() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Join(w.pictures, " ")
}

func (w *watcher) last() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.messages[len(w.messages)-1]
}

func watch(t testing.TB, vs *Views, f *fake) *watcher {
	t.Helper()
	w := new(watcher)
	w.Viewer = vs.Watch("T1", f.options(), w.options())
	return w
}

func TestNewestPictureWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		vs := newViews(t, f)
		w := watch(t, vs, f)
		second := watch(t, vs, f)
		second.Receive([]byte(`{"kind":"size","width":100,"height":100,"fps":30}`))
		synctest.Wait()
		for n := range 6 {
			f.picture(fmt.Sprint(n))
			time.Sleep(time.Second)
		}
		if got := w.shown(); got != "0 1" {
			t.Errorf("a viewer that acknowledges nothing was shown %s", got)
		}
		w.Receive([]byte(`{"kind":"ack","seq":2}`))
		time.Sleep(time.Second)
		if got := w.shown(); got != "0 1 5" {
			t.Errorf("after an acknowledgement %s, want the newest", got)
		}
		if got := second.shown(); got != "0 1" {
			t.Errorf("the other was shown %s", got)
		}
		w.Leave()
		second.Leave()
		synctest.Wait()
		if f.joined != 0 || vs.Len() != 0 {
			t.Error("nobody looks, and the capture goes on")
		}
	})
}

func TestInputKeepsItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{slow: 20 * time.Millisecond}
		vs := newViews(t, f)
		w := watch(t, vs, f)
		synctest.Wait()
		w.Receive([]byte(`{"kind":"take"}`))
		synctest.Wait()
		f.took("")
		for n := range 300 {
			w.Receive(fmt.Appendf(nil, `{"kind":"mouse","type":"mouseMoved","x":%d,"y":1}`, n))
		}
		w.Receive([]byte(`{"kind":"mouse","type":"mousePressed","x":5,"y":1,"button":"left","clickCount":1}`))
		w.Receive([]byte(`{"kind":"paste","text":"a"}`))
		got := f.took("Input.")
		if len(got) != 4 || !strings.Contains(got[0], `"x":0,`) || !strings.Contains(got[1], `"x":299,`) ||
			!strings.Contains(got[2], "mousePressed") || got[3] != `Input.insertText {"text":"a"}` {
			t.Errorf("300 moves, a click and a text were sent as %q", got)
		}
		for range 3 {
			w.Receive([]byte(`{"kind":"mouse","type":"mouseWheel","x":1,"y":1,"deltaY":10}`))
		}
		time.Sleep(time.Second)
		if got := strings.Join(f.took("Input."), " "); strings.Count(got, "mouseWheel") == 0 {
			t.Errorf("the wheel was sent as %s", got)
		}
		w.Leave()
		synctest.Wait()
	})
}

// TestPicturesOfAPageInUse has a person take over a frame, whose pictures are drawn in the page's
// time: they get more of it for as long as the person has the frame.
func TestPicturesOfAPageInUse(t *testing.T) {
	for name, drawn := range map[string]bool{"frame": true, "page of a browser": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := new(fake)
				vs, w := newViews(t, f), new(watcher)
				o := f.options()
				o.Info = func() (Info, bool) { return Info{Title: "One", Drawn: drawn}, true }
				w.Viewer = vs.Watch("T1", o, w.options())
				synctest.Wait()
				for _, inUse := range []bool{false, true, false} {
					got := strings.Join(f.took("Page.startScreencast"), " ")
					if strings.Contains(got, `"inUse":true`) != (inUse && drawn) {
						t.Errorf("in use %v: the target is asked for %s", inUse, got)
					}
					w.Receive([]byte(map[bool]string{false: `{"kind":"take"}`, true: `{"kind":"release"}`}[inUse]))
					time.Sleep(2 * time.Second)
				}
				w.Leave()
				synctest.Wait()
			})
		})
	}
}

func TestTargetWithoutPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{refuses: "Page.startScreencast"}
		vs := newViews(t, f)
		w := watch(t, vs, f)
		synctest.Wait()
		if got := w.last(); !strings.HasPrefix(got, `{"kind":"gone","message":"'Page.startScreencast' wasn't found`) || f.joined != 0 {
			t.Errorf("the viewer was told %s", got)
		}
	})
}

// FuzzR177Messages sends a viewer's connection anything. Whatever it is, it is
// answered, and what reaches the target is an input with params of their types, or reloads or
// closes it.
func FuzzR177Messages(f *testing.F) {
	for _, seed := range []string{
		`{"kind":"ack","seq":1}`, `{"kind":"size","width":1e9,"height":-1,"fps":1e308}`, `{"kind":"take"}`, `{"kind":"release"}`,
		`{"kind":"mouse","type":"mouseWheel","x":1,"y":2,"deltaY":1e300}`, `{"kind":"key","type":"keyDown","text":"\ud800","commands":["selectAll"]}`,
		`{"kind":"paste","text":"` + strings.Repeat("x", 1000) + `"}`, `{"kind":"dialog","accept":true}`, `{"kind":"reload"}`, `{"kind":"close"}`, `{"kind":"done"}`, `[]`, `null`, `{"kind":5}`, ``,
		`{"kind":"mouse","type":"x","method":"Page.navigate"}`, `{"KIND":"take","kind":"take"}`,
	} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, message []byte, holds bool) {
		c := new(fake)
		v := newView(c.options())
		v.client, v.session, v.ended = c, "S", func() {}
		w := new(watcher)
		w.Viewer = v.add(w.options())
		if holds {
			w.Receive([]byte(`{"kind":"take"}`))
		}
		c.took("")
		w.Receive(message)
		v.input.wait()
		for _, sent := range c.took("") {
			method, params, _ := strings.Cut(sent, " ")
			switch method {
			case "Input.dispatchMouseEvent", "Input.dispatchKeyEvent", "Input.insertText", "Page.handleJavaScriptDialog", "Page.reload", "Page.close":
				if !holds {
					t.Fatalf("%q acts without the lease: %s", message, sent)
				}
			case "Emulation.setFocusEmulationEnabled", "Page.enable", "Page.disable":
			default:
				t.Fatalf("%q sends %s", message, sent)
			}
			if !json.Valid([]byte(params)) {
				t.Fatalf("%q sends params that are no JSON: %s", message, params)
			}
		}
		w.Leave()
	})
}

// TestR261TheHolderReloadsAndCloses has a viewer reload and close the page, with the lease and
// without it.
func TestR261TheHolderReloadsAndCloses(t *testing.T) {
	for kind, method := range map[string]string{"reload": "Page.reload {}", "close": "Page.close {}"} {
		c := new(fake)
		v := newView(c.options())
		v.client, v.session, v.ended = c, "S", func() {}
		w := new(watcher)
		w.Viewer = v.add(w.options())
		for _, holds := range []bool{false, true} {
			if holds {
				w.Receive([]byte(`{"kind":"take"}`))
			}
			c.took("")
			w.Receive([]byte(`{"kind":"` + kind + `"}`))
			v.input.wait()
			if got := strings.Join(c.took(""), ", "); got != map[bool]string{true: method}[holds] {
				t.Errorf("%s with the lease (%v) sends %q", kind, holds, got)
			}
		}
		w.Leave()
	}
}

func TestViewerWhoWantsFewPictures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := new(fake)
		vs := newViews(t, f)
		w := watch(t, vs, f)
		synctest.Wait()
		w.Receive([]byte(`{"kind":"size","width":100,"height":100,"fps":1e-300}`))
		for n := range 6 {
			f.picture(fmt.Sprint(n))
			time.Sleep(time.Second)
			w.Receive(fmt.Appendf(nil, `{"kind":"ack","seq":%d}`, n+1))
		}
		if got := w.shown(); got != "0" {
			t.Errorf("who wants less than one picture in a minute was shown %s", got)
		}
		w.Leave()
		synctest.Wait()
	})
}

// TestR265ViewersWithoutControl wants a viewer who may only look to get no secret of the
// address, and one who may act to get all of it.
func TestR265ViewersWithoutControl(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const url = "https://a.test/?x=1&token=SECRET"
		for _, control := range []bool{false, true} {
			info := Info{Title: url, URL: url}
			var got []string
			v := &View{Options: Options{TargetID: "T"}, viewers: map[*Viewer]struct{}{}}
			w := &Viewer{ViewerOptions: ViewerOptions{Control: control, Send: func(m, _ []byte) bool { got = append(got, string(m)); return true }}, view: v}
			v.viewers[w] = struct{}{}
			v.info = info
			w.greetLocked()
			info.URL += "2"
			v.tellInfo(info)
			if text := strings.Join(got, "\n"); strings.Contains(text, "SECRET") != control || strings.Count(text, "https://a.test/?x=1") != 4 {
				t.Errorf("control %v gets %s", control, text)
			}
		}
	})
}
