package devtools

import (
	"archive/zip"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// packed writes a zip with these files, by name and content.
func packed(t *testing.T, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "frontend.zip")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	z := zip.NewWriter(out)
	for name, text := range files {
		w, err := z.Create(name)
		if err == nil {
			_, err = io.WriteString(w, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func ask(f *FrontEnd, method, path, encoding string) *http.Response {
	w, r := httptest.NewRecorder(), httptest.NewRequest(method, "/"+path, nil)
	r.URL.Path = strings.TrimPrefix(r.URL.Path, "/")
	r.Header.Set("Accept-Encoding", encoding)
	f.ServeHTTP(w, r)
	return w.Result()
}

func TestFrontEnd(t *testing.T) {
	const page = "<!doctype html><script src=a.js></script>"
	f, err := Open(packed(t, map[string]string{Page: page, "core/a.js": strings.Repeat("1;", 1000)}))
	if err != nil {
		t.Fatal(err)
	}
	at := f.version + "/"
	tests := []struct {
		request  string
		encoding string
		status   int
		body     string
	}{
		{"GET inspector.html?ws=x", "", 302, ""},
		{"GET " + at + "inspector.html", "", 200, page},
		{"GET " + at + "inspector.html", "br, gzip", 200, page},
		{"HEAD " + at + "inspector.html", "gzip", 200, ""},
		{"GET " + at + "core/a.js", "gzip", 200, strings.Repeat("1;", 1000)},
		{"POST inspector.html", "", 405, "Method not allowed\n"},
		{"GET " + at, "", 404, "Not found\n"},
		{"GET " + at + "core", "", 404, "Not found\n"},
		{"GET " + at + "core/../inspector.html", "", 404, "Not found\n"},
		{"GET " + at + "../../../etc/passwd", "", 404, "Not found\n"},
		{"GET 000000000000/inspector.html", "", 404, "Not found\n"},
	}
	for _, tt := range tests {
		t.Run(tt.request+" "+tt.encoding, func(t *testing.T) {
			method, path, _ := strings.Cut(tt.request, " ")
			res := ask(f, method, path, tt.encoding)
			body := res.Body
			if res.Header.Get("Content-Encoding") == "gzip" && method == http.MethodGet {
				if body, err = gzip.NewReader(res.Body); err != nil {
					t.Fatal(err)
				}
			}
			text, err := io.ReadAll(body)
			if err != nil || res.StatusCode != tt.status || string(text) != tt.body {
				t.Errorf("%d %.80q %v, want %d %.80q", res.StatusCode, text, err, tt.status, tt.body)
			}
			if policy := res.Header.Get("Content-Security-Policy"); res.StatusCode == 200 && !strings.Contains(policy, "connect-src 'self'") {
				t.Errorf("the policy is %q", policy)
			}
		})
	}
	if to := ask(f, "GET", "inspector.html?ws=h%2Fp", "").Header.Get("Location"); to != at+"inspector.html?ws=h%2Fp" {
		t.Errorf("the page is at %q", to)
	}
}

func TestNoFrontEnd(t *testing.T) {
	var none *FrontEnd
	res := ask(none, "GET", Page, "")
	text, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusNotImplemented || !strings.Contains(string(text), "make devtools") {
		t.Errorf("%d %q %v, want 501 and how to get one", res.StatusCode, text, err)
	}
	for what, path := range map[string]string{"no file": "/nonexistent.zip", "no front end": packed(t, map[string]string{"x": ""})} {
		if _, err := Open(path); err == nil {
			t.Errorf("%s was opened", what)
		}
	}
}

// TestR346InlineSourceMapsMayBeRead has the front end read what is in the address itself, and nothing of other
// origins.
func TestR346InlineSourceMapsMayBeRead(t *testing.T) {
	f, err := Open(packed(t, map[string]string{Page: "<!doctype html>"}))
	if err != nil {
		t.Fatal(err)
	}
	got := ask(f, "GET", f.version+"/"+Page, "").Header.Get("Content-Security-Policy")
	if want := "connect-src 'self' data: blob:;"; !strings.Contains(got, want) {
		t.Errorf("the policy is %s, want %s in it", got, want)
	}
}
