package cli

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cdphub/cdphub/bridge/chrome"
	"github.com/cdphub/cdphub/internal/browsertest"
	"github.com/cdphub/cdphub/internal/hubtest"
	"github.com/cdphub/cdphub/internal/logging/logtest"
)

// document is the app's page, with room for the user's name.
const document = `<!doctype html><!-- <head> --><html><head><meta http-equiv=Content-Security-Policy content="script-src 'nonce-cafe'">
<title>Guarded</title><script nonce=cafe>window.before = document.scripts.length</script></head><body>%s</body></html>`

// guarded is an app that does what it can to stay out of frames and to keep
// foreign scripts out.
func guarded(t *testing.T) *httptest.Server {
	t.Helper()
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.URL.Path == "/login" {
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "ada", Domain: "127.0.0.1", SameSite: http.SameSiteLaxMode, Secure: true})
			h.Set("Location", "http://"+r.Host+"/")
			w.WriteHeader(http.StatusFound)
			return
		}
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", "default-src 'none'; script-src 'nonce-cafe' 'strict-dynamic'; require-trusted-types-for 'script'; frame-ancestors 'none'; sandbox allow-scripts")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Permissions-Policy", "sync-xhr=()")
		h.Set("Content-Encoding", "gzip")
		user := "nobody"
		if c, err := r.Cookie("session"); err == nil {
			user = c.Value
		}
		z := gzip.NewWriter(w)
		defer z.Close()
		fmt.Fprintf(z, document, user)
	}))
	t.Cleanup(app.Close)
	return app
}

// TestOpen opens such an app with one command and drives it.
func TestOpen(t *testing.T) {
	app := guarded(t)
	page := openApp(t, app.URL+"/login")
	for expression, want := range map[string]any{
		"document.title":                                  "Guarded",
		"document.body.textContent":                       "ada",
		"location.pathname":                               "/",
		"origin !== " + fmt.Sprintf("%q", app.URL):        true,
		"self !== top":                                    true,
		"new Function('return 6 * 7')()":                  42.0,
		"document.querySelectorAll('script[src]').length": 0.0,
		"document.querySelectorAll('meta').length":        0.0,
		"fetch('/').then(r => r.text())":                  fmt.Sprintf(document, "ada"), // a script gets what the app wrote
		"before":                                          1.0,                          // the agent ran first, and took its own element away
		"fetch('/__hub/icdp/host').then(r => r.status)":   404.0,
	} {
		if got := page.evaluate(expression); got != want {
			t.Errorf("%s is %v, want %v", expression, got, want)
		}
	}
	page.visit("/?again")
}

// openApp opens an app in a headless browser with `cdphub open` and attaches
// to it.
func openApp(t *testing.T, address string, options ...string) *driven {
	t.Helper()
	page, _, _ := runOpen(t, address, options...)
	return page
}

// runOpen is openApp, and returns what the command writes.
func runOpen(t *testing.T, address string, options ...string) (page *driven, out, logs *logtest.Buffer) {
	t.Helper()
	browsertest.SkipShort(t)
	ctx, stop := context.WithCancel(t.Context())
	out, logs = new(logtest.Buffer), new(logtest.Buffer)
	ended := make(chan error, 1)
	args := append([]string{
		"open", address, "--headless", "--client-addr", "127.0.0.1:0", "--host-addr", "localhost:0", "--app-addr", "127.0.0.1:0", "--drain", "5s",
	}, options...)
	go func() { ended <- run(ctx, args, out, logs) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("open: %v", err)
		}
		if t.Failed() {
			t.Logf("%s\n%s", out.String(), logs.String())
		}
	})
	for end := time.Now().Add(pairWithin); ; time.Sleep(20 * time.Millisecond) {
		if _, rest, found := strings.Cut(out.String(), " at http://127.0.0.1:"); found && strings.Contains(rest, ", for example") {
			_, at, _ := strings.Cut(rest, " at http://")
			at, _, _ = strings.Cut(at, ", for example")
			return attach(t, at), out, logs
		}
		if time.Now().After(end) {
			t.Fatal("it never printed an endpoint")
		}
	}
}

// driven is a session with a page.
type driven struct {
	*hubtest.Peer
	session string
	last    int
}

// attach attaches to the one page that a hub has.
func attach(t *testing.T, addr string) *driven {
	t.Helper()
	d := &driven{Peer: hubtest.Dial(t, "ws://"+addr+"/devtools/browser", nil)}
	d.Send(`{"id":1,"method":"Target.setAutoAttach","params":{"autoAttach":true,"waitForDebuggerOnStart":false,"flatten":true}}`)
	var event struct {
		Params struct{ SessionID string }
	}
	if err := json.Unmarshal([]byte(d.Until("Target.attachedToTarget")), &event); err != nil {
		t.Fatal(err)
	}
	d.session, d.last = event.Params.SessionID, 1
	return d
}

// evaluate returns the value of an expression, or what went wrong.
func (d *driven) evaluate(expression string) any {
	d.T.Helper()
	d.last++
	command, err := json.Marshal(map[string]any{
		"id": d.last, "method": "Runtime.evaluate", "sessionId": d.session,
		"params": map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true},
	})
	if err != nil {
		d.T.Fatal(err)
	}
	d.Send(string(command))
	answer := d.Until(fmt.Sprintf(`"id":%d,`, d.last))
	var a struct {
		Error  *struct{ Message string }
		Result struct {
			Result           struct{ Value any }
			ExceptionDetails json.RawMessage
		}
	}
	if err := json.Unmarshal([]byte(answer), &a); err != nil {
		d.T.Fatal(err)
	}
	if a.Error != nil || a.Result.ExceptionDetails != nil {
		return answer
	}
	return a.Result.Result.Value
}

// visit takes the page elsewhere and waits for the new document.
func (d *driven) visit(address string) {
	d.T.Helper()
	d.evaluate("void setTimeout(() => { location.href = " + fmt.Sprintf("%q", address) + " })")
	want := fmt.Sprintf("location.pathname + location.search === %q && document.readyState === 'complete'", address)
	for end := time.Now().Add(hubtest.Within); d.evaluate(want) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			d.T.Fatalf("%s cannot be driven: %v", address, d.evaluate(want))
		}
	}
}

// TestKilledOpenLeavesNoBrowser kills the hub, which can then do nothing about
// its browser.
func TestKilledOpenLeavesNoBrowser(t *testing.T) {
	browsertest.SkipShort(t)
	dir, err := os.MkdirTemp("", "k-") // its path is short: Chromium's own temporary files must fit below the profile
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	inDir := func(c *exec.Cmd) { c.Env = append(c.Env, "TMPDIR="+dir) }
	p := startProcess(t, inDir, "open", "--headless", "--client-addr", "127.0.0.1:0", "--host-addr", "127.0.0.1:0", guarded(t).URL)
	p.await("opened a headless browser")
	if !runsWith(t, dir) {
		t.Error("no browser runs")
	}
	p.Process.Kill()
	p.Wait()
	for end := time.Now().Add(3 * hubtest.Within); ; time.Sleep(10 * time.Millisecond) {
		left, err := os.ReadDir(dir)
		if err == nil && len(left) == 0 && !runsWith(t, dir) {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("left behind: %v, %v; and a process: %v", left, err, runsWith(t, dir))
		}
	}
}

func TestBadAppAddresses(t *testing.T) {
	for _, args := range [][]string{{"proxy", "ftp://a/"}, {"proxy", "http://a b/"}, {"proxy"}, {"open", "x", "--csp=drop"}} {
		args = append(args, "--client-addr=127.0.0.1:0", "--host-addr=localhost:0", "--app-addr=127.0.0.1:0")
		if err := run(t.Context(), args, io.Discard, io.Discard); err == nil {
			t.Errorf("%q runs", args)
		}
	}
}

// runsWith reports whether a process has a text among its arguments.
func runsWith(t *testing.T, text string) bool {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		t.Fatalf("this test wants /proc: %v", err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		args, _ := os.ReadFile(file) // it may just have ended
		return bytes.Contains(args, []byte(text))
	})
}

// TestHeadlessOpenIsNotTakenOver opens the address that a headless `open` prints in
// a second browser: that one waits, and the page that clients drive stays.
func TestHeadlessOpenIsNotTakenOver(t *testing.T) {
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<!doctype html><title>mine</title>")
	}))
	defer app.Close()
	page, out, logs := runOpen(t, app.URL, "--log-level=debug")
	_, address, _ := strings.Cut(out.String(), "The app is at ")
	address, _, _ = strings.Cut(address, "\n")
	if !strings.HasSuffix(address, "&standby") {
		t.Fatalf("the address is %s", address)
	}
	second, err := chrome.Show(chrome.Options{NoSandbox: os.Geteuid() == 0}, address)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	hubtest.Eventually(t, "the second browser has come", func() bool { return strings.Count(logs.String(), `"host came"`) == 2 })
	if got := page.evaluate("document.title"); got != "mine" || strings.Contains(logs.String(), "replaced") {
		t.Errorf("the first page says %v", got)
	}
}
