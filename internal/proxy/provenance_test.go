package proxy

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// cameAs is what the agent of a document is told of how it came.
func cameAs(t *testing.T, document string) navigationResponse {
	t.Helper()
	var a navigationResponse
	m := regexp.MustCompile(` data-response="([^"]*)"`).FindStringSubmatch(document)
	if m == nil {
		t.Fatalf("nothing is told in %s", document)
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(m[1])), &a); err != nil {
		t.Fatal(err)
	}
	return a
}

// TestArrival checks that a document tells its status, its headers but for
// cookies, the redirects that led to it, and where its text is kept.
func TestArrival(t *testing.T) {
	own, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "secret=1; Path=/; HttpOnly")
		w.Header().Add("Set-Cookie", "open=HttpOnly; Path=/")
		switch r.URL.Path {
		case "/a":
			http.Redirect(w, r, "/b?x", http.StatusFound)
		case "/b":
			http.Redirect(w, r, "http://"+r.Host+"/c#there", http.StatusMovedPermanently)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, "<p>none")
		}
	}, nil)
	get := func(path string) string {
		_, text := ask(t, "GET", own+path, "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate", "Cookie: secret=1")
		return text
	}
	get("/a")
	get("/b?x")
	text := get("/c")
	a := cameAs(t, text)
	if strings.Contains(text, "secret") {
		t.Errorf("a cookie is told of: %s", text)
	}
	if a.Status != 404 || a.StatusText != "Not Found" || a.URL != own+"/c" || a.Headers["content-type"] != "text/html" || a.Headers["content-length"] != "7" {
		t.Errorf("the document: %+v", a.hop)
	}
	if len(a.Redirects) != 2 || a.Redirects[0].URL != own+"/a" || a.Redirects[0].Status != 302 || a.Redirects[1].URL != own+"/b?x" || a.Redirects[1].Headers["location"] != own+"/c#there" {
		t.Errorf("the redirects: %+v", a.Redirects)
	}
	if _, sent := ask(t, "GET", own+"/__hub/body/"+a.Body, "Sec-Fetch-Site: same-origin"); sent != "<p>none" {
		t.Errorf("the text kept is %q", sent)
	}
	if res, _ := ask(t, "GET", own+"/__hub/body/"+a.Body, "Sec-Fetch-Site: same-site"); res.StatusCode != 404 {
		t.Errorf("another origin gets the text: %d", res.StatusCode)
	}
	if again := cameAs(t, get("/c")); again.Redirects != nil {
		t.Errorf("a second visit has the redirects of the first: %+v", again.Redirects)
	}
}

// TestShown checks that what is not HTML is shown in a page with the agent,
// and in nothing but a frame.
func TestShown(t *testing.T) {
	const pre = `<pre style="word-wrap: break-word; white-space: pre-wrap;">` + "\n"
	for _, c := range []struct{ kind, text, want string }{
		{"text/plain", "\n<b>&", pre + "\n&lt;b&gt;&amp;</pre></body></html>"},
		{"application/json; charset=latin1", `{"a":"<"}`, pre + `{"a":"&lt;"}</pre></body></html>`},
		{"", "", pre + "</pre></body></html>"},
		{"image/png", "\x89PNG", `" src="/__hub/body/KEY"></body></html>`},
		{"video/webm", "x", `<source src="/x?a=1&amp;b" type="video/webm"></video></body></html>`},
		{"application/zip", "PK", "PK"},
		{"image/svg+xml", "<svg/>", "<svg/>"},
	} {
		own, _ := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Content-Type"] = nil
			if c.kind != "" {
				w.Header().Set("Content-Type", c.kind)
			}
			fmt.Fprint(w, c.text)
		}, nil)
		res, text := ask(t, "GET", own+"/x?a=1&b", "Sec-Fetch-Dest: iframe", "Sec-Fetch-Mode: navigate")
		if c.want != c.text {
			a := cameAs(t, text)
			text = strings.ReplaceAll(text, a.Body, "KEY")
			if kind := res.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/html") || a.Headers["content-type"] != c.kind {
				t.Errorf("%s: type %q, told %q", c.kind, kind, a.Headers["content-type"])
			}
		}
		if !strings.HasSuffix(text, c.want) {
			t.Errorf("%s: %s, want %s", c.kind, text, c.want)
		}
		if _, plain := ask(t, "GET", own+"/x", "Sec-Fetch-Dest: image", "Sec-Fetch-Mode: no-cors"); plain != c.text {
			t.Errorf("%s: an element gets %q", c.kind, plain)
		}
	}
}
