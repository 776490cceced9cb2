package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"syscall"
	"testing"
	"time"

	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
)

// TestServiceWorkerOfEarlierVisitInBrowser has an app register a service worker that
// serves its documents. Started again with --no-sw, the proxy ends that worker.
func TestServiceWorkerOfEarlierVisitInBrowser(t *testing.T) {
	browsertest.SkipShort(t)
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/files/sw.js" {
			w.Header().Set("Content-Type", "text/javascript")
			w.Header().Set("Service-Worker-Allowed", "/")
			io.WriteString(w, `
				addEventListener("install", () => skipWaiting());
				addEventListener("activate", (e) => e.waitUntil(clients.claim()));
				addEventListener("fetch", (e) => e.request.mode === "navigate" &&
					e.respondWith(new Response("<title>worker</title>", { headers: { "Content-Type": "text/html" } })));`)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>network</title>")
	}))
	defer app.Close()
	clients, at := hubtest.FreeAddr(t), hubtest.FreeAddr(t)
	startProcess(t, nil, "serve", "--browser", "--browser-no-sandbox", "--client-addr", clients, "--host-addr", "127.0.0.1:0").await("listening")
	proxy := func(options ...string) *process {
		p := startProcess(t, nil, append([]string{"proxy", app.URL, "--app-addr", at, "--client-addr", "127.0.0.1:0", "--host-addr", "127.0.0.1:0"}, options...)...)
		p.await("listening")
		return p
	}
	page := newTab(t, clients)
	shows := func(title string) {
		t.Helper()
		for end := time.Now().Add(hubtest.Within); page.evaluate("document.title") != title; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("the page has the title %v, want %q", page.evaluate("document.title"), title)
			}
		}
	}
	load := func() {
		page.evaluate("void setTimeout(() => { location.href = " + fmt.Sprintf("%q", "http://"+at+"/") + " })")
	}

	first := proxy()
	load()
	shows("network")
	page.evaluate(`navigator.serviceWorker.register("/files/sw.js", { scope: "/" }).then(() => new Promise((done) => {
		if (navigator.serviceWorker.controller) done(); else navigator.serviceWorker.oncontrollerchange = done; }))`)
	load()
	shows("worker")
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	first.Wait()

	proxy("--no-sw")
	load()
	shows("network")
	if left := page.evaluate("navigator.serviceWorker.getRegistrations().then((all) => all.length)"); left != 0.0 {
		t.Errorf("%v service workers are registered, want 0", left)
	}
}

// newTab opens a tab in the browser of a hub, and attaches to it.
func newTab(t *testing.T, addr string) *driven {
	t.Helper()
	d := &driven{Peer: hubtest.Dial(t, "ws://"+addr+"/devtools/browser", nil), last: 2}
	var made, attached struct {
		Result struct{ TargetID, SessionID string }
	}
	d.Send(`{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}`)
	if err := json.Unmarshal([]byte(d.Until(`"id":1,`)), &made); err != nil {
		t.Fatal(err)
	}
	d.Send(`{"id":2,"method":"Target.attachToTarget","params":{"flatten":true,"targetId":"` + made.Result.TargetID + `"}}`)
	if err := json.Unmarshal([]byte(d.Until(`"id":2,`)), &attached); err != nil {
		t.Fatal(err)
	}
	d.session = attached.Result.SessionID
	return d
}
