package server

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
	"github.com/cdphub/cdphub/relay"
)

// stage is a server for tests of the action APIs. The hub "chromium" has a
// Chromium behind it, and the hub at the root a Host page, in a tab of that,
// which makes a frame of each page that is opened. The app's pages are those of
// actions/testdata.
type stage struct {
	started
	app *httptest.Server
}

// kinds are the kinds of targets, with the prefixes of the hubs that have them.
var kinds = []struct {
	actions.TargetKind
	prefix string
}{{actions.BrowserTarget, "/hub/chromium"}, {actions.FrameTarget, ""}}

// newStage starts a server with options that change may alter.
func newStage(t *testing.T, change func(*Options)) *stage {
	t.Helper()
	s := new(stage)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.file(w, "host.html", "http://"+r.Host) }))
	t.Cleanup(host.Close)
	s.app = httptest.NewServer(s.pages(host.URL))
	t.Cleanup(s.app.Close)
	s.started = start(t, func(f *Options) {
		f.Limits.MaxClientMessage = 100 << 20
		f.Actions.RequestRate, f.Actions.ScreenshotRate, f.Actions.BAPConnections = 100_000, 100_000, 100
		f.ClientOrigins, f.Actions.HookScopes = []string{s.app.URL}, []string{"browser:read", "browser:write", "browser:eval"}
		f.Browsers = testBrowser()
		if change != nil {
			change(f)
		}
	})
	s.showHost(t, host.URL)
	return s
}

// showHost opens the Host page in the browser and waits until it is there.
func (s *stage) showHost(t *testing.T, page string) {
	t.Helper()
	b, err := actions.Open(t.Context(), s.Join("chromium"), actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	if _, err := b.NewPage(t.Context(), page, ""); err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.hubs.Acquire(relay.DefaultHub)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	for end := time.Now().Add(within); !hub.HostConnected(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the Host page has not connected")
		}
	}
}

// file serves a page of actions/testdata, with the agent in it where it says
// so.
func (s *stage) file(w http.ResponseWriter, name, host string) {
	text, err := os.ReadFile(filepath.Join("..", "actions", "testdata", "pages", filepath.Base(name)))
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	hub := "http://" + s.addr(true)
	bridge := "ws" + strings.TrimPrefix(hub, "http") + "/icdp/host"
	if token := s.fragment(); token != "" {
		bridge += "?" + token
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
		fmt.Fprintf(w, "<!doctype html><title>Half</title><script src='http://%s/agent.js' data-parents='%s'></script><p>Half</p><img src=/never>", s.addr(true), host)
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
		fmt.Fprintf(w, "<!doctype html><title>Pricing</title><script src='http://%s/agent.js' data-parents='%s'></script>", s.addr(true), host)
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
func (s *stage) base(prefix string) string { return "http://" + s.addr(false) + prefix }

// within60 bounds a call.
func within60(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}
