package main

import (
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

func newStage(t *testing.T, change func(*hubFlags)) *stage {
	t.Helper()
	s := &stage{started: start(t, func(f *hubFlags) {
		f.Actions = true
		if change != nil {
			change(f)
		}
	})}
	pools := poolFlags{Browser: true, BrowserHub: []string{"chromium"}, BrowserNoSandbox: os.Geteuid() == 0, MaxBrowsers: 1, BrowserIdle: period(time.Minute)}
	s.pool = pools.pool(s.hubs, s.log)
	host := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.file(w, "host.html", "http://"+r.Host) }))
	t.Cleanup(host.Close)
	s.app = httptest.NewServer(s.pages(host.URL))
	t.Cleanup(s.app.Close)
	b, err := actions.Open(t.Context(), func(event actions.EventFunc) (actions.Client, error) {
		hub, release, err := s.readyHub(t.Context(), "chromium")
		if err != nil {
			return nil, err
		}
		t.Cleanup(release)
		return hub.JoinLocal(relay.LocalOptions{Event: event})
	}, actions.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	page := host.URL
	if f := s.fragment(); f != "" {
		page += "#" + f
	}
	if _, err := b.NewPage(t.Context(), page, ""); err != nil {
		t.Fatal(err)
	}
	hub, release, err := s.hubs.Acquire(relay.DefaultHub)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	for end := time.Now().Add(pairWithin); !hub.HostConnected(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the Host page has not connected")
		}
	}
	return s
}

// file serves a page of actions/testdata, with the agent in it where it says
// so.
func (s *stage) file(w http.ResponseWriter, name, host string) {
	text, err := os.ReadFile(filepath.Join("..", "..", "actions", "testdata", "pages", filepath.Base(name)))
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	hub := "http://" + s.addr(true)
	app, other := "", ""
	if s.app != nil {
		app, other = s.app.URL, strings.Replace(s.app.URL, "127.0.0.1", "localhost", 1)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	strings.NewReplacer(
		"<!--agent-->", fmt.Sprintf(`<script src="%s/agent.js" data-parents="%s"></script>`, hub, host),
		"/dist/host.js", hub+"/host.js", "{{app}}", app, "{{other}}", other, "{{bridge}}", "ws"+strings.TrimPrefix(hub, "http")+"/icdp/host",
	).WriteString(w, string(text))
}

// pages is the app.
func (s *stage) pages(host string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) { s.file(w, r.PathValue("name"), host) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.FormValue("to"), http.StatusFound) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/half", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Half</title><script src='http://%s/agent.js' data-parents='%s'></script><p>Half</p><img src=/never>", s.addr(true), host)
	})
	mux.HandleFunc("/data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"answer":42}`)
	})
	return mux
}

// base is the address of a hub for Clients.
func (s *stage) base(prefix string) string { return "http://" + s.addr(false) + prefix }
