package cli

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestPoliciesInBrowser visits pages with Content Security Policies of many
// kinds: relaxed, each lets the agent in, evaluate and ask the hub, and the
// app's own scripts run as before.
func TestPoliciesInBrowser(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/own.js" {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, "window.own = 1")
			return
		}
		w.Header().Set("Content-Type", "text/html")
		if p := r.URL.Query().Get("csp"); p != "" {
			w.Header().Set("Content-Security-Policy", p)
		}
		meta := r.URL.Query().Get("meta")
		fmt.Fprintf(w, `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="%s"><title>p</title>`+
			`<script nonce="cafe" src="/own.js" integrity="sha256-6CfkxUWqWC9+HrJhab0u237bibDSyGGkyx75oKulN1s="></script></head><body></body></html>`, meta)
	}))
	defer app.Close()
	page := openApp(t, app.URL+"/?first")
	for _, query := range []string{
		"csp=default-src 'self'",
		"csp=default-src 'none'; script-src 'nonce-cafe'",
		"csp=script-src 'nonce-cafe' 'strict-dynamic'; connect-src 'none'",
		"csp=script-src 'strict-dynamic' 'sha256-6CfkxUWqWC9%2bHrJhab0u237bibDSyGGkyx75oKulN1s='",
		"csp=script-src 'self'; require-trusted-types-for 'script'; trusted-types none",
		"csp=sandbox allow-scripts; frame-ancestors 'none'",
		"csp=script-src 'self'; script-src-elem 'nonce-cafe', default-src 'nonce-cafe'",
		"csp=script-src 'self' 'wasm-unsafe-eval'; upgrade-insecure-requests",
		"meta=script-src 'nonce-cafe'",
		"csp=script-src 'nonce-cafe'&meta=default-src 'self'",
	} {
		page.visit("/?" + strings.NewReplacer(" ", "%20", "'", "%27").Replace(query))
		for expression, want := range map[string]any{
			"new Function('return 6 * 7')()":               42.0,
			"fetch('/__hub/agent.js').then(r => r.status)": 200.0,
			"window.own": 1.0,
		} {
			if got := page.evaluate(expression); got != want {
				t.Errorf("%s: %s is %v, want %v", query, expression, got, want)
			}
		}
	}
}

// TestKeptPolicyInBrowser has the agent evaluate by the nonce that the policy
// of the page allows.
func TestKeptPolicyInBrowser(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-cafe'; frame-ancestors 'none'")
		io.WriteString(w, "<!doctype html><title>kept</title>")
	}))
	defer app.Close()
	page := openApp(t, app.URL, "--csp=keep")
	for expression, want := range map[string]any{
		"document.title": "kept",
		"(() => { try { return new Function('return 1')() } catch (e) { return e.name } })()": "EvalError",
	} {
		if got := page.evaluate(expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
}

// TestServiceWorkerInBrowser has documents come out of a service worker, from
// the network and from its cache.
func TestServiceWorkerInBrowser(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/sw.js" {
			w.Header().Set("Content-Type", "text/javascript")
			io.WriteString(w, `
				addEventListener("install", (e) => { skipWaiting(); e.waitUntil(caches.open("c").then((c) => c.addAll(["/cached"]))); });
				addEventListener("activate", (e) => e.waitUntil(clients.claim()));
				addEventListener("fetch", (e) => e.respondWith(caches.match(e.request).then((hit) => hit ?? fetch(e.request))));`)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s</title>", url.PathEscape(r.URL.Path))
	}))
	defer app.Close()
	page := openApp(t, app.URL)
	page.evaluate(`navigator.serviceWorker.register("/sw.js").then(() => new Promise((done) => {
		if (navigator.serviceWorker.controller) done(); else navigator.serviceWorker.oncontrollerchange = done; }))`)
	for _, path := range []string{"/cached", "/network"} {
		page.visit(path)
		if got := page.evaluate("navigator.serviceWorker.controller !== null && document.scripts.length"); got != 0.0 {
			t.Errorf("%s: %v", path, got)
		}
	}
	own := page.evaluate("fetch('/plain').then(r => r.text())")
	if own != "<!doctype html><title>%2Fplain</title>" {
		t.Errorf("a script's fetch through the worker: %v", own)
	}

	page = openApp(t, app.URL, "--no-sw")
	if got := fmt.Sprint(page.evaluate(`navigator.serviceWorker.register("/sw.js").then(() => "registered", (e) => e.message)`)); !strings.Contains(got, "script evaluation failed") {
		t.Errorf("--no-sw: %s", got)
	}
}

// TestAppIsNoHost has an app try to be the Host of the hub that drives it.
func TestAppIsNoHost(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>greedy</title>")
	}))
	defer app.Close()
	page := openApp(t, app.URL)
	const connect = `new Promise((done) => {
		const ws = new WebSocket(document.referrer.replace("http", "ws") + "icdp/host");
		ws.onopen = () => done("taken over");
		ws.onerror = () => done("refused");
	})`
	if got := page.evaluate(connect); got != "refused" {
		t.Errorf("the app is %v", got)
	}
}
