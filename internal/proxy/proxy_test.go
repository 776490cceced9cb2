package proxy

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/cdphub/cdphub/internal/held/heldtest"
)

const (
	host    = "http://127.0.0.1:9223" // the Host page's origin
	page    = "<!doctype html><html><head><title>app</title></head><body></body></html>"
	forHTML = "text/html; charset=utf-8"
)

// tagOf is the agent's tag in the documents of an app.
func tagOf(own string) string {
	other := strings.Replace(own, "127.0.0.1", "localhost", 1)
	return `<script src="/__hub/agent.js" data-parents="` + host + " " + own + " " + other + `"></script>`
}

// wholeTagOf is tagOf with what ask leaves out, and Ks in place of the key.
func wholeTagOf(own, upstream string) string {
	return strings.Replace(tagOf(own), "></script>", ` data-proxy-key="`+strings.Repeat("K", 26)+`" data-upstream="`+upstream+`" data-alone=""></script>`, 1)
}

var proxyKey = regexp.MustCompile(`data-proxy-key="\w{26}"`)

// withoutKey puts Ks in place of the key in a text.
func withoutKey(text []byte) string {
	return proxyKey.ReplaceAllString(string(text), `data-proxy-key="`+strings.Repeat("K", 26)+`"`)
}

// tagged is page as the proxy serves it.
func tagged(own string) string { return strings.Replace(page, "<head>", "<head>"+tagOf(own), 1) }

// serve puts the proxy in front of an app and returns the URLs of both.
func serve(t *testing.T, app http.HandlerFunc, change func(*Options)) (own, upstream string) {
	t.Helper()
	up := httptest.NewServer(app)
	t.Cleanup(up.Close)
	at, err := url.Parse(up.URL)
	if err != nil {
		t.Fatal(err)
	}
	hub := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "hub %s %s", r.Method, r.URL) })
	o := Options{Upstream: at, Hub: hub, Parents: []string{host}, Log: zap.NewNop()}
	if change != nil {
		change(&o)
	}
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(p)
	t.Cleanup(func() {
		srv.Close()
		heldtest.WaitsForNothing(t, "the proxy", heldtest.Of(p.(*handler).agents))
	})
	return srv.URL, up.URL
}

// upstreamOf is what the agent's tag says of the app's own address, which ask leaves
// out: it is another in each test.
var upstreamOf = regexp.MustCompile(` data-proxy-key="[^"]*"| data-upstream="[^"]*"| data-alone=""`)

// ask makes one request without following redirects or unpacking anything.
// The headers are "Name: value".
func ask(t *testing.T, method, address string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	transport := &http.Transport{DisableCompression: true}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, upstreamOf.ReplaceAllString(string(body), "")
}

// answer is an app that always answers the same.
func answer(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Add(name, value)
		}
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

func packed(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	io.WriteString(z, text)
	z.Close()
	return b.String()
}

func TestDocuments(t *testing.T) {
	const html = "Content-Type: " + forHTML
	const injectedPage = "<!doctype html><html><head>@@<title>app</title></head><body></body></html>"
	for name, tt := range map[string]struct {
		status  int
		body    string
		headers []string
		ask     string // a request header
		want    string
	}{
		"a document":            {200, page, []string{html}, "Sec-Fetch-Dest: document", injectedPage},
		"in a frame":            {200, page, []string{html}, "Sec-Fetch-Dest: iframe", injectedPage},
		"a client that is mute": {200, page, []string{html}, "Accept: */*", injectedPage},
		"an error":              {404, page, []string{html}, "Sec-Fetch-Dest: iframe", injectedPage},
		"an empty document":     {200, "", []string{html}, "Sec-Fetch-Dest: iframe", "@@"},
		"no type":               {200, page, []string{"Content-Type: "}, "Sec-Fetch-Dest: iframe", injectedPage},
		"odd type":              {200, page, []string{"Content-Type: Text/HTML;;"}, "Sec-Fetch-Dest: iframe", injectedPage},
		"gzip":                  {200, packed(t, page), []string{html, "Content-Encoding: gzip"}, "Sec-Fetch-Dest: iframe", injectedPage},
		"gzip of nothing":       {200, "", []string{html, "Content-Encoding: gzip"}, "Sec-Fetch-Dest: iframe", "@@"},
		"by fetch":              {200, page, []string{html}, "Sec-Fetch-Dest: empty", page},
		"by XMLHttpRequest":     {200, page, []string{html}, "X-Requested-With: XMLHttpRequest", page},
		"a script":              {200, page, []string{"Content-Type: text/javascript"}, "Sec-Fetch-Dest: iframe", page},
		"plain text":            {200, page, []string{"Content-Type: text/plain"}, "Sec-Fetch-Dest: iframe", page},
		"a download":            {200, page, []string{html, "Content-Disposition: attachment; filename=a"}, "Sec-Fetch-Dest: iframe", page},
		"a part":                {206, page, []string{html}, "Sec-Fetch-Dest: iframe", page},
	} {
		own, _ := serve(t, answer(tt.status, tt.body, append(tt.headers, `ETag: "a"`)...), nil)
		res, body := ask(t, "GET", own+"/", tt.ask)
		tt.want = strings.Replace(tt.want, "@@", tagOf(own), 1)
		if body != tt.want || res.StatusCode != tt.status {
			t.Errorf("%s: %d %q, want %d %q", name, res.StatusCode, body, tt.status, tt.want)
		}
		h := res.Header
		touched := tt.want != tt.body
		if touched && (h.Get("ETag") != "" || h.Get("Content-Encoding") != "" || h.Get("Cache-Control") != "no-cache") {
			t.Errorf("%s: headers %v", name, h)
		}
		if !touched && (h.Get("ETag") != `"a"` || h.Get("Cache-Control") != "" || res.ContentLength != int64(len(tt.body))) {
			t.Errorf("%s: headers %v, length %d", name, h, res.ContentLength)
		}
	}
}

func TestHeadAndNotModified(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", forHTML)
		w.Header().Set("ETag", `"a"`)
		if r.Header.Get("If-None-Match") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		w.Header().Set("Content-Length", "42")
	}, nil)
	res, body := ask(t, "HEAD", own+"/", "Sec-Fetch-Dest: document")
	if res.StatusCode != 200 || body != "" || res.ContentLength != 42 || res.Header.Get("ETag") != `"a"` {
		t.Errorf("HEAD: %v", res)
	}
	res, body = ask(t, "GET", own+"/a.js", "Sec-Fetch-Dest: script", `If-None-Match: "a"`)
	if res.StatusCode != 304 || body != "" || res.Header.Get("ETag") != `"a"` {
		t.Errorf("a script: %v", res)
	}
}

func TestSniffingStaysWithTheBrowser(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		io.WriteString(w, "export {}")
	}, nil)
	if res, body := ask(t, "GET", own+"/", "Sec-Fetch-Dest: script"); res.Header["Content-Type"] != nil || body != "export {}" {
		t.Errorf("%v %q", res.Header, body)
	}
}

// TestDocumentsAreAskedForWhole wants nothing of a document to be left out, since
// the proxy writes into it; a video is asked for in ranges.
func TestDocumentsAreAskedForWhole(t *testing.T) {
	var got http.Header
	own, _ := serve(t, func(_ http.ResponseWriter, r *http.Request) { got = r.Header }, nil)
	for as, whole := range map[string]bool{
		"Sec-Fetch-Dest: document": true, "Sec-Fetch-Dest: iframe": true, "Accept: text/html": true, "Sec-Fetch-Dest: video": false, "Accept: */*": false,
	} {
		ask(t, "GET", own+"/", as, "Range: bytes=5-", `If-Range: "a"`, `If-None-Match: "a"`, "If-Modified-Since: x")
		for _, name := range []string{"Range", "If-Range", "If-None-Match", "If-Modified-Since"} {
			if (got.Get(name) == "") != whole {
				t.Errorf("%s: %s is %q", as, name, got.Get(name))
			}
		}
	}
}

func TestPolicies(t *testing.T) {
	headers := []string{
		"Content-Type: " + forHTML, "X-Frame-Options: DENY", "Content-Security-Policy: default-src 'nonce-abc'; frame-ancestors 'none'",
		`Permissions-Policy: geolocation=(self "https://a.example"), sync-xhr=(), camera=()`, "Feature-Policy: sync-xhr 'none'",
		"Cross-Origin-Embedder-Policy: require-corp", "Cross-Origin-Opener-Policy: same-origin", "Alt-Svc: h3", "Cache-Control: no-store",
		"Integrity-Policy: blocked-destinations=(script)",
	}
	const meta = "<meta http-equiv=content-security-policy content=\"script-src 'none'\">"
	const nonce, sri = ` nonce="abc"`, ` integrity="sha384-`
	own, _ := serve(t, answer(200, "<head>"+meta, headers...), nil)
	res, body := ask(t, "GET", own+"/")
	for name, want := range map[string]string{
		"X-Frame-Options": "", "Feature-Policy": "", "Alt-Svc": "", "Cache-Control": "no-store",
		"Content-Security-Policy":      "default-src 'nonce-abc'; script-src 'nonce-abc' 'self' 'unsafe-eval'; connect-src 'nonce-abc' 'self'; img-src 'nonce-abc' data: blob:",
		"Permissions-Policy":           `geolocation=(self "https://a.example"), camera=()`,
		"Cross-Origin-Embedder-Policy": "require-corp", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if got := strings.Join(res.Header.Values(name), "|"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if strings.Contains(body, meta) || !strings.Contains(body, nonce+sri) || !strings.Contains(body, `crossorigin="anonymous"`) {
		t.Errorf("relaxed: %s", body)
	}

	for _, upstream := range []string{"", "?0"} {
		own, _ := serve(t, answer(200, "<p>", "Content-Type: "+forHTML, "Origin-Agent-Cluster: "+upstream), nil)
		res, _ := ask(t, "GET", own+"/", "Sec-Fetch-Dest: iframe")
		if got, want := res.Header.Get("Origin-Agent-Cluster"), cmp.Or(upstream, "?1"); got != want {
			t.Errorf("Origin-Agent-Cluster %q becomes %q, want %q", upstream, got, want)
		}
	}

	own, _ = serve(t, answer(200, "<head>"+meta, headers...), func(o *Options) { o.KeepCSP = true })
	res, body = ask(t, "GET", own+"/")
	if got := res.Header.Get("Content-Security-Policy"); got != "default-src 'nonce-abc'" {
		t.Errorf("kept: %s", got)
	}
	if !strings.HasSuffix(body, meta) || !strings.Contains(body, nonce) {
		t.Errorf("kept: %s", body)
	}
}

func TestServiceWorkers(t *testing.T) {
	app := answer(200, page, "Content-Type: "+forHTML)
	own, _ := serve(t, app, func(o *Options) { o.NoServiceWorkers = true })
	if res, body := ask(t, "GET", own+"/sw.js", "Service-Worker: script"); res.StatusCode != 200 || body != workerEnd {
		t.Errorf("--no-sw: status %d, %s", res.StatusCode, body)
	}
	if res, _ := ask(t, "GET", own+"/sw.js"); res.StatusCode != 200 {
		t.Errorf("--no-sw, not for a worker: status %d", res.StatusCode)
	}
	own, _ = serve(t, app, nil)
	precache := []string{"Sec-Fetch-Dest: empty", "Referer: " + own + "/sw.js?v=1"}
	if _, body := ask(t, "GET", own+"/index.html", precache...); body != page {
		t.Errorf("fetched by a script: %s", body)
	}
	ask(t, "GET", own+"/sw.js?v=1", "Service-Worker: script", "Sec-Fetch-Dest: serviceworker")
	if _, body := ask(t, "GET", own+"/index.html", precache...); body != tagged(own) {
		t.Errorf("fetched by a worker: %s", body)
	}
}

func TestHubPaths(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "app") }, nil)
	for path, want := range map[string]string{
		"/__hub/agent.js": "hub GET /agent.js", "/__hub/shot.js?a": "hub GET /shot.js?a", "/__hub/agent.0123.js": "hub GET /agent.0123.js",
		"/__hub/dialog": "hub GET /dialog", "/__hub/eval/k.js": "hub GET /eval/k.js", "/__hubble": "app", "/agent.js": "app",
		"/__hub/eval/%2e%2e/icdp/host": "", "/__hub/icdp/host": "", "/__hub/host.js": "", "/__hub/shell": "", "/__hub/json/list": "",
		"/__hub/": "", "/__hub": "", "/__hub/../__hub/icdp/host": "",
	} {
		res, body := ask(t, "GET", own+path)
		if want == "" && res.StatusCode != 404 || want != "" && body != want {
			t.Errorf("%s: %d %q, want %q", path, res.StatusCode, body, want)
		}
	}
}

// TestIsolation asks for documents of an app that is cross-origin isolated, and of one that is not.
func TestIsolation(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", forHTML)
		for name, value := range map[string]string{"coop": "Cross-Origin-Opener-Policy", "coep": "Cross-Origin-Embedder-Policy", "dip": "Document-Isolation-Policy"} {
			if r.URL.Query().Has(name) {
				w.Header().Set(value, r.URL.Query().Get(name))
			}
		}
		fmt.Fprint(w, page)
	}, nil)
	for _, tt := range []struct{ query, isolation, resource string }{
		{"", "", ""},
		{"coep=require-corp", "", ""}, // in a tab it is not isolated either
		{"coop=same-origin", "", ""},
		{"coop=same-origin-allow-popups&coep=require-corp", "", ""},
		{"coop=same-origin&coep=unsafe-none", "", ""},
		{`coop=same-origin;+report-to="x"&coep=require-corp;+report-to="x"`, "isolate-and-require-corp", "cross-origin"},
		{"coep=credentialless", "isolate-and-credentialless", "cross-origin"}, // a frame of such a page
		{"coop=same-origin&coep=require-corp&dip=none", "none", "cross-origin"},
		{"", "", ""},
	} {
		res, _ := ask(t, "GET", own+"/?"+strings.ReplaceAll(tt.query, ";", "%3B"), "Accept: text/html", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: iframe")
		if got := res.Header.Get("Document-Isolation-Policy"); got != tt.isolation {
			t.Errorf("%q: the isolation is %q, want %q", tt.query, got, tt.isolation)
		}
		if got := res.Header.Get("Cross-Origin-Resource-Policy"); got != tt.resource {
			t.Errorf("%q: the resource policy is %q, want %q", tt.query, got, tt.resource)
		}
	}
}
