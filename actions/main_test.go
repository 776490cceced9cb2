package actions_test

import (
	"context"
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

	"github.com/cdphub/cdphub/actions"
	"github.com/cdphub/cdphub/actions/actionstest"
	"github.com/cdphub/cdphub/bridge/page"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/urlpolicy"
	"github.com/cdphub/cdphub/internal/wsconn"
	"github.com/cdphub/cdphub/relay"
	"github.com/cdphub/cdphub/web"
)

// patience is how long anything may take that must happen.
const patience = 60 * time.Second

// place is what the tests share: a browser, an app, and a hub whose Host is a
// page of the browser.
type place struct {
	chromium *actionstest.Chromium
	app      *httptest.Server // on 127.0.0.1; other is the same as another site
	other    string
	host     *httptest.Server
	hub      *relay.Hub
	keep     *actions.Browser // has opened the Host page
	conns    sync.WaitGroup
	end      context.CancelFunc
}

// shared is there once need has been called: tests without a browser, and
// fuzzing, start none.
var (
	shared   *place
	starting sync.Once
	failed   error
)

func need(t testing.TB) {
	t.Helper()
	browsertest.SkipShort(t)
	starting.Do(func() {
		var shell string
		if shell, failed = browsertest.HeadlessShell(); failed == nil {
			shared, failed = open(shell)
		}
	})
	if failed != nil {
		t.Fatal(failed)
	}
}

func TestMain(m *testing.M) {
	status := m.Run()
	if shared != nil {
		shared.close()
	}
	os.Exit(status)
}

// needChromium is need with a Chromium that has windows, as far as a headless one
// has any, until the test ends.
func needChromium(t *testing.T) {
	t.Helper()
	need(t)
	p, err := open("chromium")
	if err != nil {
		t.Fatal(err)
	}
	before := shared
	shared = p
	t.Cleanup(func() {
		shared = before
		p.close()
	})
}

// open opens what the tests share, with the browser at path.
func open(path string) (*place, error) {
	ctx, end := context.WithCancel(context.Background())
	p := &place{hub: relay.New(relay.Options{}), end: end}
	p.app = httptest.NewServer(p.pages())
	p.other = strings.Replace(p.app.URL, "127.0.0.1", "localhost", 1)
	p.host = httptest.NewServer(p.hostPages(ctx))
	var err error
	if p.chromium, err = actionstest.Start(path); err != nil {
		return nil, err
	}
	if p.keep, err = actions.Open(ctx, p.chromium.Join, actions.Options{}); err != nil {
		return nil, err
	}
	if _, err = p.keep.NewPage(ctx, p.host.URL+"/host.html", ""); err != nil {
		return nil, err
	}
	for stop := time.Now().Add(patience); !p.hub.HostConnected(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(stop) {
			return nil, fmt.Errorf("the Host page has not connected")
		}
	}
	return p, nil
}

func (p *place) close() {
	p.keep.Close()
	p.chromium.Close()
	p.end()
	p.app.Close()
	p.host.Close()
	p.conns.Wait()
}

// file serves one of testdata/pages, with the agent where it says so.
func (p *place) file(w http.ResponseWriter, name string) {
	text, err := os.ReadFile(filepath.Join("testdata", "pages", filepath.Base(name)))
	if err != nil {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	agent := fmt.Sprintf(`<script src="%s/dist/agent.js" data-parents="%s %s"></script>`, p.host.URL, p.host.URL, p.app.URL)
	strings.NewReplacer(
		"<!--agent-->", agent, "{{app}}", p.app.URL, "{{host}}", p.host.URL, "{{other}}", p.other,
		"{{bridge}}", "ws"+strings.TrimPrefix(p.host.URL, "http")+"/icdp/host",
	).WriteString(w, string(text))
}

// pages is the app.
func (p *place) pages() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) { p.file(w, r.PathValue("name")) })
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.FormValue("to"), http.StatusFound) })
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/download", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=a.txt")
		fmt.Fprint(w, "a file")
	})
	mux.HandleFunc("/later", func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(700 * time.Millisecond) // longer than Settle waits for a navigation to begin
		p.file(w, r.FormValue("page"))
	})
	mux.HandleFunc("/half", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>Half</title><script src='%s/dist/agent.js' data-parents='%s'></script><p>Half</p><img src=/never>", p.host.URL, p.host.URL)
	})
	mux.HandleFunc("/data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Api-Key", "k")
		fmt.Fprint(w, `{"answer":42}`)
	})
	return mux
}

// hostPages is the hub.
func (p *place) hostPages(ctx context.Context) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{name}", func(w http.ResponseWriter, r *http.Request) { p.file(w, r.PathValue("name")) })
	mux.HandleFunc("POST /dialog", func(w http.ResponseWriter, r *http.Request) {
		var d struct{ TargetID, Key, Type, Message, DefaultPrompt, URL, FrameID string }
		if err := json.NewDecoder(r.Body).Decode(&d); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		a, err := p.hub.Control().OpenDialog(r.Context(), relay.Dialog{
			TargetID: d.TargetID, Key: d.Key, FrameID: d.FrameID, URL: d.URL, Type: d.Type, Message: d.Message, Default: d.DefaultPrompt,
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusForbidden)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		json.NewEncoder(w).Encode(map[string]any{"accept": a.Accept, "text": a.Text, "native": a.Native})
	})
	mux.HandleFunc("/eval/{key}", func(w http.ResponseWriter, r *http.Request) {
		source, ok := p.hub.Control().TakeScript(strings.TrimSuffix(r.PathValue("key"), ".js"))
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, source)
	})
	dist := http.FileServerFS(web.Dist)
	mux.HandleFunc("/dist/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		dist.ServeHTTP(w, r)
	})
	mux.HandleFunc("/icdp/host", func(w http.ResponseWriter, r *http.Request) {
		conn, err := wsconn.Upgrade(w, r, wsconn.Options{Limits: page.Limits()})
		if err == nil {
			p.conns.Go(func() { page.Serve(ctx, conn, p.hub, nil) })
		}
	})
	return mux
}

// join is how to be a Client of the hub.
func (p *place) join(event actions.EventFunc) (actions.Client, error) {
	return p.hub.JoinLocal(relay.LocalOptions{Event: event})
}

// on runs a test on both kinds of targets.
func on(t *testing.T, test func(t *testing.T, b *actions.Browser)) {
	t.Helper()
	for _, kind := range []actions.TargetKind{actions.BrowserTarget, actions.FrameTarget} {
		t.Run(string(kind), func(t *testing.T) { test(t, connect(t, kind, actions.Options{})) })
	}
}

// joinTo is how one becomes a Client of a kind of targets.
func joinTo(t testing.TB, kind actions.TargetKind) actions.Join {
	t.Helper()
	need(t)
	if kind == actions.FrameTarget {
		return shared.join
	}
	return shared.chromium.Join
}

// connect opens a Browser on a kind of targets until the test ends.
func connect(t testing.TB, kind actions.TargetKind, o actions.Options) *actions.Browser {
	t.Helper()
	b, err := actions.Open(t.Context(), joinTo(t, kind), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// visit opens a page of the app until the test ends.
func visit(t testing.TB, b *actions.Browser, path string) *actions.Page {
	t.Helper()
	p, err := b.NewPage(t.Context(), shared.app.URL+path, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		gone := []actions.Kind{actions.PageNotFound, actions.TargetClosed, actions.NoBrowser}
		if err := b.ClosePage(ctx, p.ID); err != nil && !slices.Contains(gone, actions.KindOf(err)) {
			t.Error(err)
		}
	})
	if _, err := p.WaitForLoadState(t.Context(), actions.Load); err != nil {
		t.Fatal(err)
	}
	return p
}

// value is what an expression comes to, as JSON.
func value(t *testing.T, p *actions.Page, expression string) string {
	t.Helper()
	v, err := p.Evaluate(t.Context(), expression, actions.EvaluateOptions{})
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	var plain any
	var text strings.Builder
	out := json.NewEncoder(&text)
	out.SetEscapeHTML(false)
	if err := errors.Join(json.Unmarshal(v.JSON, &plain), out.Encode(plain)); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// is says what an expression must come to.
func is(t *testing.T, p *actions.Page, expression, want string) {
	t.Helper()
	if got := value(t, p, expression); got != want {
		t.Errorf("%s is %s, want %s", expression, got, want)
	}
}

// fails says of what kind an error must be.
func fails(t *testing.T, err error, want actions.Kind) {
	t.Helper()
	if got := actions.KindOf(err); got != want {
		t.Errorf("error %q (%v), want %q", got, err, want)
	}
}

// failsFor says of what kind the error of a call that waits in vain must be. On
// a slow machine the call may have no time to find out: it is given more.
func failsFor(t *testing.T, want actions.Kind, what string, call func(ctx context.Context) error) {
	t.Helper()
	var err error
	for _, d := range []time.Duration{300 * time.Millisecond, 5 * time.Second, patience} {
		ctx, cancel := context.WithTimeout(t.Context(), d)
		err = call(ctx)
		cancel()
		if actions.KindOf(err) != actions.Timeout {
			break
		}
	}
	if got := actions.KindOf(err); got != want {
		t.Errorf("%s: error %q (%v), want %q", what, got, err, want)
	}
}

// only is a policy that allows these hosts.
func only(t *testing.T, hosts ...string) *urlpolicy.Policy {
	t.Helper()
	p, err := urlpolicy.New(urlpolicy.Options{Allow: hosts})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
