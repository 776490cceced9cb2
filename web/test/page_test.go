// Package webtest runs the Frame Agent in a real browser: each script of
// pages/ is the body of an async function in a Host page, which drives an app
// in a cross-origin iframe through the agent's port.
package webtest

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/browsertest"
)

// pages holds host.js, the Host page's script, the tests, and what measures.
//
//go:embed host.js pages bench
var pages embed.FS

// outcome is what a Host page posts when its test has ended.
type outcome struct {
	Error string `json:"error"` // empty when all was as expected
	// Checks counts the assertions made: a test without any is a failure.
	Checks int `json:"checks"`
	// Figures are what a page has measured, by unit.
	Figures map[string]float64 `json:"figures"`
}

// perPage ends a page that hangs. The slowest takes 20 s alone, and several times that on a
// busy machine.
const perPage = 5 * time.Minute

func TestPages(t *testing.T) {
	browser, err := browsertest.HeadlessShell()
	if err != nil {
		t.Fatal(err)
	}
	agent, err := os.ReadFile(filepath.Join("..", "dist", "agent.js"))
	if err != nil {
		t.Fatal(err)
	}
	tests, err := pages.ReadDir("pages")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range tests {
		if path.Ext(file.Name()) != ".js" {
			continue
		}
		t.Run(file.Name(), func(t *testing.T) {
			if o := runPage(t, browser, agent, "pages/"+file.Name()); o.Checks == 0 {
				t.Fatal("the page asserted nothing")
			}
		})
	}
}

// BenchmarkPageLoop measures what an agent without a client costs its page.
func BenchmarkPageLoop(b *testing.B) { benchPage(b, "bench/loop.js") }

// BenchmarkAgentStart measures what the agent takes of the main thread before the page's own scripts run.
func BenchmarkAgentStart(b *testing.B) { benchPage(b, "bench/start.js") }

// benchPage reports what a page measures.
func benchPage(b *testing.B, name string) {
	b.Helper()
	browser, err := exec.LookPath("chromium")
	if err != nil {
		b.Fatal("a Chromium is needed on PATH: ", err)
	}
	agent, err := os.ReadFile(filepath.Join("..", "dist", "agent.js"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for unit, figure := range runPage(b, browser, agent, name).Figures {
			b.ReportMetric(figure, unit)
		}
	}
}

// BenchmarkAgentSize says how large the script is that every page loads.
func BenchmarkAgentSize(b *testing.B) {
	agent, err := os.ReadFile(filepath.Join("..", "dist", "agent.js"))
	if err != nil {
		b.Fatal(err)
	}
	var packed bytes.Buffer
	for b.Loop() {
		packed.Reset()
		z := gzip.NewWriter(&packed)
		if _, err := z.Write(agent); err != nil {
			b.Fatal(err)
		}
		if err := z.Close(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(packed.Len())/1000, "kB")
}

// runPage serves an app and a Host page on two origins and waits for the
// Host page's outcome.
func runPage(t testing.TB, browser string, agent []byte, name string) outcome {
	t.Helper()
	done := make(chan outcome, 1)
	app := httptest.NewUnstartedServer(nil)
	hub := httptest.NewServer(&fakeHub{scripts: map[string]string{}})
	defer hub.Close()
	host := httptest.NewServer(hostPage(t, name, "http://"+app.Listener.Addr().String(), hub.URL, done))
	defer host.Close()
	own := "http://" + app.Listener.Addr().String()
	app.Config.Handler = appPages(agent, strings.Join([]string{host.URL, own, otherName(own)}, " "))
	app.Start()
	defer app.Close()

	ctx, cancel := context.WithTimeout(context.Background(), perPage)
	defer cancel()
	profile, err := os.MkdirTemp("", "webtest")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--remote-debugging-port=0", "--user-data-dir="+profile, host.URL)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // its helper processes die with it
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		cancel()
		_ = cmd.Wait() // killed: its error says no more
		// A helper may still be writing as it dies.
		for i := 0; os.RemoveAll(profile) != nil && i < 50; i++ {
			time.Sleep(20 * time.Millisecond)
		}
	}()
	select {
	case o := <-done:
		if o.Error != "" {
			t.Fatal(o.Error)
		}
		return o
	case <-ctx.Done():
		t.Fatal("no outcome in time")
	}
	return outcome{}
}

// hostPage serves the Host page and receives its outcome.
func hostPage(t testing.TB, name, app, hub string, done chan<- outcome) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		script, err := pages.ReadFile("host.js")
		if err != nil {
			t.Error(err)
		}
		test, err := pages.ReadFile(name)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<!doctype html><body><script>const APP=%q, OTHER=%q, HUB=%q;\n%s\nstart(async()=>{%s\n});</script>",
			app, otherName(app), hub, script, test)
	})
	mux.HandleFunc("POST /outcome", func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var o outcome
		if err == nil {
			err = json.Unmarshal(body, &o)
		}
		if err != nil {
			o.Error = err.Error()
		}
		select {
		case done <- o:
		default: // a page reports once
		}
	})
	return mux
}

// otherName is the same server under a name that makes it another site.
func otherName(app string) string {
	return strings.Replace(app, "127.0.0.1", "localhost", 1)
}

// appPages serves the app: any path is a page with the agent, whose body is
// the query's "html", whose policies are its "csp" and "permissions" and whose
// status is its "status"; "response" is what a proxy says of it. With "bare" it has no agent. Parents are the origins that may drive it,
// but for a page that names others as "parents".
func appPages(agent []byte, parents string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/agent.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(agent)
	})
	mux.HandleFunc("/timed/agent.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, "performance.mark('begun');%s;performance.measure('agent','begun')", agent)
	})
	mux.HandleFunc("/__hub/agent.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(agent)
	})
	serve := func(at, file string) {
		mux.HandleFunc(at, func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, filepath.Join("..", "dist", file))
		})
	}
	for _, lazy := range []string{"agent.mjs", "host.js", "shot.js", "snapshot.js", "devtools.js"} {
		serve("/"+lazy, lazy)
	}
	for _, part := range []string{"dom.js", "accessibility.js", "input.js", "network.js", "extras.js", "worker.js"} {
		serve("/"+part, part)
		serve("/__hub/"+part, part)
	}
	mux.HandleFunc("/loop.js", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join("..", "..", "testdata", "e2e", "loop.js"))
	})
	mux.HandleFunc("/data.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"answer":42}`)
	})
	var pictures atomic.Int32
	mux.HandleFunc("/once.svg", func(w http.ResponseWriter, r *http.Request) {
		if pictures.Add(1) > 1 {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "max-age=0") // the browser asks again unless told otherwise
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"><rect width="40" height="40" fill="#008000"/></svg>`)
	})
	mux.HandleFunc("/dot.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		w.Header().Set("Cache-Control", "no-store")
		_, _ = io.WriteString(w, `<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="#008000"/></svg>`)
	})
	released := make(chan struct{}, 8)
	mux.HandleFunc("/held.js", func(_ http.ResponseWriter, r *http.Request) { // comes when /release is asked for
		select {
		case <-released:
		case <-r.Context().Done():
		}
	})
	mux.HandleFunc("/release", func(http.ResponseWriter, *http.Request) { released <- struct{}{} })
	mux.HandleFunc("/net/{what}", networkPage)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if csp := r.FormValue("csp"); csp != "" {
			w.Header().Set("Content-Security-Policy", csp)
		}
		if p := r.FormValue("permissions"); p != "" {
			w.Header().Set("Permissions-Policy", p)
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if status, err := strconv.Atoi(r.FormValue("status")); err == nil {
			w.WriteHeader(status)
			if status == http.StatusNoContent {
				return
			}
		}
		src, response, parents := "/agent.js", r.FormValue("response"), cmp.Or(r.FormValue("parents"), parents)
		if response != "" {
			src = "/__hub/agent.js"
		}
		tag := fmt.Sprintf(`<script src=%s nonce=abc data-parents="%s" data-response="%s"></script>`, src, parents, html.EscapeString(response))
		if r.FormValue("bare") != "" {
			tag = ""
		}
		if r.FormValue("headed") != "" {
			tag = "<script>Object.defineProperty(navigator, 'userAgent', { configurable: true, value: 'Chrome/156' })</script>" + tag
		}
		fmt.Fprintf(w, "<!doctype html><html><head><title>%s</title>%s</head><body>%s</body></html>",
			r.URL.Path, tag, r.FormValue("html"))
	})
	return mux
}
