package share

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/wire"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// pages are what the browser loads.
var pages = map[string]string{
	"/":        `<!doctype html><title>one</title><style>p { color: red }</style><body><p id=p class=a>text</p><div id=d><b><i id=i>deep</i></b></div><script>console.log("one", {a: 1}); function f() { return 1 }</script></body>`,
	"/two":     `<!doctype html><title>two</title><body><p>two</p></body>`,
	"/worker":  `<!doctype html><title>worker</title><body></body>`,
	"/frames":  `<!doctype html><title>frames</title><body><div id=host><u>light</u><s></s></div><script>host.attachShadow({mode: "open"}).innerHTML = "<p>in<b>side</b></p>"</script></body>`,
	"/secret":  `<!doctype html><title>secret</title>`,
	"/moves":   `<!doctype html><title>moves</title><body><p id=p>0</p><script>setInterval(() => { p.textContent++ }, 20)</script></body>`,
	"/work.js": `onmessage = e => postMessage(e.data + 1); console.log("working")`,
}

// peer is one Client of a script: it sends commands in its sessions, and writes down what it gets.
type peer struct {
	w    *world
	name string
	ids  map[string]string

	mu     sync.Mutex          // guards what follows
	log    map[string][]string // by domain
	events []string            // all, by method
	last   map[string]json.RawMessage
	unread []frame // events that takeEvent has not returned yet
	change chan struct{}
}

// servePages serves pages on loopback, and returns their address.
func servePages(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header()["Date"] = nil // the second may change between two runs
		text, known := pages[r.URL.Path]
		user, password, _ := r.BasicAuth()
		switch {
		case r.URL.Path == "/secret" && user+password != "up":
			rw.Header().Set("WWW-Authenticate", `Basic realm="r"`)
			rw.WriteHeader(http.StatusUnauthorized)
			return
		case r.URL.Path == "/echo":
			text = fmt.Sprint(r.Header["X-One"], r.Header["X-Two"], r.Header["X-Same"], r.Header["Cache-Control"])
		case !known:
			http.NotFound(rw, r)
			return
		case strings.HasSuffix(r.URL.Path, ".js"):
			rw.Header().Set("Content-Type", "text/javascript")
		default:
			rw.Header().Set("Content-Type", "text/html")
		}
		fmt.Fprint(rw, text)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// world runs a script: on sessions of the browser's own, or on one that is shared.
type world struct {
	t      *testing.T
	url    string
	raw    *hubtest.Peer
	shared bool
	target string
	tab    *Tab
	root   string // the real session that is shared

	turn sync.Mutex // of those who tell the Tab what the browser says

	mu      sync.Mutex // guards what follows
	next    int64
	answers map[int64]func(result, cdpErr json.RawMessage)
	owners  map[string]*peer  // by session
	depth   map[string]string // names of sessions in the log
	number  bridge.CallID
	waiting map[bridge.CallID]func(result, cdpErr json.RawMessage)

	pausedFirst *peer // of two, who was shown a request first
}

type frame struct {
	ID            int64
	Method        string
	SessionID     string
	Params        json.RawMessage
	Result, Error json.RawMessage
}

// newWorld opens a page, in a context of its own if nothing may be known of the run before: passwords, pages. The headless
// shell paints none there.
func newWorld(t *testing.T, profile, url string, shared, fresh bool) *world {
	t.Helper()
	w := &world{
		t: t, url: url, shared: shared, answers: map[int64]func(r, e json.RawMessage){}, owners: map[string]*peer{}, depth: map[string]string{},
		waiting: map[bridge.CallID]func(r, e json.RawMessage){},
	}
	text, err := os.ReadFile(filepath.Join(profile, "DevToolsActivePort"))
	if err != nil {
		t.Fatal(err)
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	w.raw = hubtest.DialTo(t, "ws://127.0.0.1:"+port+path, nil, w.receive)
	context := ""
	if fresh {
		id := textOf(w.ask("", "Target.createBrowserContext", `{}`), "browserContextId")
		context = `,"browserContextId":"` + id + `"`
		t.Cleanup(func() { w.ask("", "Target.disposeBrowserContext", `{`+context[1:]+`}`) })
	}
	w.target = textOf(w.ask("", "Target.createTarget", `{"url":"about:blank"`+context+`}`), "targetId")
	t.Cleanup(func() { w.ask("", "Target.closeTarget", `{"targetId":"`+w.target+`"}`) })
	if shared {
		w.tab = New(w, w)
		w.root = w.attach()
	}
	return w
}

func (w *world) attach() string {
	return textOf(w.ask("", "Target.attachToTarget", `{"targetId":"`+w.target+`","flatten":true}`), "sessionId")
}

// receive takes a message of the browser.
func (w *world) receive(m []byte) {
	var f frame
	if err := json.Unmarshal(m, &f); err != nil {
		w.t.Errorf("%s: %v", m, err)
		return
	}
	w.mu.Lock()
	done := w.answers[f.ID]
	delete(w.answers, f.ID)
	owner, root := w.owners[f.SessionID], w.root
	w.mu.Unlock()
	switch {
	case f.Method == "" && done != nil:
		done(f.Result, f.Error)
	case f.Method == "" && w.shared:
		w.exclusively(func() { w.tab.Answer(f.ID, f.Result, f.Error) })
	case f.Method == "":
		w.t.Errorf("an answer to no command: %s", m)
	case w.shared && f.SessionID != "":
		id := f.SessionID
		if id == root {
			id = ""
		}
		w.exclusively(func() { w.tab.Event(id, f.Method, f.Params) })
	case owner != nil:
		if f.Method == "Target.attachedToTarget" {
			id := textOf(f.Params, "sessionId")
			w.own(id, owner, f.SessionID, textOf(f.Params, "targetInfo", "type"))
		}
		owner.got(f.SessionID, f.Method, f.Params)
	}
}

// exclusively runs a call of the browser's side, of which there is one at a time.
func (w *world) exclusively(call func()) {
	w.turn.Lock()
	defer w.turn.Unlock()
	call()
}

// own notes whose a session is.
func (w *world) own(id string, p *peer, parent, kind string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.owners[id] = p
	if parent != "" {
		kind = strings.Trim(w.depth[parent]+"/"+kind, "/")
	}
	w.depth[id] = kind
}

func (w *world) write(id int64, session, method string, params []byte) {
	tail := "}"
	if session != "" {
		tail = `,"sessionId":"` + session + `"}`
	}
	if params == nil {
		params = wire.Empty
	}
	w.raw.Send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s%s`, id, method, params, tail))
}

// ask sends a command of the test itself.
func (w *world) ask(session, method, params string) json.RawMessage {
	w.t.Helper()
	answer := make(chan json.RawMessage, 1)
	w.mu.Lock()
	w.next++
	id := w.next + 1<<20
	w.answers[id] = func(result, cdpErr json.RawMessage) { answer <- append(slices.Clone(result), cdpErr...) }
	w.mu.Unlock()
	w.write(id, session, method, []byte(params))
	select {
	case r := <-answer:
		return r
	case <-time.After(patience):
		w.t.Fatalf("%s: no answer", method)
		return nil
	}
}

const patience = 30 * time.Second

// Send implements Real.
func (w *world) Send(call int64, sessionID, method string, params []byte) {
	if sessionID == "" {
		w.mu.Lock()
		sessionID = w.root
		w.mu.Unlock()
	}
	w.write(call, sessionID, method, params)
}

// Result, SessionEvent, Opened and Closed implement Sessions.
func (w *world) Result(call bridge.CallID, _ string, result, cdpErr []byte) {
	w.mu.Lock()
	done := w.waiting[call]
	delete(w.waiting, call)
	w.mu.Unlock()
	if done == nil {
		w.t.Errorf("a second answer to command %d", call)
		return
	}
	done(slices.Clone(result), slices.Clone(cdpErr))
}

func (w *world) SessionEvent(sessionID, method string, params []byte) {
	w.mu.Lock()
	p := w.owners[sessionID]
	w.mu.Unlock()
	if p != nil {
		p.got(sessionID, method, slices.Clone(params))
	}
}

func (w *world) Opened(n bridge.Nested) bool {
	w.mu.Lock()
	p := w.owners[n.Parent]
	w.mu.Unlock()
	w.own(n.SessionID, p, n.Parent, n.Type)
	return true
}

func (w *world) Closed(string) {}

// peer begins a Client.
func (w *world) peer(name string) *peer {
	p := &peer{w: w, name: name, ids: map[string]string{}, log: map[string][]string{}, last: map[string]json.RawMessage{}, change: make(chan struct{}, 1)}
	if w.shared {
		w.own(name, p, "", "")
		w.tab.Attach(name)
		p.ids[""] = name
		return p
	}
	id := w.attach()
	w.own(id, p, "", "")
	p.ids[""] = id
	return p
}

// leave ends a Client.
func (p *peer) leave() {
	if p.w.shared {
		p.w.tab.Detach(p.ids[""])
		return
	}
	p.w.ask("", "Target.detachFromTarget", `{"sessionId":"`+p.ids[""]+`"}`)
}

// do sends a command and returns its result, or its error.
func (p *peer) do(method, params string) json.RawMessage { return p.in("", method, params) }

// in is do in a session; "" is the first one.
func (p *peer) in(session, method, params string) json.RawMessage {
	p.w.t.Helper()
	return p.await(method, p.start(session, method, params))
}

func (p *peer) await(method string, answer chan json.RawMessage) json.RawMessage {
	p.w.t.Helper()
	select {
	case r := <-answer:
		return r
	case <-time.After(patience):
		p.mu.Lock()
		defer p.mu.Unlock()
		p.w.t.Fatalf("%s of %s: no answer; shared is %v, events were %q", method, p.name, p.w.shared, p.events)
		return nil
	}
}

// start sends a command, and does not wait.
func (p *peer) start(session, method, params string) chan json.RawMessage {
	if session == "" {
		session = p.ids[""]
	}
	w := p.w
	answer := make(chan json.RawMessage, 1)
	done := func(result, cdpErr json.RawMessage) {
		text := append(slices.Clone(result), cdpErr...)
		p.note(session, "= "+method, method, text)
		answer <- text
	}
	w.mu.Lock()
	w.next++
	id := w.next
	if !w.shared {
		id += 1 << 20
		w.answers[id] = done
		w.mu.Unlock()
		w.write(id, session, method, []byte(params))
		return answer
	}
	w.number++
	number := w.number
	w.waiting[number] = done
	w.mu.Unlock()
	if err := w.tab.Send(bridge.Command{Call: number, SessionID: session, Method: method, Params: []byte(params)}); err != nil {
		refusal, _ := errors.AsType[*bridge.Error](err)
		w.Result(number, session, nil, wire.AppendError(nil, refusal))
	}
	return answer
}

// got takes an event.
func (p *peer) got(session, method string, params json.RawMessage) {
	p.note(session, "! "+method, method, params)
	p.mu.Lock()
	p.events = append(p.events, method)
	p.last[method] = params
	p.unread = append(p.unread, frame{Method: method, Params: params})
	p.mu.Unlock()
	select {
	case p.change <- struct{}{}:
	default:
	}
}

// note writes down an answer or an event, with the sequence of its domain.
func (p *peer) note(session, what, method string, text json.RawMessage) {
	p.w.mu.Lock()
	where := p.w.depth[session]
	p.w.mu.Unlock()
	domain, _ := cutMethod(method)
	p.mu.Lock()
	defer p.mu.Unlock()
	key := where + " " + domain
	if strings.HasSuffix(method, "ExtraInfo") {
		key += " extra" // they come from another process, sooner or later than the others
	}
	p.log[key] = append(p.log[key], what+" "+string(text))
}

// wait waits until there have been n events of a method, and returns the params of the last.
func (p *peer) wait(method string, n int) json.RawMessage {
	p.w.t.Helper()
	limit := time.After(patience)
	for {
		p.mu.Lock()
		count, last := 0, p.last[method]
		for _, e := range p.events {
			if e == method {
				count++
			}
		}
		events := slices.Clone(p.events)
		p.mu.Unlock()
		if count >= n {
			return last
		}
		select {
		case <-p.change:
		case <-limit:
			p.w.t.Fatalf("%s: %d events %s, want %d; shared is %v; there were %q", p.name, count, method, n, p.w.shared, events)
		}
	}
}

// takeEvent is the oldest event of a method that it has not returned yet.
func (p *peer) takeEvent(method string) (params json.RawMessage, found bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, e := range p.unread {
		if e.Method == method {
			p.unread = slices.Delete(p.unread, i, i+1)
			return e.Params, true
		}
	}
	return nil, false
}

// plainer makes ids alike: each value of a kind is named by when it came first.
type plainer struct{ names map[string]map[string]string }

var idKinds = map[string]string{
	"nodeId": "node", "parentId": "node", "parentNodeId": "node", "previousNodeId": "node", "nodeIds": "node", "backendNodeId": "backend", "ownerNode": "backend", "objectId": "object", "uniqueId": "unique",
	"executionContextId": "context", "scriptId": "script", "styleSheetId": "sheet", "breakpointId": "break", "hitBreakpoints": "break", "requestId": "request", "networkId": "request", "networkRequestId": "request", "loaderId": "loader", "frameId": "frame", "id": "id",
	"sessionId": "session", "targetId": "target", "debuggerId": "debugger", "callFrameId": "call", "uniqueContextId": "unique", "parentLayoutNodeId": "node", "originTreeScopeNodeId": "backend", "executionContextUniqueId": "unique", "backendDOMNodeId": "backend", "childIds": "node", "stream": "stream", "parentFrameId": "frame",
}
