package webpage

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func ask(accept string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "/x", nil)
	r.Header.Set("Accept", accept)
	return r
}

// TestWrite wants a page that escapes what it is given.
func TestWrite(t *testing.T) {
	w := httptest.NewRecorder()
	Write(w, Problem{
		Status: 502, Title: "The app does not answer", Text: "<script>alert(1)</script>", Next: "Start it.",
		Link: "javascript:alert(1)", Label: "app", Detail: "dial: refused",
	})
	body := w.Body.String()
	for _, want := range []string{"<h1>The app does not answer</h1>", "&lt;script&gt;", "Start it.", "Status 502: dial: refused"} {
		if !strings.Contains(body, want) {
			t.Errorf("the page has no %q:\n%s", want, body)
		}
	}
	if strings.Contains(body, "<script>") || strings.Contains(body, `href="javascript:`) {
		t.Errorf("the page has script:\n%s", body)
	}
	if w.Code != 502 || !strings.Contains(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
		t.Errorf("answered %d, %v", w.Code, w.Header())
	}
}

func TestTitleOfStatus(t *testing.T) {
	if body := string(Problem{Status: 418}.Render()); !strings.Contains(body, "<h1>I&#39;m a teapot</h1>") {
		t.Error(body)
	}
}

// TestForPeople wants pages for refusals in plain text alone, and for people alone.
func TestForPeople(t *testing.T) {
	const html = "text/html,*/*;q=0.8"
	for _, c := range []struct {
		name, accept, kind string
		status             int
		page               bool
	}{
		{"a refusal", html, "text/plain; charset=utf-8", 404, true},
		{"for a program", "*/*", "text/plain; charset=utf-8", 404, false},
		{"in JSON", html, "application/json", 404, false},
		{"no refusal", html, "text/plain", 200, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := httptest.NewRecorder()
			ForPeople(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				w.WriteHeader(c.status)
				io.WriteString(w, "what <it> is\n")
			}), func(*http.Request) string { return "/home" }).ServeHTTP(w, ask(c.accept))
			body := w.Body.String()
			if w.Code != c.status || c.page != strings.Contains(body, "<h1>") || c.page != strings.Contains(body, "what &lt;it&gt; is") {
				t.Errorf("%d %s", w.Code, body)
			}
			if c.page && !strings.Contains(body, `href="/home"`) {
				t.Errorf("no link to the home page in %s", body)
			}
		})
	}
	upgrade := ask(html)
	upgrade.Header.Set("Upgrade", "websocket")
	if WantsHTML(upgrade) || !WantsHTML(ask(html)) {
		t.Error("WantsHTML takes a handshake for a person, or a person for none")
	}
}
