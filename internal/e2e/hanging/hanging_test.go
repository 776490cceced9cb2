package hanging

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/e2e/harness"
)

var scratch string

func TestMain(m *testing.M) { os.Exit(harness.Main(m, &scratch)) }

// promised is how long a command may take for a document that does not answer.
const promised = 10 * time.Second

// What is expected of an operation.
const (
	works = "works"
	fails = "fails with the reason"
)

// kind is a document that does not answer, and how it comes to that.
type kind struct {
	name string
	// script ends the document's answers, after it has asked for /begins. It is empty where the
	// browser is made to do so.
	script string
	hang   func(t *testing.T, s *scene)
	// parts says that only a worker or a child frame hangs: the document itself answers.
	parts bool
}

const begins = `(() => { const x = new XMLHttpRequest(); x.open("GET", "/begins", false); x.send(); })();`

var kinds = []kind{
	{name: "a script without an end", script: begins + "for (;;);"},
	{name: "microtasks without an end", script: begins + "(function again() { queueMicrotask(again) })()"},
	{name: "a synchronous request without an end", script: begins + `{ const x = new XMLHttpRequest(); x.open("GET", "/never", false); x.send(); }`},
	{name: "a breakpoint", hang: func(t *testing.T, s *scene) {
		frame := s.inBrowser(t)
		s.browser.Call(t, frame, "Debugger.enable", nil)
		s.browser.Call(t, frame, "Runtime.evaluate", map[string]any{"expression": "setTimeout(() => { debugger; })"})
		s.browser.Await(t, "the breakpoint", harness.Event(frame, "Debugger.paused"))
	}},
	{name: "a dialog of the browser", hang: func(t *testing.T, s *scene) {
		frame := s.inBrowser(t)
		page := s.browser.Attach(t, s.browser.Pages(t)[0]) // it has the dialogs of all its frames
		s.browser.Call(t, page, "Page.enable", nil)
		s.browser.Call(t, frame, "Runtime.evaluate", map[string]any{"expression": `onbeforeunload = (e) => e.preventDefault()`, "userGesture": true})
		s.browser.Send(t, frame, "Runtime.evaluate", map[string]any{"expression": `location.href = "/left"`, "userGesture": true})
		s.browser.Await(t, "the dialog", harness.Event(page, "Page.javascriptDialogOpening"))
		// It belongs to the whole tab, which loads nothing else meanwhile.
		s.ends = func() { s.browser.Call(t, page, "Page.handleJavaScriptDialog", map[string]any{"accept": false}) }
	}},
	{name: "a process that has crashed", hang: func(t *testing.T, s *scene) {
		frame := s.inBrowser(t)
		s.browser.Send(t, frame, "Page.crash", nil)
		s.browser.Await(t, "the crash", func(m harness.Message) bool {
			return m.Method == "Inspector.targetCrashed" || m.Method == "Target.targetCrashed"
		})
	}},
	{name: "a worker", parts: true, hang: func(t *testing.T, s *scene) {
		s.client.Call(t, s.session, "Target.setAutoAttach", map[string]any{"autoAttach": true, "waitForDebuggerOnStart": false, "flatten": true})
		s.client.Evaluate(t, s.session, `window.w = new Worker("/worker.js"), 0`)
		var p struct{ SessionID string }
		s.client.Await(t, "the worker", func(m harness.Message) bool {
			return harness.Event(s.session, "Target.attachedToTarget")(m) && json.Unmarshal(m.Params, &p) == nil
		})
		s.client.Evaluate(t, p.SessionID, "1")
		s.part, s.partSession = map[string]any{}, p.SessionID
		s.client.Evaluate(t, s.session, `w.postMessage(1), 0`)
	}},
	{name: "a child frame", parts: true, hang: func(t *testing.T, s *scene) {
		id := s.addChild(t)
		s.part, s.partSession = map[string]any{"contextId": id}, s.session
		s.client.Send(t, s.session, "Runtime.evaluate", map[string]any{"contextId": id, "expression": "setTimeout(() => {" + begins + "for (;;); })"})
	}},
}

// scene is a Client that drives a document.
type scene struct {
	hub         *harness.Hub
	client      *harness.CDP
	target      string
	session     string
	browser     *harness.CDP
	app         string
	child       string // the origin of child frames
	elsewhere   string // the origin of the other target
	other       string // a session of another target
	ends        func() // ends what keeps the document from answering
	path        string
	part        map[string]any // params that name what hangs inside the document
	partSession string
}

// inBrowser is a session of the browser's own debugging port on the document's frame.
func (s *scene) inBrowser(t *testing.T) (session string) {
	t.Helper()
	var list struct {
		TargetInfos []struct{ TargetID, Type, URL string }
	}
	harness.Eventually(t, harness.Started, func() error {
		if err := json.Unmarshal(s.browser.Call(t, "", "Target.getTargets", nil), &list); err != nil {
			return err
		}
		for _, i := range list.TargetInfos {
			if i.Type == "iframe" && strings.HasSuffix(i.URL, s.path) {
				session = s.browser.Attach(t, i.TargetID)
				return nil
			}
		}
		return fmt.Errorf("the browser has %+v, and no frame at %s", list.TargetInfos, s.path)
	})
	return session
}

// addChild adds a child frame of another origin, and returns the id of its context.
func (s *scene) addChild(t *testing.T) int {
	t.Helper()
	s.client.Call(t, s.session, "Runtime.enable", nil)
	s.client.Evaluate(t, s.session, fmt.Sprintf(`{ const f = document.createElement("iframe"); f.src = %q; f.style = "position:fixed;left:0;top:0;width:90px;height:90px"; document.body.append(f) } 0`, s.child+"/child"))
	var p struct {
		Context struct {
			ID     int
			Origin string
		}
	}
	s.client.Await(t, "the child frame", func(m harness.Message) bool {
		return harness.Event(s.session, "Runtime.executionContextCreated")(m) && json.Unmarshal(m.Params, &p) == nil && p.Context.Origin == s.child
	})
	return p.Context.ID
}

// operations are what Clients do meanwhile. Each returns an error in the words that the Client gets.
type operation struct {
	name string
	want string // if the whole document hangs
	// begin starts it, and returns what waits for its end.
	begin func(t *testing.T, s *scene) func() error
}

// command is a CDP command in a session of before.
func command(method string, params map[string]any) func(*testing.T, *scene) func() error {
	return func(t *testing.T, s *scene) func() error { return s.send(t, s.client, s.session, method, params) }
}

func (s *scene) send(t *testing.T, c *harness.CDP, session, method string, params map[string]any) func() error {
	id := c.Send(t, session, method, params)
	return func() error {
		m := c.Await(t, "the answer to "+method, func(m harness.Message) bool { return m.ID == id && m.Method == "" })
		if m.Error != nil {
			return m.Error
		}
		if strings.Contains(string(m.Result), "exceptionDetails") {
			return errors.New(string(m.Result))
		}
		return nil
	}
}

var operations = []operation{
	{"an evaluation", fails, command("Runtime.evaluate", map[string]any{"expression": "1"})},
	{"a promise", fails, command("Runtime.evaluate", map[string]any{"expression": "Promise.resolve(1)", "awaitPromise": true})},
	{"a picture", fails, command("Page.captureScreenshot", nil)},
	{"the document", fails, command("DOM.getDocument", map[string]any{"depth": -1})},
	{"the accessibility tree", fails, command("Accessibility.getFullAXTree", nil)},
	{"input", fails, command("Input.dispatchMouseEvent", map[string]any{"type": "mousePressed", "x": 40, "y": 40, "button": "left", "clickCount": 1})},
	{"a key", fails, command("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": "a", "text": "a"})},
	{"the tree of frames", fails, command("Page.getFrameTree", nil)},
	{"a setting", fails, command("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "0"})},
	{"cookies of all pages", works, func(t *testing.T, s *scene) func() error {
		return s.send(t, s.client, "", "Storage.getCookies", nil)
	}},
	{"the list of targets", works, func(t *testing.T, s *scene) func() error {
		return s.send(t, s.client, "", "Target.getTargets", nil)
	}},
	{"another target", works, func(t *testing.T, s *scene) func() error {
		return s.send(t, s.client, s.other, "Runtime.evaluate", map[string]any{"expression": "document.title"})
	}},
	{"a new Client", fails, func(t *testing.T, s *scene) func() error {
		c := harness.DialCDP(t, "http://"+s.hub.ClientAddr)
		return s.send(t, c, c.Attach(t, s.target), "Page.enable", nil)
	}},
	{"a new Client at another target", works, func(t *testing.T, s *scene) func() error {
		c := harness.DialCDP(t, "http://"+s.hub.ClientAddr)
		for _, page := range c.Pages(t) {
			if page != s.target {
				return s.send(t, c, c.Attach(t, page), "Runtime.evaluate", map[string]any{"expression": "1"})
			}
		}
		return func() error { return errors.New("there is no other") }
	}},
	{"/json/list", works, get("/json/list", "")},
	{"/json/version", works, get("/json/version", "")},
	{"the list of an action API", works, get("/hooks/invoke", `{"name":"browser.list"}`)},
	{"a snapshot of an action API", fails, get("/hooks/invoke", `{"name":"browser.snapshot","params":{"browserId":"TARGET"}}`)},
	{"a click of an action API", fails, get("/hooks/invoke", `{"name":"browser.click","params":{"browserId":"TARGET","x":40,"y":40}}`)},
}

// get asks for a path; with a body it is a hook.
func get(path, body string) func(*testing.T, *scene) func() error {
	return func(t *testing.T, s *scene) func() error {
		ended := make(chan error, 1)
		go func() { ended <- fetch("http://"+s.hub.ClientAddr+path, strings.ReplaceAll(body, "TARGET", s.target)) }()
		return func() error { return <-ended }
	}
}

func fetch(address, body string) error {
	var res *http.Response
	var err error
	if body == "" {
		res, err = http.Get(address)
	} else {
		res, err = http.Post(address, "application/json", strings.NewReader(body))
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && (res.StatusCode != http.StatusOK || strings.Contains(string(text), `"ok":false`)) {
		err = errors.New(string(text))
	}
	return err
}

// TestR430NothingHangsClients has a document, or a part of it, stop answering, in each way. Each kind
// of operation then ends within 10 s: it works, or fails with the reason.
func TestR430NothingHangsClients(t *testing.T) {
	var mu sync.Mutex
	begun := make(chan struct{}, 1)
	held := make(chan struct{})
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/begins":
			mu.Lock()
			defer mu.Unlock()
			select {
			case begun <- struct{}{}:
			default:
			}
		case "/never":
			select {
			case <-held:
			case <-r.Context().Done():
			}
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, `onmessage = () => {`+begins+`for (;;); }`)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><title>%s</title><body><button>Push</button>", r.URL.Path)
		}
	})
	origin := func() string {
		s := httptest.NewServer(serve)
		t.Cleanup(s.Close)
		return s.URL
	}
	t.Cleanup(func() { close(held) })
	// Documents of one origin share a process, and so a thread: each kind has its own.
	other, child := origin(), origin()
	apps, also := make([]string, len(kinds)), []string{"--also-proxy", child}
	for i := range apps {
		apps[i] = origin()
		also = append(also, "--also-proxy", apps[i])
	}
	hub, page := harness.StartProxy(t, other, also...)
	browser := harness.StartChromium(t, page, true)
	hub.AwaitTitle(t, "/")
	client := harness.DialCDP(t, "http://"+hub.ClientAddr)
	client.Patience = 3 * promised
	still := client.Attach(t, client.Pages(t)[0])
	playwright := harness.StartRemote(t, "http://"+hub.ClientAddr, other)
	raw := harness.DialCDP(t, "http://127.0.0.1:"+browser.Port(t))
	for i, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			s := &scene{hub: hub, client: client, other: still, browser: raw, app: apps[i], child: servedAt(t, page, child), elsewhere: other, path: fmt.Sprintf("/hangs/%d", i)}
			var made struct{ TargetID string }
			if err := json.Unmarshal(client.Call(t, "", "Target.createTarget", map[string]any{"url": s.app + s.path}), &made); err != nil {
				t.Fatal(err)
			}
			s.target = made.TargetID
			defer client.Call(t, "", "Target.closeTarget", map[string]any{"targetId": s.target})
			s.session = client.Attach(t, s.target)
			client.Evaluate(t, s.session, "1")
			if k.script != "" {
				client.Evaluate(t, s.session, "setTimeout(() => {"+k.script+"}), 0")
			} else {
				k.hang(t, s)
			}
			if k.script != "" || k.parts {
				<-begun
			}
			s.walk(t, k, playwright)
			if k.parts {
				return // the document itself has answered
			}
			s.heals(t)
		})
	}
}

// walk carries every operation out at once.
func (s *scene) walk(t *testing.T, k kind, playwright *harness.Remote) {
	type running struct {
		name, want string
		end        func() error
		began      time.Time
	}
	var all []running
	start := func(name, want string, begin func(*testing.T, *scene) func() error) {
		began := time.Now()
		all = append(all, running{name, want, begin(t, s), began})
	}
	for _, o := range operations {
		want := o.want
		if k.parts {
			want = ""
		}
		start(o.name, want, o.begin)
	}
	if k.parts {
		start("an evaluation there", fails, func(t *testing.T, s *scene) func() error {
			params := map[string]any{"expression": "1"}
			for name, v := range s.part {
				params[name] = v
			}
			return s.send(t, s.client, s.partSession, "Runtime.evaluate", params)
		})
	}
	began := time.Now()
	outcome := playwright.Begin(t, `const b = await chromium.connectOverCDP(endpoint); const n = b.contexts()[0].pages().map((p) => p.url()); await b.close(); return n`)
	slices.SortStableFunc(all, func(a, b running) int { return strings.Compare(b.want, a.want) }) // what works ends first
	for _, r := range all {
		err := r.end()
		took := time.Since(r.began).Round(time.Millisecond)
		t.Logf("%-34s %8v %v", r.name, took, err)
		switch {
		case r.want == works && took > promised/2, took > promised:
			t.Errorf("%s took %v", r.name, took)
		case r.want == works && err != nil:
			t.Errorf("%s failed: %v", r.name, err)
		case r.want == fails && err == nil:
			t.Errorf("%s succeeded", r.name)
		case r.want == fails && !strings.Contains(err.Error(), "does not answer"):
			t.Errorf("%s failed without the reason: %v", r.name, err)
		}
	}
	pages, err := harness.Result(t, outcome, harness.Started)
	took := time.Since(began).Round(time.Millisecond)
	t.Logf("Playwright connects in %v: %s %v", took, pages, err)
	if err != nil || took > promised+2*time.Second || !strings.Contains(pages, "http://") {
		t.Errorf("Playwright has connected after %v: %s %v", took, pages, err)
	}
}

// heals wants a document to answer again, once what hindered it has ended or the frame is at another
// origin: documents of the same one share the thread.
func (s *scene) heals(t *testing.T) {
	t.Helper()
	want := fmt.Sprintf("%q", s.path)
	if s.ends != nil { // a person has stayed, and would be asked again
		s.ends()
	} else {
		s.client.Call(t, s.session, "Page.navigate", map[string]any{"url": s.elsewhere + "/again"})
		want = `"/again"`
	}
	harness.Eventually(t, harness.Soon, func() error { // until the sign of life has come
		got, err := s.client.TryEvaluate(t, s.session, "document.title")
		if err == nil && got != want {
			err = fmt.Errorf("afterwards the document is %s, want %s", got, want)
		}
		return err
	})
}

// servedAt is where the proxy that names a Host page serves another origin.
func servedAt(t *testing.T, page, origin string) string {
	t.Helper()
	host, err := url.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, pair := range host.Query()["also"] {
		if served, of, _ := strings.Cut(pair, "="); of == origin {
			return strings.TrimSuffix(served, "/")
		}
	}
	t.Fatalf("%s does not name %s", page, origin)
	return ""
}

// TestR430DialogsOfClientsWait has a Client take longer over a dialog than a document may be silent,
// which then waits for it: that of the page, and that of a child frame of another origin.
func TestR430DialogsOfClientsWait(t *testing.T) {
	serve := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", r.URL.Path)
	})
	app, child := httptest.NewServer(serve), httptest.NewServer(serve)
	t.Cleanup(app.Close)
	t.Cleanup(child.Close)
	hub, page := harness.StartProxy(t, app.URL, "--also-proxy", child.URL)
	harness.StartChromium(t, page, false)
	hub.AwaitTitle(t, "/")
	for _, inChild := range []bool{false, true} {
		t.Run(fmt.Sprintf("in a child frame: %v", inChild), func(t *testing.T) {
			s := &scene{client: harness.DialCDP(t, "http://"+hub.ClientAddr), child: servedAt(t, page, child.URL)}
			s.session = s.client.Attach(t, s.client.Pages(t)[0])
			s.client.Call(t, s.session, "Page.enable", nil)
			params := map[string]any{"expression": `confirm("Well?")`, "returnByValue": true}
			if inChild {
				params["contextId"] = s.addChild(t)
			}
			asks := s.client.Send(t, s.session, "Runtime.evaluate", params)
			s.client.Await(t, "the dialog", harness.Event(s.session, "Page.javascriptDialogOpening"))
			delete(params, "contextId")
			params["expression"] = "1"
			waits := s.client.Send(t, s.session, "Runtime.evaluate", params)
			time.Sleep(promised + time.Second) // the Client thinks
			s.client.Call(t, s.session, "Page.handleJavaScriptDialog", map[string]any{"accept": true})
			for id, want := range map[int]string{asks: `"value":true`, waits: `"value":1`} {
				m := s.client.Await(t, "an answer", func(m harness.Message) bool { return m.ID == id && m.Method == "" })
				if m.Error != nil || !strings.Contains(string(m.Result), want) {
					t.Errorf("the answer is %s, %v, want %s", m.Result, m.Error, want)
				}
			}
		})
	}
}
