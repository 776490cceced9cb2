package server

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// interceptedSite serves a page with a frame of another site, a worker and requests of each, which says
// "done" when all have their answers.
func interceptedSite(t *testing.T) (url string) {
	mux := http.NewServeMux()
	serve := func(path, kind, text string) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			w.Header().Set("Access-Control-Allow-Origin", "*")
			io.WriteString(w, strings.ReplaceAll(text, "OTHER", strings.Replace(r.Host, "127.0.0.1", "localhost", 1)))
		})
	}
	serve("/{$}", "text/html", `<title>begins</title><script>
		const all = new Set();
		const has = (e) => { all.add(String(e.data)); if (all.size == 3) document.title = "done"; };
		onmessage = has;
		new Worker("/worker.js").onmessage = has;
		fetch("/data").then((r) => r.text()).then((t) => has({data: t}));
	</script><iframe src="http://OTHER/frame"></iframe>`)
	serve("/frame", "text/html", `<script>fetch("/inframe").then((r) => r.text()).then((t) => parent.postMessage("frame " + t, "*"))</script>`)
	serve("/worker.js", "text/javascript", `fetch("/inworker").then((r) => r.text()).then((t) => postMessage("worker " + t))`)
	serve("/data", "text/plain", "real")
	serve("/inframe", "text/plain", "real")
	serve("/inworker", "text/plain", "real")
	serve("/opener", "text/html", `<title>begins</title>`)
	serve("/popup", "text/html", `<title>done</title>`)
	mux.HandleFunc("/secret", func(w http.ResponseWriter, r *http.Request) {
		if _, password, ok := r.BasicAuth(); !ok || password != "p" {
			w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<title>done</title>")
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL
}

// interceptor is a Client with interception at browser level, that answers each paused request
// as go-rod does: without a session.
type interceptor struct {
	*cdpSocket
	n        int
	sessions map[string]string // that auto-attach has begun, by target; they are let go on
	paths    []string          // of the requests that were paused
}

// call sends a command, and returns its answer. Meanwhile paused requests are answered.
func (i *interceptor) call(method, params, session string) string {
	i.t.Helper()
	i.n++
	in := ""
	if session != "" {
		in = fmt.Sprintf(`,"sessionId":%q`, session)
	}
	i.send(fmt.Sprintf(`{"id":%d,"method":%q,"params":%s%s}`, i.n, method, params, in))
	want := fmt.Sprintf(`{"id":%d,`, i.n)
	for {
		m := i.next()
		if strings.HasPrefix(m, want) {
			return m
		}
		i.answer(m)
	}
}

// answer takes an event: it lets a paused request go on, and fulfills that for /data.
func (i *interceptor) answer(m string) {
	var e struct {
		Method, SessionID string
		Params            struct {
			RequestID, SessionID string
			TargetInfo           struct{ TargetID string }
			Request              struct{ URL string }
		}
	}
	if json.Unmarshal([]byte(m), &e) == nil && e.Method == "Target.attachedToTarget" && e.SessionID == "" && i.sessions != nil {
		i.sessions[e.Params.TargetInfo.TargetID] = e.Params.SessionID
		i.send(fmt.Sprintf(`{"id":99999,"method":"Runtime.runIfWaitingForDebugger","sessionId":%q}`, e.Params.SessionID))
		return
	}
	if e.SessionID != "" || !strings.HasPrefix(e.Method, "Fetch.") {
		return
	}
	params := map[string]any{"requestId": e.Params.RequestID}
	method := "Fetch.continueRequest"
	path := e.Params.Request.URL[strings.LastIndexByte(e.Params.Request.URL, '/'):]
	switch {
	case e.Method == "Fetch.authRequired":
		method, params["authChallengeResponse"] = "Fetch.continueWithAuth", map[string]string{"response": "ProvideCredentials", "username": "u", "password": "p"}
		path = "auth " + path
	case path == "/data":
		method, params["responseCode"], params["body"] = "Fetch.fulfillRequest", 200, base64.StdEncoding.EncodeToString([]byte("made up"))
	}
	i.paths = append(i.paths, path)
	text, err := json.Marshal(params)
	if err != nil {
		i.t.Fatal(err)
	}
	i.send(fmt.Sprintf(`{"id":99999,"method":%q,"params":%s}`, method, text))
}

// untilTitle waits for the title of a page.
func (i *interceptor) untilTitle(session, want string) {
	i.t.Helper()
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(i.call("Runtime.evaluate", `{"expression":"document.title"}`, session), `"value":"`+want+`"`) {
			return
		}
	}
	i.t.Fatalf("the page never had the title %s; paused were %v", want, i.paths)
}

// untilPath waits for a paused request.
func (i *interceptor) untilPath(path string) {
	i.t.Helper()
	for !slices.Contains(i.paths, path) {
		i.answer(i.next())
	}
}

// open opens a page and attaches to it.
func (i *interceptor) open(url string) (page, session string) {
	i.t.Helper()
	page = resultText(i.t, i.call("Target.createTarget", fmt.Sprintf(`{"url":%q}`, url), ""), "targetId")
	return page, resultText(i.t, i.call("Target.attachToTarget", fmt.Sprintf(`{"targetId":%q,"flatten":true}`, page), ""), "sessionId")
}

// TestR301BrowserLevelInterception turns interception on without a session, as go-rod does, at a bare
// Chromium and at a hub. The same requests are paused at both: of pages that are opened then, of
// pages that were there, of frames of other sites and of workers. Pages of another Client go on.
func TestR301BrowserLevelInterception(t *testing.T) {
	s := start(t, func(o *Options) { o.Browsers, o.Drain = testBrowser(), time.Millisecond })
	bareAddr, path := bareChromium(t)
	url := interceptedSite(t)
	var seen [2][]string
	for n, address := range []string{"ws://" + bareAddr + path, "ws://" + s.addr(false) + "/hub/chromium/devtools/browser"} {
		i := &interceptor{cdpSocket: &cdpSocket{far: dial(t, address, nil)}, sessions: map[string]string{}}
		_, before := i.open("about:blank")
		i.call("Fetch.enable", `{"handleAuthRequests":true}`, "")
		if n == 1 { // another Client's page goes on
			other := &interceptor{cdpSocket: &cdpSocket{far: dial(t, address, nil)}}
			_, page := other.open(url)
			other.untilTitle(page, "done")
			if len(other.paths) > 0 {
				t.Errorf("another Client gets paused requests: %v", other.paths)
			}
		}
		_, first := i.open(url + "/?first")
		i.untilTitle(first, "done")
		i.call("Page.navigate", fmt.Sprintf(`{"url":%q}`, url+"/secret"), before)
		i.untilTitle(before, "done")
		if got := i.call("Runtime.evaluate", `{"expression":"fetch('/data').then((r) => r.text())","awaitPromise":true}`, before); !strings.Contains(got, "made up") {
			t.Errorf("%s: %s", address, got)
		}
		// A page in a context of the Client's own, which auto-attach finds, and a window that it opens.
		i.call("Target.setAutoAttach", `{"autoAttach":true,"waitForDebuggerOnStart":true,"flatten":true}`, "")
		context := resultText(t, i.call("Target.createBrowserContext", `{}`, ""), "browserContextId")
		page := resultText(t, i.call("Target.createTarget", fmt.Sprintf(`{"url":%q,"browserContextId":%q}`, url+"/opener", context), ""), "targetId")
		i.untilPath("/opener")
		for i.sessions[page] == "" {
			i.answer(i.next())
		}
		i.untilTitle(i.sessions[page], "begins")
		i.call("Runtime.evaluate", `{"expression":"open('/popup') && 1","userGesture":true}`, i.sessions[page])
		i.untilPath("/popup")
		i.call("Fetch.disable", `{}`, "")
		i.call("Runtime.evaluate", `{"expression":"fetch('/inframe').then((r) => r.text())","awaitPromise":true}`, before)
		slices.Sort(i.paths)
		seen[n] = i.paths
	}
	if !slices.Equal(seen[0], seen[1]) || len(seen[0]) < 8 {
		t.Errorf("paused at Chromium: %v\nat the hub:         %v", seen[0], seen[1])
	}
}
