package conformance

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/server"
)

// stage is a server for tests of the action APIs. The hub "chromium" has a
// Chromium behind it, and the hub at the root a Host page, in a tab of another one,
// which makes a frame of each page that is opened. The app's pages are those of
// actions/testdata.
type stage struct {
	*server.Server
	app  *httptest.Server
	user *server.Server // with the browser that shows the Host page
}

// kinds are the kinds of targets, with the prefixes of the hubs that have them.
var kinds = []struct {
	actions.TargetKind
	prefix string
}{{actions.BrowserTarget, "/hub/chromium"}, {actions.FrameTarget, ""}}

// newStage starts a server with options that change may alter.
func newStage(t *testing.T, change func(*server.Options)) *stage {
	t.Helper()
	s := new(stage)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.file(w, "host.html", "http://"+r.Host) }))
	t.Cleanup(host.Close)
	s.app = httptest.NewServer(s.pages(host.URL))
	t.Cleanup(s.app.Close)
	s.Server = start(t, func(o *server.Options) {
		o.Limits.MaxClientMessage = 100 << 20
		o.Actions.RequestRate, o.Actions.ScreenshotRate, o.Actions.BAPConnections = 100_000, 100_000, 100
		o.ClientOrigins, o.Actions.HookScopes = []string{s.app.URL}, []string{"browser:read", "browser:write", "browser:eval"}
		if change != nil {
			change(o)
		}
		if o.Browsers == nil {
			o.Browsers = browserAt(chrome.Options{URL: browsertest.Borrow(t)})
		}
	})
	s.showHost(t, host.URL)
	return s
}

// browserAt puts a browser behind the hub "chromium".
func browserAt(o chrome.Options) *server.Browsers {
	return &server.Browsers{Chrome: o, Hubs: []string{"chromium"}, Max: 1, Idle: time.Minute}
}

// showHost opens the Host page in a browser of the user's own, and waits until it is there.
// The browser is behind another server: that of a hub may not open what the hub's own
// server serves.
func (s *stage) showHost(t *testing.T, page string) {
	t.Helper()
	s.user = start(t, func(o *server.Options) {
		o.Browsers = browserAt(chrome.Options{URL: browsertest.Borrow(t)})
		o.Actions.RequestRate = 100_000
	})
	b, err := actions.Open(t.Context(), s.user.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if _, err := b.NewPage(t.Context(), page, ""); err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.Hub(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	for end := time.Now().Add(hubtest.Within); !hub.HostConnected(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the Host page has not connected")
		}
	}
}

// file serves a page of actions/testdata, with the agent in it where it says
// so.
func (s *stage) file(w http.ResponseWriter, name, host string) {
	text, err := os.ReadFile(filepath.Join("..", "testdata", "pages", filepath.Base(name)))
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	hub := "http://" + s.HostAddr()
	bridge := "ws" + strings.TrimPrefix(hub, "http") + "/icdp/host"
	if token := s.HostToken(); token != "" {
		bridge += "?token=" + token
	}
	app, other := s.app.URL, strings.Replace(s.app.URL, "127.0.0.1", "localhost", 1)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	strings.NewReplacer(
		"<!--agent-->", fmt.Sprintf(`<script src="%s/agent.js" data-parents="%s"></script>`, hub, host),
		"/dist/host.js", hub+"/host.js", "{{app}}", app, "{{other}}", other, "{{bridge}}", bridge,
	).WriteString(w, string(text))
}

// pages is the app.
func (s *stage) pages(host string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) { s.file(w, r.PathValue("name"), host) })
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, _ *http.Request) { s.file(w, "two.html", host) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.FormValue("to"), http.StatusFound) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	half := func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Half</title><script src='http://%s/agent.js' data-parents='%s'></script><p>Half</p><img src=/never>", s.HostAddr(), host)
	}
	mux.HandleFunc("/half", func(w http.ResponseWriter, _ *http.Request) { half(w) })
	mux.HandleFunc("/part", func(w http.ResponseWriter, r *http.Request) { // of which the rest never comes
		half(w)
		if err := http.NewResponseController(w).Flush(); err == nil {
			<-r.Context().Done()
		}
	})
	mux.HandleFunc("/hooks.html", func(w http.ResponseWriter, r *http.Request) { // a page that uses rp.browser
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Hooks</title><script src='%s/rp.js'></script>", s.base(r.FormValue("hub")))
	})
	mux.HandleFunc("/pricing.html", func(w http.ResponseWriter, _ *http.Request) { // whose elements are those of the hooks' examples
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Pricing</title><script src='http://%s/agent.js' data-parents='%s'></script>", s.HostAddr(), host)
		fmt.Fprint(w, `<h1>Pricing</h1><button>Start free trial</button><input type=email placeholder="work email"><a href="/pricing">See prices</a><iframe src="/two.html"></iframe>`)
	})
	mux.HandleFunc("/data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Api-Key", "k")
		fmt.Fprint(w, `{"answer":42}`)
	})
	return mux
}

// base is the address of a hub for Clients.
func (s *stage) base(prefix string) string { return "http://" + s.ClientAddr() + prefix }

// within60 bounds a call.
func within60(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// start runs a server on free ports until the test ends.
func start(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	o := server.Options{ClientAddr: "127.0.0.1:0", HostAddr: "localhost:0", Drain: 5 * time.Second}
	if change != nil {
		change(&o)
	}
	s, err := server.New(o)
	if err != nil {
		t.Fatal(err)
	}
	hubtest.Run(t, s.Run)
	return s
}

// withFile has tokens in a file, and returns how to write it anew.
func withFile(t *testing.T, text string) (change func(*server.Options), rewrite func(string)) {
	t.Helper()
	path, rewrite := hubtest.TokenFile(t, text)
	return func(o *server.Options) { o.Tokens.File = path }, rewrite
}
