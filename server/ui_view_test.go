package server

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	_ "image/jpeg" // of the pictures
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/internal/advice"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wsconn"
)

// viewing is a viewer's end of /ui/api/view.
type viewing struct {
	t      *testing.T
	conn   *wsconn.Conn
	closed chan wsconn.Reason

	mu       sync.Mutex
	told     []map[string]any // messages
	seq      any              // of the newest message about a picture
	pictures []image.Point    // their sizes
	last     image.Image
	acks     bool // each picture is acknowledged
	changed  chan struct{}
	leave    func() // of a benchmark's viewer
}

// view looks at a target on the hub below a prefix.
func (s started) view(t *testing.T, prefix, target string, header http.Header) *viewing {
	t.Helper()
	return s.viewing(t, prefix, target, header, true)
}

// viewing is view for a viewer that acknowledges pictures, or does not.
func (s started) viewing(t *testing.T, prefix, target string, header http.Header, acks bool) *viewing {
	t.Helper()
	conn, err := wsconn.Dial(t.Context(), "ws://"+s.addr(false)+prefix+"/ui/api/view?target="+target, header, wsconn.Limits{MaxMessage: 64 << 20})
	if err != nil {
		t.Fatalf("view: %v", err)
	}
	v := &viewing{t: t, conn: conn, closed: make(chan wsconn.Reason, 1), acks: acks, changed: make(chan struct{}, 1)}
	conn.HandleBinary(v.picture)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		v.closed <- conn.Serve(context.Background(), v.message)
	}()
	t.Cleanup(func() {
		conn.Close(wsconn.ReasonNormal)
		<-ended
	})
	return v
}

func (v *viewing) message(text []byte) {
	var m map[string]any
	if err := json.Unmarshal(text, &m); err != nil {
		v.t.Errorf("message %s: %v", text, err)
	}
	v.mu.Lock()
	if v.told = append(v.told, m); m["kind"] == "picture" {
		v.seq = m["seq"]
	}
	v.mu.Unlock()
	v.stir()
}

func (v *viewing) picture(data []byte) {
	shown, format, err := image.Decode(bytes.NewReader(data))
	if err != nil || format != "jpeg" {
		v.t.Errorf("a picture of %d bytes: %s, %v", len(data), format, err)
	}
	v.mu.Lock()
	v.last = shown
	v.pictures = append(v.pictures, shown.Bounds().Size())
	acks, seq := v.acks, v.seq
	v.mu.Unlock()
	if acks {
		v.say(`{"kind":"ack","seq":%v}`, seq)
	}
	v.stir()
}

func (v *viewing) stir() {
	select {
	case v.changed <- struct{}{}:
	default:
	}
}

func (v *viewing) say(format string, args ...any) {
	v.conn.Deliver(wsconn.Frame{Head: fmt.Appendf(nil, format, args...)})
}

// count is how many pictures have come.
func (v *viewing) count() int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.pictures)
}

// until waits for a message that has these members.
func (v *viewing) until(want map[string]any) map[string]any {
	v.t.Helper()
	var found map[string]any
	hubtest.Eventually(v.t, fmt.Sprint(want), func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		i := slices.IndexFunc(v.told, func(m map[string]any) bool {
			for name, value := range want {
				if m[name] != value {
					return false
				}
			}
			return true
		})
		if i < 0 {
			return false
		}
		found = v.told[i]
		v.told = v.told[i+1:]
		return true
	})
	return found
}

// untilPictures waits until n pictures have come, of all since the viewer began: one
// may have come before it waits, and a page that stands still has no other.
func (v *viewing) untilPictures(n int) {
	v.t.Helper()
	hubtest.Eventually(v.t, fmt.Sprintf("%d pictures", n), func() bool { return v.count() >= n })
}

// pageFor serves a page that counts what is done to it.
const countingPage = `<title>Counting</title><body style="margin:0;background:#eee"><h1>0</h1><input autofocus>
<script>
	let n = 0, seen = [], resized = 0, shownAs = [];
	// A new tab of Chromium tells its first size again, sometimes long after the load.
	const size = () => innerWidth + "," + innerHeight;
	let last = size();
	addEventListener("click", e => { seen.push(["click", e.clientX, e.clientY, performance.now()]); document.querySelector("h1").textContent = ++n; });
	addEventListener("mousemove", () => seen.push("move"));
	addEventListener("wheel", e => seen.push(["wheel", e.deltaY]));
	addEventListener("resize", () => { if (size() !== last) resized++; last = size(); });
	addEventListener("visibilitychange", () => shownAs.push(document.visibilityState));
</script>`

// counting opens such a page in the Chromium of the hub "chromium".
func counting(t *testing.T, s started) (b *actions.Browser, p *actions.Page) {
	t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, countingPage)
	}))
	t.Cleanup(app.Close)
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if p, err = b.NewPage(t.Context(), app.URL, ""); err != nil {
		t.Fatal(err)
	}
	return b, p
}

func evaluate(t *testing.T, p *actions.Page, expression string) string {
	t.Helper()
	v, err := p.Evaluate(t.Context(), expression, actions.EvaluateOptions{})
	if err != nil {
		return err.Error()
	}
	return string(v.JSON)
}

func TestLiveViewOfABrowser(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Browsers = browserAt("chromium") })
	_, p := counting(t, s)
	// Chromium 156 sizes a new tab soon after it has loaded, whoever looks: a resize event
	// came in 7 of 30 tabs, and in none after a screenshot.
	if _, err := p.Screenshot(t.Context(), actions.ScreenshotOptions{}); err != nil {
		t.Fatal(err)
	}
	before := evaluate(t, p, `resized = 0, [innerWidth, innerHeight, document.hasFocus(), document.visibilityState].join()`)
	v := s.view(t, "/hub/chromium", p.ID, nil)
	v.until(map[string]any{"kind": "view", "title": "Counting", "drawn": false, "control": true})
	m := v.until(map[string]any{"kind": "picture"})
	if size := evaluate(t, p, `innerWidth + "," + innerHeight`); size != fmt.Sprintf(`"%v,%v"`, m["width"], m["height"]) {
		t.Errorf("a picture of %v x %v, the viewport is %s", m["width"], m["height"], size)
	}
	v.say(`{"kind":"size","width":320,"height":200,"fps":5}`)
	hubtest.Eventually(t, "a small picture", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		n := len(v.pictures)
		return n > 0 && v.pictures[n-1].X <= 320
	})
	// Only who has taken over acts.
	v.say(`{"kind":"mouse","type":"mousePressed","x":100,"y":100,"button":"left","clickCount":1}`)
	v.until(map[string]any{"kind": "error"})
	second := s.view(t, "/hub/chromium", p.ID, nil)
	second.until(map[string]any{"kind": "picture"})
	if n := s.Stats().Clients; n != 2 {
		t.Errorf("%d Clients with two viewers, want the agent and one for the view", n)
	}
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	second.until(map[string]any{"kind": "holder", "mine": false, "name": "somebody at 127.0.0.1"})
	second.say(`{"kind":"take"}`)
	second.until(map[string]any{"kind": "error", "message": "paused: somebody at 127.0.0.1 has the page. " + advice.TakenOver.String()})
	if _, err := p.Click(t.Context(), actions.CSS("h1"), actions.ClickOptions{}); actions.KindOf(err) != actions.Paused {
		t.Errorf("the agent clicks: %v", err)
	}
	if err := p.Fill(t.Context(), actions.CSS("input"), "x", actions.FillOptions{}); actions.KindOf(err) != actions.Paused {
		t.Errorf("the agent fills a field by script: %v", err)
	}
	for range 300 {
		v.say(`{"kind":"mouse","type":"mouseMoved","x":200,"y":200}`)
	}
	v.say(`{"kind":"mouse","type":"mousePressed","x":100,"y":100,"button":"left","buttons":1,"clickCount":1}`)
	v.say(`{"kind":"mouse","type":"mouseReleased","x":100,"y":100,"button":"left","clickCount":1}`)
	hubtest.Eventually(t, "a click", func() bool { return strings.Contains(evaluate(t, p, `seen`), "click") })
	if n := evaluate(t, p, `seen.filter(x => x === "move").length`); len(n) > 2 {
		t.Errorf("%s moves reached the page, want them merged", n)
	}
	evaluate(t, p, `document.querySelector("input").focus()`)
	v.say(`{"kind":"key","type":"keyDown","key":"a","code":"KeyA","text":"a","windowsVirtualKeyCode":65}`)
	v.say(`{"kind":"key","type":"keyUp","key":"a","code":"KeyA","windowsVirtualKeyCode":65}`)
	v.say(`{"kind":"paste","text":"bcd"}`)
	hubtest.Eventually(t, "the text", func() bool { return evaluate(t, p, `document.querySelector("input").value`) == `"abcd"` })
	v.say(`{"kind":"release"}`)
	v.until(map[string]any{"kind": "holder", "name": ""})
	if _, err := p.Click(t.Context(), actions.CSS("h1"), actions.ClickOptions{}); err != nil {
		t.Errorf("after it was handed back: %v", err)
	}
	if after := evaluate(t, p, `[innerWidth, innerHeight, document.hasFocus(), document.visibilityState].join()`); after != before || evaluate(t, p, "resized") != "0" {
		t.Errorf("the page was %s and is %s, and was resized %s times", before, after, evaluate(t, p, "resized"))
	}
	v.conn.Close(wsconn.ReasonNormal)
	second.conn.Close(wsconn.ReasonNormal)
	hubtest.Eventually(t, "the end of the view's Client", func() bool { return s.Stats().Clients == 1 })
}

func TestLiveViewOfAHiddenTab(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Browsers = browserAt("chromium") })
	b, p := counting(t, s)
	id := p.ID
	if _, err := b.NewPage(t.Context(), "about:blank", ""); err != nil { // in front
		t.Fatal(err)
	}
	b.Close() // so that it emulates no focus
	v := s.view(t, "/hub/chromium", id, nil)
	v.untilPictures(3)
	v.conn.Close(wsconn.ReasonNormal)
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err = b.Page(id)
	if err != nil {
		t.Fatal(err)
	}
	// The agent's own Evaluate makes it visible at last.
	if got := evaluate(t, p, `shownAs.slice(0, -1).join()`); strings.Contains(strings.TrimPrefix(got, `"hidden`), "visible") {
		t.Errorf("the page was shown to itself as %s", got)
	}
}

// TestLiveViewOfWhatStops wants the last state of a page to be shown, however slowly
// the viewer takes pictures.
func TestLiveViewOfWhatStops(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *Options) { o.Browsers = browserAt("chromium") })
	_, p := counting(t, s)
	v := s.view(t, "/hub/chromium", p.ID, nil)
	v.say(`{"kind":"size","width":320,"height":200,"fps":2}`)
	v.untilPictures(1)
	evaluate(t, p, `new Promise(done => { let i = 0; const step = () => { document.body.style.background = i % 2 ? "#eee" : "#ddd";
		if (++i > 60) { document.body.style.background = "black"; done(i); } else requestAnimationFrame(step); }; step(); })`)
	hubtest.Eventually(t, "a black picture", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		r, g, b, _ := v.last.At(300, 150).RGBA()
		return r+g+b < 3*0x1000
	})
}

func TestLiveViewOfAFrame(t *testing.T) {
	t.Parallel()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, countingPage)
	}))
	t.Cleanup(app.Close)
	s := start(t, func(o *Options) {
		o.App = &App{URL: app.URL, Addr: "127.0.0.1:0"}
	})
	page, _ := s.AppPage()
	showPage(t, usersBrowser(t), page)
	hub, release, err := s.hubs.Acquire("")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	hubtest.Eventually(t, "the frame", func() bool { return len(hub.Targets(nil)) == 1 })
	id := hub.Targets(nil)[0].ID
	v := s.view(t, "", id, nil)
	v.until(map[string]any{"kind": "view", "drawn": true})
	v.untilPictures(1)
	b, err := actions.Open(t.Context(), s.Join(""), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	p, err := b.Page(id)
	if err != nil {
		t.Fatal(err)
	}
	evaluate(t, p, `document.body.style.background = "black", resized = 0`)
	hubtest.Eventually(t, "a black picture", func() bool {
		v.mu.Lock()
		defer v.mu.Unlock()
		r, g, b, _ := v.last.At(v.last.Bounds().Dx()-10, v.last.Bounds().Dy()-10).RGBA()
		return r+g+b < 3*0x1000
	})
	v.say(`{"kind":"take"}`)
	v.until(map[string]any{"kind": "holder", "mine": true})
	if err := p.Fill(t.Context(), actions.CSS("input"), "x", actions.FillOptions{}); actions.KindOf(err) != actions.Paused {
		t.Errorf("the agent fills a field: %v", err)
	}
	v.say(`{"kind":"mouse","type":"mousePressed","x":100,"y":100,"button":"left","buttons":1,"clickCount":1}`)
	v.say(`{"kind":"mouse","type":"mouseReleased","x":100,"y":100,"button":"left","clickCount":1}`)
	hubtest.Eventually(t, "a click", func() bool { return strings.Contains(evaluate(t, p, `seen`), "click") })
	evaluate(t, p, `setTimeout(() => { window.answer = prompt("How much?", "1") })`)
	v.until(map[string]any{"kind": "dialog", "type": "prompt", "message": "How much?", "default": "1"})
	v.say(`{"kind":"dialog","accept":true,"text":"2"}`)
	v.until(map[string]any{"kind": "dialog", "type": ""})
	hubtest.Eventually(t, "the answer", func() bool { return evaluate(t, p, `window.answer`) == `"2"` })
	v.say(`{"kind":"release"}`)
	v.until(map[string]any{"kind": "holder", "name": ""})
	// It goes on in the next document.
	before := v.count()
	if _, err := p.Reload(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	hubtest.Eventually(t, "pictures of the next document", func() bool { return v.count() > before })
	if n := evaluate(t, p, "resized"); n != "0" {
		t.Errorf("the frame was resized %s times", n)
	}
}
