package playwright

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// app is the site under test, at two origins.
type app struct {
	own, other *httptest.Server
	tag        string // puts the agent into each page; empty without a hub
}

func newApp(t testing.TB) *app {
	a := &app{}
	a.own = httptest.NewServer(a)
	a.other = httptest.NewServer(a)
	t.Cleanup(a.own.Close)
	t.Cleanup(a.other.Close)
	return a
}

// otherOrigin is of another site: the name of the loopback instead of its number.
func (a *app) otherOrigin() string { return strings.Replace(a.other.URL, "127.0.0.1", "localhost", 1) }

// drivenBy puts the agent of a hub into the pages, for its own Host page and
// for each other.
func (a *app) drivenBy(hub string) {
	a.tag = fmt.Sprintf(`<script src="%s/agent.js" data-parents="%s %s %s" crossorigin></script>`, hub, hub, a.own.URL, a.otherOrigin())
}

// A red pixel.
const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82"

// ServeHTTP serves:
//
//	/p?html=BODY&title=&head=&csp=&status=&delay=MS   a page with the agent
//	/bare?html=BODY                                   one without
//	/redirect?to=URL   /slow?ms=   /204   /echo (method, headers and body as JSON)
//	/json   /pixel.png   /style.css   /script.js   /events   /socket (a WebSocket that echoes)
func (a *app) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	say := func(contentType, body string) {
		w.Header().Set("Content-Type", contentType)
		io.WriteString(w, body)
	}
	switch r.URL.Path {
	case "/p", "/bare":
		a.page(w, r)
	case "/redirect":
		http.Redirect(w, r, r.FormValue("to"), http.StatusFound)
	case "/slow":
		sleep(r, r.FormValue("ms"))
		say("text/plain", "slow")
	case "/204":
		w.WriteHeader(http.StatusNoContent)
	case "/json":
		say("application/json", `{"a":1}`)
	case "/echo":
		echo(w, r)
	case "/pixel.png":
		say("image/png", pixel)
	case "/style.css":
		say("text/css", "body{color:rgb(1,2,3)}")
	case "/script.js":
		say("text/javascript", "window.scriptRan=true")
	case "/events":
		say("text/event-stream", "data: one\n\ndata: two\n\n")
	case "/socket":
		serveSocket(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (a *app) page(w http.ResponseWriter, r *http.Request) {
	if csp := r.FormValue("csp"); csp != "" {
		w.Header().Set("Content-Security-Policy", csp)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if status, err := strconv.Atoi(r.FormValue("status")); err == nil {
		w.WriteHeader(status)
	}
	tag := a.tag
	if r.URL.Path == "/bare" {
		tag = ""
	}
	fmt.Fprintf(w, "<!doctype html><html><head>%s<title>%s</title>%s</head><body>", tag, r.FormValue("title"), r.FormValue("head"))
	if delay := r.FormValue("delay"); delay != "" {
		w.(http.Flusher).Flush()
		sleep(r, delay)
	}
	fmt.Fprintf(w, "%s</body></html>", r.FormValue("html"))
}

func sleep(r *http.Request, ms string) {
	n, _ := strconv.Atoi(ms)
	select {
	case <-time.After(time.Duration(n) * time.Millisecond):
	case <-r.Context().Done():
	}
}

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Echo", "yes")
	json.NewEncoder(w).Encode(map[string]any{"method": r.Method, "headers": r.Header, "body": string(body)})
}

func serveSocket(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		return
	}
	defer c.CloseNow()
	for {
		kind, m, err := c.Read(r.Context())
		if err != nil || c.Write(r.Context(), kind, append([]byte("echo "), m...)) != nil {
			return
		}
	}
}
