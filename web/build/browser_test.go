package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobwas/ws"
	"github.com/gobwas/ws/wsutil"
)

// patience is how long the tests wait for a browser to do something.
const patience = 20 * time.Second

// site is what the tests serve: a Host page, an app of another site, and the
// relay's end of the bridge.
type site struct {
	t      *testing.T
	host   *httptest.Server // 127.0.0.1
	app    string           // origin of the same server as http://localhost
	csp    string           // of the Host page
	relays chan *relay      // one for each connection
	notes  chan string      // what the Host page reports
}

// start serves the page and opens it in a headless Chromium that has no
// debugging port.
func start(t *testing.T, csp string) *site {
	t.Helper()
	bundles, err := bundleAll(root(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, csp: csp, relays: make(chan *relay, 8), notes: make(chan string, 64)}
	mux := http.NewServeMux()
	for _, f := range bundles {
		if f.name == "host.js" {
			mux.HandleFunc("/host.js", func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/javascript")
				w.Write(f.data)
			})
		}
	}
	mux.HandleFunc("/page", func(w http.ResponseWriter, r *http.Request) {
		if s.csp != "" {
			w.Header().Set("Content-Security-Policy", s.csp)
		}
		http.ServeFile(w, r, "testdata/host.html")
	})
	mux.HandleFunc("/agent.js", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*") // as a hub does
		http.ServeFile(w, r, "testdata/agent.js")
	})
	mux.HandleFunc("/note", func(_ http.ResponseWriter, r *http.Request) { s.notes <- r.URL.RawQuery })
	mux.HandleFunc("/icdp/host", s.bridge)
	for _, name := range []string{"one", "two", "alone"} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			agent := fmt.Sprintf(`<script src="/agent.js" data-parents="%s"></script>`, s.host.URL)
			if name == "alone" {
				agent = ""
			}
			fmt.Fprintf(w, "<!doctype html><title>%s</title>%s", name, agent)
		})
	}
	s.host = httptest.NewUnstartedServer(mux) // the handlers read s.host
	s.host.Start()
	t.Cleanup(s.host.Close)
	_, port, _ := net.SplitHostPort(s.host.Listener.Addr().String())
	s.app = "http://localhost:" + port
	q := url.Values{"app": {s.app}, "relay": {"ws://" + s.host.Listener.Addr().String() + "/icdp/host"}}
	browse(t, s.host.URL+"/page?"+q.Encode())
	return s
}

// root is the web folder.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := installPackages(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// browse opens a page in a Chromium that ends with the test.
func browse(t *testing.T, page string) {
	t.Helper()
	profile, err := os.MkdirTemp("", "cdphub-host-test-")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir="+profile, page)
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		t.Fatalf("chromium: %v", err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait()
		for range 20 { // its helpers may still be writing
			if os.RemoveAll(profile) == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	})
}

// relay is the relay's end of one bridge connection.
type relay struct {
	t    *testing.T
	conn net.Conn
	in   chan message
	next int
	held []message // read while looking for something else
}

type message struct {
	Kind      string          `json:"kind"`
	ID        int             `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	TargetID  string          `json:"targetId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error,omitempty"`
	Features []string        `json:"features,omitempty"`
	Handles  []string        `json:"handles,omitempty"`
	Browser  json.RawMessage `json:"browser,omitempty"`
}

func (s *site) bridge(w http.ResponseWriter, r *http.Request) {
	conn, _, _, err := ws.UpgradeHTTP(r, w)
	if err != nil {
		return
	}
	rel := &relay{t: s.t, conn: conn, in: make(chan message, 1024)}
	s.relays <- rel
	go func() {
		defer close(rel.in)
		defer conn.Close() // after its close frame a browser waits for this
		for {
			f, err := ws.ReadFrame(conn)
			if err != nil || f.Header.OpCode == ws.OpClose {
				return
			}
			var m message
			if json.Unmarshal(ws.UnmaskFrameInPlace(f).Payload, &m) == nil {
				rel.in <- m
			}
		}
	}()
}

// connected waits for a Host's connection and accepts its features.
func (s *site) connected() *relay {
	s.t.Helper()
	select {
	case r := <-s.relays:
		ready := r.find("ready", func(m message) bool { return m.Kind == "ready" })
		for _, method := range []string{"Target.createTarget", "Target.closeTarget", "Target.activateTarget", "Storage.getCookies"} {
			if !slices.Contains(ready.Handles, method) {
				s.t.Errorf("handles %q, and not %s", ready.Handles, method)
			}
		}
		if strings.Contains(string(ready.Browser), "Headless") || !strings.Contains(string(ready.Browser), `"product":"Chrome/`) {
			s.t.Errorf("browser %s", ready.Browser)
		}
		r.send(message{Kind: "accepted", Features: []string{"sessions"}})
		return r
	case <-time.After(patience):
		s.t.Fatal("no Host has connected")
		return nil
	}
}

// note waits until the Host page reports what begins so.
func (s *site) note(want string) {
	s.t.Helper()
	timeout := time.After(patience)
	var others []string
	for {
		select {
		case got := <-s.notes:
			if strings.HasPrefix(got, want) {
				return
			}
			others = append(others, got)
		case <-timeout:
			s.t.Fatalf("the Host page never reported %s, but %q", want, others)
		}
	}
}

func (r *relay) send(m message) {
	r.t.Helper()
	data, err := json.Marshal(m)
	if err != nil {
		r.t.Fatal(err)
	}
	if err := wsutil.WriteServerText(r.conn, data); err != nil {
		r.t.Fatalf("bridge: %v", err)
	}
}

// find waits for a message and keeps the others for later.
func (r *relay) find(what string, is func(message) bool) message {
	r.t.Helper()
	if i := slices.IndexFunc(r.held, is); i >= 0 {
		m := r.held[i]
		r.held = slices.Delete(r.held, i, i+1)
		return m
	}
	timeout := time.After(patience)
	for {
		select {
		case m, ok := <-r.in:
			switch {
			case !ok:
				r.t.Fatalf("the bridge closed before %s", what)
			case is(m):
				return m
			default:
				r.held = append(r.held, m)
			}
		case <-timeout:
			r.t.Fatalf("no %s; there were %v", what, r.held)
		}
	}
}

// command sends a command and returns its number.
func (r *relay) command(session, target, method, params string) int {
	r.t.Helper()
	r.next++
	r.send(message{
		Kind:      "command",
		ID:        r.next,
		SessionID: session,
		TargetID:  target,
		Method:    method,
		Params:    json.RawMessage(params),
	})
	return r.next
}

func (r *relay) response(id int) message {
	r.t.Helper()
	return r.find(fmt.Sprintf("response %d", id), func(m message) bool { return m.Kind == "response" && m.ID == id })
}

// eval is the value of an expression in the frame.
func (r *relay) eval(session, target, expression string) string {
	r.t.Helper()
	params, _ := json.Marshal(map[string]string{"expression": expression})
	m := r.response(r.command(session, target, "Runtime.evaluate", string(params)))
	if m.Error != nil {
		r.t.Fatalf("%s: %s", expression, m.Error.Message)
	}
	var v struct{ Result struct{ Value any } }
	if err := json.Unmarshal(m.Result, &v); err != nil {
		r.t.Fatal(err)
	}
	return fmt.Sprint(v.Result.Value)
}

// TestHostInChromium drives a cross-site iframe through the Host's Worker.
func TestHostInChromium(t *testing.T) { drive(t, start(t, "")) }

// TestHostWithoutWorker does the same where the page's policy forbids Workers.
func TestHostWithoutWorker(t *testing.T) {
	drive(t, start(t, "worker-src 'none'"))
}

func drive(t *testing.T, s *site) {
	r := s.connected()
	s.note("local=one")
	r.send(message{Kind: "attached", SessionID: "S1", TargetID: "T1"})
	if got := r.eval("S1", "T1", "document.title"); got != "one" {
		t.Fatalf("title %q, want one", got)
	}

	hanging := r.command("S1", "T1", "Test.hang", "{}")
	id := r.command("S1", "T1", "Page.navigate", `{"url":"/two"}`)
	if m := r.response(hanging); m.Error == nil || m.Error.Message != "Cannot find context with specified id" {
		t.Errorf("a command in flight got %+v", m)
	}
	var nav struct{ FrameID, LoaderID, ErrorText string }
	if err := json.Unmarshal(r.response(id).Result, &nav); err != nil || nav.FrameID != "T1" || nav.ErrorText != "" {
		t.Fatalf("Page.navigate: %+v, %v", nav, err)
	}
	loaded := r.find("the new document", func(m message) bool {
		return m.Method == "Test.loaded" && strings.Contains(string(m.Params), nav.LoaderID)
	})
	if !strings.Contains(string(loaded.Params), `"S1"`) {
		t.Errorf("the new document does not know the session: %s", loaded.Params)
	}

	before := r.eval("S1", "T1", "innerWidth+' '+matchMedia('(prefers-color-scheme: dark)').matches")
	r.response(r.command("S1", "T1", "Emulation.setDeviceMetricsOverride", `{"width":777,"height":555,"deviceScaleFactor":1,"mobile":false}`))
	r.response(r.command("S1", "T1", "Emulation.setEmulatedMedia", `{"features":[{"name":"prefers-color-scheme","value":"dark"}]}`))
	const look = "innerWidth+' '+innerHeight+' '+matchMedia('(prefers-color-scheme: dark)').matches"
	if got := r.eval("S1", "T1", look); got != "777 555 true" {
		t.Errorf("emulated %s", got)
	}
	r.send(message{Kind: "detached", SessionID: "S1", TargetID: "T1"})
	r.send(message{Kind: "attached", SessionID: "S2", TargetID: "T1"})
	r.response(r.command("S2", "T1", "Emulation.setDeviceMetricsOverride", `{"width":300,"height":200}`)) // waits for the layout
	r.response(r.command("S2", "T1", "Emulation.clearDeviceMetricsOverride", `{}`))
	if got := r.eval("S2", "T1", "innerWidth+' '+matchMedia('(prefers-color-scheme: dark)').matches"); got != before {
		t.Errorf("after the session's end %s, before it %s", got, before)
	}

	agentless(t, r, s.app)
	blank(t, r)

	if err := ws.WriteFrame(r.conn, ws.NewCloseFrame(ws.NewCloseFrameBody(1008, "replaced by a newer host"))); err != nil {
		t.Fatal(err)
	}
	s.note("relay=replaced")
	select {
	case <-s.relays:
		t.Error("a replaced Host came back")
	case <-time.After(time.Second): // its first wait would be 250 ms
	}
}

// agentless navigates to a page without agent, and back.
func agentless(t *testing.T, r *relay, app string) {
	t.Helper()
	from := time.Now()
	m := r.response(r.command("S2", "T1", "Page.navigate", `{"url":"/alone"}`))
	if !strings.Contains(string(m.Result), "net::ERR_FAILED") || time.Since(from) < 1500*time.Millisecond {
		t.Errorf("a page without agent after %v: %s", time.Since(from), m.Result)
	}
	if m := r.response(r.command("S2", "T1", "Runtime.evaluate", `{"expression":"1"}`)); !strings.Contains(string(m.Result), `"exceptionDetails"`) ||
		!strings.Contains(string(m.Result), "no Frame Agent") || !strings.Contains(string(m.Result), "leads back") {
		t.Errorf("there, a command got %s, %+v", m.Result, m.Error)
	}
	r.response(r.command("S2", "T1", "Page.navigate", `{"url":"`+app+`/one"}`))
	if got := r.eval("S2", "T1", "document.title"); got != "one" {
		t.Errorf("back at %q, want one", got)
	}
}

// blank creates a blank Target, into which the Host puts the agent, and closes it.
func blank(t *testing.T, r *relay) {
	t.Helper()
	r.send(message{Kind: "browserRequest", ID: 1, Method: "Target.createTarget", Params: json.RawMessage(`{"url":"about:blank"}`)})
	m := r.find("createTarget", func(m message) bool { return m.Kind == "browserResult" && m.ID == 1 })
	var made struct{ TargetID string }
	if err := json.Unmarshal(m.Result, &made); err != nil || made.TargetID == "" {
		t.Fatalf("createTarget: %s %+v", m.Result, m.Error)
	}
	r.send(message{Kind: "attached", SessionID: "S3", TargetID: made.TargetID})
	if got := r.eval("S3", made.TargetID, "location.href"); got != "about:blank" {
		t.Errorf("the new Target is at %s", got)
	}
	id := r.command("S3", made.TargetID, "Page.close", "{}")
	if m := r.response(id); m.Error != nil {
		t.Errorf("Page.close: %s", m.Error.Message)
	}
	r.find("targetDestroyed", func(m message) bool { return m.Kind == "targetDestroyed" && m.TargetID == made.TargetID })
}
